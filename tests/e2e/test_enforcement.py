"""Only a certified judge decides: what a certificate lets through, and what takes its force away."""

import json
import re

import pytest

from judgekit.calibration.certificate import from_text, sealed, to_text

N = 80


def human(i: int) -> str:
    return "FAIL" if i % 3 == 0 else "PASS"


def good(i: int) -> str:
    if i % 20 == 0:
        return "PASS" if human(i) == "FAIL" else "FAIL"
    return human(i)


@pytest.fixture
def certified(cli, labelled_suite):
    """A suite whose judge holds a certificate, and how to run one of its cases."""

    def make(judge=good, **more):
        folder = labelled_suite(N, human, judge, **more)
        assert cli("calibrate", folder, "--certify").code == 0
        return folder

    return make


@pytest.fixture
def run_case(cli):
    def run(folder, *cases, **_):
        ran = cli("run", folder, "--json", *(word for case in cases for word in ("--case", case)))
        return ran, ran.json["graders"]["reply.kind"]

    return run


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def paper_of(folder):
    (path,) = (folder / "certificates").iterdir()
    return path


# ── what a certificate does ──────────────────────────────────────────────────────────────────────────────


def test_fail_of_a_certified_judge_fails_the_build(certified, run_case):
    ran, grader = run_case(certified(), "c003")
    assert ran.code == 1
    assert grader["gating"] is True
    assert ran.json["results"][0]["grades"][0]["gating"] is True


def test_fail_of_the_same_judge_without_a_certificate_decides_nothing(certified, run_case):
    folder = certified()
    paper_of(folder).unlink()
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["gating"] is False
    assert grader["advisory"] == "uncertified"
    assert ran.json["results"][0]["grades"][0]["verdict"] == "FAIL"


def test_pass_of_a_certified_judge_passes(certified, run_case):
    ran, _ = run_case(certified(), "c001", "c002")
    assert ran.code == 0
    assert ran.json["pass_rate"]["value"] == 1


def test_unknown_of_a_certified_judge_is_undecided(certified, run_case):
    folder = certified(lambda i: "UNKNOWN" if i == 31 else good(i))
    ran, grader = run_case(folder, "c031")
    assert grader["gating"] is True
    assert ran.code == 3
    assert ran.json["results"][0]["outcome"] == "undecided"


def test_missing_verdict_of_a_certified_judge_is_undecided(certified, run_case):
    folder = certified(lambda i: "garbage" if i == 31 else good(i))
    ran, grader = run_case(folder, "c031", "c001")
    assert grader["gating"] is True
    assert ran.code == 3


def test_refused_and_inconclusive_judges_stay_advisory_with_that_reason(cli, labelled_suite, run_case):
    for judge, word in (
        (lambda i: "PASS", "refused"),
        (lambda i: ("PASS" if human(i) == "FAIL" else "FAIL") if i % 6 == 1 else human(i), "inconclusive"),
    ):
        folder = labelled_suite(N, human, judge, name=word)
        cli("calibrate", folder, "--certify")
        ran, grader = run_case(folder, "c003")
        assert ran.code == 3
        assert grader["advisory"] == word
        assert "--certify" in grader["fix"]


# ── one character of each part ───────────────────────────────────────────────────────────────────────────

RUBRIC = """
id: reply
template: judge.j2
dimensions:
  - id: kind
    criterion: The reply greets the customer.
    examples:
      - {output: Hello there., verdict: PASS, reason: It greets.}
"""
TEMPLATE = "{{ criterion }}\n{{ examples }}\n{{ output }}\n{{ verdicts }}\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "part"),
    [
        ("rubric.yaml", "greets the", "Greets the", "the criterion"),
        ("rubric.yaml", "Hello there.", "Hello there!", "the examples"),
        ("judge.j2", "{{ output }}\n", "{{ output }}\n.", "the template"),
        ("judgekit.yaml", "replay:gpt-4o", "replay:gpt-4", "the model"),
        ("judgekit.yaml", "temperature: 0", "temperature: 1", "the parameters"),
        ("judgekit.yaml", "votes: 1", "votes: 2", "the number of votes"),
        ("judgekit.yaml", "reask: 1", "reask: 2", "how an unreadable reply is asked again"),
        ("judgekit.yaml", "structured: false", "structured: true", "the form of reply"),
        ("judgekit.yaml", "localhost/a", "localhost/b", "where the model is served"),
    ],
)
def test_one_changed_character_takes_the_say_away_and_names_the_part(certified, run_case, file, old, new, part):
    config = "{model: 'replay:gpt-4o', params: {temperature: 0}, votes: 1, reask: 1, structured: false, base_url: localhost/a}"
    folder = certified(lines={"judge": config}, **{"rubric.yaml": RUBRIC, "judge.j2": TEMPLATE})
    assert run_case(folder, "c003")[0].code == 1
    edit(folder / file, old, new)
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["gating"] is False
    assert part in grader["advisory"]
    assert "judgekit calibrate" in grader["fix"]


def test_another_parser_takes_the_say_away(certified, run_case, monkeypatch):
    folder = certified()
    monkeypatch.setattr("judgekit.parse.PARSER_VERSION", "another")
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["advisory"] == "stale: how replies are read changed"


def test_another_default_template_takes_the_say_away(certified, run_case, monkeypatch):
    from judgekit.render import template

    folder = certified()
    own = template.shipped_template(ordinal=False, structured=False)
    assert "You" in own
    monkeypatch.setattr(template, "shipped_template", lambda **_: own.replace("You", "you", 1))
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["advisory"] == "stale: the template changed"


def test_what_cannot_change_an_answer_takes_nothing_away(certified, run_case):
    folder = certified()
    edit(folder / "judgekit.yaml", '{model: "replay:gpt-4o"}', '{model: "replay:gpt-4o", same_as: gpt-4o}')
    edit(folder / "rubric.yaml", "{id: kind,", "{id: kind, severity: high,")
    assert run_case(folder, "c003")[0].code == 1


# ── labels, dates, edits ─────────────────────────────────────────────────────────────────────────────────


def used_label(folder):
    """A line of the labels file whose label the certificate rests on: taken out, the certificate falls."""
    lines = (folder / "labels.csv").read_text().splitlines()
    from judgekit.calibration.items import split_of

    return next(line for line in lines[1:] if split_of(line.partition(",")[0]) == "test")


@pytest.mark.parametrize("change", ["removed", "label", "text"])
def test_changed_or_removed_label_revokes(certified, run_case, change):
    folder = certified()
    line = used_label(folder)
    new = {
        "removed": "",
        "label": re.sub("(PASS|FAIL)$", lambda m: "FAIL" if m[0] == "PASS" else "PASS", line) + "\n",
        "text": line.replace("answer", "Answer") + "\n",
    }[change]
    edit(folder / "labels.csv", line + "\n", new)
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["advisory"] == "labels changed"
    assert "1 of the" in grader["why_advisory"]


def test_added_labels_and_moved_rows_revoke_nothing(certified, run_case):
    folder = certified()
    path = folder / "labels.csv"
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, "c900,something new,claude-sonnet-4-5,PASS", *reversed(rows)]) + "\n")
    assert run_case(folder, "c003")[0].code == 1


def test_missing_labels_file_revokes(certified, run_case):
    folder = certified()
    (folder / "labels.csv").unlink()
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["advisory"] == "labels changed"


def test_labels_outside_of_the_suite_are_named_from_it(cli, labelled_suite, run_case):
    folder = labelled_suite(N, human, good)
    elsewhere = folder.parent / "people" / "labels.csv"
    elsewhere.parent.mkdir()
    (folder / "labels.csv").rename(elsewhere)
    assert cli("calibrate", folder, "--labels", elsewhere, "--certify").code == 0
    assert json.loads(paper_of(folder).read_text())["labels"] == "../people/labels.csv"
    assert (elsewhere.parent / "labels.csv.attempts.jsonl").is_file()
    assert run_case(folder, "c003")[0].code == 1


def test_certificate_edited_by_hand_is_noticed(certified, run_case):
    folder = certified()
    path = paper_of(folder)
    edit(path, '"attempt": 1', '"attempt": 2')
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert "edited by hand" in grader["why_advisory"]


def test_certificate_that_only_changed_its_spaces_still_stands(certified, run_case):
    folder = certified()
    path = paper_of(folder)
    path.write_text(json.dumps(json.loads(path.read_text())), newline="\r\n")
    assert run_case(folder, "c003")[0].code == 1


def test_expired_certificate_is_advisory(certified, run_case):
    folder = certified()
    path = paper_of(folder)
    import msgspec

    old = msgspec.structs.replace(from_text(path.read_text(), file=path.name), made="2020-01-01T00:00:00+00:00")
    path.write_text(to_text(sealed(old)))
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["advisory"] == "certificate expired"


def test_policy_that_asks_for_more_makes_the_judge_advisory_and_less_does_not(certified, run_case):
    folder = certified()
    with (folder / "judgekit.yaml").open("a") as file:
        file.write("calibration: {kappa_low: 0.4, n: 20}\n")
    assert run_case(folder, "c003")[0].code == 1
    edit(folder / "judgekit.yaml", "{kappa_low: 0.4, n: 20}", "{strict: true, n: 40}")
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["advisory"] == "policy is stricter now"
    assert "0.50 -> 0.60" in grader["why_advisory"]
    assert "n 30 -> 40" in grader["why_advisory"]


def test_parameters_that_the_provider_dropped_make_the_judge_advisory(certified, run_case, monkeypatch):
    import msgspec

    from judgekit.providers.replay import Replay

    folder = certified()
    answer = Replay.__call__

    async def dropping(self, request):
        return msgspec.structs.replace(await answer(self, request), dropped=("temperature",))

    monkeypatch.setattr(Replay, "__call__", dropping)
    ran, grader = run_case(folder, "c003")
    assert ran.code == 3
    assert grader["advisory"] == "other parameters"
    assert "temperature now, none then" in grader["why_advisory"]


def test_dropped_parameters_are_remembered_by_a_run_that_goes_on(cli, certified, monkeypatch):
    import msgspec

    from judgekit.errors import RunStopped
    from judgekit.providers.replay import Replay

    folder = certified()
    answer = Replay.__call__
    asked = []

    async def dropping_then_stopping(self, request):
        asked.append(request)
        if len(asked) > 20:
            raise RunStopped("no credit", code="quota")
        return msgspec.structs.replace(await answer(self, request), dropped=("temperature",))

    monkeypatch.setattr(Replay, "__call__", dropping_then_stopping)
    assert cli("run", folder, "-j", "1").code == 4
    monkeypatch.undo()
    ran = cli("run", folder, "--json")
    assert ran.json["calls"]["sent"] < N
    assert ran.json["graders"]["reply.kind"]["advisory"] == "other parameters"


def test_pass_rate_outside_of_the_certified_range_makes_the_judge_advisory(cli, labelled_suite):
    def lenient(i: int) -> str:
        return "PASS" if i % 12 == 0 else "FAIL" if i % 3 == 0 or i % 16 == 1 else "PASS"

    folder = labelled_suite(120, human, lenient)
    assert cli("calibrate", folder, "--certify", "--all").code == 0
    measured = json.loads(paper_of(folder).read_text())["measured"]
    more = "".join(f'{{"id": "n{i}", "input": "q"}}\n' for i in range(400))
    (folder / "cases.jsonl").write_text(more)
    outputs = "".join(
        f'{{"id": "n{i}", "output": "always fine {i}", "model": "claude-sonnet-4-5"}}\n' for i in range(400)
    )
    (folder / "outputs.jsonl").write_text(outputs)
    with (folder / "recordings.jsonl").open("a") as file:
        file.write(json.dumps({"question_has": "always fine", "reply": "Yes.\n<result>PASS</result>"}) + "\n")
    ran = cli("run", folder, "--json")
    grader = ran.json["graders"]["reply.kind"]
    assert measured["range"]["high"] < 0.99
    assert grader["advisory"] == "pass rate out of range"
    assert f"{measured['range']['high']:.0%} PASS" in grader["why_advisory"]
    assert ran.code == 3
    few = cli("run", folder, "--limit", "3", "--json")
    assert few.code == 0, "three passes are no evidence of a pass rate outside of the range"


# ── what is shown ────────────────────────────────────────────────────────────────────────────────────────


def test_report_of_a_run_keeps_what_was_decided(cli, certified):
    folder = certified()
    ran = cli("run", folder, "--json")
    paper_of(folder).unlink()
    again = cli("report", ran.json["folder"], "--json")
    assert again.code == ran.code == 1
    assert again.json["graders"] == ran.json["graders"]
    assert again.json["corrected_pass_rate"] == ran.json["corrected_pass_rate"]
    assert again.json["results"] == ran.json["results"]


def test_grades_on_disk_say_who_decided(cli, certified):
    folder = certified()
    cli("run", folder)
    (run,) = (folder / "runs").iterdir()
    grades = [json.loads(line) for line in (run / "grades.jsonl").read_text().splitlines()]
    assert all(grade["gating"] for grade in grades)


def test_advisory_judge_is_told_with_reason_and_command(cli, certified):
    folder = certified()
    edit(folder / "rubric.yaml", "greets", "Greets")
    ran = cli("run", folder)
    assert "stale: the criterion changed" in ran.err
    assert "--dimension reply.kind --certify" in " ".join(ran.err.split())


def test_corrected_rate_stands_beside_the_raw_one(cli, certified):
    folder = certified()
    ran = cli("run", folder, "--json").json
    # every output is labelled: by verdict, the share that people passed, weighted by the verdicts' shares
    people = sum(human(i) == "PASS" for i in range(N)) / N
    assert ran["corrected_pass_rate"]["value"] == pytest.approx(people)
    assert ran["corrected_pass_rate"]["low"] < people < ran["corrected_pass_rate"]["high"]
    assert ran["pass_rate"]["value"] == pytest.approx(sum(good(i) == "PASS" for i in range(N)) / N)
    assert "Corrected for the judge's errors" in cli("run", folder).err


def test_corrected_rate_of_unlabelled_outputs_assumes_unchanged_recalls(cli, certified):
    folder = certified()
    (folder / "cases.jsonl").write_text("".join(f'{{"id": "n{i}", "input": "q"}}\n' for i in range(60)))
    outputs = [{"id": f"n{i}", "output": f"new {i % 3}", "model": "claude-sonnet-4-5"} for i in range(60)]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(o) + "\n" for o in outputs))
    with (folder / "recordings.jsonl").open("a") as file:
        for k, word in enumerate(("PASS", "PASS", "FAIL")):
            reply = f"So.\n<result>{word}</result>"
            file.write(json.dumps({"question_has": f"new {k}", "reply": reply}) + "\n")
    rate = cli("run", folder, "--json").json["corrected_pass_rate"]
    table = json.loads(paper_of(folder).read_text())["measured"]["table"]
    of_pass, of_fail = table[0][0] / sum(table[0]), table[1][1] / sum(table[1])
    # Rogan-Gladen by hand
    assert rate["value"] == pytest.approx((2 / 3 + of_fail - 1) / (of_pass + of_fail - 1))
    assert "unchanged recalls" in rate["assumes"]


def test_no_corrected_rate_without_a_deciding_judge(cli, labelled_suite):
    folder = labelled_suite(5, human, good)
    assert cli("run", folder, "--json").json["corrected_pass_rate"]["value"] is None


def test_gate_rule_uncertified_names_the_judge_until_it_is_certified(cli, labelled_suite):
    folder = labelled_suite(N, human, human, lines={"gate": "{block: [uncertified]}"})
    before = cli("run", folder, "--case", "c001", "--json")
    assert before.code == 1
    assert "reply.kind" in before.json["reasons"][0]
    cli("calibrate", folder, "--certify")
    assert cli("run", folder, "--case", "c001", "--json").code == 0
