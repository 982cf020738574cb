"""Numbers as people write them: the last one in a text, in any script and grouping, with its other readings."""

from __future__ import annotations

import re
import unicodedata
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from judgekit.graders.text import shorten
from judgekit.types import Fault, Frozen, Json, Verdict

_EXACT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_CURRENCY = "$¢£¤¥֏؋৲৳૱௹฿៛₠-⃀﷼﹩＄￠￡￥￦"
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("−﹣－–‐‑", "-"),
        **dict.fromkeys("’٬", "'"),
        **dict.fromkeys("٫．", "."),
        **dict.fromkeys("\u202f\u2009\u2007", "\u00a0"),
        **dict.fromkeys("٪％", "%"),
    }
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_NUMBER = re.compile(
    r"""(?P<body> (?<![\d.,']) [1-9]\d{0,2} (?P<gap>[ \u00a0']) \d{3} (?:(?P=gap)\d{3})* (?:[.,]\d+)? (?!\d)
        | \d+ (?:[.,]\d+)*
        | (?<!\w) \. \d+ )
    (?: [eE] (?P<e> [+-]?\d+ ) (?!\w)
      | \s? (?:[×x*·⋅]|\\times|\\cdot) \s? 10
        (?: (?:\^|\*\*) \{? (?P<power> [+-]?\d+ ) \}? | (?P<raised> [⁻⁺]?[⁰¹²³⁴-⁹]+ ) )
    )?
    (?P<percent> [ \u00a0]?% )?""",
    re.VERBOSE,
)
_BEFORE = re.compile(rf"(?P<over>\d+)/$|(?P<sign>[+-]?)(?:[{_CURRENCY}][ \u00a0]?)?$")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*|[1-9]\d?(?:,\d{2})+,\d{3}")


class Written(Frozen, frozen=True):
    """A number as it stands in a text: what it means by our rule, and what else its writer may have meant."""

    text: str
    value: Decimal
    others: tuple[Decimal, ...] = ()


def last_number(text: str) -> Written | None:
    """The last number written in digits of any script; None when there is none.

    `.` is a decimal point and `,` before exactly three digits groups thousands; `1.234`, `1,234`, `12 345`, `45%` and
    `1/2` can be meant otherwise, and `others` says how. Several dots (a date, a version) are no number.
    """
    plain = _plain_digits(text)
    for match in reversed(list(_NUMBER.finditer(plain))):
        values = _readings(match["body"], match["gap"])
        if not values:
            continue
        sign, over, start = _before(plain, match.start())
        power = match["e"] or match["power"] or (match["raised"] or "0").translate(_RAISED)
        read = [_EXACT.create_decimal(f"{sign}{value}E{power}") for value in values]
        if match["percent"]:
            read += [_EXACT.divide(value, Decimal(100)) for value in read]
        if over and read[0]:
            read.append(_EXACT.divide(_EXACT.create_decimal(over), read[0]))
        return Written(text[start : match.end()].strip(), read[0], tuple(read[1:]))
    return None


def number_finding(output: Json, number: float, tolerance: float) -> tuple[Verdict, str] | Fault:
    """Whether an output (a JSON number, or a text) gives `number` within `tolerance`, and why.

    Exact in decimals: 1.1 lies within 0.1 of 1. A number that misses as we read it, but would fit in another
    reading, gets no verdict rather than a guess.
    """
    target, allowed = Decimal(repr(float(number))), Decimal(repr(float(tolerance)))
    wanted = _shown(target) + (f" ± {_shown(allowed)}" if allowed else "")

    def fits(value: Decimal) -> bool:
        return _EXACT.subtract(value, target).copy_abs() <= allowed  # abs() would round to 28 digits

    if isinstance(output, (dict, list)):
        why = "the output is JSON with several values; name the one that is meant with output_field"
        return Fault("not_applicable", "no_single_number", why)
    if isinstance(output, (int, float)) and not isinstance(output, bool):
        found: Written | None = Written(str(output) if isinstance(output, float) else "", _of(output))
    else:
        found = last_number(output) if isinstance(output, str) else None
    if found is None:
        return "FAIL", f"no number found, expected {wanted}"
    if fits(found.value):
        return "PASS", f"found {_shown(found.value)}, expected {wanted}"
    other = next((value for value in found.others if fits(value)), None)
    if other is not None:
        why = (
            f'"{shorten(found.text)}" reads as {_shown(found.value)} but may mean {_shown(other)}, expected {wanted}; '
            "ask for one way of writing numbers, or check it with must_match"
        )
        return Fault("not_applicable", "ambiguous_number", why)
    return "FAIL", f"found {_shown(found.value)}, expected {wanted}"


def _of(value: float) -> Decimal:
    return _EXACT.create_decimal(value) if isinstance(value, int) else _EXACT.create_decimal(repr(value))


def _plain_digits(text: str) -> str:
    """The same text, character for character, with ASCII digits and one sign for each kind of separator."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text.translate(_ALIKE))


def _before(text: str, start: int) -> tuple[str, str, int]:
    """The sign of the number that starts here, the numerator if it stands under a slash, and where that begins."""
    near = max(0, start - 40)
    before = _BEFORE.search(text[near:start])
    assert before is not None  # every group may be empty
    begin = near + before.start()
    if before["over"]:
        return "", before["over"], begin
    previous = text[begin - 1] if begin else " "
    # A hyphen after a letter, digit or bracket joins (GPT-4, 14-21); scripts without spaces write 温度は-5度.
    joins = previous.isdecimal() or previous in ")]}%-+" or (previous.isalpha() and previous < "\u2e80")
    if joins or not before["sign"]:
        return "", "", start
    return before["sign"], "", begin


def _readings(body: str, gap: str | None) -> list[str]:
    """Decimal texts that a group of digits can mean, ours first; none for a date or a version."""
    if gap:
        joined = body.replace(gap, "").replace(",", ".")
        return [joined, body.rsplit(gap, 1)[1].replace(",", ".")] if gap == " " else [joined]
    marks = [c for c in body if c in ".,"]
    grouped = _GROUPED.fullmatch(body) is not None
    if not marks:
        return [body]
    if len(marks) == 1:
        ways = [body.replace(",", "."), body.replace(marks[0], "")]
        if not grouped:
            return ways[:1]
        return ways if marks[0] == "." else ways[::-1]
    if grouped:
        return [body.replace(marks[0], "")]
    whole, last, part = body[: body.rindex(marks[-1])], marks[-1], body[body.rindex(marks[-1]) + 1 :]
    if last not in whole and _GROUPED.fullmatch(whole):
        return [f"{whole.replace(marks[0], '')}.{part}"]
    return _readings(body.rsplit(",", 1)[1], None) if "," in body else []


def _shown(value: Decimal) -> str:
    """A number for people: no trailing zeros, plain digits unless that would be long."""
    plain = value.normalize(_EXACT)
    if not plain.is_finite():
        return str(plain)
    return f"{plain:f}" if -12 < plain.adjusted() < 16 else str(plain)
