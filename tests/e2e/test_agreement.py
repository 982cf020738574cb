"""`judgekit agreement` through the command line, and the verb that does the same in Python."""

import asyncio
from pathlib import Path

import pandas as pd
import pytest

import judgekit as jk
from judgekit.stats import prevalence

ROWS = [("PASS", "PASS")] * 45 + [("PASS", "FAIL")] * 3 + [("FAIL", "PASS")] * 3 + [("FAIL", "FAIL")] * 9
# agreement 54/60; judge PASS 48, FAIL 12 like people: chance .8 * .8 + .2 * .2 = .68; (.9 - .68) / .32
KAPPA = 0.6875


@pytest.fixture(autouse=True)
def _coarse_grid(monkeypatch):
    """The range of pass rates is not looked at here."""
    monkeypatch.setattr(prevalence, "GRID", 9)


@pytest.fixture
def sheet(tmp_path):
    def write(rows, header="human,judge", name="labels.csv"):
        path = tmp_path / name
        path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
        return path

    return write


def run(cli, path, *more):
    return cli("agreement", path, "--human", "human", "--judge", "judge", *more)


def test_the_json_is_alone_on_stdout_and_has_kappa(cli, sheet):
    ran = run(cli, sheet(ROWS), "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["kappa"]["value"] == pytest.approx(KAPPA)
    assert ran.json["table"] == [[45, 3], [3, 9]]
    assert ran.json["missed_fails"]["value"] == pytest.approx(0.25)
    assert ran.json["false_alarms"]["value"] == pytest.approx(3 / 48)


def test_people_read_one_sentence_first(cli, sheet):
    ran = run(cli, sheet(ROWS))
    text = " ".join(ran.err.split())
    assert text.startswith("The judge agrees with people beyond chance: kappa 0.69 [")
    assert "it misses 3 of 12 FAILs and fails 3 of 48 PASSes." in text
    assert ran.out == ""


@pytest.mark.parametrize("rows", [[("PASS", "PASS")] * 5, [("PASS", "PASS")], [("PASS", ""), ("", "FAIL")], []])
def test_without_a_kappa_the_exit_code_is_3_and_the_json_says_why(cli, sheet, rows):
    ran = run(cli, sheet(rows), "--json")
    assert ran.code == 3
    assert ran.json["kappa"]["value"] is None
    assert ran.json["kappa"]["undefined"]


def test_na_and_none_are_text_and_only_an_empty_cell_is_missing(cli, sheet):
    rows = [("PASS", "PASS"), ("FAIL", "NA"), ("PASS", ""), ("FAIL", "FAIL")]
    assert run(cli, sheet(rows), "--json").json["labels"] == ["PASS", "FAIL", "NA"]
    told = run(cli, sheet(rows), "--missing", "NA", "--json").json
    assert (told["labels"], told["missing"]) == (["PASS", "FAIL"], 2)
    strict = run(cli, sheet(rows), "--labels", "PASS,FAIL", "--json").json
    assert strict["missing_by"]["strays"] == {"NA": 1}


def test_a_stranger_among_human_labels_is_an_error_with_its_line(cli, sheet):
    ran = run(cli, sheet([("PASS", "PASS"), ("GOOD", "FAIL")]), "--labels", "PASS,FAIL")
    assert ran.code == 2
    assert "labels.csv:3: 'human' is 'GOOD': the labels are PASS, FAIL" in ran.err


def test_letter_case_and_blanks_of_pass_and_fail_do_not_matter(cli, sheet):
    rows = [("PASS", "PASS"), ("pass", "PASS"), ("Pass ", "PASS"), ("FAIL", "FAIL")]
    assert run(cli, sheet(rows), "--json").json["kappa"]["value"] == 1.0


def test_yes_and_no_are_told_never_guessed(cli, sheet):
    path = sheet([("yes", "PASS"), ("no", "FAIL"), ("no", "PASS")] * 5)
    refused = run(cli, path)
    assert refused.code == 2
    assert "share no label" in refused.err
    # here yes is the bad one, as for a criterion "it invents something"
    told = run(cli, path, "--pass", "no,PASS", "--fail", "yes,FAIL", "--json").json
    assert told["table"] == [[5, 5], [5, 0]]


def test_scores_with_a_pass_mark(cli, sheet):
    told = run(cli, sheet([("4", "3.5"), ("2", "2.9"), ("3", "1.25")]), "--pass-at", "3", "--json").json
    assert told["table"] == [[1, 1], [0, 1]]


def test_scores_beyond_the_scale_are_no_verdict_and_of_people_an_error(cli, sheet):
    path = sheet([("4", "3.5"), ("2", "0.33"), ("3", "9"), ("1", "1")])
    told = run(cli, path, "--pass-at", "3", "--range", "1,5", "--json").json
    assert (told["table"], told["missing_by"]["strays"]) == ([[1, 0], [0, 1]], {"0.33": 1, "9": 1})
    swapped = cli("agreement", path, "--human", "judge", "--judge", "human", "--pass-at", "3", "--range", "1,5")
    assert swapped.code == 2
    assert "labels.csv:3: 'judge' is '0.33': known are PASS, FAIL, UNKNOWN, scores from 1 to 5" in swapped.err
    assert run(cli, path, "--range", "1-5", "--pass-at", "3").code == 2


def test_weights_and_an_order(cli, sheet):
    path = sheet([("low", "low"), ("medium", "high"), ("high", "high"), ("high", "medium")])
    assert run(cli, path, "--weights", "quadratic").code == 2
    told = run(cli, path, "--weights", "quadratic", "--labels", "low,medium,high", "--json").json
    assert told["kappa_weighted"]["value"] == pytest.approx(0.6364, abs=5e-5)


def test_groups_and_cases(cli, sheet):
    rows = [
        ("c1", "a", "PASS", "PASS"),
        ("c1", "b", "FAIL", "FAIL"),
        ("c2", "a", "FAIL", "PASS"),
        ("c2", "b", "PASS", "PASS"),
    ]
    path = sheet(rows, "case_id,topic,human,judge")
    free = run(cli, path, "--by", "topic", "--json").json
    assert any("say --case case_id" in notice for notice in free["notices"])
    assert {name: group["n"] for name, group in free["by"].items()} == {"a": 2, "b": 2}
    tied = run(cli, path, "--case", "case_id", "--json").json
    assert (tied["cases"], tied["notices"]) == (2, [])


def test_several_people_in_one_option_or_several(cli, sheet):
    rows = [("PASS", "PASS", "PASS"), ("PASS", "FAIL", "PASS"), ("FAIL", "FAIL", "FAIL")] * 20
    path = sheet(rows, "ann,ben,judge")
    once = cli("agreement", path, "--human", "ann,ben", "--judge", "judge", "--json").json
    twice = cli("agreement", path, "--human", "ann", "--human", "ben", "--judge", "judge", "--json").json
    assert once == twice
    assert once["missing_by"]["disputed"] == 20
    assert set(once["annotators"]) == {"ann", "ben"}


def test_a_column_whose_name_holds_a_comma_or_is_long(cli, sheet):
    path = sheet([("PASS", "PASS"), ("FAIL", "FAIL")], '"Label, final",judge')
    quoted = cli("agreement", path, "--human", '"Label, final"', "--judge", "judge", "--json")
    short = cli("agreement", path, "--human", "ann", "--judge", "judge", "--columns", '"ann=Label, final"', "--json")
    assert quoted.json["kappa"] == short.json["kappa"]
    assert short.json["human"] == ["ann"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--human", "humen", "--judge", "judge"], "no column 'humen'. Did you mean 'human'?"),
        (["--human", "human", "--judge", "human"], "given twice"),
        (["--human", "human", "--judge", "judge", "--by", "tag"], "no column 'tag'"),
        (["--human", "human", "--judge", "judge", "--pass", "yes"], "say also which labels are --fail"),
        (["--human", "human", "--judge", "judge", "--columns", "x=judge"], "which no option uses"),
        (["--human", "human", "--judge", "judge", "--columns", "judge"], "NAME=COLUMN"),
        (["--human", "human", "--judge", "judge", "--weights", "cubic"], "--weights"),
        (["--human", "human"], "--judge"),
    ],
)
def test_what_does_not_fit_is_one_message_and_exit_2(cli, sheet, arguments, message):
    ran = cli("agreement", sheet([("PASS", "PASS"), ("FAIL", "FAIL")]), *arguments)
    assert ran.code == 2
    assert message in " ".join(ran.err.split())
    assert "Traceback" not in ran.err


def test_a_missing_file_and_an_unknown_kind_are_told(cli, tmp_path):
    assert "no such file" in run(cli, tmp_path / "nope.csv").err
    (tmp_path / "labels.xlsx").write_bytes(b"PK\x03\x04")
    assert run(cli, tmp_path / "labels.xlsx").code == 2


def test_json_lines_with_numbers_and_absent_keys(cli, tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"human": 1, "judge": 1.0}\n{"human": 2, "judge": "2"}\n{"human": 2}\n')
    told = run(cli, path, "--json").json
    assert (told["labels"], told["table"], told["missing"]) == (["1", "2"], [[1, 0], [0, 1]], 1)
    path.write_text('{"human": 1, "judge": ["a"]}\n')
    assert "labels.jsonl:1: 'judge' should be one label, not a list" in run(cli, path).err


def test_semicolons_utf_16_and_code_pages(cli, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes("human;judge\ngültig;gültig\nfalsch;gültig\nfalsch;falsch\n".encode("utf-16"))
    assert run(cli, path, "--json").json["labels"] == ["falsch", "gültig"]
    path.write_bytes("human|judge\ngültig|gültig\nfalsch|falsch\n".encode("cp1252"))
    ran = run(cli, path)
    assert ran.code == 2
    assert "labels.csv:2: byte 0xfc is not UTF-8" in ran.err
    assert run(cli, path, "--encoding", "cp1252").code == 2
    assert run(cli, path, "--encoding", "cp1252", "--delimiter", "|", "--json").json["n"] == 2


def test_full_is_more_than_the_rest(cli, sheet):
    path = sheet(ROWS)
    assert "Gwet's AC1" in run(cli, path, "--full").err
    assert "Gwet's AC1" not in run(cli, path).err


def test_the_documentation_shows_what_the_command_prints(cli, sheet):
    page = (Path(__file__).parents[2] / "docs" / "agreement.md").read_text(encoding="utf-8")
    shown = page.split("```")[3]
    assert shown.split() == run(cli, sheet(ROWS)).err.split()


def test_every_option_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "agreement.md").read_text(encoding="utf-8")
    options = {option for name, option in _options() if name != "help"}
    assert len(options) > 12
    assert [option for option in options if f"`{option}" not in page and f" {option} " not in page] == []


def _options():
    import typer

    from judgekit.cli.app import app

    command = typer.main.get_command(app).commands["agreement"]
    return [(p.name, p.opts[0]) for p in command.params if p.opts[0].startswith("--")]


# ── in Python ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_verb_takes_a_file_a_frame_and_dicts(sheet):
    frame = pd.DataFrame(ROWS, columns=["human", "judge"])
    for data in (sheet(ROWS), str(sheet(ROWS)), frame, frame.to_dict("records")):
        a = jk.agreement(data, human="human", judge="judge")
        assert a.kappa.value == pytest.approx(KAPPA)
        assert a.kappa.n == 60


def test_gaps_and_floats_of_a_frame_are_read_as_they_were_meant():
    frame = pd.DataFrame({"human": [1, 2, 2, None], "judge": [1, 2, None, 1], "ok": [True, False, True, True]})
    a = jk.agreement(frame, human="human", judge="judge")
    assert (a.labels, a.n, a.rows) == (("1", "2"), 2, 4)
    b = jk.agreement(frame.assign(said=["true", "false", "true", "false"]), human="ok", judge="said")
    assert b.table == ((1, 0), (1, 2))
    assert jk.agreement(frame.convert_dtypes(), human="human", judge="judge").n == 2


def test_the_verb_works_inside_a_running_loop(sheet):
    path = sheet(ROWS)

    async def notebook():
        return jk.agreement(path, human="human", judge="judge"), await jk.agreement.aio(
            path, human="human", judge="judge"
        )

    a, b = asyncio.run(notebook())
    assert a.kappa == b.kappa


def test_the_verb_gives_the_document_of_the_command(cli, sheet):
    path = sheet(ROWS)
    assert jk.agreement(path, human="human", judge="judge").to_dict() == run(cli, path, "--json").json


def test_the_verb_takes_one_word_or_several_and_numbers():
    rows = [{"ann": 1, "bot": 1}, {"ann": 3, "bot": 2}, {"ann": 2, "bot": 9}, {"ann": 3, "bot": 3}]
    a = jk.agreement(rows, human="ann", judge="bot", labels=[1, 2, 3], weights="linear")
    # pairs (1,1) (3,2) (3,3): disagreement 1/3; expected: people 1:1/3 3:2/3, judge each 1/3: (0+1+2)/9 + 2(2+1+0)/9 = 1
    assert a.kappa_weighted.value == pytest.approx(2 / 3)
    assert a.missing.strays == {"9": 1}
    b = jk.agreement(rows, human=["ann"], judge="bot", passes=("2", "3"), fails="1", missing="9")
    assert b.table == ((2, 0), (0, 1))
    c = jk.agreement(rows, human="ann", judge="bot", pass_at=2, within=(1, 3))
    assert (c.table, c.missing.strays) == (b.table, a.missing.strays)


@pytest.mark.parametrize("data", [{"human": ["PASS"]}, 7, None, ["PASS"]])
def test_data_that_is_no_table_is_refused_in_words(data):
    with pytest.raises(jk.JudgekitError):
        jk.agreement(data, human="human", judge="judge")
