"""`judgekit agreement`, run on recorded judges beside people: it meets what other tools computed from the same files."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import main
from judgekit.stats import draws, prevalence

TABLE = "confusion_rows_reference_cols_judge"
FAILURES = "content_filter,refusal,no_score,cli_error"
XSTEST_BINARY = ("--pass", "full_compliance", "--fail", "full_refusal,partial_refusal")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only values are compared here, not limits."""
    monkeypatch.setattr(draws, "MIN_DRAWS", 40)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 1)
    monkeypatch.setattr(prevalence, "GRID", 9)


@pytest.fixture
def agreed(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def run(path: Path, human: str, judge: str, *more: str) -> Any:
        capsys.readouterr()
        code = main(["agreement", str(path), "--human", human, "--judge", judge, *more, "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        return json.loads(out)

    return run


def expected(data_dir: Path, name: str) -> Any:
    return json.loads((data_dir / name / "expected.json").read_text())


def meets(document: Any, block: Any) -> None:
    """Everything of a pair that both sides have: counts exactly, numbers to 1e-6, irrCAC's to its five decimals."""
    labels = document["labels"]
    at = [labels.index(label) for label in block["labels"]]
    assert [[document["table"][i][j] for j in at] for i in at] == block[TABLE]
    assert document["kappa"]["n"] == block["n"]
    assert document["agreement"]["value"] == pytest.approx(block["percent_agreement"], abs=1e-6)
    assert document["kappa"]["value"] == pytest.approx(block["cohen_kappa"]["sklearn"], abs=1e-6)
    assert document["kappa_asymptotic"]["se"] == pytest.approx(block["cohen_kappa_ase"]["R vcd"], abs=1e-6)
    if "gwet_ac1" in block:
        assert document["ac1"]["value"] == pytest.approx(block["gwet_ac1"]["irrCAC"], abs=6e-6)
    nominal = block["krippendorff_alpha_nominal"]["krippendorff"]
    assert document["alpha"]["value"] == pytest.approx(nominal, abs=1e-6)
    for metric in ("ordinal", "interval"):
        if f"krippendorff_alpha_{metric}" in block:
            there = block[f"krippendorff_alpha_{metric}"]["krippendorff"]
            assert document[f"alpha_{metric}"]["value"] == pytest.approx(there, abs=1e-6)
    if weights := document["kappa_weighted"]["weights"]:
        there = block[f"weighted_kappa_{weights}"]["sklearn"]
        assert document["kappa_weighted"]["value"] == pytest.approx(there, abs=1e-6)
    if document["sensitivity"]["value"] is not None:
        assert document["sensitivity"]["value"] == pytest.approx(block["sensitivity_tpr"], abs=1e-6)
        assert document["specificity"]["value"] == pytest.approx(block["specificity_tnr"], abs=1e-6)


def renamed(document: Any, names: dict[str, str]) -> Any:
    """The document with the labels as the file writes them."""
    return document | {"labels": [names[label] for label in document["labels"]]}


def test_pandalm_each_judge_with_each_person_and_the_majority(data_dir, agreed):
    path, pairs = data_dir / "pandalm" / "labels.csv", expected(data_dir, "pandalm")["pairs"]
    for name, block in pairs.items():
        human, judge = name.split("__")
        document = agreed(path, human, judge)
        meets(document, block)
        assert document["missing"] == document["rows"] - block["n"]


def test_pandalm_three_people_at_once(data_dir, agreed):
    truth = expected(data_dir, "pandalm")
    document = agreed(data_dir / "pandalm" / "labels.csv", "annotator_1,annotator_2,annotator_3", "gpt_3_5_turbo")
    meets(document, truth["pairs"]["majority__gpt_3_5_turbo"])
    assert document["missing_by"]["disputed"] == 0
    for name in ("annotator_1", "annotator_2", "annotator_3"):
        there = truth["pairs"][f"{name}__gpt_3_5_turbo"]["cohen_kappa"]["sklearn"]
        assert document["annotators"][name]["kappa"]["value"] == pytest.approx(there, abs=1e-6)
    people, three = document["people"], truth["multi"]["three_annotators"]
    there = truth["pairs"]["annotator_1__annotator_3"]["cohen_kappa"]["sklearn"]
    assert people["pairs"]["annotator_1 and annotator_3"]["value"] == pytest.approx(there, abs=1e-6)
    assert people["alpha"]["value"] == pytest.approx(three["krippendorff_alpha_nominal"]["krippendorff"], abs=1e-6)
    assert people["fleiss"]["value"] == pytest.approx(three["fleiss_kappa"]["irrCAC"], abs=6e-6)
    test, there = people["alternative_annotator_test"], truth["alt_test"]["results"]["gpt_3_5_turbo/eps=0.2"]
    assert test["winning_rate"] == pytest.approx(there["winning_rate"], abs=1e-6)


def test_xstest_three_classes_two_classes_and_by_responder(data_dir, agreed):
    path, truth = data_dir / "xstest" / "labels.csv", expected(data_dir, "xstest")
    for name, block in truth["pairs"].items():
        human, judge = name.split("__")
        meets(agreed(path, human, judge), block)
    for name, block in truth["binary"].items():
        human, judge = name.split("__")
        meets(agreed(path, human, judge, *XSTEST_BINARY), block)
    by = agreed(path, "final", "gpt4_judge", "--by", "responder", "--case", "prompt_id")["by"]
    for responder, pairs in truth["per_responder"].items():
        there = pairs["final__gpt4_judge"]
        assert by[responder]["n"] == there["n"]
        assert by[responder]["kappa"]["value"] == pytest.approx(there["cohen_kappa"]["sklearn"], abs=1e-6)


@pytest.mark.parametrize("file", ["labels_v1.csv", "labels_v2.csv"])
def test_triviaqa_every_judge_and_every_exam_taker(data_dir, agreed, file):
    path = data_dir / "triviaqa_judges" / file
    truth = expected(data_dir, "triviaqa_judges")["files"][file]
    for judge, block in truth["judges"].items():
        document = agreed(path, "human", judge, "--pass", "correct", "--fail", "incorrect", "--by", "exam_taker")
        meets(renamed(document, {"PASS": "correct", "FAIL": "incorrect"}), block)
        assert document["missing_by"]["judge"] == block["n_missing"]
        for taker, there in truth["per_exam_taker"][judge].items():
            kappa = document["by"][taker]["kappa"]["value"]
            if there["cohen_kappa"] is not None:
                assert kappa == pytest.approx(there["cohen_kappa"], abs=1e-6)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_trec_scores_out_of_range_are_no_verdict(data_dir, agreed, weights):
    path, judges = data_dir / "trec_llmjudge" / "labels.csv", expected(data_dir, "trec_llmjudge")["judges"]
    for judge in ("RMITIR-llama70B", "h2oloo-zeroshot2", "Olz-exp", "willia-umbrela1"):
        block = judges[judge]
        document = agreed(path, "human", judge, "--labels", "0,1,2,3", "--weights", weights)
        meets(document, block)
        assert document["missing"] == len(block["out_of_range"])
        assert sum(document["missing_by"]["strays"].values()) == len(block["out_of_range"])


def test_trec_at_each_pass_mark(data_dir, agreed):
    path, binary = data_dir / "trec_llmjudge" / "labels.csv", expected(data_dir, "trec_llmjudge")["binary"]
    for mark in ("1", "2", "3"):
        document = agreed(path, "human", "Olz-exp", "--pass-at", mark)
        meets(renamed(document, {"PASS": "1", "FAIL": "0"}), binary["Olz-exp"][f"ge{mark}"])


def test_hanna_averages_of_scores_pass_at_three_by_criterion(data_dir, agreed):
    path, judges = data_dir / "hanna" / "ratings.csv", expected(data_dir, "hanna")["judges"]
    for judge in ("chatgpt_p1", "beluga_13b_p1"):
        document = agreed(
            path, "human_1,human_2,human_3", judge, "--pass-at", "3", "--range", "1,5", "--by", "criterion"
        )
        for criterion, block in judges[judge].items():
            there = block["pass_at_3_judge_score_ge_3_vs_human_median_ge_3"]
            found = document["by"][criterion]
            assert found["n"] == there["n"]
            assert found["kappa"]["value"] == pytest.approx(there["cohen_kappa"]["sklearn"], abs=1e-6)
            assert found["sensitivity"]["value"] == pytest.approx(there["sensitivity_tpr"], abs=1e-6)


def test_hanna_people_with_people_by_criterion(data_dir, agreed):
    path, human = data_dir / "hanna" / "ratings.csv", expected(data_dir, "hanna")["human"]
    by = agreed(path, "human_1", "human_2", "--weights", "quadratic", "--by", "criterion")["by"]
    for criterion, block in human.items():
        there = block["pairs"]["human_1__human_2"]
        assert by[criterion]["kappa"]["value"] == pytest.approx(there["cohen_kappa"]["sklearn"], abs=1e-6)
        weighted = there["weighted_kappa_quadratic"]["sklearn"]
        assert by[criterion]["kappa_weighted"]["value"] == pytest.approx(weighted, abs=1e-6)


def test_hanna_a_criterion_that_is_always_zero_is_undefined_not_one(data_dir, agreed):
    by = agreed(data_dir / "hanna" / "explanation_checks.csv", "rater_1", "rater_2", "--by", "criterion")["by"]
    assert by["incorrect"]["kappa"]["value"] is None
    assert by["incorrect"]["agreement"]["value"] == 1.0


def test_repeated_scores_with_failed_calls_left_out(data_dir, agreed):
    path, judges = data_dir / "repeat_scores" / "scores.csv", expected(data_dir, "repeat_scores")["judges"]
    by = agreed(path, "r1", "r2", "--by", "judge", "--missing", FAILURES, "--weights", "linear")["by"]
    assert set(by) == set(judges)
    for judge, block in judges.items():
        there = block["run1_vs_run2"]
        assert by[judge]["n"] == there["n"]
        assert by[judge]["kappa"]["value"] == pytest.approx(there["cohen_kappa"]["sklearn"], abs=1e-6)
        linear = there["weighted_kappa_linear"]["sklearn"]
        assert by[judge]["kappa_weighted"]["value"] == pytest.approx(linear, abs=1e-6)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_mt_bench_votes_beside_a_judge_that_contradicts_itself(data_dir, agreed, tmp_path):
    folder, truth = data_dir / "mt_bench_human", expected(data_dir, "mt_bench_human")
    pairs = {row["pair_id"]: row for row in read(folder / "pairs.csv")}
    path = write(tmp_path / "votes.csv", [pairs[v["pair_id"]] | v for v in read(folder / "human_votes.csv")])
    document = agreed(path, "vote", "gpt4_pair", "--unknown", "inconsistent", "--by", "turn", "--case", "pair_id")
    dropped = truth["gpt4_vs_each_vote_inconsistent_dropped"]
    assert document["kappa"]["value"] == pytest.approx(dropped["both"]["cohen_kappa"]["sklearn"], abs=1e-6)
    assert document["labels"] == ["a", "b", "tie", "inconsistent"]
    for turn in ("1", "2"):
        there = dropped[turn]
        assert document["by"][turn]["n"] == there["n"]
        assert document["by"][turn]["kappa"]["value"] == pytest.approx(there["cohen_kappa"]["sklearn"], abs=1e-6)


@pytest.mark.parametrize("question", ["q0", "q1", "q8"])
def test_llm_rubric_most_likely_mark_beside_each_person(data_dir, agreed, tmp_path, question):
    folder, truth = data_dir / "llm_rubric", expected(data_dir, "llm_rubric")
    judged = {}
    for row in read(folder / "judge.csv"):
        mark = max("1234", key=lambda mark: float(row[f"p{mark}"]))
        judged[row["set"], row["dialogue_id"], row["criterion"]] = mark
    rows = [
        {"set": row["set"], "dialogue_id": row["dialogue_id"], "human": row[question], "judge": mark}
        for row in read(folder / "human.csv")
        if (mark := judged.get((row["set"], row["dialogue_id"], question)))
    ]
    for which, name in (("synthetic", "judge_argmax_vs_each_human_score"), ("real", "argmax_vs_human")):
        path = write(tmp_path / f"{which}.csv", [row for row in rows if row["set"] == which])
        meets(
            agreed(path, "human", "judge", "--labels", "1,2,3,4", "--weights", "quadratic"),
            truth[which][question][name],
        )
