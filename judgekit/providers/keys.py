"""API keys: found in the environment, and shown to nobody but the service they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from judgekit.errors import RunStopped

HIDDEN = "***"

SECRET = 12
"""Characters from which a key is a secret also in a reply; a shorter one is what servers get that ask for none, such as
`x` or `ollama`, and a reply may use that word."""


class Key:
    """A key that no repr, message or log shows. `source` is the variable that it came from ("" = there is none)."""

    __slots__ = ("__spellings", "__value", "source")

    def __init__(self, value: str, source: str) -> None:
        self.__value = value
        self.__spellings = tuple({value, quote(value, safe="")}) if value else ()
        self.source = source

    def __repr__(self) -> str:
        return f"Key({self.source or 'none'})"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self.__value)

    def __reduce__(self) -> tuple[type[Key], tuple[str, str]]:
        raise TypeError("a key is not pickled: pass the name of its variable")

    def reveal(self) -> str:
        """The key itself, for the header that carries it."""
        return self.__value

    def hide(self, text: str) -> str:
        """`text` without the key, should a server have sent it back."""
        for spelling in self.__spellings:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
        return text

    def hide_in(self, raw: bytes) -> bytes:
        """The same for a whole reply as it came, from a server that repeats what it was sent."""
        for spelling in self.__spellings if len(self.__value) >= SECRET else ():
            if spelling.encode() in raw:
                raw = raw.replace(spelling.encode(), HIDDEN.encode())
        return raw


def find_key(env: Mapping[str, str], names: Sequence[str], *, where: str, optional: bool) -> Key:
    """The first key that is set among the variables `names`, without white space around it.

    where      the host, for the message
    optional   no key is fine: a local server needs none

    Raises `RunStopped` when there is none, or when it cannot stand in a header.
    """
    for name in names:
        value = env.get(name, "").strip()
        if not value:
            continue
        if not value.isascii() or not value.isprintable() or " " in value:
            raise RunStopped(
                f"{name} holds a space, a line break or a character that no key has: set it to the key alone",
                code="bad_key",
            )
        return Key(value, name)
    if optional or not names:
        return Key("", "")
    wanted = " or ".join(names)
    raise RunStopped(
        f"{where} needs a key: set {wanted} (any text, if this server asks for none), or name another variable in "
        "`api_key_env`",
        code="no_key",
    )
