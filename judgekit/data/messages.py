"""Chat messages and their parts: text is taken, images and other parts are refused by name."""

from __future__ import annotations

from judgekit.data.cells import Wrong, text
from judgekit.located import kind_of
from judgekit.types import Json, Message

ROLES = ("system", "user", "assistant")


def chat(value: Json, loose: bool) -> str | tuple[Message, ...]:
    """Text, or a list of chat messages with `role` and `content`."""
    if not isinstance(value, (list, tuple)):
        if isinstance(value, dict):
            raise Wrong("should be text or a list of messages {role, content}, found keys and values")
        return text(value, loose)
    if not value:
        raise Wrong("is an empty list: write text, or messages {role, content}")
    return tuple(_message(item, at, loose) for at, item in enumerate(value, start=1))


def _message(item: Json, at: int, loose: bool) -> Message:
    if isinstance(item, Message):
        item = {"role": item.role, "content": item.content}
    if not isinstance(item, dict):
        raise Wrong(f"message {at} should be {{role, content}}, found {kind_of(item)}")
    if "role" not in item and "type" in item:  # parts without a message around them
        raise Wrong(_part(item) or f"message {at} should be {{role, content}}, found a bare part")
    if unknown := sorted(set(item) - {"role", "content"}):
        raise Wrong(f"message {at} has an unknown key {unknown[0]!r}; a message is {{role, content}}")
    if item.get("role") not in ROLES:
        raise Wrong(f"message {at} has the role {item.get('role')!r}; use {', '.join(ROLES)}")
    try:
        return Message(item["role"], parts_text(item.get("content"), loose))
    except Wrong as why:
        raise Wrong(f"message {at}: {why}") from None


def parts_text(value: Json, loose: bool) -> str:
    """The text of a content: text as it is, or parts that are all text, one below the other.

    Raises `Wrong`, naming the part, for images, audio and files: what a judge cannot see it cannot grade.
    """
    if isinstance(value, (list, tuple)):
        if why := next((why for why in map(_part, value) if why), ""):
            raise Wrong(why)
        return "\n".join(text(part["text"], loose) for part in value)
    if value is None:
        raise Wrong("content is missing")
    return text(value, loose)


def is_parts(value: Json) -> bool:
    """Whether a JSON value is a list of message parts (`{"type": "text", ...}`, `{"type": "image_url", ...}`)."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(v, dict) and _partlike(v) for v in value)


def _partlike(item: dict[str, Json]) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and (kind in item or "text" in item or kind.startswith(("image", "input_", "file")))


def _part(part: Json) -> str:
    """Why this part is refused; "" for a text part."""
    if isinstance(part, dict) and part.get("type") in ("text", "input_text", "output_text") and "text" in part:
        return ""
    kind = part.get("type", "without a type") if isinstance(part, dict) else kind_of(part)
    return f"unsupported part ({kind}): judgekit grades text; describe the {kind} in words or leave the case out"
