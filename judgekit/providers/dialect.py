"""What differs between services: where a request goes, how it is written, and how a reply is read. All of it pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from judgekit.errors import CallFailed
from judgekit.types import Json, Message, Reply, Request, Usage

Fixes = frozenset[str]
"""What a model was found to refuse: names of parameters, `SYSTEM_AS_USER`, `OTHER_LIMIT`, `SCHEMA`."""

SYSTEM_AS_USER = "system->user"
OTHER_LIMIT = "max_tokens->max_completion_tokens"
OLD_LIMIT = "max_completion_tokens->max_tokens"
SCHEMA = "schema"

NO_FIXES: Fixes = frozenset()


class Dialect(Protocol):
    """One service's way to speak.

    name        what stands before the colon of a model
    base_url    where it is called unless told otherwise
    base_envs   variables that replace the base URL; the first that is set counts
    key_envs    variables that hold the key; the first that is set counts; none: the service asks for no key
    """

    @property
    def name(self) -> str:
        """See above, as the next three."""
        ...

    @property
    def base_url(self) -> str:
        """See above."""
        ...

    @property
    def base_envs(self) -> Sequence[str]:
        """See above."""
        ...

    @property
    def key_envs(self) -> Sequence[str]:
        """See above."""
        ...

    def url(self, base: str, model: str) -> str:
        """The URL that `model` is called at. Raises `UsageError`."""
        ...

    def headers(self, key: str, host: str) -> dict[str, str]:
        """Headers that carry the key and the version."""
        ...

    def body(self, request: Request, model: str, fixes: Fixes) -> dict[str, Json]:
        """What is sent, without what `fixes` says that the model refuses. Raises `UsageError`."""
        ...

    def limit(self, body: dict[str, Json]) -> int | None:
        """The token limit in a body, for the message about a reply that was cut."""
        ...

    def reply(self, data: dict[str, Json]) -> Reply:
        """The reply in an answer of status 200. Raises `CallFailed` when there is none in it."""
        ...


def applied(request: Request, fixes: Fixes) -> tuple[str, ...]:
    """The fixes that changed this request, sorted: what `Reply.dropped` says."""
    if not fixes:
        return ()
    used: list[str] = []
    for fix in fixes:
        if fix == SYSTEM_AS_USER:
            hit = any(m.role == "system" for m in request.messages)
        elif fix == SCHEMA:
            hit = request.schema is not None
        else:
            hit = fix.split("->")[0] in request.params
        if hit:
            used.append(fix)
    return tuple(sorted(used))


def turns(messages: Iterable[Message], fixes: Fixes) -> tuple[str, list[Message]]:
    """The system text, and the other messages in order.

    With `SYSTEM_AS_USER` the system text stands, unchanged, before the text of the first user message.
    """
    system = "\n\n".join(m.content for m in messages if m.role == "system")
    rest = [m for m in messages if m.role != "system"]
    if not system or (rest and SYSTEM_AS_USER not in fixes):
        return system, rest
    first = next((i for i, m in enumerate(rest) if m.role == "user"), None)
    if first is None:
        return "", [Message(role="user", content=system), *rest]
    rest[first] = Message(role="user", content=f"{system}\n\n{rest[first].content}")
    return "", rest


def count(value: Json) -> int | None:
    """A token count, or None when the service gave none (unknown is not zero)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0 or value != value // 1:
        return None
    return int(value)


def total(*values: int | None) -> int | None:
    """The sum of the counts that are known, None when none is."""
    known = [v for v in values if v is not None]
    return sum(known) if known else None


def record(value: Json) -> dict[str, Json]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text_at(value: Json) -> str:
    """`value` if it is text, else "": null never becomes the word "None"."""
    return value if isinstance(value, str) else ""


def no_reply(data: Json, wanted: str) -> CallFailed:
    """The failure of an answer of status 200 that holds no reply; names the keys that were there."""
    keys = ", ".join(sorted(map(str, data))) if isinstance(data, dict) else f"no object but {type(data).__name__}"
    return CallFailed(
        f"the answer holds no {wanted} (it has: {keys or 'nothing'}); if this stays, check base_url and the model",
        code="no_reply",
        retryable=True,
        status=200,
    )


def why_cut(reply: Reply, limit: int | None) -> str:
    """One line about a reply that the token limit cut: which limit, and whether thoughts used it up."""
    usage: Usage = reply.usage
    at = f"max_tokens={limit}" if limit is not None else "the model's token limit"
    spent = ""
    if usage.reasoning_tokens and usage.output_tokens:
        spent = f"; {usage.reasoning_tokens} of {usage.output_tokens} output tokens were reasoning"
    elif reply.reasoning and not reply.text:
        spent = "; reasoning used it up"
    return f"cut at {at}{spent}: raise max_tokens, or ask for less reasoning"
