"""The summary for a pull request: decision first, nothing dropped, nothing that an output wrote is markup."""

import re

import msgspec
import pytest
from markdown_it import MarkdownIt

from judgekit.calibration.enforce import Corrected, Settled
from judgekit.calibration.standing import Standing
from judgekit.report.markdown import markdown
from judgekit.types import Decision, Estimate

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
HOSTILE = "@octocat see #12 | <img src=x> `</details>` [a](b)\n\n# owned\n| x |"


@pytest.fixture
def three(summary_of, grade):
    return summary_of(
        {
            "good": [[grade("good", "max_words", "PASS"), grade("good", "reply.kind", "FAIL", gating=False)]],
            "bad": [[grade("bad", "max_words", "FAIL", reason="49 words"), grade("bad", "reply.kind", "UNKNOWN", gating=False)]],
            "open": [[grade("open", "label", "not_applicable.no_label"), grade("open", "reply.kind", "unreadable.no_tag", gating=False)]],
        },
        must=("bad",), judges=("openai:j",), calls_sent=3, cost_usd=0.5,
    )  # fmt: skip


def rows(text, head):
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f"| {head} |"))
    found = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found


def test_the_decision_stands_first_and_its_reasons_next(three):
    text = markdown(
        three,
        Decision(
            "fail", ("must_pass: 1 must-pass case failed: bad",), ("unknown: 1 of 6",), ("fewer_passes: no baseline",)
        ),
    )
    assert text.splitlines()[:5] == [
        "### ❌ judgekit: FAIL · `shop` · `v2`",
        "",
        "- **must_pass**: `1 must-pass case failed: bad`",
        "- warning, **unknown**: `1 of 6`",
        "- not evaluated, **fewer_passes**: `no baseline`",
    ]


def test_a_reason_that_belongs_to_no_rule_is_shown_whole(three):
    assert "- `no case was selected`" in markdown(three, Decision("undecided", ("no case was selected",)))


def test_counts_come_with_interval_and_n(three):
    text = markdown(three, Decision("fail"))
    assert re.search(
        r"\*\*1 of 3 cases passed\*\*, 1 failed, 1 undecided\. Pass rate 0\.50 \[0\.\d\d, 0\.\d\d\] over 2 cases, 1 case left out\.",
        text,
    )


def test_each_case_that_did_not_pass_is_a_row_with_what_advisory_judges_said_beside_it(three):
    assert rows(markdown(three, Decision("fail")), "case") == [
        ["`bad` (must pass)", "fail", "`max_words: 49 words`", "`UNKNOWN reply.kind`"],
        ["`open`", "undecided", "`no verdict from label (why not)`", "`no verdict reply.kind`"],
    ]


def test_missing_verdicts_are_counted_by_cause_and_cost_is_told(three):
    text = markdown(three, Decision("fail"))
    assert "2 grades without a verdict" in text
    assert sorted(row[:3] for row in rows(text, "n")) == [
        ["1", "not_applicable", "`no_label`"],
        ["1", "unreadable", "`no_tag`"],
    ]
    assert "Judge: `openai:j`. Calls: 3 sent, 0 from the cache, $0.5000." in text


def test_graders_say_whether_they_decide(three):
    found = {row[0]: row[1:6] for row in rows(markdown(three, Decision("fail")), "grader")}
    assert found["`reply.kind`"] == ["no, advisory: `uncertified`", "0", "1", "1", "1"]
    assert found["`max_words`"] == ["yes", "1", "1", "0", "0"]


def test_failed_must_pass_cases_come_first_and_the_rest_is_counted(summary_of, grade):
    cases = {f"c{i:04}": [[grade(f"c{i:04}", "max_words", "FAIL", reason="x" * 500 + "|`" * 50)]] for i in range(1000)}
    text = markdown(summary_of(cases, must=("c0999",)), Decision("fail", ("all_pass: " + "y" * 9000,)))
    found = rows(text, "case")
    assert len(found) == 50
    assert found[0][0] == "`c0999` (must pass)"
    assert "and 950 more cases that did not pass" in text
    assert len(text) < 65_536  # what a comment on GitHub holds


def test_trials_are_counted(summary_of, grade):
    summary = summary_of({"a": [[grade("a", "equals", "PASS")], [grade("a", "equals", "FAIL", trial=2, reason="no")]]})
    text = markdown(summary, Decision("fail"))
    assert rows(text, "case") == [["`a`", "1 of 2", "fail", "`equals: no`"]]
    assert "Trials: 1 pass, 1 fail, 0 undecided." in text


def test_nothing_that_an_output_or_a_suite_says_becomes_markup(summary_of, grade):
    bad = grade(HOSTILE, "reply.kind", "FAIL", reason=HOSTILE)
    missing = grade(HOSTILE, "reply.exact", "failed.x|y", reason=HOSTILE)
    aside = grade(HOSTILE, "reply.brief", "FAIL", reason=HOSTILE, gating=False)
    summary = summary_of({HOSTILE: [[bad, missing, aside]]}, judges=(HOSTILE,), notices=(HOSTILE,), selected=HOSTILE)
    text = markdown(summary, Decision("fail", (f"must_pass: {HOSTILE}",), (HOSTILE,), (f"x y: {HOSTILE}",)))
    tokens = MARKDOWN.parse(text)
    assert [t.type for t in tokens].count("heading_open") == 1
    assert [t.content for t in tokens if t.type == "html_block"] == []
    for token in tokens:
        for child in token.children or ():
            assert child.type in ("text", "code_inline", "strong_open", "strong_close", "softbreak")
            if child.type == "text":
                assert not re.search(r"octocat|#12|owned", child.content)
    assert [t.type for t in tokens].count("table_open") == 3


def test_an_interrupted_run_says_so(summary_of, grade):
    summary = msgspec.structs.replace(summary_of({"a": [[grade("a", "equals", "PASS")]]}), units=4)
    assert "**Interrupted**: 1 of 4 outputs were graded." in markdown(summary, Decision("undecided"))


def test_why_a_judge_is_advisory_and_the_corrected_rate_are_told(summary_of, grade):
    summary = summary_of({"a": [[grade("a", "reply.kind", "PASS", gating=False)]]})
    standing = Standing(
        "reply.kind",
        "f00",
        gating=False,
        advisory="expired",
        why="the certificate is 200 days old",
        fix="judgekit calibrate",
    )
    rate = Estimate(value=0.8, low=0.6, high=0.9, n=40)
    trust = Settled((standing,), Corrected(rate, assumes="unchanged recalls"))
    text = markdown(msgspec.structs.replace(summary, trust=trust), Decision("undecided"))
    assert rows(text, "advisory judge") == [
        ["`reply.kind`", "`the certificate is 200 days old`", "`judgekit calibrate`"]
    ]
    assert "Corrected for the judge's errors: 0.80 [0.60, 0.90] over 40 outputs. Assumes unchanged recalls." in text
    assert "Corrected" not in markdown(summary, Decision("undecided"))
