"""Recorded verdicts in both orders, read from the files themselves: every value that others computed is met."""

import csv
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import main
from judgekit.data.verdicts import Layout, load_verdicts
from judgekit.report.preference.document import block_document, recording_document
from judgekit.report.preference.value import Recording, recording_of
from judgekit.report.preference.words import sentence
from judgekit.stats import draws
from judgekit.stats.agreement import kappa_asymptotic, predictive_value, recall
from judgekit.stats.chance import ac1, alpha, fleiss
from judgekit.stats.paired import mcnemar
from judgekit.stats.tables import Table

# Facts about the file, and two coefficients that nobody here computes.
NOT_OURS = {"labels", "positive_label", "f1", "cohen_kappa_ase_under_h0"}
ORDERS = {"gold_vs_original": "original", "gold_vs_swapped": "swapped"}

# Leaves of the expected files that are numbers and not in NOT_OURS, counted from those files by another script.
TO_MEET = {"llmbar": 6695, "pairwise_human": 2496}
ALL_NULL = {"llmbar": 1, "pairwise_human": 0}


@pytest.fixture
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the values are compared, not the limits."""
    monkeypatch.setattr(draws, "MIN_DRAWS", 10)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 1)


def recording(path: Path, **layout: Any) -> Recording:
    told = Layout(**layout)
    read = load_verdicts(path, told)
    return recording_of(read.rows, source=path.name, gold=told.gold is not None, notices=read.notices)


def in_both_orders(path: Path, gold: str, *by: str) -> Recording:
    columns = {"original": "winner_original", "swapped": "winner_swapped"}
    return recording(path, **columns, coded="answer", gold=gold, case="item_id", by=by)


def leaves(value: Any) -> list[float | None]:
    """The numbers of a leaf, whoever computed them; a table counts once a cell."""
    if isinstance(value, dict):
        return [x for v in value.values() for x in leaves(v)]
    if isinstance(value, list):
        return [x for v in value for x in leaves(v)]
    return [value]


def of_table(doc: dict[str, Any], given: dict[str, Any]) -> dict[str, list[float | None]]:
    """A comparison of two columns, under the names of the expected files."""
    names = {"A": "1", "B": "2", "TIE": "tie"} if given["labels"][0] == "1" else {"A": "a", "B": "b", "TIE": "tie"}
    labels = [names[label] for label in doc["labels"]]
    assert labels == given["labels"]
    table = Table.of(doc["table"], labels)
    plain = kappa_asymptotic(table)
    first = ac1(table)
    mine: dict[str, list[float | None]] = {
        "n": [doc["n"]],
        "confusion_rows_reference_cols_judge": leaves(doc["table"]),
        "percent_agreement": [doc["agreement"]["value"]],
        "cohen_kappa": [doc["kappa"]["value"]],
        "cohen_kappa_ase": [plain.se],
        "cohen_kappa_ci95": [plain.low, plain.high],
        "scott_pi": [fleiss(table).value],
        "krippendorff_alpha_nominal": [alpha(table).value],
        "gwet_ac1": [first.value],
        "gwet_ac1 se": [first.se],
    }
    if "positive_label" in given:
        yes = given["positive_label"]
        at = labels.index(yes)
        mine["sensitivity_tpr"] = [recall(table, yes).value]
        mine["specificity_tnr"] = [recall(table, labels[1 - at]).value]
        mine["precision"] = [predictive_value(table, yes).value]
        mine["mcnemar_exact_p"] = [mcnemar(int(table.counts[at, 1 - at]), int(table.counts[1 - at, at])).p]
    return mine


def of_block(doc: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """A set of pairs, under the names of the expected files."""
    gold, flips = doc["gold"], doc["first_position"]["flips"]
    calls = doc["first_position"]["calls"]
    both = doc["a"] + doc["b"] + doc["inconsistent"]
    read = {side: gold[side]["n"] for side in ("original", "swapped")}
    neither = doc["missing"] - (doc["pairs"] - read["original"]) - (doc["pairs"] - read["swapped"])
    mine: dict[str, Any] = {
        "n": doc["pairs"],
        "unparsed_original": doc["pairs"] - read["original"],
        "unparsed_swapped": doc["pairs"] - read["swapped"],
        "both_parsed": both,
        "accuracy_original": gold["original"]["accuracy"],
        "accuracy_swapped": gold["swapped"]["accuracy"],
        "accuracy_average": gold["accuracy"],
        "accuracy_both_orders_right": gold["both_right"],
        # two missing verdicts are "the same answer" there, and never here
        "same_answer_rate_repo_definition_none_equals_none": (doc["a"] + doc["b"] - neither) / doc["pairs"],
        "conflicts": doc["inconsistent"],
        "conflict_rate_of_both_parsed": doc["inconsistent_share"]["value"],
        "conflict_rate_of_all": doc["inconsistent"] / doc["pairs"],
        "first_position_rate_of_parsed": calls["first"] / calls["of"],
        "conflicts_won_by_first_shown": flips["first"],
        "conflicts_won_by_second_shown": flips["second"],
        "conflict_sign_test_p": doc["bias_test"]["p"],
        "consistent_only": [doc["a"] + doc["b"], gold["one_sided"]["agreement"]["value"]],
    }
    for key, order in ORDERS.items():
        if key in given:
            mine[key] = of_table(gold[order], given[key])
    if "original_vs_swapped" in given:
        mine["original_vs_swapped"] = of_table(doc["orders"], given["original_vs_swapped"])
    return mine


def compare(mine: Any, given: dict[str, Any], where: str, seen: Counter[str], problems: list[str]) -> None:
    """Hold every leaf of `given` against ours; a key that ours lacks is an error of this test."""
    for key, value in given.items():
        if key in NOT_OURS:
            continue
        if isinstance(value, dict) and isinstance(mine[key], dict):
            compare(mine[key], value, f"{where} {key}", seen, problems)
            continue
        for tool, theirs in value.items() if isinstance(value, dict) and key != "consistent_only" else [("", value)]:
            ours = leaves(mine[f"{key} se" if tool.endswith(" se") else key])
            wanted = leaves(theirs)
            off = 5.1e-6 if tool.startswith("irrCAC") else 1e-6
            for w, g in zip(wanted, ours, strict=True):
                if w is None:
                    seen["null"] += 1
                    continue
                seen["met"] += 1
                if g is None or not math.isclose(w, g, rel_tol=1e-6, abs_tol=off if w else 1e-12):
                    problems.append(f"{where} {key} {tool}: {g} is not {w}")


def blocks_of(doc: dict[str, Any], expected: dict[str, Any]) -> list[tuple[str, Any, dict[str, Any]]]:
    return [(name, doc["by"][name], block) for name, block in expected.items()]


@pytest.mark.usefixtures("_few_draws")
@pytest.mark.parametrize(
    ("name", "gold", "part", "parts"),
    [("llmbar", "gold", "subset", "by_subset"), ("pairwise_human", "human", "source", "by_source")],
)
def test_every_value_of_every_judge_and_strategy_is_met(data_dir: Path, name, gold, part, parts) -> None:
    path = data_dir / name / "verdicts.csv"
    expected = json.loads((data_dir / name / "expected.json").read_text())
    whole = recording_document(in_both_orders(path, gold, "judge", "strategy"))
    single = recording_document(in_both_orders(path, gold, "judge", "strategy", part))
    assert set(whole["by"]) == set(expected["overall"])
    assert set(single["by"]) == set(expected[parts])
    jobs = blocks_of(whole, expected["overall"]) + blocks_of(single, expected[parts])
    if "adversarial_micro" in expected:
        hard = path.read_text().splitlines()
        rows = [
            row
            for row in load_verdicts(
                path,
                Layout(
                    original="winner_original",
                    swapped="winner_swapped",
                    coded="answer",
                    gold=gold,
                    case="item_id",
                    by=("judge", "strategy"),
                ),
            ).rows
            if not row.case.startswith("natural-")
        ]
        assert len(rows) == sum(1 for line in hard[1:] if not line.startswith("natural-")) == 319 * 36
        micro = recording_document(recording_of(rows, source="hard", gold=True))
        jobs += blocks_of(micro, expected["adversarial_micro"])
    problems: list[str] = []
    seen: Counter[str] = Counter()
    for label, doc, block in jobs:
        compare(of_block(doc, block), block, label, seen, problems)
    assert not problems, "\n".join(problems[:20])
    assert (seen["met"], seen["null"]) == (TO_MEET[name], ALL_NULL[name])


@pytest.mark.usefixtures("_few_draws")
def test_the_table_of_the_paper_is_met(data_dir: Path) -> None:
    expected = json.loads((data_dir / "llmbar" / "expected.json").read_text())["paper_style_table"]
    doc = recording_document(
        in_both_orders(data_dir / "llmbar" / "verdicts.csv", "gold", "judge", "strategy", "subset")
    )
    met = 0
    for setting, row in expected.items():
        parts = {
            name: doc["by"][f"{setting}/{name}"] for name in ("natural", "neighbor", "gptinst", "gptout", "manual")
        }

        def agrees(part: dict[str, Any]) -> float:
            neither = part["missing"] - 2 * part["pairs"] + part["gold"]["original"]["n"] + part["gold"]["swapped"]["n"]
            return (part["a"] + part["b"] - neither) / part["pairs"]

        right = {name: 100 * part["gold"]["accuracy"] for name, part in parts.items()}
        same = {name: 100 * agrees(part) for name, part in parts.items()}
        hard = [name for name in parts if name != "natural"]
        ours = {
            "natural_acc": right["natural"],
            "natural_agr": same["natural"],
            "adversarial_macro_acc": sum(right[name] for name in hard) / 4,
            "adversarial_macro_agr": sum(same[name] for name in hard) / 4,
        }
        for key, value in row.items():
            assert ours[key] == pytest.approx(value, abs=1e-6), (setting, key)
            met += 1
    assert met == 36 * 4


def test_one_judge_contradicts_itself_on_87_percent_nearly_always_for_the_first_answer_and_another_on_2(
    data_dir,
) -> None:
    found = in_both_orders(data_dir / "llmbar" / "verdicts.csv", "gold", "judge", "strategy")
    falcon, gpt4 = found.groups["falcon-180b-chat/cot"], found.groups["gpt-4/swap_cot"]
    assert "87% of pairs flipped with the order, 362 of 363 of them to the first answer" in sentence(falcon, ("A", "B"))
    assert "2% of pairs flipped with the order" in sentence(gpt4, ("A", "B"))
    doc = block_document(falcon, ("A", "B"))
    assert any("leans to the answer shown first: 362 of 363 flips (p < 0.001)" in w for w in doc["warnings"])
    assert any("contradicts itself on 87% of pairs" in w for w in doc["warnings"])
    assert doc["win_rate_decided"]["value"] is None
    assert "87% of the pairs would be left out" in doc["win_rate_decided"]["undefined"]
    assert doc["first_position"]["low"] > 0.9
    good = block_document(gpt4, ("A", "B"))
    assert good["warnings"] == []
    assert good["consistency"]["low"] > 0.95


@pytest.mark.usefixtures("_few_draws")
def test_the_conflict_rates_of_faireval_are_met(data_dir: Path) -> None:
    path = data_dir / "pairwise_human" / "verdicts.csv"
    expected = json.loads((data_dir / "pairwise_human" / "expected.json").read_text())
    found = in_both_orders(path, "human", "judge", "strategy", "source").groups
    rates = expected["published_faireval"]["recomputed"]
    assert len(rates) == 4
    for judge, rate in rates.items():
        stats = found[f"{judge}/vanilla_norules/faireval"].stats
        assert stats.counts["INCONSISTENT"] / stats.pairs == pytest.approx(rate, abs=1e-9)
    chatgpt = found["chatgpt-0613/vanilla_norules/faireval"]
    assert (chatgpt.stats.first, chatgpt.stats.second) == (54, 0)
    llama = found["llama-2-70b-chat/metrics_reference/llmeval2"].stats
    assert (llama.second, llama.first + llama.second) == (114, 118)


@pytest.mark.usefixtures("_few_draws")
def test_settled_pairs_with_ties_and_conflicts_are_met(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "mt_bench_human"
    expected = json.loads((folder / "expected.json").read_text())
    doc = recording_document(recording(folder / "pairs.csv", outcome="gpt4_pair", by=("turn",)))
    counts = {"a": doc["a"], "b": doc["b"], "tie": doc["tie"], "inconsistent": doc["inconsistent"]}
    assert counts == expected["gpt4_counts"]
    assert doc["missing"] == doc["unknown"] == 0
    rates = expected["gpt4_position_inconsistent_rate"]
    assert doc["inconsistent_share"]["value"] == pytest.approx(rates["both"])
    assert {k: pytest.approx(rates[k]) for k in "12"} == {k: doc["by"][k]["inconsistent_share"]["value"] for k in "12"}
    assert doc["bias_test"]["undefined"] == "it is not known which way the pairs flipped"
    single = recording_document(recording(folder / "pairs.csv", outcome="gpt4_pair", by=("category",)))["by"]
    assert len(single) == len(expected["gpt4_inconsistent_by_category"]) == 8
    for name, row in expected["gpt4_inconsistent_by_category"].items():
        assert single[name]["pairs"] == row["n"]
        assert single[name]["inconsistent_share"]["value"] == pytest.approx(row["rate"])


@pytest.mark.usefixtures("_few_draws")
def test_settled_pairs_against_every_human_vote_are_met(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "mt_bench_human"
    expected = json.loads((folder / "expected.json").read_text())
    with (folder / "pairs.csv").open() as file:
        pairs = {row["pair_id"]: row for row in csv.DictReader(file)}
    with (folder / "human_votes.csv").open() as file:
        votes = list(csv.DictReader(file))
    joined = tmp_path / "joined.csv"
    with joined.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["pair", "turn", "judge", "vote"])
        out.writerows(
            [v["pair_id"], pairs[v["pair_id"]]["turn"], pairs[v["pair_id"]]["gpt4_pair"], v["vote"]] for v in votes
        )
    doc = recording_document(recording(joined, outcome="judge", gold="vote", case="pair", by=("turn",)))
    kinds = {
        "gpt4_vs_each_vote_inconsistent_as_tie": "as_tie",
        "gpt4_vs_each_vote_inconsistent_dropped": "decided",
        "gpt4_vs_each_vote_both_decided": "one_sided",
    }
    problems: list[str] = []
    seen: Counter[str] = Counter()
    for key, kind in kinds.items():
        for turn, block in expected[key].items():
            side = (doc if turn == "both" else doc["by"][turn])["gold"][kind]
            # each vote is a row there, and each pair a case here: agreement over rows is right / n
            side = {**side, "agreement": {"value": side["right"] / side["n"]}}
            compare(of_table(side, block), block, f"{key} {turn}", seen, problems)
    assert not problems, "\n".join(problems[:20])
    assert seen == {"met": 222}


@pytest.mark.usefixtures("_few_draws")
def test_settled_pairs_against_the_majority_of_votes_are_met(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "mt_bench_human"
    expected = json.loads((folder / "expected.json").read_text())
    votes: dict[str, Counter[str]] = {}
    with (folder / "human_votes.csv").open() as file:
        for row in csv.DictReader(file):
            votes.setdefault(row["pair_id"], Counter())[row["vote"]] += 1
    joined = tmp_path / "majority.csv"
    undecided = 0
    with (folder / "pairs.csv").open() as file, joined.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["pair", "judge", "vote"])
        for row in csv.DictReader(file):
            (top, n), *rest = [*votes.get(row["pair_id"], Counter()).most_common(), ("", 0)]
            decided = n > 0 and all(m < n for _, m in rest)
            undecided += n > 0 and not decided
            writer.writerow([row["pair_id"], row["gpt4_pair"], top if decided else ""])
    assert undecided == expected["majority_vote_undecided_pairs"]
    doc = recording_document(recording(joined, outcome="judge", gold="vote", case="pair"))
    given = expected["gpt4_vs_majority_vote_inconsistent_as_tie"]
    problems: list[str] = []
    seen: Counter[str] = Counter()
    compare(of_table(doc["gold"]["as_tie"], given), given, "majority", seen, problems)
    assert not problems
    assert seen == {"met": 25}
    assert doc["gold"]["without"] == 1240 - given["n"]


@pytest.mark.usefixtures("_few_draws")
def test_verdicts_in_one_order_are_compared_with_people_and_never_called_a_preference(data_dir: Path) -> None:
    folder = data_dir / "pandalm"
    expected = json.loads((folder / "expected.json").read_text())["pairs"]
    problems: list[str] = []
    seen: Counter[str] = Counter()
    for name, block in expected.items():
        gold, judge = name.split("__")
        doc = recording_document(recording(folder / "labels.csv", original=judge, gold=gold, coded="answer"))
        if gold == "gpt_3_5_turbo":
            assert doc["gold"]["without"] == 25
        compare(of_table(doc["gold"]["original"], block), block, name, seen, problems)
        assert doc["win_rate"]["value"] is None
        assert doc["missing"] == doc["pairs"]
    rows = load_verdicts(folder / "labels.csv", Layout(original="gpt_3_5_turbo", coded="answer")).rows
    assert Counter(row.original for row in rows) == {"A": 460, "B": 476, "TIE": 38, None: 25}
    assert len(expected) == 12
    assert not problems, "\n".join(problems[:20])
    assert seen == {"met": 300}


def test_the_command_says_it_in_its_first_line(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (data_dir / "llmbar" / "verdicts.csv").read_text().splitlines()
    one = tmp_path / "falcon.csv"
    one.write_text("\n".join([rows[0], *(r for r in rows if ",falcon-180b-chat,cot," in r)]) + "\n")
    columns = ["--original", "winner_original", "--swapped", "winner_swapped", "--coded", "answer"]
    assert main(["preference", str(one), *columns, "--case", "item_id"]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert told.startswith("B wins 51% [49, 52] over 416 cases, both orders averaged; 87% of pairs flipped")
