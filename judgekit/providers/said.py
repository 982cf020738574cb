"""What a service says in an error, whatever the shape of its body."""

from __future__ import annotations

from typing import NamedTuple

from judgekit.types import Json

SHOWN = 300
"""Characters of a service's own words that a message repeats."""


class Said(NamedTuple):
    """One error as a service told it: one line of text, and its own words for what happened."""

    text: str = ""
    code: str = ""
    kind: str = ""
    param: str = ""
    status: int | None = None

    @property
    def words(self) -> str:
        """Everything that it said, in lower case, for matching."""
        return f"{self.code} {self.kind} {self.text}".lower()


def read_error(data: Json) -> Said | None:
    """The error in a decoded body, or None when there is none.

    Understood: `{"error": {...}}` (also in a list), `{"error": "text"}`, `{"detail": ...}`, `{"message": ...}`,
    and an error inside the first choice.
    """
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return None
    error = data.get("error")
    if error is None and data.get("object") == "error":
        error = data
    if error is None:
        choices = data.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        error = first.get("error") if isinstance(first, dict) else None
    if error is None and "choices" not in data and "content" not in data and "candidates" not in data:
        error = data.get("detail") or data.get("message") or data.get("errors")
    return _said(error) if error else None


def _said(error: Json) -> Said:
    if isinstance(error, dict):
        inner = error.get("metadata")
        raw = inner.get("raw") if isinstance(inner, dict) else None
        text = error.get("message") or error.get("msg") or error.get("detail") or ""
        full = f"{text}: {raw}" if isinstance(raw, str) and raw not in str(text) else text
        code = error.get("code")
        reasons = [d["reason"] for d in _list(error.get("details")) if isinstance(d, dict) and d.get("reason")]
        number = _status(code) or _status(error.get("status"))
        words = [str(w) for w in (code, error.get("status"), *reasons) if isinstance(w, str)]
        violations = [v for d in _list(error.get("details")) if isinstance(d, dict) for v in _list(d.get("violations"))]
        words += [str(v["quotaId"]) for v in violations if isinstance(v, dict) and v.get("quotaId")]
        inner_code = error.get("innererror")
        if isinstance(inner_code, dict) and isinstance(inner_code.get("code"), str):
            words.append(inner_code["code"])
        return Said(
            text=one_line(full if isinstance(full, str) else str(full)),
            code=" ".join(words),
            kind=str(error.get("type") or ""),
            param=str(error.get("param") or ""),
            status=number,
        )
    if isinstance(error, list):
        parts = [_said(e) for e in error[:3]]
        places = [".".join(map(str, e["loc"])) for e in error[:3] if isinstance(e, dict) and _list(e.get("loc"))]
        return Said(text=one_line("; ".join(p.text for p in parts) + " " + " ".join(places)))
    return Said(text=one_line(str(error)))


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _status(value: Json) -> int | None:
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    return value if isinstance(value, int) and 400 <= value <= 599 else None


def one_line(text: str, limit: int = SHOWN) -> str:
    """`text` on one line without control characters, cut at `limit` characters."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else f"{flat[:limit]}..."
