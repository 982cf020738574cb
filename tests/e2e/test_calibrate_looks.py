"""Looks belong to what was looked at, commands to how it was read, and nothing is asked that cannot be sent."""

import csv
import json
import shlex
import shutil

import pytest

from judgekit.calibration.certificate import verdict_hash
from judgekit.calibration.items import split_of

N = 80
TEST = [i for i in range(N) if split_of(f"c{i:03d}") == "test"]


def human(i: int) -> str:
    return "FAIL" if i % 3 == 0 else "PASS"


def good(i: int) -> str:
    """Wrong on four outputs of eighty."""
    return {"FAIL": "PASS", "PASS": "FAIL"}[human(i)] if i % 20 == 0 else human(i)


def coin(i: int) -> str:
    return "PASS" if (i // 2) % 2 else "FAIL"


def looks(folder, name="labels.csv"):
    return [json.loads(line) for line in (folder / f"{name}.attempts.jsonl").read_text().splitlines()]


def paper(folder):
    (path,) = (folder / "certificates").glob("*.json")
    return json.loads(path.read_text())


def certify(cli, folder, *more):
    return cli("calibrate", folder, "--certify", "--json", *more)


# ── the same labels under another name ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["again.csv", "copies/labels.csv"])
def test_a_copy_of_the_labels_goes_on_with_their_attempts(cli, labelled_suite, name):
    folder = labelled_suite(N, human, coin)
    assert certify(cli, folder).json["attempt"] == 1
    (folder / name).parent.mkdir(exist_ok=True)
    shutil.copy(folder / "labels.csv", folder / name)
    second = certify(cli, folder, "--labels", folder / name).json
    assert (second["attempt"], second["attempts_left"]) == (2, 3)
    assert any("labels.csv.attempts.jsonl" in notice for notice in second["notices"])
    assert certify(cli, folder).json["attempt"] == 3


def test_other_ids_for_the_same_inputs_and_outputs_are_the_same_labels(cli, labelled_suite):
    rows = ["input,output,label"] + [f"question {i},answer number {i:03d}.,{human(i)}" for i in range(N)]
    renamed = ["case_id,input,output,label"] + [
        f"x{i},question {i},answer number {i:03d}.,{human(i)}" for i in range(N)
    ]
    files = {"labels.csv": "\n".join(rows), "renamed.csv": "\n".join(renamed)}
    folder = labelled_suite(N, human, coin, **files)
    assert certify(cli, folder).json["attempt"] == 1
    assert certify(cli, folder, "--labels", folder / "renamed.csv").json["attempt"] == 2


def test_copies_use_a_set_up_together_and_it_is_spent_under_every_name(cli, labelled_suite):
    folder = labelled_suite(N, human, coin)
    for copy in range(5):
        shutil.copy(folder / "labels.csv", folder / f"copy{copy}.csv")
        ran = certify(cli, folder, "--labels", folder / f"copy{copy}.csv")
        assert (ran.json["attempt"], ran.json["attempts_left"]) == (copy + 1, 4 - copy)
    ran = certify(cli, folder)
    assert (ran.code, ran.json["attempt"], ran.json["attempts_left"], ran.json["spent"]) == (3, None, 0, True)
    assert cli("calibrate", folder, "--json").json["dimensions"]["reply.kind"]["n"] == N


def test_labels_of_other_cases_beside_them_have_attempts_of_their_own(cli, labelled_suite):
    rows = ["case_id,output,model,label"]
    rows += [f"c{i:03d},answer number {i:03d}.,claude-sonnet-4-5,{human(i)}" for i in range(2 * N)]
    parts = {"labels.csv": "\n".join(rows[: N + 1]), "new.csv": "\n".join([rows[0], *rows[N + 1 :]])}
    folder = labelled_suite(2 * N, human, coin, **parts)
    assert certify(cli, folder).json["attempt"] == 1
    fresh = certify(cli, folder, "--labels", folder / "new.csv").json
    assert fresh["attempt"] == 1
    assert not any("counted" in notice for notice in fresh["notices"])


def test_disagreements_shown_of_a_copy_close_the_way_to_use_every_label(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    cli("calibrate", folder)
    shutil.copy(folder / "labels.csv", folder / "copy.csv")
    ran = cli("calibrate", folder, "--labels", folder / "copy.csv", "--certify", "--all")
    assert ran.code == 2
    assert "were shown" in ran.err


def test_an_attempt_on_labels_that_another_command_used_up_meanwhile_decides_nothing(cli, labelled_suite, monkeypatch):
    from judgekit.run import calibrate

    folder = labelled_suite(N, human, good)
    judge_tasks = calibrate.judge_tasks

    async def slow(*args, **more):
        found = await judge_tasks(*args, **more)
        if not others:
            return found
        others.clear()
        line = json.dumps(looks(folder)[0])
        path = folder / "labels.csv.attempts.jsonl"
        path.write_text("".join(line.replace(looks(folder)[0]["token"], f"t{j}") + "\n" for j in range(5)))
        return found

    others = []
    monkeypatch.setattr(calibrate, "judge_tasks", slow)
    rubric = folder / "rubric.yaml"
    certify(cli, folder)
    rubric.write_text(rubric.read_text().replace("greets", "Greets"))
    others.append(True)
    ran = cli("calibrate", folder, "--certify")
    assert ran.code == 3
    assert "used these labels up" in ran.err
    assert "kappa" not in (ran.out + ran.err).lower()


def test_damaged_file_of_a_copy_stops_everything(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    (folder / "old.csv.attempts.jsonl").write_text("no json\n{}\n")
    ran = cli("calibrate", folder, "--certify")
    assert ran.code == 2
    assert "old.csv.attempts.jsonl:1" in ran.err


# ── nothing but the decision ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("judge", [coin, lambda i: "PASS"])
def test_verdicts_of_a_refused_judge_cannot_be_told_from_what_is_kept(cli, labelled_suite, judge):
    folder = labelled_suite(N, human, judge)
    assert certify(cli, folder).code == 1
    rows = paper(folder)["rows"]
    assert len(rows) == len(TEST)
    text = "".join(path.read_text() for path in (folder / "certificates").iterdir())
    text += (folder / "labels.csv.attempts.jsonl").read_text()
    for row in rows:
        for verdict in ("PASS", "FAIL", "UNKNOWN", None):
            assert verdict_hash(row, verdict) not in text
    (look,) = looks(folder)
    assert set(look) == {"kind", "token", "at", "judge", "dimensions", "cases", "texts"}


def test_a_label_that_is_gone_takes_the_certificate_away(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    certify(cli, folder)
    labels = folder / "labels.csv"
    labels.write_text(labels.read_text().replace(f"c{TEST[0]:03d},", f"z{TEST[0]:03d},"))
    shown = cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]
    assert shown["advisory"] == "labels changed"
    assert f"1 of the {len(TEST)} labels" in shown["why"]


# ── attempts that are left ───────────────────────────────────────────────────────────────────────────────


def test_attempts_are_left_when_nothing_was_looked_at(cli, labelled_suite):
    folder = labelled_suite(5, human, good)
    ran = certify(cli, folder)
    assert (ran.code, ran.json["attempt"], ran.json["attempts_left"]) == (3, None, 5)
    assert "5 attempts left" in cli("calibrate", folder, "--certify").err


def test_attempts_are_left_when_a_certificate_is_held(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    certify(cli, folder)
    ran = certify(cli, folder)
    assert (ran.code, ran.json["attempt"], ran.json["attempts_left"]) == (0, None, 4)


# ── how labels are read ──────────────────────────────────────────────────────────────────────────────────


def wide(words):
    rows = ["case_id,output,Ann B,ben"]
    return "\n".join(
        [*rows, *(f"c{i:03d},answer number {i:03d}.,{words[human(i)]},{words[human(i)]}" for i in range(N))]
    )


SCORES = {"PASS": "2", "FAIL": "0"}


def test_the_command_that_helps_reads_the_labels_as_they_were_read(cli, labelled_suite, monkeypatch):
    folder = labelled_suite(N, human, good, **{"scores.csv": wide(SCORES)})
    monkeypatch.chdir(folder.parent)
    options = ("--annotators", "Ann B,ben", "--pass-at", "1", "--labels", "suite/scores.csv")
    assert cli("calibrate", "suite", "--certify", *options).code == 0
    rubric = folder / "rubric.yaml"
    rubric.write_text(rubric.read_text().replace("greets", "Greets"))
    fix = cli("calibrate", "suite", "--show", "--json").json["judges"]["reply.kind"]["fix"]
    words = shlex.split(fix)
    assert words[:3] == ["judgekit", "calibrate", "suite"]
    for option, value in zip(options[::2], options[1::2], strict=True):
        assert words[words.index(option) + 1] == value
    again = cli(*words[1:], "--json")
    assert (again.code, again.json["attempt"]) == (0, 2)


def test_the_suite_says_how_its_labels_are_read(cli, labelled_suite):
    reading = '{annotators: ["Ann B", ben], pass_at: 1}'
    folder = labelled_suite(N, human, good, lines={"calibration": reading}, **{"labels.csv": wide(SCORES)})
    assert certify(cli, folder).code == 0
    kept = paper(folder)
    assert kept["reading"]["annotators"] == ["Ann B", "ben"]
    assert kept["reading"]["pass_at"] == 1
    assert not set(kept["policy"]) & {"annotators", "pass", "fail", "passes", "fails", "pass_at"}
    assert cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]["gating"]
    rubric = folder / "rubric.yaml"
    rubric.write_text(rubric.read_text().replace("greets", "Greets"))
    fix = cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]["fix"]
    assert shlex.split(fix) == ["judgekit", "calibrate", str(folder), "--dimension", "reply.kind", "--certify"]


def test_words_on_the_command_line_take_the_place_of_all_words_of_the_suite(cli, labelled_suite):
    lines = {"calibration": "{pass: [good], fail: [bad]}"}
    folder = labelled_suite(N, human, good, lines=lines)
    text = (folder / "labels.csv").read_text()
    (folder / "labels.csv").write_text(text.replace(",PASS", ",good").replace(",FAIL", ",bad"))
    (folder / "other.csv").write_text(text.replace(",PASS", ",1").replace(",FAIL", ",0"))
    assert cli("calibrate", folder).code == 0
    assert cli("calibrate", folder, "--labels", folder / "other.csv", "--pass", "1", "--fail", "0").code == 0
    half = cli("calibrate", folder, "--pass", "good")
    assert half.code == 2
    assert "'bad' is not understood" in half.err


def test_annotators_of_the_suite_are_for_files_that_have_their_columns(cli, labelled_suite):
    folder = labelled_suite(N, human, good, lines={"calibration": "{annotators: [A, B]}"})
    assert cli("calibrate", folder).code == 0
    text = (folder / "labels.csv").read_text()
    (folder / "labels.csv").write_text(text.replace("label", "A", 1))
    ran = cli("calibrate", folder)
    assert ran.code == 2
    assert "no column 'B'" in ran.err


def test_the_command_that_helps_names_a_judge_that_is_not_the_suites(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    own, other = (
        cli("calibrate", folder, "--show", "--json", *more).json["judges"]["reply.kind"]["fix"]
        for more in ((), ("--judge", "replay:other"))
    )
    assert "--judge" not in own
    assert "--judge replay:other --certify" in other


def test_a_certificate_stands_when_the_suite_says_more_about_reading_later(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    certify(cli, folder)
    with (folder / "judgekit.yaml").open("a") as file:
        file.write("calibration: {annotators: [ann, ben]}\n")
    assert cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]["gating"]
    assert cli("calibrate", folder, "--check", "--json").json["reply.kind"]["same"]["value"] == 1


def test_a_rubber_stamp_is_no_matter_of_the_criterion_alone(cli, labelled_suite):
    folder = labelled_suite(N, human, lambda i: "PASS")
    certify(cli, folder)
    fix = cli("calibrate", folder, "--show", "--json").json["judges"]["reply.kind"]["fix"]
    assert fix.startswith("take another judge, or mend the criterion, then judgekit calibrate")


def test_the_gate_names_the_command_for_each_judge_without_a_certificate(cli, labelled_suite):
    folder = labelled_suite(5, human, good, lines={"gate": "{block: [uncertified]}"})
    ran = cli("run", folder, "--json")
    (reason,) = ran.json["reasons"]
    assert "reply.kind is advisory (uncertified): judgekit calibrate" in reason
    assert "--dimension reply.kind" in reason


def test_blank_sheet_has_a_column_for_each_person(cli, labelled_suite):
    folder = labelled_suite(N, human, good)
    sheet = folder / "sheet.csv"
    ran = cli("calibrate", folder, "--template", sheet, "--annotators", "A,B")
    assert ran.code == 0
    assert "'A' and 'B'" in ran.out + ran.err
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert not {"label", "annotator"} & set(rows[0])
    assert all((row["A"], row["B"]) == ("", "") for row in rows)
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, **dict.fromkeys("AB", human(int(row["case_id"][1:])))} for row in rows)
    assert certify(cli, folder, "--labels", sheet, "--annotators", "A,B").code == 0
    clash = cli("calibrate", folder, "--template", folder / "x.csv", "--annotators", "output,B")
    assert clash.code == 2
    assert "call it something else" in clash.err


# ── before anybody is asked ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("command", [("calibrate",), ("calibrate", "--certify")])
def test_a_missing_key_is_told_before_anybody_is_asked_to_pay(cli, labelled_suite, monkeypatch, command):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder = labelled_suite(N, human, good, lines={"judge": '{model: "openai:gpt-4o"}'})
    ran = cli(command[0], folder, *command[1:])
    assert ran.code == 4
    assert "OPENAI_API_KEY" in ran.err
    assert "--yes" not in ran.err
    assert not (folder / "labels.csv.attempts.jsonl").exists()


def test_a_missing_key_of_a_pairwise_judge_is_told_before_anybody_is_asked_to_pay(cli, labelled_suite, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    lines = {
        "judge": '{model: "openai:gpt-4o"}',
        "variants": "{v: {outputs: outputs.jsonl}, w: {outputs: others.jsonl}}",
    }
    others = [{"id": f"c{i:03d}", "output": f"other {i}", "model": "claude-sonnet-4-5"} for i in range(5)]
    folder = labelled_suite(5, human, good, lines=lines, **{"others.jsonl": others})
    ran = cli("pairwise", folder)
    assert ran.code == 4
    assert "OPENAI_API_KEY" in ran.err
    assert "--yes" not in ran.err
