"""Case files: the four shapes found in the wild, without conversion, and every mistake told with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.data.cases import CaseSet, cases_from_rows, load_cases
from judgekit.errors import InputError
from judgekit.types import Case, Expected, Message


def load(folder: Path, text: str, name: str = "cases.jsonl") -> CaseSet:
    (folder / name).write_text(text, encoding="utf-8")
    return load_cases(name, folder)


def refusal(folder: Path, text: str, name: str = "cases.jsonl") -> str:
    with pytest.raises(InputError) as error:
        load(folder, text, name)
    return str(error.value)


def line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


# ── the shapes ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_lines_of_a_support_assistant_are_read(tmp_path: Path) -> None:
    text = line(
        id="returns-1",
        input="Can I return it?",
        expected={"label": "returns", "must_mention": ["14 days"], "must_not_mention": ["guarantee"]},
        rubric="Polite.\nPromises no refund.",
        tags=["returns", "edge:two-questions"],
    )
    assert load(tmp_path, text).cases == (
        Case(
            id="returns-1",
            input="Can I return it?",
            expected=Expected(label="returns", must_include=("14 days",), must_not_include=("guarantee",)),
            rubric="Polite.\nPromises no refund.",
            tags=("returns", "edge:two-questions"),
        ),
    )


def test_a_free_text_rubric_may_stand_under_expected(tmp_path: Path) -> None:
    assert load(tmp_path, line(id="a", input="x", expected={"rubric": "Be kind."})).cases[0].rubric == "Be kind."


def test_the_lines_of_a_golden_set_are_read(tmp_path: Path) -> None:
    text = line(
        id="g1",
        question="What does it cost?",
        intent="lookup",
        source="production",
        must_include=["12 euro"],
        must_not_include=["free"],
        expect_citation="kb/prices.md",
        answerable=True,
    ) + line(id="g2", question="Who will win?", intent="unanswerable", expect_citation=None, answerable=False)
    first, second = load(tmp_path, text).cases
    assert first == Case(
        id="g1",
        input="What does it cost?",
        expected=Expected(must_include=("12 euro",), must_not_include=("free",), citation=("kb/prices.md",)),
        tags=("intent:lookup",),
        source="production",
        answerable=True,
    )
    assert (second.answerable, second.expected, second.tags) == (False, Expected(), ("intent:unanswerable",))


def test_the_csv_of_a_test_team_is_read(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "a.md").write_text("Alpha.", encoding="utf-8")
    (tmp_path / "kb" / "b.md").write_text("Beta.", encoding="utf-8")
    text = (
        "id,category,input,context_ref,expected_behaviour,must_include,must_not_include,grading,severity,source,added_on\n"
        '007,billing,"How, then?",kb/a.md,Explains the fee,fee|12\\|13,free,both,critical,ticket 4,2024-01-02\n'
        "8,billing,Why?,kb/a.md|kb/b.md,,,,rubric,,,\n"
        "9,other,Who?,None,,,,Deterministic,Low,,\n"
    )
    first, second, third = load(tmp_path, text, "cases.csv").cases
    assert first == Case(
        id="007",
        input="How, then?",
        context="Alpha.",
        context_ref=("kb/a.md",),
        expected=Expected(must_include=("fee", "12|13"), must_not_include=("free",)),
        rubric="Explains the fee",
        tags=("category:billing",),
        severity="critical",
        source="ticket 4",
        added_on="2024-01-02",
    )
    assert first.must
    assert second.context == "kb/a.md\nAlpha.\n\nkb/b.md\nBeta."
    assert (third.context, third.context_ref, third.grading, third.severity) == (None, (), "deterministic", "low")


def test_a_table_of_topics_is_read(tmp_path: Path) -> None:
    text = "topic;question;has;has_not;max_words;must\nreturns;Can I?;14 days;never|ever;25;yes\nhours;When?;;;0;no\n"
    first, second = load(tmp_path, text, "cases.csv").cases
    assert first == Case(
        id="returns",
        input="Can I?",
        expected=Expected(must_include=("14 days",), must_not_include=("never", "ever"), max_words=25),
        must_pass=True,
    )
    assert second == Case(id="hours", input="When?")


def test_the_same_cases_as_json_csv_and_yaml_are_equal(tmp_path: Path) -> None:
    as_json = load(
        tmp_path, line(id="a", input="x", expected={"must_include": ["p|q", "r"], "max_words": 9}, tags=["t"])
    )
    as_csv = load(tmp_path, "id,input,expected.must_include,max_words,tags\na,x,p\\|q|r,9,t\n", "c.csv")
    as_yaml = load(
        tmp_path, "- id: a\n  input: x\n  expected: {must_include: ['p|q', r], max_words: 9}\n  tags: [t]\n", "c.yaml"
    )
    assert as_json.cases == as_csv.cases == as_yaml.cases


def test_a_yaml_file_may_keep_its_cases_under_a_key(tmp_path: Path) -> None:
    assert load(tmp_path, "cases:\n  - {id: a, input: x}\n", "c.yaml").cases == (Case(id="a", input="x"),)


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_number_as_an_id_keeps_every_digit(tmp_path: Path) -> None:
    found = load(tmp_path, '{"id": 12, "input": "x"}\n{"id": 10124420001034504343, "input": "y"}\n')
    assert [case.id for case in found] == ["12", "10124420001034504343"]
    assert "a float has lost digits" in refusal(tmp_path, '{"id": 12.0, "input": "x"}\n')


def test_yaml_that_turns_words_into_other_things_is_told_to_quote(tmp_path: Path) -> None:
    text = "- id: 7\n  input: x\n  expected:\n    must_include: [on, 012, 2024-01-02, 12:30]\n- id: b\n  input: yes\n"
    message = refusal(tmp_path, text, "c.yaml")
    assert message.splitlines()[0].startswith("c.yaml:1: 'id' should be text but is a number: quote it")
    assert message.splitlines()[1].startswith(
        "c.yaml:4: 'expected.must_include' should be text but is a number: quote it"
    )
    assert len(message.splitlines()) == 2  # `on`, `yes` and `12:30` are text in YAML 1.2
    assert 'is true/false: quote it, as in "true"' in refusal(tmp_path, "- {id: a, input: true}\n", "c.yaml")
    assert "is a date: quote it" in refusal(tmp_path, "- {id: a, input: 2024-01-02}\n", "c.yaml")


def test_empty_text_is_an_input_and_no_text_is_none(tmp_path: Path) -> None:
    assert load(tmp_path, line(id="a", input="")).cases[0].input == ""
    assert refusal(tmp_path, line(id="a")) == "cases.jsonl:1: 'input' is missing (write 'input' or 'question')"
    assert "'input' is missing" in refusal(tmp_path, line(id="a", input=None))
    assert "cases.csv:2: 'input' is missing" in refusal(tmp_path, "id,input\na,\n", "cases.csv")
    assert "'id' is missing" in refusal(tmp_path, line(input="x"))


def test_empty_terms_are_left_out_with_a_notice(tmp_path: Path) -> None:
    text = "id,input,must_include,must_not_include\na,x,refund||14 days|, |x\n"
    found = load(tmp_path, text, "c.csv")
    assert found.cases[0].expected == Expected(must_include=("refund", "14 days"), must_not_include=("x",))
    assert len(found.notices) == 2
    assert "c.csv:2: an empty entry in 'must_include'" in found.notices[0]
    for terms in (["", "x"], ["x", "  "]):
        found = load(tmp_path, line(id="a", input="x", expected={"must_include": terms}))
        assert (found.cases[0].expected.must_include, len(found.notices)) == (("x",), 1)


def test_chat_messages_are_an_input(tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert load(tmp_path, line(id="a", input=chat)).cases[0].input == (Message("system", "s"), Message("user", "u"))


def test_an_image_in_an_input_is_refused_by_name(tmp_path: Path) -> None:
    part = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    text = line(id="a", input=[{"role": "user", "content": [part]}])
    assert "unsupported part (image_url): judgekit grades text" in refusal(tmp_path, text)


def test_numbers_in_cells_are_numbers_or_told(tmp_path: Path) -> None:
    text = "id,input,max_words,number,tolerance,min_recall\na,x,25,3.5,0.1,0.8\n"
    checks = load(tmp_path, text, "c.csv").cases[0].expected
    assert checks == Expected(max_words=25, number=3.5, tolerance=0.1, min_recall=0.8)
    message = refusal(tmp_path, 'id,input,max_words,number,min_recall\na,x,25 words,"3,5",2\n', "c.csv")
    assert "'max_words' should be a whole number, 0 or more, found '25 words'" in message
    assert "'number' should be a number with a decimal point: write 3.5" in message
    assert "'min_recall' should be a share from 0 to 1" in message


@pytest.mark.parametrize("rule", ["all", "any", {"at_least": 3}])
def test_a_case_may_say_when_it_passes(tmp_path: Path, rule: Any) -> None:
    assert load(tmp_path, line(id="a", input="x", pass_when=rule)).cases[0].pass_when == rule


def test_what_is_free_goes_under_meta(tmp_path: Path) -> None:
    assert load(tmp_path, line(id="a", input="x", meta={"any": [1]})).cases[0].meta == {"any": [1]}
    found = load(tmp_path, 'id,input,meta.team,meta\na,x,blue,"{""n"": 1}"\n', "c.csv")
    assert found.cases[0].meta == {"n": 1, "team": "blue"}


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_field_is_an_error_with_a_suggestion(tmp_path: Path) -> None:
    text = line(id="a", input="x", must_inclde=["y"]) + line(id="b", input="x", expected={"max_word": 3}, colour="red")
    assert refusal(tmp_path, text).splitlines() == [
        "cases.jsonl:1: unknown field 'must_inclde'. Did you mean 'must_include'?",
        "cases.jsonl:2: unknown field 'expected.max_word'. Did you mean 'max_words'?",
        "cases.jsonl:2: unknown field 'colour'. Put what is yours under 'meta'.",
    ]


def test_a_json_array_over_several_lines_is_told_once(tmp_path: Path) -> None:
    rows = [{"id": "a", "input": "x"}, {"id": "b", "input": "y"}]
    for text in (json.dumps(rows, indent=2), json.dumps(rows).replace("}, ", "},\n")):
        lines = refusal(tmp_path, text).splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("cases.jsonl:1: looks like a part of a JSON document over several lines; write one")


def test_an_object_in_the_expected_cell_of_a_table_holds_checks(tmp_path: Path) -> None:
    found = load(tmp_path, 'id,input,expected\na,x,"{""must_mention"": [""y""]}"\n', "c.csv")
    assert found.cases[0].expected == Expected(must_include=("y",))
    assert "'expected' should be keys and values" in refusal(tmp_path, "id,input,expected\na,x,{oops\n", "c.csv")


def test_expected_as_bare_text_is_told_where_it_belongs(tmp_path: Path) -> None:
    assert "use expected.equals for an exact match" in refusal(tmp_path, line(id="a", input="x", expected="yes"))


def test_two_names_for_one_field_are_an_error(tmp_path: Path) -> None:
    message = refusal(
        tmp_path, line(id="a", input="x", question="y", must_include=["z"], expected={"must_mention": ["z"]})
    )
    assert "'input' and 'question' both give the input; keep one" in message
    assert "'must_include' and 'expected.must_mention' both give the must_include" in message


def test_a_duplicate_id_names_both_lines_also_across_files(tmp_path: Path) -> None:
    assert refusal(tmp_path, line(id="dup", input="x") + "\n" + line(id="dup", input="y")) == (
        "cases.jsonl:3: id 'dup' is already used at cases.jsonl:1; an id names one case"
    )
    (tmp_path / "more.csv").write_text("id,input\nz,1\ndup,2\n", encoding="utf-8")
    (tmp_path / "cases.jsonl").write_text(line(id="dup", input="x"), encoding="utf-8")
    with pytest.raises(InputError, match=r"more\.csv:3: id 'dup' is already used at cases\.jsonl:1"):
        load_cases(["cases.jsonl", "more.csv"], tmp_path)


def test_the_problems_of_all_files_are_listed_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a"\n\n[]\n' + line(id="b", inptu="x"), encoding="utf-8")
    (tmp_path / "b.csv").write_text("id,input\nx\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_cases(["a.jsonl", "b.csv", "gone.yaml"], tmp_path)
    assert [(p.file, p.line) for p in error.value.problems] == [
        ("a.jsonl", 1),
        ("a.jsonl", 3),
        ("a.jsonl", 4),
        ("a.jsonl", 4),
        ("b.csv", 2),
        ("gone.yaml", None),
    ]


def test_if_one_says_whether_it_is_answerable_all_must(tmp_path: Path) -> None:
    text = line(id="a", input="x") + line(id="b", input="x", answerable=False)
    assert refusal(tmp_path, text).startswith("cases.jsonl:1: case 'a' does not say 'answerable'")


def test_a_missing_context_file_is_an_error_and_so_is_context_twice(tmp_path: Path) -> None:
    message = refusal(tmp_path, line(id="a", input="x", context_ref=["gone.md"]))
    assert "'context_ref' names 'gone.md', which cannot be read: no such file" in message
    assert "has both 'context' and 'context_ref'" in refusal(
        tmp_path, line(id="a", input="x", context="c", context_ref="cases.jsonl")
    )


def test_context_files_are_found_beside_the_case_file(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.md").write_text("ctx", encoding="utf-8")
    (tmp_path / "deep" / "cases.jsonl").write_text(line(id="a", input="x", context_ref=["c.md"]), encoding="utf-8")
    assert load_cases("deep/*.jsonl", tmp_path).cases[0].context == "ctx"


def test_a_glob_that_fits_nothing_an_empty_file_and_a_strange_ending_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file fits this pattern"):
        load_cases("*.jsonl", tmp_path)
    assert refusal(tmp_path, "\n\n") == "cases.jsonl: holds no cases"
    assert "is of no known kind (.xlsx)" in refusal(tmp_path, "x", "cases.xlsx")


def test_a_yaml_file_that_is_no_list_of_mappings_is_an_error(tmp_path: Path) -> None:
    assert "expected a list, found one row" in refusal(tmp_path, "id: a\ninput: x\n", "c.yaml")
    assert "c.yaml:2: expected keys and values, found text" in refusal(tmp_path, "- {id: a, input: x}\n- b\n", "c.yaml")


def test_every_case_knows_its_place(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("id,input\n\nq,1\n", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text("\n" + line(id="p", input="x") + line(id="r", question="y"), encoding="utf-8")
    found = load_cases(["a.jsonl", "b.csv"], tmp_path)
    assert [found.place(name) for name in "prq"] == [("a.jsonl", 2), ("a.jsonl", 3), ("b.csv", 3)]
    assert str(found.problem("q", "is odd")) == "b.csv:3: is odd"


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(line(id="a", input="x"), encoding="utf-8")
    assert len(load_cases(["a.jsonl", "*.jsonl"], tmp_path)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"id":"a","input":"x","id":"b"}',
        '{"id":"a","input":"x","meta":{"k":1,"k":2}}',
        '{"id":" a","input":"x"}',
        '{"id":"","input":"x"}',
        '{"id":"a","input":"x","expected":{"must_match":["(open"]}}',
        '{"id":"a","input":"x","expected":{"max_words":-1}}',
        '{"id":"a","input":"x","expected":{"min_recall":1.5}}',
        '{"id":"a","input":"x","expected":{"tolerance":-1}}',
        '{"id":"a","input":"x","pass_when":"most"}',
        '{"id":"a","input":"x","pass_when":{"at_least":"2"}}',
        '{"id":"a","input":[]}',
        '{"id":"a","input":[{"role":"robot","content":"x"}]}',
        '{"id":"a","input":"x","meta":{"k":NaN}}',
        '{"id":"a","input":"x","expected":{"max_words":true}}',
        '{"id":"a","input":"x","severity":"urgent"}',
    ],
)
def test_nothing_wrong_slips_through_the_fast_way(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text).startswith("cases.jsonl:1: ")


# ── rows from memory ─────────────────────────────────────────────────────────────────────────────────────


def test_rows_without_ids_get_them_from_their_inputs_and_equal_inputs_stay_apart() -> None:
    rows = [{"input": "x"}, {"input": "y"}, {"input": "x"}]
    first, again = cases_from_rows(rows), cases_from_rows(rows)
    ids = [case.id for case in first]
    assert len(set(ids)) == 3
    assert ids[2] == ids[0] + "-2"
    assert ids == [case.id for case in again]
    assert first.notices == ("no row has an id: ids are derived from the inputs",)


def test_one_row_with_an_id_asks_for_all() -> None:
    with pytest.raises(InputError, match="row 2: 'id' is missing"):
        cases_from_rows([{"id": "a", "input": "x"}, {"input": "y"}])


def test_columns_map_theirs_to_ours_and_a_row_that_is_no_dict_is_told() -> None:
    assert cases_from_rows([{"Nr": 7, "Frage": "x"}], columns={"id": "Nr", "input": "Frage"}).cases[0].id == "7"
    with pytest.raises(InputError, match="row 1: expected a dict"):
        cases_from_rows(["x"])  # type: ignore[list-item]


def test_every_known_name_is_documented() -> None:
    from judgekit.data import aliases

    page = (Path(__file__).parents[3] / "docs" / "files.md").read_text(encoding="utf-8")
    # what a run writes about an output is documented with the run
    internal = {"fault", "usage", "cost_usd", "cached"}
    for known in (aliases.CASE, aliases.EXPECTED, aliases.OUTPUT, aliases.LABEL):
        assert [name for name in known if f"`{name}`" not in page and name not in internal] == []
