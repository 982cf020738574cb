"""A frame with inputs and outputs side by side is cases and outputs at once."""

import pytest

from judgekit.data.sheet import sheet_from_rows
from judgekit.errors import InputError
from judgekit.types import Expected


def test_inputs_and_outputs_side_by_side_share_a_derived_id() -> None:
    found = sheet_from_rows(
        [{"input": "q", "output": "x"}, {"input": "r", "output": "y"}, {"input": "q", "output": "z"}]
    )
    assert [case.id for case in found.cases] == [output.id for output in found.outputs]
    assert [case.input for case in found.cases] == ["q", "r", "q"]
    assert [output.output for output in found.outputs] == ["x", "y", "z"]
    assert any("ids are derived from the inputs" in notice for notice in found.notices)


def test_trials_of_one_id_are_one_case() -> None:
    rows = [{"id": 7, "question": "q", "answer": a, "trial": t, "reference": "r"} for t, a in ((1, "x"), (2, "y"))]
    found = sheet_from_rows(rows)
    assert (len(found.cases), found.cases.cases[0].id, found.cases.cases[0].reference) == (1, "7", "r")
    assert [output.trial for output in found.outputs] == [1, 2]


def test_trials_without_ids_share_a_case_too() -> None:
    found = sheet_from_rows([{"input": "q", "output": "x", "trial": t} for t in (1, 2)])
    assert (len(found.cases), len({output.id for output in found.outputs})) == (1, 1)


def test_rows_of_one_id_that_disagree_are_an_error() -> None:
    rows = [{"id": "a", "input": "q", "output": "x", "trial": 1}, {"id": "a", "input": "r", "output": "y", "trial": 2}]
    with pytest.raises(InputError, match="row 2: id 'a' stands for another case in row 1"):
        sheet_from_rows(rows)


def test_checks_context_and_columns_go_where_they_belong_and_the_rest_is_told() -> None:
    rows = [
        {
            "input": "q",
            "Reply": "x",
            "context": "c",
            "must_include": ["z"],
            "citations": ["k"],
            "label": "PASS",
            "cost": 1,
        }
    ]
    found = sheet_from_rows(rows, columns={"output": "Reply"})
    case, output = found.cases.cases[0], found.outputs.outputs[0]
    assert (case.context, case.expected) == ("c", Expected(must_include=("z",)))
    assert (output.output, output.context, output.citations, output.label) == ("x", None, ("k",), None)
    assert "ignored columns: 'label', 'cost'" in found.notices


def test_an_input_that_is_missing_names_its_row() -> None:
    with pytest.raises(InputError, match="row 2: 'input' is missing"):
        sheet_from_rows([{"input": "q", "output": "x"}, {"input": None, "output": "y"}])


def test_a_problem_of_a_case_names_its_row_in_the_sheet() -> None:
    rows = [
        {"id": i, "input": "q", "output": "x", "trial": t, "max_words": w}
        for i, t, w in (("a", 1, 1), ("a", 2, 1), ("b", 1, -1))
    ]
    with pytest.raises(InputError, match=r"^row 3: 'max_words'"):
        sheet_from_rows(rows)
