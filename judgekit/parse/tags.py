"""The verdict as a tag at the end of a reply: `<result>PASS</result>`."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from judgekit.parse.objects import unfenced
from judgekit.parse.plain import HIDDEN, Plain, excerpt, label_of
from judgekit.types import Fault, ReplyForm

# What may follow the verdict: white space, Markdown marks, end-of-turn tokens that a server leaked, one full stop
_DRESS = r"(?:[\s*_`~#\-]|<\|[a-z_]{1,24}\|>|</s>|<eos>|<end_of_turn>)*+"
_TAIL = re.compile(rf"{_DRESS}[.。]?{_DRESS}")
# What may stand between verdicts that are given as one: "A or B", a list, a table row
_GAP = re.compile(
    rf"(?:[\s{HIDDEN}*_`~#>|/\\,;:.()\[\]\"'&+=\-–—→•]|[0-9]{{1,3}}[.)]|\b(?ai:or|and|vs|versus|either|nor|then|to)\b)*+"
)
_FENCE_BEFORE = re.compile(r"(?:^|\n)[ \t]*(?:`{3,}|~{3,})[\w+-]*$")
_OTHER_TAG = re.compile(r"<\s*+(?P<name>[A-Za-z][\w-]*+)[^<>]*+>(?P<said>[^<>]{1,40})<\s*+/")
_SPELLED = re.compile(
    r"(?ai:\b(?:result|verdict|grade|answer|score|rating|decision|conclusion)\b)[^\w\n]{1,6}(\w{1,24})\b"
)


class Tag(NamedTuple):
    """A complete tag: where it stands, and what it holds."""

    start: int
    end: int
    said: str


@lru_cache(maxsize=512)
def _edges(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<\s*+(/?)\s*+(?ai:{re.escape(tag)})\s*+>")


def find_tag(plain: Plain, form: ReplyForm) -> tuple[str, str] | Fault:
    """Label and reason, or why there is no verdict.

    The last complete tag decides, and nothing but dressing may follow it. Verdicts that stand side by side at the
    end, or the whole menu of labels in its order, have to agree.
    """
    edges = list(_edges(form.tag).finditer(plain.text))
    tags = [Tag(a.start(), b.end(), plain.text[a.end() : b.start()]) for a, b in pairwise(edges) if not a[1] and b[1]]
    if edges and not edges[-1][1]:
        return _fault("unclosed_tag", f"the last <{form.tag}> is not closed: {excerpt(plain.source)}")
    if not tags:
        return _nothing(plain, form)
    last = tags[-1]
    if not _TAIL.fullmatch(plain.text, last.end):
        return _fault("not_last", f"the verdict must come last, but it is followed by {_after(plain, last)}")
    label = label_of(last.said, form)
    if label is None:
        said = excerpt(last.said, 60)
        return _fault("off_scale", f"<{form.tag}> holds {said}, which is not one of {', '.join(form.labels)}")
    run = _run(plain, tags)
    labels = [label_of(tag.said, form) for tag in run]
    given = sorted({found for found in labels if found is not None}, key=form.labels.index)
    if len(given) > 1:
        return _fault("conflict", f"the reply ends in different verdicts: {', '.join(given)}")
    if [label_of(tag.said, form) for tag in tags[-len(form.labels) :]] == list(form.labels) and len(form.labels) > 1:
        return _fault("conflict", f"the reply ends by repeating every verdict in order: {', '.join(form.labels)}")
    tail = plain.text[last.end :]
    return label, _reason(plain, run[labels.index(label)], fenced="```" in tail or "~~~" in tail)


def _run(plain: Plain, tags: list[Tag]) -> list[Tag]:
    """The tags at the end that nothing but dressing and connectives keeps apart."""
    first = len(tags) - 1
    while first and _GAP.fullmatch(plain.text, tags[first - 1].end, tags[first].start):
        first -= 1
    return tags[first:]


def _reason(plain: Plain, tag: Tag, *, fenced: bool) -> str:
    """The reply before its verdict, without the marks that dress the verdict itself."""
    head = plain.before(tag.start)
    line = head.rfind("\n") + 1
    bare = head[line:].rstrip("*_`~#>- \t")
    # marks that touch a word belong to it: the end of `code`, of **bold**, of </think>
    glued = head[line + len(bare) :].partition(" ")[0] if bare else ""
    head = (head[:line] + bare + glued).rstrip()
    return _FENCE_BEFORE.sub("", head).rstrip() if fenced else head


def _after(plain: Plain, tag: Tag) -> str:
    return excerpt(plain.text[tag.end :].replace(HIDDEN, "…") or "nothing", 60)


def _nothing(plain: Plain, form: ReplyForm) -> Fault:
    """Say what was found in place of the tag; none of it counts."""
    text, wanted = plain.text, f"<{form.tag}>"
    try:
        whole = json.loads(unfenced(text))
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict):
        return _fault("json", f"the reply is a JSON object, not a verdict in {wanted}: {excerpt(plain.source)}")
    for other in _OTHER_TAG.finditer(text):
        if label_of(other["said"], form) is not None:
            return _fault(
                "wrong_tag", f"the verdict had to stand in {wanted}; found {excerpt(other[0] + other['name'] + '>')}"
            )
    if re.search(rf"(?ai:(?:&lt;|&#0*60;|\\<|[\[({{])\s*+{re.escape(form.tag)}\b)", text):
        return _fault("wrong_tag", f"the verdict had to stand in {wanted}, its brackets as they are")
    for spelled in _SPELLED.finditer(text):
        if label_of(spelled[1], form) is not None:
            return _fault("wrong_tag", f"the verdict had to stand in {wanted}; found {excerpt(spelled[0])}")
    return _fault("no_tag", f"no verdict in {wanted}; the reply ends with {excerpt(plain.source)}")


def _fault(code: str, why: str) -> Fault:
    return Fault("unreadable", code, why)
