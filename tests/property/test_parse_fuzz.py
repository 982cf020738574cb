"""No reply without exactly one valid final verdict becomes one, and no honest one is lost."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from judgekit.parse import Read, read_reply
from judgekit.types import Fault, Reply, ReplyForm

LABELS = ("PASS", "FAIL", "UNKNOWN")
BINARY = ReplyForm(LABELS)
JSON = ReplyForm(LABELS, form="json")

PIECES = st.sampled_from(
    [
        "<result>", "</result>", "<result>PASS</result>", "<result>FAIL</result>", "<result>UNKNOWN</result>",
        "<result>PASS", "PASS</result>", "PASS", "FAIL", "<think>", "</think>", "<thinking>", "</reasoning>", "<think/>",
        "```", "```xml\n", "\n", " ", "**", "##", ".", "or", ",", "/", "- ", "<", ">", "</", "<result", "result>",
        "\u200b", "\ufeff", "＜result＞", "&lt;result&gt;", "<verdict>PASS</verdict>", '{"verdict": "PASS"}', "no", "0",
        "<RESULT>", "<result-3f9a1c>PASS</result-3f9a1c>", "<|im_end|>", "\0", "ß", "ı", "ſ", "K",
    ]
)  # fmt: skip
MADE = st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join)
PROSE = st.text(st.characters(exclude_characters="<>＜＞◁▷[{|\0")).filter(lambda t: "```" not in t and "~~~" not in t)


def _slow(text: str) -> str | None:
    """The rule once more, for plain ASCII without thoughts: walk back from the end, one character at a time."""
    rest = text
    dressing = set(" \t\n\r\v\f\x1c\x1d\x1e\x1f*_`~#-")
    stops = 0
    while rest and (rest[-1] in dressing or (rest[-1] == "." and not stops)):
        stops += rest[-1] == "."
        rest = rest[:-1]
    lower = rest.lower()
    if not lower.endswith("</result>"):
        return None
    start = lower.rfind("<result>")
    body = rest[start + len("<result>") : -len("</result>")] if start >= 0 else ""
    body = body.strip().strip("*_`~").strip().removesuffix(".").rstrip().rstrip("*_`~").rstrip()
    return body.upper() if body.upper() in LABELS else None


@given(MADE)
def test_the_parser_agrees_with_a_slow_reading_of_the_rule(text: str) -> None:
    assume(text.isascii() and "\0" not in text and not re.search(r"(?i)think|reason|<\|", text))
    assume(not re.search(r"<\s+/?|/\s+r|result\s+>", text))
    read = read_reply(Reply(text), BINARY)
    slow = _slow(text)
    if isinstance(read, Read):
        assert read.label == slow
    elif slow is not None:
        assert read.code in ("conflict", "unclosed_tag"), "an honest verdict was lost"


@given(MADE)
def test_whatever_a_judge_writes_is_a_verdict_of_the_scale_or_a_fault(text: str) -> None:
    for form in (BINARY, JSON):
        read = read_reply(Reply(text), form)
        assert isinstance(read, Fault) or read.label in LABELS


@given(PROSE, st.sampled_from(LABELS))
def test_an_honest_reply_in_the_agreed_form_is_read(prose: str, label: str) -> None:
    read = read_reply(Reply(f"{prose}\n<result>{label}</result>"), BINARY)
    assert isinstance(read, Read)
    assert read.label == label
    assert read.reason == prose.rstrip()


@given(st.text())
def test_text_without_a_complete_tag_is_never_a_verdict(text: str) -> None:
    assume("result" not in text.lower())
    assert isinstance(read_reply(Reply(text), BINARY), Fault)


@given(PROSE, st.sampled_from(LABELS), st.text(st.characters(categories=["L", "N", "S"]), min_size=1))
def test_text_after_the_tag_takes_the_verdict_away(prose: str, label: str, after: str) -> None:
    assume(after.strip("`~") and not re.fullmatch("[\u115f\u1160\u3164\uffa0]+", after.strip("`~")))
    assert isinstance(read_reply(Reply(f"{prose}\n<result>{label}</result> {after}"), BINARY), Fault)


@given(MADE, st.sampled_from(["think", "thinking", "reasoning"]))
def test_a_reply_that_is_all_thoughts_is_never_a_verdict(text: str, name: str) -> None:
    assume(not re.search(r"(?i)think|reason|\|>|▷", text))
    assert isinstance(read_reply(Reply(f"<{name}>{text}</{name}>"), BINARY), Fault)
    assert isinstance(read_reply(Reply(f"<{name}>{text}"), BINARY), Fault)


@given(MADE, MADE, st.sampled_from(LABELS))
def test_thoughts_never_change_the_verdict_that_follows(thoughts: str, before: str, label: str) -> None:
    assume(not re.search(r"(?i)think|reason|\|>|▷", thoughts + before))
    assume("<" not in before and "＜" not in before)
    read = read_reply(Reply(f"{before}<think>{thoughts}</think>\n<result>{label}</result>"), BINARY)
    assert isinstance(read, Read)
    assert read.label == label


@given(st.sampled_from(LABELS), st.integers(0, 24), st.characters(categories=["L", "N"]))
def test_a_letter_put_into_the_verdict_never_makes_another_one(label: str, at: int, letter: str) -> None:
    whole = f"<result>{label}</result>"
    at = min(at, len(whole))
    read = read_reply(Reply(f"Because.\n{whole[:at]}{letter}{whole[at:]}"), BINARY)
    if isinstance(read, Read):  # in front of the tag, or a letter that cannot be seen
        assert read.label == label
        assert at == 0 or letter in "\u115f\u1160\u3164\uffa0"


@given(st.sampled_from(LABELS), st.integers(0, 23))
def test_a_verdict_with_a_character_missing_is_no_verdict(label: str, at: int) -> None:
    whole = f"<result>{label}</result>"
    at = min(at, len(whole) - 1)
    assert isinstance(read_reply(Reply(f"Because.\n{whole[:at]}{whole[at + 1 :]}"), BINARY), Fault)


@given(MADE)
def test_a_cut_or_refused_reply_is_never_a_verdict(text: str) -> None:
    for finish, kind in (
        ("length", "unreadable"),
        ("tool", "unreadable"),
        ("refused", "refused"),
        ("filter", "refused"),
    ):
        fault = read_reply(Reply(text + "<result>PASS</result>", finish=finish), BINARY)  # type: ignore[arg-type]
        assert isinstance(fault, Fault)
        assert fault.kind == kind
