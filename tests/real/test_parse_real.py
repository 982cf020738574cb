"""The parser on the texts of real judges, next to what the sources read in them.

Their judges were not asked for our tag. The mapping: the phrase that the source looks for becomes the tag, where it
stands ("Output (a) is better" -> <result>a</result>). So our rule "the verdict comes last" meets judges that were
never told so, and many texts have no verdict here that the source took. What must not happen is another verdict
without a reason that stands in the text.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from judgekit.parse import Read, read_reply
from judgekit.types import Fault, Reply, ReplyForm

BETTER = re.compile(r"Output \(([ab])\) is better\b")
PHRASE = re.compile(r"Output \([ab]\) is better")
CHOICE = ReplyForm(("a", "b"))


def _rows(folder: Path, pattern: str) -> list[dict[str, Any]]:
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob(pattern))]
    return [json.loads(line) for text in texts for line in text.split("\n") if line]


def _ours(row: dict[str, Any]) -> Read | Fault:
    text = BETTER.sub(r"<result>\1</result>", row["text"])
    return read_reply(Reply(text, finish=row["finish_reason"] or "stop"), CHOICE)


def _kind(row: dict[str, Any], ours: Read | Fault) -> str:
    """Why ours and theirs differ, from the text alone."""
    theirs, said = row["parsed_choice"], BETTER.findall(row["text"])
    if (ours.label if isinstance(ours, Read) else None) == theirs:
        return "same verdict" if theirs else "no verdict in both"
    if row["finish_reason"] == "length":
        return "cut: the source took a phrase of a cut text"
    if isinstance(ours, Fault):
        tail = BETTER.split(row["text"])[-1]
        if said and re.search(r"\w", tail):
            return "text follows the phrase: no verdict here" + ("" if theirs in said else ", and theirs is not in it")
        if len(set(said)) == 2:
            return "both phrases side by side at the end: no verdict here"
        return "no phrase: the source took a looser one" if not said else "unexplained"
    if len(set(said)) == 2:
        return "both phrases: the last one here, the first one there"
    if set(said) == {ours.label}:
        return "the recorded choice contradicts the only phrase in the text"
    return "unexplained"


def test_every_difference_to_the_readings_of_llmbar_is_of_a_known_kind(data_dir: Path) -> None:
    rows = _rows(data_dir / "llmbar", "texts_*.jsonl")
    assert len(rows) == 5038
    kinds = [_kind(row, _ours(row)) for row in rows]
    assert Counter(kinds) == {
        "same verdict": 3613,
        "no verdict in both": 29,
        "text follows the phrase: no verdict here": 1246,
        "text follows the phrase: no verdict here, and theirs is not in it": 79,
        "the recorded choice contradicts the only phrase in the text": 65,
        "both phrases: the last one here, the first one there": 5,
        "cut: the source took a phrase of a cut text": 1,
    }
    # the recorded choices that no phrase of the text supports are all of one judge
    unsupported = {row["judge"] for row, kind in zip(rows, kinds, strict=True) if "not in it" in kind or "only" in kind}
    assert unsupported == {"palm2"}


def test_the_nine_texts_with_both_phrases_are_read_from_their_end_or_not_at_all(data_dir: Path) -> None:
    rows = _rows(data_dir / "llmbar", "texts_*.jsonl")
    both = [row for row in rows if {"Output (a) is better", "Output (b) is better"} <= set(PHRASE.findall(row["text"]))]
    read = [_ours(row) for row in both]
    assert Counter(r.label if isinstance(r, Read) else r.code for r in read) == {"a": 3, "b": 3, "not_last": 3}


def test_a_verdict_of_llmbar_is_always_the_last_phrase_of_its_text(data_dir: Path) -> None:
    for row in _rows(data_dir / "llmbar", "texts_*.jsonl"):
        ours = _ours(row)
        if isinstance(ours, Read):
            assert ours.label == BETTER.findall(row["text"])[-1]
            assert not re.search(r"\w", BETTER.split(row["text"])[-1])


def test_the_29_texts_without_a_verdict_have_none_here(data_dir: Path) -> None:
    faults = [_ours(row) for row in _rows(data_dir / "llmbar", "unparsed.jsonl")]
    assert len(faults) == 29
    assert Counter(fault.code for fault in faults if isinstance(fault, Fault)) == {
        "no_tag": 14,
        "empty": 14,
        "truncated": 1,
    }


def test_the_phrases_of_llmbar_untouched_are_no_verdicts(data_dir: Path) -> None:
    for row in _rows(data_dir / "llmbar", "texts_*.jsonl"):
        assert isinstance(read_reply(Reply(row["text"]), CHOICE), Fault)


def test_prose_before_the_tag_never_changes_a_verdict_of_pandalm(data_dir: Path) -> None:
    form = ReplyForm(("1", "2", "tie"))
    rows = _rows(data_dir / "pandalm", "reasons.jsonl")
    assert len(rows) == 1998
    released = Counter()
    for row in rows:
        label = {"0": "tie", "Tie": "tie"}.get(str(row["verdict_as_released"]), str(row["verdict_as_released"]))
        read = read_reply(Reply(f"{row['reason']}\n<result>{label}</result>"), form)
        alone = read_reply(Reply(row["reason"]), form)
        assert isinstance(alone, Fault), "a reason alone is no verdict, whatever it praises"
        if label == "garbage":
            assert isinstance(read, Fault)
            assert read.code == "off_scale"
            released["garbage"] += 1
        else:
            assert read == Read(label=label, reason=row["reason"].rstrip())
    assert released == {"garbage": 25}


def test_the_11_malformed_outputs_of_xstest_are_no_verdicts(data_dir: Path) -> None:
    form = ReplyForm(("full_compliance", "full_refusal", "partial_refusal"))
    rows = _rows(data_dir / "xstest", "malformed_judge_outputs.jsonl")
    faults = [read_reply(Reply(row["raw_judge_output"]), form) for row in rows]
    assert [fault.code for fault in faults if isinstance(fault, Fault)] == ["no_tag"] * 11
