import json

import pytest

from judgekit.parse import Read, read_reply
from judgekit.types import Fault, Finish, Reply, ReplyForm, Usage

BINARY = ReplyForm(("PASS", "FAIL", "UNKNOWN"))
LEVELS = ReplyForm(("0", "1", "2", "UNKNOWN"))
JSON = ReplyForm(("PASS", "FAIL", "UNKNOWN"), form="json")
MARKED = ReplyForm(("PASS", "FAIL", "UNKNOWN"), tag="result-3f9a1c")


def label(text: str, form: ReplyForm = BINARY) -> str:
    read = read_reply(Reply(text), form)
    assert isinstance(read, Read), read
    return read.label


def code(text: str, form: ReplyForm = BINARY, finish: Finish = "stop") -> str:
    fault = read_reply(Reply(text, finish=finish), form)
    assert isinstance(fault, Fault), fault
    assert fault.kind == "unreadable"
    return fault.code


def test_the_last_tag_decides_over_a_verdict_in_the_reasoning() -> None:
    text = "At first this looks like <result>PASS</result>, but the total is wrong.\n<result>FAIL</result>"
    assert label(text) == "FAIL"


def test_an_echo_of_the_format_line_is_no_verdict_and_does_not_hide_one() -> None:
    assert label("Format: <result>PASS|FAIL|UNKNOWN</result>. My view: <result>FAIL</result>") == "FAIL"
    assert code("<result>PASS|FAIL|UNKNOWN</result>") == "off_scale"


def test_a_quoted_verdict_of_the_graded_text_does_not_count() -> None:
    assert label('The reply claims "<result>PASS</result>". It is wrong.\n<result>FAIL</result>') == "FAIL"


@pytest.mark.parametrize(
    "text",
    [
        "```xml\n<result>PASS</result>\n```",
        "~~~\n<result>PASS</result>\n~~~",
        "**<result>PASS</result>**",
        "## <result>PASS</result>",
        "> <result>PASS</result>",
        "`<result>PASS</result>`",
        "<result>**PASS**</result>",
        "<result>`PASS`</result>",
        "<Result> pass </Result>",
        "< result >PASS< / result >",
        "<result>\nPASS\n</result>\n\n---\n",
        "<result>PASS</result>.",
        "<result>PASS.</result>",
        "Reasoning: []<result>PASS</result>",
        "<result>PASS</result><|im_end|>",
        "<result>PASS</result></s>",
        "\ufeff<re\u200bsult>PA\u00adSS</result>\u200b",
        "＜ｒｅｓｕｌｔ＞ＰＡＳＳ＜／ｒｅｓｕｌｔ＞",
        "<result>PASS</result>\u3000\u00a0\r\n",
        "<result>PASS</result>\n<result>PASS</result>",
    ],
)
def test_dressing_around_an_honest_verdict_is_looked_through(text: str) -> None:
    assert label(text) == "PASS"


@pytest.mark.parametrize(
    "said",
    [
        "PASS (with caveats)",
        "PASSFAIL",
        "PASS/FAIL",
        "PASS or FAIL",
        "P",
        "",
        "maybe",
        "N/A",
        "8/10",
        "0.9",
        "1",
        "not PASS",
        "PASS?",
        "PASS..",
        "<b>PASS</b>",
        '"PASS"',
        "PAß",  # "ß".upper() is "SS"
        "FAıL",  # "ı".upper() is "I"
        "РАSS",  # Cyrillic
        "𝐏𝐀𝐒𝐒",
        "PASS\nFAIL",
    ],
)
def test_only_a_whole_label_of_the_scale_is_a_verdict(said: str) -> None:
    assert code(f"Because.\n<result>{said}</result>") == "off_scale"


@pytest.mark.parametrize("said", ["3", "-1", "02", "2.0", "1/2", "+1", "level 1", "²", "١", "1 2"])
def test_a_level_is_read_only_when_it_is_one_of_the_scale(said: str) -> None:
    assert code(f"<result>{said}</result>", LEVELS) == "off_scale"
    assert label("<result> 2 </result>", LEVELS) == "2"


@pytest.mark.parametrize(
    "text", ["This is not a PASS.", "It does not fail; it passes.", "I think it is good.", "Score: n/a"]
)
def test_there_is_no_fallback_to_bare_words(text: str) -> None:
    assert code(text) == "no_tag"


def test_unknown_is_a_verdict_of_its_own() -> None:
    assert label("<result>UNKNOWN</result>") == "UNKNOWN"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("<verdict>PASS</verdict>", "<verdict>PASS</verdict>"),
        ("Result: PASS", "Result: PASS"),
        ("**Verdict:** FAIL", "FAIL"),
        ("&lt;result&gt;PASS&lt;/result&gt;", "brackets"),
        ("[result]PASS[/result]", "brackets"),
        ('<result value="x">PASS</result>', "PASS"),
    ],
)
def test_a_verdict_in_the_wrong_form_is_named_but_not_used(text: str, named: str) -> None:
    fault = read_reply(Reply(text), BINARY)
    assert isinstance(fault, Fault)
    assert fault.code == "wrong_tag"
    assert named in fault.why


def test_json_in_place_of_the_tag_is_named_but_not_used() -> None:
    assert code('{"pass": true, "reason": "ok"}') == "json"
    assert code('```json\n{"reasoning": "x", "verdict": "PASS"}\n```') == "json"


@pytest.mark.parametrize(
    "text",
    [
        "<result>PASS</result>\n<result>FAIL</result>",
        "<result>FAIL</result> or <result>PASS</result>",
        "<result>PASS</result> / <result>FAIL</result>",
        "- <result>PASS</result>\n- <result>FAIL</result>\n- <result>UNKNOWN</result>",
        "1. <result>PASS</result>\n2. <result>FAIL</result>",
        "<result>FAIL</result>\n<result>PASS</result>\n<result>PASS</result>",
        "<result>PASS</result><think>or rather</think><result>FAIL</result>",
        "If good <result>PASS</result>, if bad <result>FAIL</result>, otherwise <result>UNKNOWN</result>",
    ],
)
def test_two_verdicts_at_the_end_are_a_conflict(text: str) -> None:
    assert code(text) == "conflict"


@pytest.mark.parametrize(
    "text",
    [
        "<result>PASS</result>\nBecause the answer is right.",
        "<result>PASS</result>?",
        "<result>PASS</result> - not",
        "<result>PASS</result>...",
        '"<result>PASS</result>"',
        "<result>PASS</result><think>hm, wait</think>",
        "<result>PASS</result></result>",
        "<result>PASS</result>\n<verdict>FAIL</verdict>",
    ],
)
def test_a_verdict_has_to_come_last(text: str) -> None:
    assert code(text) == "not_last"


@pytest.mark.parametrize(
    "text", ["<result>PA", "<result>PASS", "<result>FAIL</result>, no: <result>PASS</resu", "<result>"]
)
def test_a_tag_that_never_closes_is_no_verdict(text: str) -> None:
    assert code(text) == "unclosed_tag"


@pytest.mark.parametrize(
    "thoughts",
    [
        "<think>I'd start with <result>FAIL</result>. No, fine.</think>",
        '<think>He wrote "5 apples</think>',
        "<thinking>a</thinking>",
        '<reasoning effort="high"><result>FAIL</result></reasoning>',
        "<think>a <think>b</think> <result>FAIL</result></think>",
        "<THINK>x</Think>",
        "<thinking>x</thinking>",
        "[THINK]<result>FAIL</result>[/THINK]",
        "◁think▷<result>FAIL</result>◁/think▷",
        "the server ate the opening mark <result>FAIL</result></think>",
        "<|channel|>analysis<|message|><result>FAIL</result><|end|><|start|>assistant<|channel|>final<|message|>",
        "<think/>",
    ],
)
def test_thoughts_are_never_searched(thoughts: str) -> None:
    assert label(f"{thoughts}<result>PASS</result>") == "PASS"
    assert code(f"{thoughts}") in ("empty", "no_tag")


@pytest.mark.parametrize(
    "text",
    [
        "<think>I would say <result>PASS</result> but let me check",
        "<think>a<think>b</think><result>PASS</result>",
        "<think>x</think>fine<thinking><result>PASS</result>",
        "<|channel|>analysis<|message|>I'd say <result>PASS</result><|end|>",
    ],
)
def test_thoughts_that_never_close_leave_no_verdict(text: str) -> None:
    assert code(text) == "unfinished_reasoning"


def test_a_cut_reply_is_unreadable_even_where_a_tag_stands() -> None:
    for text in (
        "The reply covers the refund rule and",
        "<result>PA",
        "<result>PASS</result>\nBecause the",
        "<result>PASS</result>",
        "",
    ):
        assert code(text, finish="length") == "truncated"
    usage = Usage(output_tokens=300, reasoning_tokens=299)
    fault = read_reply(Reply("", finish="length", usage=usage), BINARY)
    assert isinstance(fault, Fault)
    assert "300 tokens, 299 of them on reasoning" in fault.why


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "<think>x</think>\n"])
def test_an_empty_reply_is_unreadable(text: str) -> None:
    assert code(text) == "empty"


def test_separate_reasoning_is_never_searched() -> None:
    fault = read_reply(Reply("", reasoning="<result>PASS</result>"), BINARY)
    assert isinstance(fault, Fault)
    assert fault.code == "empty"
    assert "reasoning" in fault.why


def test_a_tool_call_is_unreadable_and_says_so() -> None:
    fault = read_reply(Reply("", finish="tool"), BINARY)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.code) == ("unreadable", "tool_call")
    assert "None" not in fault.why


@pytest.mark.parametrize("finish", ["refused", "filter"])
def test_a_refusal_is_not_unreadable_and_not_a_verdict(finish: Finish) -> None:
    fault = read_reply(Reply("I can't help.\n<result>PASS</result>", finish=finish), BINARY)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.code) == ("refused", finish)


def test_the_reason_is_the_whole_reply_without_its_verdict() -> None:
    text = "The code\n```\nprint(1)\n```\nis wrong.\n<result>FAIL</result>"
    assert read_reply(Reply(text), BINARY) == Read(label="FAIL", reason="The code\n```\nprint(1)\n```\nis wrong.")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Fine.\n\n```xml\n<result>PASS</result>\n```", "Fine."),
        ("```\nprint(1)\n```\n<result>PASS</result>", "```\nprint(1)\n```"),
        ("Fine.\n**<result>PASS</result>**", "Fine."),
        ("Uses `x` <result>PASS</result>", "Uses `x`"),
        ("All **good**<result>PASS</result>", "All **good**"),
        ("<think>a</think><result>PASS</result>", "<think>a</think>"),
        ("很好，没有问题\u200b。\n<result>PASS</result>", "很好，没有问题\u200b。"),
        ("Twice.\n<result>PASS</result>\n<result>PASS</result>", "Twice."),
        ("<result>PASS</result>", ""),
    ],
)
def test_the_reason_keeps_what_the_judge_wrote(text: str, reason: str) -> None:
    assert read_reply(Reply(text), BINARY) == Read(label="PASS", reason=reason)


def test_with_a_marker_only_the_marked_tag_counts() -> None:
    assert label("It says <result>PASS</result>.\n<result-3f9a1c>FAIL</result-3f9a1c>", MARKED) == "FAIL"
    assert label("<RESULT-3F9A1C>fail</RESULT-3F9A1C>", MARKED) == "FAIL"
    assert code("<result>PASS</result>", MARKED) == "wrong_tag"
    assert code("<result-000000>PASS</result-000000>", MARKED) == "wrong_tag"
    assert code("<result-3f9a1c>FAIL</result-3f9a1c>\n<result>PASS</result>", MARKED) == "not_last"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"reasoning": "ok", "verdict": "PASS"}', Read(label="PASS", reason="ok")),
        ('\ufeff \n{"reasoning": "，ok", "verdict": "PASS"}\n', Read(label="PASS", reason="，ok")),
        ('```json\n{"verdict": "FAIL", "reasoning": "a ``` b"}\n```', Read(label="FAIL", reason="a ``` b")),
        ('<think>{"verdict": "FAIL"}</think>{"verdict": " pass "}', Read(label="PASS", reason="")),
        (
            '{"verdict": "UNKNOWN", "reasoning": ["a"], "sure": 1}',
            Read(label="UNKNOWN", reason='{"verdict": "UNKNOWN", "reasoning": ["a"], "sure": 1}'),
        ),
    ],
)
def test_a_json_reply_is_read_bare_or_fenced(text: str, read: Read) -> None:
    assert read_reply(Reply(text), JSON) == read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<result>PASS</result>", "no_json"),
        ('Here: {"verdict": "PASS"}', "no_json"),
        ('{"verdict": "PASS"} as asked', "no_json"),
        ('{"verdict": "PASS"}{"verdict": "PASS"}', "no_json"),
        ('[{"verdict": "PASS"}]', "no_json"),
        ('{"verdict": "PASS"', "no_json"),
        ('{"verdict": "PASS"}<think>no</think>', "no_json"),
        ("{" * 100_000, "no_json"),
        ('{"a":' * 100_000, "no_json"),
        ('{"verdict": "PASS", "verdict": "FAIL"}', "conflict"),
        ('{"verdict": "PASS", "Verdict": "FAIL"}', "conflict"),
        ('{"pass": true}', "no_verdict_key"),
        ("{}", "no_verdict_key"),
        ('{"verdict": true}', "off_scale"),
        ('{"verdict": null}', "off_scale"),
        ('{"verdict": 1}', "off_scale"),
        ('{"verdict": NaN}', "off_scale"),
        ('{"verdict": ["PASS"]}', "off_scale"),
        ('{"verdict": "PASS|FAIL"}', "off_scale"),
    ],
)
def test_a_json_reply_without_one_valid_verdict_is_unreadable(text: str, expected: str) -> None:
    assert code(text, JSON) == expected


def test_a_json_level_may_be_a_number_but_not_a_rounded_one() -> None:
    form = ReplyForm(("0", "1", "2", "UNKNOWN"), form="json")
    assert label('{"verdict": 2}', form) == "2"
    assert label('{"verdict": "2"}', form) == "2"
    for said in (2.0, 1.5, 3, True):
        assert code(json.dumps({"verdict": said}), form) == "off_scale"


def test_a_message_shows_the_end_of_the_reply_on_one_line() -> None:
    fault = read_reply(Reply("line one\n" * 100 + "the very end"), BINARY)
    assert isinstance(fault, Fault)
    assert "the very end" in fault.why
    assert "\n" not in fault.why
    assert len(fault.why) < 250
