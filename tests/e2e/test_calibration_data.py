"""The labelled sets of calibration/: what they hold, that their certificates stand, and that they are earned again."""

import csv
import json
import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from judgekit.calibration.certificate import from_text
from judgekit.calibration.items import items_of
from judgekit.data.labels import Spelling, load_labels

CALIBRATION = Path(__file__).parents[2] / "calibration"
SETS = {"support": ("--annotators", "A,B"), "kb": ("--annotators", "A,B", "--pass-at", "1")}
CAREFUL = "replay-judge-careful"
SHIPPED = {
    "support": {
        f"support-reply.polite.{CAREFUL}": "certified",
        f"support-reply.answers-everything.{CAREFUL}": "certified",
        f"support-reply.no-promises.{CAREFUL}": "inconclusive",
        "support-reply.polite.replay-judge-stamp": "refused",
    },
    "kb": {"knowledge-base.grounded.replay-judge-model": "certified"},
}


def rows_of(name):
    with (CALIBRATION / name / "labels.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def papers(folder):
    """The certificates of a suite, by name without the fingerprint."""
    files = sorted((folder / "certificates").glob("*.json"))
    return {path.name.rsplit(".", 2)[0]: from_text(path.read_text(encoding="utf-8"), file=path.name) for path in files}


def replies(name, model):
    """(dimension, text in the output) -> the verdict at the end of the recorded reply, read with a pattern of our own."""
    found = {}
    for line in (CALIBRATION / name / "recordings.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if one["model"] == model:
            has = one.get("question_has", "")
            verdict = re.search(r"<result>(\w+)</result>\s*$", one["reply"])
            key = re.sub(r'Criterion "(.*)"', r"\1", one.get("system_has", "")), has if isinstance(has, str) else has[0]
            assert key not in found, f"two recordings for {key}"
            found[key] = verdict[1] if verdict else None
    return found


@pytest.fixture
def again(tmp_path):
    """A copy of a labelled set as it was before anybody certified on it."""

    def copy(name):
        unearned = shutil.ignore_patterns("certificates", "*.attempts.jsonl", "runs", ".judgekit")
        return Path(shutil.copytree(CALIBRATION / name, tmp_path / name, ignore=unearned))

    return copy


def test_support_set_has_three_labels_by_two_people_for_each_of_150_replies():
    rows = rows_of("support")
    outputs = defaultdict(set)
    for row in rows:
        outputs[row["case_id"], row["output"]].add(row["dimension"])
    assert len(outputs) == 150
    assert all(dims == {"polite", "answers-everything", "no-promises"} for dims in outputs.values())
    assert len(rows) == 450
    assert len({row["case_id"] for row in rows}) == 50


@pytest.mark.parametrize(
    ("name", "dimension"),
    [
        (n, d)
        for n, s in {"support": ("polite", "answers-everything", "no-promises"), "kb": ("grounded", "complete")}.items()
        for d in s
    ],
)
def test_people_disagree_now_and_then_and_say_when_they_cannot_tell(name, dimension):
    rows = [row for row in rows_of(name) if row["dimension"] == dimension]
    apart = sum(row["A"] != row["B"] for row in rows) / len(rows)
    assert 0.02 < apart < 0.15
    labels = Counter(row[who] for row in rows for who in "AB")
    assert labels["UNKNOWN"] >= 1
    assert set(labels) <= ({"PASS", "FAIL", "UNKNOWN"} if name == "support" else {"0", "1", "2", "UNKNOWN"})


@pytest.mark.parametrize("name", SETS)
def test_every_disagreement_and_every_unknown_has_a_note(name):
    unclear = [row for row in rows_of(name) if row["A"] != row["B"] or "UNKNOWN" in (row["A"], row["B"])]
    assert [row["output"] for row in unclear if not row["note"]] == []
    assert [row["output"] for row in rows_of(name) if row["note"] and row not in unclear] == []


def test_small_set_for_the_local_model_is_part_of_the_support_set_and_loads_without_the_model(cli):
    polite = {(r["case_id"], r["output"]): (r["A"], r["B"]) for r in rows_of("support") if r["dimension"] == "polite"}
    small = rows_of("local")
    assert len(small) == 20
    assert all(polite[row["case_id"], row["output"]] == (row["A"], row["B"]) for row in small)
    assert cli("check", CALIBRATION / "local").code == 0
    assert cli("calibrate", CALIBRATION / "local", "--show").code == 0


@pytest.mark.parametrize("name", SETS)
def test_every_label_belongs_to_a_case_and_every_case_says_who_wrote_it(name):
    cases = [json.loads(line) for line in (CALIBRATION / name / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["case_id"] for row in rows_of(name)} == {case["id"] for case in cases}
    assert {case["source"] for case in cases} == {"written by us as an example"}


@pytest.mark.parametrize("name", SETS)
def test_shipped_certificates_stand(cli, name):
    """Also after a change of a template, a rubric or the parser: then certify again, with the commands of the README."""
    ran = cli("calibrate", CALIBRATION / name, "--show", "--json")
    assert ran.code == 0
    standing = ran.json["judges"]
    for shipped, result in SHIPPED[name].items():
        rubric, dimension, judge = shipped.split(".")
        if judge == "replay-judge-stamp":
            continue
        one = standing[f"{rubric}.{dimension}"]
        assert one["gating"] == (result == "certified"), one
        assert one["advisory"] == (None if result == "certified" else result)


def test_shipped_rubber_stamp_is_refused(cli):
    ran = cli("calibrate", CALIBRATION / "support", "--show", "--judge", "replay:judge-stamp", "--json")
    assert ran.json["judges"]["support-reply.polite"]["advisory"] == "refused"


@pytest.mark.parametrize("name", SETS)
def test_same_labels_give_the_same_decisions_again(cli, again, name):
    folder = again(name)
    assert cli("calibrate", folder, *SETS[name], "--certify").code == 3  # one dimension of each set is not certified
    if name == "support":
        stamp = ("--judge", "replay:judge-stamp", "--dimension", "polite")
        assert cli("calibrate", folder, *SETS[name], "--certify", *stamp).code == 1
    earned, shipped = papers(folder), papers(CALIBRATION / name)
    assert {key: paper.result for key, paper in shipped.items()} == SHIPPED[name]
    for key, paper in earned.items():
        for field in ("result", "reasons", "fingerprint", "rows", "measured", "attempt", "level", "policy"):
            assert getattr(paper, field) == getattr(shipped[key], field), (key, field)
    assert earned.keys() == shipped.keys()


@pytest.mark.parametrize(
    ("name", "key", "model"),
    [
        ("support", f"support-reply.polite.{CAREFUL}", "judge-careful"),
        ("support", f"support-reply.answers-everything.{CAREFUL}", "judge-careful"),
        ("kb", "knowledge-base.grounded.replay-judge-model", "judge-model"),
    ],
)
def test_certified_numbers_follow_from_labels_and_recorded_replies(name, key, model):
    """Counted here with scikit-learn from the two files alone: labels that both people gave, and the replies' verdicts."""
    paper = papers(CALIBRATION / name)[key]
    said = replies(name, model)
    spelling = {"0": "FAIL", "1": "PASS", "2": "PASS"} if name == "kb" else {}
    labels = load_labels("labels.csv", CALIBRATION / name, annotators=("A", "B"), spelling=Spelling(pass_at=1))
    test = {(one.case, one.output) for one in items_of(labels, paper.name) if one.split == "test"}
    human, judge = [], []
    for row in rows_of(name):
        if row["dimension"] != paper.dimension or (row["case_id"], row["output"]) not in test:
            continue
        a, b = (spelling.get(row[who], row[who]) for who in "AB")
        verdicts = [v for (dim, has), v in said.items() if dim == paper.dimension and row["output"].startswith(has)]
        assert len(verdicts) == 1
        verdict = spelling.get(verdicts[0], verdicts[0])
        if a == b != "UNKNOWN" and verdict in ("PASS", "FAIL"):
            human.append(a)
            judge.append(verdict)
    measured = paper.measured
    assert measured is not None
    assert measured.n == len(human)
    assert [list(row[:2]) for row in measured.table[:2]] == confusion_matrix(
        human, judge, labels=["PASS", "FAIL"]
    ).tolist()
    assert measured.kappa.value == pytest.approx(cohen_kappa_score(human, judge), abs=1e-12)
    assert measured.kappa.low is not None
    assert measured.kappa.low >= 0.5


def test_stamp_said_pass_to_everything():
    paper = papers(CALIBRATION / "support")["support-reply.polite.replay-judge-stamp"]
    assert "one verdict only (PASS)" in paper.reasons[0]
    assert set(replies("support", "judge-stamp").values()) == {"PASS"}


@pytest.mark.parametrize("name", SETS)
def test_verdicts_on_test_labels_are_kept_for_certified_judges_alone(name):
    for paper in papers(CALIBRATION / name).values():
        assert all(bool(kept) is paper.certified for kept in paper.rows.values())


def test_set_with_hardly_a_fail_is_not_even_looked_at(cli, again):
    folder = again("kb")
    ran = cli("calibrate", folder, *SETS["kb"], "--certify", "--dimension", "complete", "--json")
    assert (ran.code, ran.json["attempt"]) == (3, None)
    assert not (folder / "labels.csv.attempts.jsonl").exists()
    (reason,) = ran.json["dimensions"]["knowledge-base.complete"]["reasons"]
    assert "FAIL" in reason


def test_agreement_of_the_two_people_can_be_looked_at(cli):
    path = CALIBRATION / "support" / "labels.csv"
    ran = cli("agreement", path, "--human", "A", "--judge", "B", "--case", "case_id", "--by", "dimension", "--json")
    rows = [(r["A"], r["B"]) for r in rows_of("support") if "UNKNOWN" not in (r["A"], r["B"])]
    assert ran.json["kappa"]["value"] == pytest.approx(cohen_kappa_score(*zip(*rows, strict=True)), abs=1e-12)


DOCS = Path(__file__).parents[2] / "docs" / "calibration.md"


def cells(pattern):
    """The cells of those rows of the page's tables whose first cell fits."""
    rows = re.findall(rf"^\| ({pattern}) \| (.*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    return {first: rest.split(" | ") for first, rest in rows}


def test_prevalence_table_of_the_docs_is_right():
    """100 000 outputs of each feature and a judge that finds 95% of the good and 85% of the bad ones."""
    rows = cells("[0-9]+%")
    assert list(rows) == ["70%", "90%", "95%", "98%"]
    for share, told in rows.items():
        good = 1_000 * int(share.rstrip("%"))
        bad = 100_000 - good
        counts = [good * 95 // 100, good * 5 // 100, bad * 15 // 100, bad * 85 // 100]
        human, judge = ["PASS", "PASS", "FAIL", "FAIL"], ["PASS", "FAIL", "PASS", "FAIL"]
        kappa = cohen_kappa_score(
            [h for h, n in zip(human, counts, strict=True) for _ in range(n)],
            [j for j, n in zip(judge, counts, strict=True) for _ in range(n)],
        )
        agreement = (counts[0] + counts[3]) / 100_000
        by_luck = (agreement - kappa) / (1 - kappa)
        right = counts[3] / (counts[1] + counts[3])
        assert told == [f"{agreement:.1%}", f"{by_luck:.1%}", f"{kappa:.2f}", f"{right:.0%}"]


@pytest.mark.parametrize(("column", "pass_rate"), [(0, "0.7"), (1, "0.9")])
def test_table_of_label_counts_in_the_docs_is_what_the_plan_says(cli, column, pass_rate):
    rows = cells("40|100|400")
    ran = cli("calibrate", "--plan", "--kappa", "0.8", "--pass-rate", pass_rate, "--json")
    chances = {str(one["labels"]): f"{one['split']:.0%}" for one in ran.json["chances"]}
    assert {labels: told[column] for labels, told in rows.items()} == {labels: chances[labels] for labels in rows}
