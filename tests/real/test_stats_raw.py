"""From the raw columns of real label files to the numbers that other tools got: counting, gaps, many raters."""

import csv
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judgekit.stats import draws
from judgekit.stats.agreement import agreement, kappa, kappa_asymptotic
from judgekit.stats.annotators import alternative_test, consensus
from judgekit.stats.chance import Ratings, ac1, alpha, fleiss, ratings
from judgekit.stats.repeats import repeats
from judgekit.stats.tables import Table, codes, count, labels_in

Load = Callable[[str, str], list[dict[str, str]]]


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the values are compared here, not the limits."""
    monkeypatch.setattr(draws, "MIN_DRAWS", 10)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 1)


@pytest.fixture
def load(data_dir: Path) -> Load:
    def rows(folder: str, file: str) -> list[dict[str, str]]:
        with (data_dir / folder / file).open(newline="", encoding="utf-8") as handle:
            return list(csv.DictReader(handle))

    return rows


@pytest.fixture
def reference(data_dir: Path) -> Callable[[str], dict[str, Any]]:
    return lambda folder: json.loads((data_dir / folder / "expected.json").read_text())


def column(rows: Sequence[dict[str, str]], name: str) -> list[str | None]:
    return [row[name] or None for row in rows]


def grid(columns: Sequence[Sequence[str | None]], labels: Sequence[str] | None = None) -> Ratings:
    order = labels or labels_in(*columns)
    return ratings(np.stack([codes(one, order) for one in columns], axis=1), order)


def plurality(given: Sequence[str | None]) -> str | None:
    ranked = Counter(given).most_common()
    return None if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]) else ranked[0][0]


def same_table(table: Table, block: dict[str, Any]) -> None:
    used = table.occurring() if len(table.labels) > len(block["labels"]) else table
    assert used.counts.tolist() == block["confusion_rows_reference_cols_judge"]
    assert [str(label) for label in block["labels"]] == list(used.labels)
    assert used.n == block["n"]


def same_coefficients(data: Ratings, block: dict[str, Any]) -> int:
    """Hold the coefficients of many raters against the file; returns how many were compared."""
    f, g = fleiss(data, level=0.5), ac1(data, level=0.5)
    wanted = [
        (block["fleiss_kappa"]["irrCAC"], f.value, 5.1e-6),
        (block["fleiss_kappa"]["irrCAC se"], f.se, 5.1e-6),
        (block["gwet_ac1"]["irrCAC"], g.value, 5.1e-6),
        (block["gwet_ac1"]["irrCAC se"], g.se, 5.1e-6),
    ]
    for metric in ("nominal", "ordinal", "interval"):
        if f"krippendorff_alpha_{metric}" in block:
            value = block[f"krippendorff_alpha_{metric}"]["krippendorff"]
            wanted.append((value, alpha(data, metric, level=0.5).value, 1e-6))
    for name, value in block["fleiss_kappa"].items():
        if name.startswith("statsmodels (complete rows"):
            full = data.patterns.sum(axis=1) == data.patterns.sum(axis=1).max()
            complete = Ratings(data.labels, data.patterns[full], data.times[full])
            wanted.append((value, fleiss(complete, level=0.5).value, 1e-6))
    for value, got, off in wanted:
        assert got is not None
        assert math.isclose(value, got, rel_tol=1e-6, abs_tol=off), (value, got)
    return len(wanted)


def test_pandalm_pairs_are_counted_and_gaps_left_out(load: Load, reference: Any) -> None:
    rows, expected = load("pandalm", "labels.csv"), reference("pandalm")
    assert len(expected["pairs"]) == 12
    for name, block in expected["pairs"].items():
        a, b = name.split("__")
        table = count(column(rows, a), column(rows, b), labels=("1", "2", "tie"))
        same_table(table, block)
        assert table.missing == 999 - block["n"]


def test_pandalm_majority_and_published_kappas(load: Load, reference: Any) -> None:
    rows, expected = load("pandalm", "labels.csv"), reference("pandalm")
    annotators = {f"annotator_{i}": column(rows, f"annotator_{i}") for i in (1, 2, 3)}
    agreed, disputed = consensus(annotators)
    assert (agreed, disputed) == (column(rows, "majority"), 0)
    for pair, block in expected["published_vs_recomputed"]["kappa_annotator_pairs"].items():
        a, b = (annotators[f"annotator_{i}"] for i in pair.split("-"))
        value = kappa(count(a, b), level=0.5).value
        assert value is not None
        assert round(value, 2) == block["published"]


def test_pandalm_many_raters_with_a_judge_that_left_gaps(load: Load, reference: Any) -> None:
    rows, expected = load("pandalm", "labels.csv"), reference("pandalm")["multi"]
    people = [f"annotator_{i}" for i in (1, 2, 3)]
    groups = {
        "three_annotators": people,
        "three_annotators_plus_gpt35": [*people, "gpt_3_5_turbo"],
        "three_annotators_plus_pandalm": [*people, "pandalm_7b"],
    }
    assert set(groups) == set(expected)
    for name, names in groups.items():
        data = grid([column(rows, one) for one in names])
        assert data.missing == expected[name]["n_missing"]
        assert same_coefficients(data, expected[name]) == 6


def test_pandalm_alternative_annotator_test(load: Load, reference: Any) -> None:
    rows, expected = load("pandalm", "labels.csv"), reference("pandalm")["alt_test"]["results"]
    annotators = {f"annotator_{i}": column(rows, f"annotator_{i}") for i in (1, 2, 3)}
    assert len(expected) == 10
    for name, block in expected.items():
        judge, _, epsilon = name.partition("/eps=")
        found = alternative_test(column(rows, judge), annotators, epsilon=float(epsilon), level=0.5)
        assert found.winning_rate == pytest.approx(block["winning_rate"], abs=1e-9)
        assert found.advantage.value == pytest.approx(block["advantage_probability"], abs=1e-6)
        assert found.p == pytest.approx(block["p_values"], rel=1e-6, abs=1e-9)
        assert found.by_annotator == pytest.approx(block["advantage_by_annotator"], abs=1e-6)


def test_hanna_alternative_annotator_test_on_scores(load: Load, reference: Any) -> None:
    rows, expected = load("hanna", "ratings.csv"), reference("hanna")["alt_test"]
    compared = 0
    for name, block in expected["results"].items():
        criterion, judge = name.split("/")
        here = [row for row in rows if row["criterion"] == criterion]
        scores = [float(row[judge]) if row[judge] else None for row in here]
        judged = [score if score is not None and 1 <= score <= 5 else None for score in scores]
        people = {f"human_{i}": [float(row[f"human_{i}"]) for row in here] for i in (1, 2, 3)}
        found = alternative_test(judged, people, epsilon=expected["epsilon"], numeric=True, level=0.5)
        assert found.advantage.n == block["n"]
        assert found.winning_rate == pytest.approx(block["winning_rate"], abs=1e-9)
        assert found.advantage.value == pytest.approx(block["advantage_probability"], abs=1e-6)
        compared += 1
    assert compared == 24


def test_hanna_people_by_criterion(load: Load, reference: Any) -> None:
    rows, expected = load("hanna", "ratings.csv"), reference("hanna")["human"]
    for criterion, block in expected.items():
        here = [row for row in rows if row["criterion"] == criterion]
        columns = [column(here, f"human_{i}") for i in (1, 2, 3)]
        assert same_coefficients(grid(columns), block) == 8
        for name, pair in block["pairs"].items():
            a, b = name.split("__")
            same_table(count(column(here, a), column(here, b)), pair)
    assert len(expected) == 6


def test_hanna_checks_of_explanations_and_the_constant_column(load: Load, reference: Any) -> None:
    rows, expected = load("hanna", "explanation_checks.csv"), reference("hanna")["explanation_checks"]
    published = 0
    for criterion, block in expected.items():
        here = [row for row in rows if row["criterion"] == criterion]
        data = grid([column(here, f"rater_{i}") for i in (1, 2, 3)], ("0", "1"))
        if "note" in block:
            for found in (fleiss(data), ac1(data), alpha(data)):
                assert found.value is None
                assert "one label only (0)" in found.undefined
            continue
        assert same_coefficients(data, block) == 6
        value = ac1(data, level=0.5).value
        assert value is not None
        assert round(value, 2) == block["published_gwet_ac1"]["value"]
        published += 1
    assert published == 5


def test_xstest_by_responder_and_published_fleiss(load: Load, reference: Any) -> None:
    rows, expected = load("xstest", "labels.csv"), reference("xstest")
    labels = ("full_compliance", "full_refusal", "partial_refusal")
    for name, block in expected["pairs"].items():
        same_table(count(*(column(rows, one) for one in name.split("__")), labels=labels), block)
    for responder, pairs in expected["per_responder"].items():
        here = [row for row in rows if row["responder"] == responder]
        for name, block in pairs.items():
            same_table(count(*(column(here, one) for one in name.split("__")), labels=labels), block)
        both = count(column(here, "annotator_1"), column(here, "annotator_2"), labels=labels)
        published = expected["published_vs_recomputed"]["rows"][responder]
        value, share = fleiss(both, level=0.5).value, agreement(both).value
        assert value is not None
        assert share is not None
        assert (round(value, 2), round(100 * share, 1)) == (
            published["published_fleiss_kappa"],
            published["published_agreement_pct"],
        )
    for name, block in expected["binary"].items():
        table = count(*(column(rows, one) for one in name.split("__")), labels=labels)
        binary = table.binary(["full_compliance"]).keep(["FAIL", "PASS"])
        same_table(binary, block)
        assert binary.missing == expected["judge_missing"] * ("gpt4" in name)


def test_triviaqa_judges_by_file_and_exam_taker(load: Load, reference: Any) -> None:
    compared = 0
    for file, block in reference("triviaqa_judges")["files"].items():
        rows = load("triviaqa_judges", file)
        for judge, pair in block["judges"].items():
            table = count(column(rows, "human"), column(rows, judge), labels=("correct", "incorrect"))
            same_table(table if pair["labels"][0] == "correct" else table.keep(pair["labels"]), pair)
            assert table.missing == pair["n_missing"]
            for taker, small in block["per_exam_taker"][judge].items():
                here = [row for row in rows if row["exam_taker"] == taker]
                part = count(column(here, "human"), column(here, judge), labels=("correct", "incorrect"))
                assert part.n == small["n"]
                assert kappa(part, level=0.5).value == pytest.approx(small["cohen_kappa"], abs=1e-6)
                assert agreement(part).value == pytest.approx(small["percent_agreement"], abs=1e-6)
                compared += 1
        llm = [name for name in block["judges"] if name not in ("contains", "em")]
        for name, multi in block["multi"].items():
            names = [*llm, "human"] if name.endswith("plus_human") else llm
            assert same_coefficients(grid([column(rows, one) for one in names]), multi) == 6
    assert compared == 11 * 9 + 9 * 8


def test_llm_rubric_sparse_annotators(load: Load, reference: Any) -> None:
    rows = [row for row in load("llm_rubric", "human.csv") if row["set"] == "synthetic"]
    expected = reference("llm_rubric")["synthetic"]
    people = sorted({row["annotator_id"] for row in rows})
    compared = 0
    for question, block in expected.items():
        marks: dict[str, dict[str, str]] = defaultdict(dict)
        for row in rows:
            if row[question]:
                marks[row["dialogue_id"]][row["annotator_id"]] = row[question]
        columns = [[marks[d].get(person) for d in marks] for person in people]
        data = grid(columns, ("1", "2", "3", "4"))
        for metric in ("nominal", "ordinal", "interval"):
            value = block[f"krippendorff_alpha_{metric}"]["krippendorff"]
            assert alpha(data, metric, level=0.5).value == pytest.approx(value, abs=1e-6)
            compared += 1
        binary = grid([[m and ("PASS" if m >= "3" else "FAIL") for m in one] for one in columns])
        value = block["krippendorff_alpha_nominal_pass_at_3"]["krippendorff"]
        assert alpha(binary, level=0.5).value == pytest.approx(value, abs=1e-6)
    assert compared == 27


def test_trec_judges_alone_together_and_clamped(load: Load, reference: Any) -> None:
    rows, expected = load("trec_llmjudge", "labels.csv"), reference("trec_llmjudge")
    scale = ("0", "1", "2", "3")
    human = column(rows, "human")
    columns = {run: column(rows, run) for run in expected["judges"]}
    valid = {run: [label if label in scale else None for label in one] for run, one in columns.items()}
    for run, block in expected["judges"].items():
        table = count(human, valid[run], labels=scale)
        same_table(table, block)
        assert table.missing == len(block["out_of_range"])
        clamped = count(human, [label if label in scale else "3" for label in columns[run]], labels=scale)
        published = expected["published_vs_recomputed"][run]
        mine, ordinal = kappa(clamped, level=0.5).value, alpha(clamped, "ordinal", level=0.5).value
        assert mine is not None
        assert ordinal is not None
        assert abs(mine - published["published_kappa"]) < 0.0001
        assert abs(ordinal - published["published_alpha"]) < 0.0001
    assert len(columns) == 33
    for at in ("1", "2", "3"):
        for run, by_cut in expected["binary"].items():
            passing = [label for label in scale if label >= at]
            binary = count(human, valid[run], labels=scale).binary(passing, ("1", "0")).keep(["0", "1"])
            assert binary.counts.tolist() == by_cut[f"ge{at}"]["confusion_rows_reference_cols_judge"]
    together = grid(list(valid.values()), scale)
    for metric in ("nominal", "ordinal", "interval"):
        value = expected["multi"]["33_runs"][f"krippendorff_alpha_{metric}"]["krippendorff"]
        assert alpha(together, metric, level=0.5).value == pytest.approx(value, abs=1e-6)
    value = expected["multi"]["human_plus_33_runs_ordinal"]["krippendorff"]
    assert alpha(grid([human, *valid.values()], scale), "ordinal", level=0.5).value == pytest.approx(value, abs=1e-6)


def test_mt_bench_sparse_votes(load: Load, reference: Any) -> None:
    votes, pairs = load("mt_bench_human", "human_votes.csv"), load("mt_bench_human", "pairs.csv")
    expected = reference("mt_bench_human")
    by_pair: dict[str, list[str | None]] = {row["pair_id"]: [] for row in pairs}
    for row in votes:
        by_pair[row["pair_id"]].append(row["vote"])
    most = max(len(given) for given in by_pair.values())
    slots = [[given[i] if i < len(given) else None for given in by_pair.values()] for i in range(most)]
    value = expected["krippendorff_alpha_nominal_human_votes"]["krippendorff"]
    assert alpha(grid(slots), level=0.5).value == pytest.approx(value, abs=1e-6)
    as_tie = ["tie" if row["gpt4_pair"] == "inconsistent" else row["gpt4_pair"] for row in pairs]
    value = expected["krippendorff_alpha_nominal_human_votes_plus_gpt4"]["krippendorff"]
    assert alpha(grid([*slots, as_tie]), level=0.5).value == pytest.approx(value, abs=1e-6)
    agreed, disputed = consensus({str(i): slot for i, slot in enumerate(slots)})
    most_voted = [plurality(given) for given in by_pair.values()]  # the source counts the largest party, half or not
    parties = [label for label, majority in zip(most_voted, agreed, strict=True) if label and not majority]
    assert disputed == expected["majority_vote_undecided_pairs"] + len(parties)
    assert all(label == majority for label, majority in zip(most_voted, agreed, strict=True) if majority)
    same_table(count(most_voted, as_tie), expected["gpt4_vs_majority_vote_inconsistent_as_tie"])
    gpt4 = {row["pair_id"]: row for row in pairs}
    for turn, block in expected["gpt4_vs_each_vote_inconsistent_dropped"].items():
        here = [v for v in votes if turn in ("both", gpt4[v["pair_id"]]["turn"])]
        judge = [gpt4[v["pair_id"]]["gpt4_pair"] for v in here]
        human = [v["vote"] for v in here]
        table = count(human, [None if label == "inconsistent" else label for label in judge])
        same_table(table, block)
        assert table.missing == judge.count("inconsistent")


def test_repeated_scores_of_one_judge(load: Load, reference: Any) -> None:
    rows, expected = load("repeat_scores", "scores.csv"), reference("repeat_scores")["judges"]
    scale = [str(score) for score in range(1, 11)]
    for judge, block in expected.items():
        here = [row for row in rows if row["judge"] == judge]
        runs = [[row[f"r{i}"] if row[f"r{i}"] in scale else None for row in here] for i in range(1, 9)]
        same_table(count(runs[0], runs[1], labels=scale), block["run1_vs_run2"])
        data = grid(runs, scale)
        for metric in ("nominal", "ordinal", "interval"):
            value = block[f"krippendorff_alpha_{metric}"]["krippendorff"]
            assert alpha(data, metric, level=0.5).value == pytest.approx(value, abs=1e-6)
        found = repeats(runs, level=0.5)
        assert found.unanimous.n == block["units_all_8_valid"]
        assert found.unanimous.value == pytest.approx(block["share_identical_8"], abs=1e-6)
        passed = [[s and ("PASS" if int(s) >= 7 else "FAIL") for s in run] for run in runs]
        binary = repeats(passed, level=0.5)
        assert binary.alpha.value == pytest.approx(
            block["pass_at_7"]["krippendorff_alpha_nominal"]["krippendorff"], abs=1e-6
        )
        assert binary.unanimous.value == pytest.approx(block["pass_at_7"]["share_unanimous_of_all_valid"], abs=1e-6)
    assert len(expected) == 5


def test_a_constant_judge_has_kappa_0_and_constant_people_none(load: Load, reference: Any) -> None:
    expected = reference("llm_rubric")["real"]
    flat = 0
    for block in expected.values():
        table = Table.of(block["argmax_vs_human"]["confusion_rows_reference_cols_judge"])
        if (table.judge > 0).sum() == 1:
            flat += 1
            assert kappa(table).value == 0
            assert kappa_asymptotic(table).se == pytest.approx(0, abs=1e-7)
            assert kappa(Table.of(table.counts.T.tolist())).value is None
    assert flat >= 1
