"""Frames: the rows of a pandas DataFrame as plain Python values, and rows as a frame again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from judgekit.errors import InputError, Problem
from judgekit.types import Json

if TYPE_CHECKING:
    import pandas as pd


def is_frame(value: Any) -> bool:
    """Whether `value` is a pandas DataFrame, found out without importing pandas."""
    kind = type(value)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas"


def rows_from_frame(frame: pd.DataFrame) -> list[dict[str, Json]]:
    """The rows of a frame: NaN, NA, NaT and None become None, numpy values plain ones, arrays lists.

    Nothing is turned into another kind: a float stays a float, so an id that pandas made one is refused by the
    reader of ids. The index is not a column; `frame.reset_index()` makes it one. Raises `InputError` for a column
    name that occurs twice.
    """
    names = [str(name) for name in frame.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(Problem("frame", None, f"column {twice[0]!r} occurs twice; rename one"))
    # one column at a time: a row of a mixed frame would turn whole numbers beside a float into floats
    columns = [[_plain(value) for value in frame.iloc[:, at].astype(object)] for at in range(len(names))]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def frame_from_rows(rows: Iterable[Mapping[str, Json]]) -> pd.DataFrame:
    """A frame of these rows, whose columns keep the values as they are: an absent whole number makes no float."""
    import pandas as pd

    return pd.DataFrame(list(rows), dtype=object)


def _plain(value: Any) -> Json:
    import pandas as pd

    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return _plain(value.tolist()) if getattr(value, "ndim", 0) else _missing(value.item(), pd)
    return _missing(value, pd)


def _missing(value: Any, pd: Any) -> Json:
    return None if pd.isna(value) is True else value
