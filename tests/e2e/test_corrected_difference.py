"""`compare` shows the difference that people would have seen beside the raw one, and repeats show the judge's noise."""

import json

import pytest

N = 80


def people_of_v(i: int) -> str:
    return "FAIL" if i % 3 == 0 else "PASS"


def people_of_w(i: int) -> str:
    return "FAIL" if i % 4 == 1 else "PASS"


def said(people: str, i: int) -> str:
    """The judge errs on every 20th output, in both directions."""
    return {"FAIL": "PASS", "PASS": "FAIL"}[people] if i % 20 in (0, 7) else people


def text(variant: str, i: int) -> str:
    return f"answer number {i:03d}." if variant == "v" else f"second number {i:03d}."


@pytest.fixture
def two(labelled_suite):
    """A suite with variants v and w, and labels of the variants named."""

    def write(labelled: str = "v", gate: str | None = None):
        truth = {"v": people_of_v, "w": people_of_w}
        rows = ["case_id,output,model,label"]
        rows += [f"c{i:03d},{text(v, i)},claude-sonnet-4-5,{truth[v](i)}" for v in labelled for i in range(N)]
        recordings = [
            {"question_has": text(v, i), "reply": f"So.\n<result>{said(truth[v](i), i)}</result>"}
            for v in "vw"
            for i in range(N)
        ]
        outputs = [{"id": f"c{i:03d}", "output": text("w", i), "model": "claude-sonnet-4-5"} for i in range(N)]
        return labelled_suite(
            N,
            people_of_v,
            people_of_v,
            lines={"variants": "{v: {outputs: outputs.jsonl}, w: {outputs: w.jsonl}}", "gate": gate},
            **{"labels.csv": "\n".join(rows) + "\n", "recordings.jsonl": recordings, "w.jsonl": outputs},
        )

    return write


@pytest.fixture
def ran(cli, two):
    """The same with a certificate, and both variants run."""

    def make(labelled: str = "v", **more):
        folder = two(labelled, **more)
        assert cli("calibrate", folder, "--certify").code == 0
        for variant in "vw":
            run = cli("run", folder, "--variant", variant, "--json")
            assert run.json["graders"]["reply.kind"]["gating"] is True
        return folder

    return make


def compared(cli, folder, base="v", new="w"):
    return cli("compare", base, new, "--suite", folder, "--json").json["corrected_difference"]


def paper_of(folder):
    (path,) = (folder / "certificates").iterdir()
    return path


def test_labels_of_both_versions_give_the_difference_that_people_see(cli, ran):
    folder = ran("vw")
    found = compared(cli, folder)
    truth = sum((people_of_w(i) == "PASS") - (people_of_v(i) == "PASS") for i in range(N)) / N
    raw = cli("compare", "v", "w", "--suite", folder, "--json").json["difference"]["value"]
    # every output is labelled, so what people say is known
    assert found["value"] == pytest.approx(truth)
    assert found["low"] < truth < found["high"]
    assert raw != pytest.approx(truth)
    assert found["n"] == 2 * N
    assert found["assumes"] is None
    shown = " ".join(cli("compare", "v", "w", "--suite", folder).err.split())
    assert f"Corrected for the judge's errors: {found['value']:+.3f} [" in shown
    assert "double sampling" in shown


def test_labels_of_one_version_give_it_under_the_assumption_that_is_named(cli, ran):
    folder = ran("v")
    found = compared(cli, folder)
    table = json.loads(paper_of(folder).read_text())["measured"]["table"]
    youden = table[0][0] / sum(table[0]) + table[1][1] / sum(table[1]) - 1
    raw = cli("compare", "v", "w", "--suite", folder, "--json").json["difference"]["value"]
    assert found["value"] == pytest.approx(raw / youden)
    assert found["n"] == N
    assert "assumes equal error rates" in "assumes " + found["assumes"]
    shown = " ".join(cli("compare", "v", "w", "--suite", folder).err.split())
    assert "Assumes equal error rates" in shown


def test_labels_added_after_the_runs_are_used(cli, ran):
    folder = ran("v")
    with (folder / "labels.csv").open("a") as file:
        file.writelines(f"c{i:03d},{text('w', i)},claude-sonnet-4-5,{people_of_w(i)}\n" for i in range(N))
    assert "double sampling" in compared(cli, folder)["method"]


def test_the_corrected_difference_decides_nothing(cli, ran):
    folder = ran("vw", gate="{block: [{not_worse_than: {margin: 0.05}}]}")
    before = cli("compare", "v", "w", "--suite", folder, "--json")
    (folder / "labels.csv").unlink()
    after = cli("compare", "v", "w", "--suite", folder, "--json")
    assert after.json["corrected_difference"]["value"] is None
    assert before.json["corrected_difference"]["value"] is not None
    assert before.code == after.code
    assert before.json["reasons"] == after.json["reasons"]


def test_without_a_certificate_there_is_nothing_to_correct_with(cli, two):
    folder = two()
    for variant in "vw":
        cli("run", folder, "--variant", variant)
    found = compared(cli, folder)
    assert found["value"] is None
    assert "no judge with a certificate decides" in found["undefined"]
    assert "Corrected" not in cli("compare", "v", "w", "--suite", folder).err


def test_a_baseline_file_has_no_outputs_to_correct(cli, ran):
    folder = ran("v")
    cli("baseline", "v", "-o", folder / "baseline.json", "--suite", folder)
    found = compared(cli, folder, base=folder / "baseline.json")
    assert found["value"] is None
    assert "baseline.json: a baseline file holds counts" in found["undefined"]


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda folder: (folder / "labels.csv").unlink(), "cannot be read"),
        (lambda folder: paper_of(folder).unlink(), "cannot be read"),
        (lambda folder: paper_of(folder).write_text("{}"), "cannot be read"),
        (
            lambda folder: (folder / "labels.csv").write_text(
                (folder / "labels.csv").read_text().replace("PASS", "FAIL")
            ),
            "were changed or removed",
        ),
    ],
)
def test_labels_and_certificates_that_are_gone_or_changed_correct_nothing(cli, ran, damage, why):
    folder = ran("v")
    damage(folder)
    found = compared(cli, folder)
    assert found["value"] is None
    assert why in found["undefined"]


def test_run_folders_without_their_suite_say_where_the_labels_would_be(cli, ran, tmp_path, monkeypatch):
    folder = ran("v")
    away = tmp_path / "elsewhere" / "kept"
    away.parent.mkdir()
    (folder / "runs").rename(away)
    monkeypatch.chdir(away)
    runs = sorted(away.iterdir())
    found = cli("compare", runs[0], runs[1], "--json").json["corrected_difference"]
    assert "--suite" in found["undefined"]
    named = cli("compare", runs[0], runs[1], "--suite", folder, "--json").json["corrected_difference"]
    assert named["value"] is not None


# ── the judge's noise ────────────────────────────────────────────────────────────────────────────────────


def looks(document):
    return document["trial_rates"]["noise"]["reply.kind"]["between_looks"]


@pytest.mark.parametrize(("second", "seen"), [("hello 1", True), ("hello 2", False)])
def test_trials_with_the_same_text_show_the_noise_of_the_judge(cli, labelled_suite, second, seen):
    outputs = [{"id": "c000", "output": "hello 1", "trial": 1}, {"id": "c000", "output": second, "trial": 2}]
    recordings = [{"question_has": "hello", "reply": "So.\n<result>PASS</result>"}]
    files = {"outputs.jsonl": outputs, "recordings.jsonl": recordings}
    folder = labelled_suite(1, people_of_v, people_of_v, lines={"trials": 2, "labels": None}, **files)
    ran = cli("run", folder, "--json").json
    assert (looks(ran)["value"] == 0) is seen
    assert looks(ran)["n"] == int(seen)
    assert looks(cli("report", ran["folder"], "--json").json) == looks(ran)
    line = "two looks of reply.kind at one output differ with chance 0.00"
    assert (line in " ".join(cli("report", ran["folder"]).err.split())) is seen
    assert (line in " ".join(cli("run", folder).err.split())) is seen
