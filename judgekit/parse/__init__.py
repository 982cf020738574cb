"""Reply -> verdict: the only place where what a judge wrote becomes a verdict, or the reason why it does not."""

from __future__ import annotations

from judgekit.parse.objects import find_object
from judgekit.parse.plain import Plain, excerpt
from judgekit.parse.tags import find_tag
from judgekit.parse.thoughts import hide_thoughts
from judgekit.types import Fault, Frozen, Reply, ReplyForm

PARSER_VERSION = "1"
"""Part of a judge's fingerprint: raised whenever a reply could be read differently than before."""

__all__ = ["PARSER_VERSION", "Read", "read_reply"]


class Read(Frozen, frozen=True):
    """A verdict as the judge gave it.

    label    one of the form's labels, in the form's spelling
    reason   the whole reply without its final verdict, code blocks included
    """

    label: str
    reason: str


def read_reply(reply: Reply, form: ReplyForm) -> Read | Fault:
    """The one valid verdict that a reply ends with, or the fault that says why there is none. Never raises.

    `refused`      codes `refused`, `filter`: the judge declined, or a filter blocked it
    `unreadable`   codes `truncated`, `tool_call`, `empty`, `unfinished_reasoning`, then for tags `no_tag`,
                   `unclosed_tag`, `wrong_tag`, `json`, `not_last`, `off_scale`, `conflict`, and for JSON `no_json`,
                   `no_verdict_key`, `off_scale`, `conflict`

    A cut reply is never read, not even where a tag stands in it: what was cut off could have taken it back.
    """
    stopped = _stopped(reply)
    if stopped is not None:
        return stopped
    if not reply.text.strip():
        return _unreadable("empty", f"the reply is empty{_spent(reply)}")
    plain = hide_thoughts(Plain.of(reply.text))
    if plain is None:
        why = f"a block of thoughts was opened and never closed, so there is no answer: {excerpt(reply.text)}"
        return _unreadable("unfinished_reasoning", why)
    if not plain.visible:
        return _unreadable("empty", f"the reply holds only thoughts or invisible characters: {excerpt(reply.text)}")
    found = (find_tag if form.form == "tag" else find_object)(plain, form)
    if isinstance(found, Fault):
        return found
    return Read(label=found[0], reason=found[1])


def _stopped(reply: Reply) -> Fault | None:
    """The fault of a reply that did not come to its own end."""
    if reply.finish == "stop" or reply.finish == "other":  # noqa: PLR1714 - which narrows the type
        return None
    said = f": {excerpt(reply.text)}" if reply.text.strip() else ""
    match reply.finish:
        case "refused":
            return Fault("refused", "refused", f"the judge declined to answer{said}")
        case "filter":
            return Fault("refused", "filter", f"a content filter blocked the reply{said}")
        case "length":
            return _unreadable("truncated", f"the reply was cut at the token limit{_spent(reply)}: raise it{said}")
        case "tool":
            return _unreadable("tool_call", f"the judge called a tool instead of answering{said}")


def _spent(reply: Reply) -> str:
    """` (300 tokens, 299 of them on reasoning)`, as far as it is known."""
    total, thought = reply.usage.output_tokens, reply.usage.reasoning_tokens
    if total is None:
        return " (there is only reasoning)" if reply.reasoning and not reply.text.strip() else ""
    return f" ({total} tokens, {thought} of them on reasoning)" if thought else f" ({total} tokens)"


def _unreadable(code: str, why: str) -> Fault:
    return Fault("unreadable", code, why)
