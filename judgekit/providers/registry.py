"""From the word before the colon to the provider: what ships here, and what other packages add."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from judgekit.errors import UsageError
from judgekit.located import near
from judgekit.providers.base import Factory, Provider, Setup, timeout_from

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "judgekit.providers"

SHIPPED = {
    "openai": "judgekit.providers.openai:connect",
    "anthropic": "judgekit.providers.anthropic:connect",
    "gemini": "judgekit.providers.gemini:connect",
    "google": "judgekit.providers.gemini:connect",
    "local": "judgekit.providers.local:connect",
    "python": "judgekit.providers.python:connect",
    "litellm": "judgekit.providers.litellm:connect",
}
"""Found without reading the metadata of every installed package, which takes longer than the rest of a start."""

CHAT_SERVICES = (
    "azure", "openrouter", "mistral", "groq", "deepseek", "together", "xai", "ollama", "vllm", "llamacpp",
)  # fmt: skip
"""Services that speak chat completions; `openai.SERVICES` knows their URLs and keys."""

REPLAY = "replay"
"""Made by who has the recordings, and handed to `ProviderSet`."""


def known_providers() -> tuple[str, ...]:
    """Every word that may stand before the colon of a model, sorted."""
    return tuple(sorted({*SHIPPED, *CHAT_SERVICES, REPLAY, *_added()}))


def make_provider(
    name: str,
    *,
    env: Mapping[str, str],
    base_url: str | None = None,
    api_key_env: str | None = None,
    timeout_s: float | None = None,
) -> Provider:
    """The provider called `name` (`openai`, `anthropic`, ...). Nothing is sent, and no key is needed yet.

    env          the environment that keys, base URLs and proxies are taken from
    base_url, api_key_env   in place of the usual ones
    timeout_s    seconds for one try of one call; default JUDGEKIT_TIMEOUT_S, else 180

    Raises `UsageError` for a name that nobody knows, with the nearest one that somebody does.
    """
    setup = Setup(
        env=env,
        base_url=base_url,
        api_key_env=api_key_env,
        timeout_s=timeout_s if timeout_s is not None else timeout_from(env),
    )
    return _factory(name.strip().lower())(setup)


def _factory(name: str) -> Factory:
    if name in CHAT_SERVICES:
        from judgekit.providers.http import HttpProvider
        from judgekit.providers.openai import SERVICES

        return lambda setup: HttpProvider(SERVICES[name], setup)
    if name in SHIPPED:
        module, _, attribute = SHIPPED[name].partition(":")
        found: Factory = getattr(importlib.import_module(module), attribute)
        return found
    if name == REPLAY:
        raise UsageError("replay: answers from recordings, and there are none here: name them in the suite")
    added = _added()
    if name in added:
        return _load(added[name])
    known = known_providers()
    raise UsageError(f"unknown provider {name!r}.{near(name, known) or ' Known: ' + ', '.join(known)}")


def _added() -> dict[str, EntryPoint]:
    """What other installed packages add, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _load(point: EntryPoint) -> Factory:
    try:
        found: Factory = point.load()
    except ImportError as error:
        who = point.dist.name if point.dist else point.value
        if isinstance(error, ModuleNotFoundError) and error.name:
            raise UsageError(f"provider {point.name!r} of {who} needs the package {error.name!r}") from None
        raise UsageError(f"provider {point.name!r} of {who} cannot be imported: {error}") from None
    return found
