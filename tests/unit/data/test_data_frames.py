"""Frames: missing is missing, ids keep their digits, and nothing becomes a float on its way."""

import numpy as np
import pandas as pd
import pytest

from judgekit.data.cases import cases_from_rows
from judgekit.data.frames import frame_from_rows, is_frame, rows_from_frame
from judgekit.data.labels import Spelling, labels_from_rows
from judgekit.data.outputs import outputs_from_rows
from judgekit.errors import InputError
from judgekit.types import Expected


def test_every_kind_of_missing_is_none_and_numpy_values_are_plain() -> None:
    frame = pd.DataFrame(
        {
            "a": [np.nan, 1.5],
            "b": pd.array([None, 10124420001034504343], dtype="UInt64"),
            "c": [None, "x"],
            "d": [pd.NaT, pd.NA],
            "e": [np.array([1, 2]), [np.int64(3), "y"]],
            "f": np.array([True, False]),
        }
    )
    first, second = rows_from_frame(frame)
    assert first == {"a": None, "b": None, "c": None, "d": None, "e": [1, 2], "f": True}
    assert second == {"a": 1.5, "b": 10124420001034504343, "c": "x", "d": None, "e": [3, "y"], "f": False}
    assert {type(v) for v in second.values()} == {float, int, str, type(None), list, bool}


def test_whole_number_ids_beside_a_float_column_stay_exact() -> None:
    frame = pd.DataFrame({"id": [9007199254740993, 2], "input": ["x", "y"], "min_recall": [0.5, np.nan]})
    found = cases_from_rows(rows_from_frame(frame), form="frame")
    assert [case.id for case in found] == ["9007199254740993", "2"]
    assert [case.expected.min_recall for case in found] == [0.5, 1.0]


def test_an_id_that_pandas_made_a_float_is_refused() -> None:
    frame = pd.DataFrame({"id": [1.0, 2.0], "output": ["x", "y"]})
    with pytest.raises(InputError, match=r"row 1: 'id' is the number 1\.0: .*a float has lost digits"):
        outputs_from_rows(rows_from_frame(frame), form="frame")


def test_cells_of_a_frame_hold_lists_or_text_for_them() -> None:
    frame = pd.DataFrame(
        {"id": ["a", "b"], "input": ["x", "y"], "must_include": ["p|q", ["r|s"]], "max_words": [9.0, np.nan]}
    )
    found = cases_from_rows(rows_from_frame(frame), form="frame")
    assert [case.expected for case in found] == [
        Expected(must_include=("p", "q"), max_words=9),
        Expected(must_include=("r|s",)),
    ]


def test_an_empty_text_in_a_frame_is_text_and_nan_is_missing() -> None:
    found = outputs_from_rows(rows_from_frame(pd.DataFrame({"id": ["a", "b"], "output": ["", np.nan]})), form="frame")
    assert (found.outputs[0].output, found.outputs[0].fault) == ("", None)
    assert found.outputs[1].fault is not None


def test_scores_of_a_frame_with_gaps_are_labels_and_gaps() -> None:
    frame = pd.DataFrame({"id": ["a", "b", "c"], "ann": [1.0, np.nan, 0.0]})
    told = Spelling(passes=("1",), fails=("0",))
    found = labels_from_rows(rows_from_frame(frame), form="frame", annotators=["ann"], spelling=told)
    assert ([one.verdict for one in found], found.empty) == (["PASS", "FAIL"], 1)


def test_a_timestamp_where_text_is_expected_is_told() -> None:
    frame = pd.DataFrame({"id": ["a"], "input": ["x"], "added_on": pd.to_datetime(["2024-01-02"])})
    with pytest.raises(InputError, match="row 1: 'added_on' should be text but is a Timestamp"):
        cases_from_rows(rows_from_frame(frame), form="frame")


def test_a_column_name_twice_is_an_error() -> None:
    with pytest.raises(InputError, match="column 'x' occurs twice"):
        rows_from_frame(pd.DataFrame([[1, 2]], columns=["x", "x"]))


def test_a_frame_of_rows_makes_no_floats_of_whole_numbers_beside_gaps() -> None:
    frame = frame_from_rows([{"trial": 1, "cost": 0.5}, {"trial": None}])
    assert frame["trial"].tolist() == [1, None]
    assert rows_from_frame(frame)[1] == {"trial": None, "cost": None}


def test_a_frame_is_known_without_importing_pandas() -> None:
    assert is_frame(pd.DataFrame())
    assert not is_frame([{}])
    assert not is_frame(pd.Series([1]))
