"""What a provider is, and what one is made from."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from judgekit.errors import UsageError
from judgekit.types import Json, Reply, Request

TIMEOUT_ENV = "JUDGEKIT_TIMEOUT_S"
"""Variable with the seconds that one try of one call may take."""

RESERVED = {
    "messages": "the prompt is made by judgekit",
    "model": "write it as `provider:name`",
    "stream": "replies are read whole",
    "n": "use `votes` or `trials`, so that each answer is kept apart",
    "candidateCount": "use `votes` or `trials`, so that each answer is kept apart",
}
"""Parameters that may not be set by hand, and what to do instead."""


class Provider(Protocol):
    """A sender for the models of one service.

    It does not retry: a failure that may heal is a `CallFailed` with `retryable`, and what stands around a provider
    decides. Parameters that a model refuses are the exception: they are left out, and the call is sent again.
    """

    async def __call__(self, request: Request) -> Reply:
        """The reply. Raises `CallFailed` for this call alone, `RunStopped` when no call can succeed."""
        ...

    def wire(self, request: Request) -> dict[str, Json]:
        """`{"provider", "url", "body"}`: what `request` means to the service, without secrets, without sending.

        It does not depend on what was sent before: parameters that turn out to be refused are still in it, so that
        the next run finds the replies of this one.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True)
class Setup:
    """What a provider is made from.

    env            the environment: keys, base URLs, proxies, certificates
    base_url       replaces the service's usual URL
    api_key_env    the name of the variable that holds the key, in place of the usual one
    timeout_s      longest time from sending to the last byte of the reply, in seconds, > 0
    connect_s      longest time until the connection stands, in seconds, > 0
    max_bytes      a longer reply is not read to its end
    clock          seconds for measuring; only differences count
    now            seconds since 1970, for waits that a server gives as a date
    """

    env: Mapping[str, str] = field(repr=False)
    base_url: str | None = None
    api_key_env: str | None = None
    timeout_s: float = 180.0
    connect_s: float = 10.0
    max_bytes: int = 16 * 1024 * 1024
    clock: Callable[[], float] = time.perf_counter
    now: Callable[[], float] = time.time


Factory: TypeAlias = Callable[[Setup], Provider]
"""What an entry point of the group `judgekit.providers` names: a class or function that makes a provider."""


def timeout_from(env: Mapping[str, str], default: float = 180.0) -> float:
    """Seconds that one try may take: `JUDGEKIT_TIMEOUT_S`, else `default`. Raises `UsageError` unless > 0."""
    text = env.get(TIMEOUT_ENV, "").strip()
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{TIMEOUT_ENV} should be seconds above 0, as in 180, found {text!r}")
    return seconds


def split_model(model: str) -> tuple[str, str]:
    """`("openai", "gpt-5")` for `openai:gpt-5`; only the first colon counts (`ollama:llama3.1:8b`).

    Raises `UsageError`.
    """
    provider, colon, name = model.partition(":")
    if not colon or not provider.strip() or not name.strip():
        raise UsageError(f"model {model!r} should be written `provider:name`, as in openai:gpt-5-mini")
    return provider.strip().lower(), name.strip()


def check_params(params: Mapping[str, Json]) -> None:
    """Raise `UsageError` for a parameter that may not be set by hand, or that JSON cannot hold."""
    for name, value in params.items():
        if name in RESERVED and not (name == "stream" and value is False):
            raise UsageError(f"parameter {name!r} cannot be set: {RESERVED[name]}")
        if isinstance(value, float) and not math.isfinite(value):
            raise UsageError(f"parameter {name!r} should be a finite number, found {value}")
