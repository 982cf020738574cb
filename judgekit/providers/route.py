"""One sender for every model: each request goes to the provider that its model names."""

from __future__ import annotations

from collections.abc import Mapping

from judgekit.providers.base import Provider, split_model
from judgekit.providers.registry import make_provider
from judgekit.types import Json, Reply, Request

_Where = tuple[str, str | None, str | None]


class ProviderSet:
    """A provider of providers: one for each service, base URL and key variable, made when first asked for.

    env         the environment that keys, base URLs and proxies are taken from
    ready       providers that stand already, by the word before the colon: `{"replay": Replay(...)}`
    timeout_s   seconds for one try of one call; default JUDGEKIT_TIMEOUT_S, else 180
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        ready: Mapping[str, Provider] | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self._env = env
        self._ready = dict(ready or {})
        self._timeout_s = timeout_s
        self._made: dict[_Where, Provider] = {}
        self._names: dict[str, str] = {}

    def provider(self, request: Request) -> Provider:
        """The provider that answers `request`. Raises `UsageError` for a model that names none."""
        name = self._names.get(request.model)
        if name is None:
            name = self._names[request.model] = split_model(request.model)[0]
        if name in self._ready:
            return self._ready[name]
        where = (name, request.base_url, request.api_key_env)
        made = self._made.get(where)
        if made is None:
            made = self._made[where] = make_provider(
                name,
                env=self._env,
                base_url=request.base_url,
                api_key_env=request.api_key_env,
                timeout_s=self._timeout_s,
            )
        return made

    def wire(self, request: Request) -> dict[str, Json]:
        """What `request` means to its provider, without secrets, without sending."""
        return self.provider(request).wire(request)

    def check(self, request: Request) -> None:
        """Raise what is known to be wrong before any call: an unknown provider, a bad URL, a missing key."""
        provider = self.provider(request)
        check = getattr(provider, "check", None)
        if check is not None:
            check(request)
        else:
            provider.wire(request)

    async def __call__(self, request: Request) -> Reply:
        """The reply of the provider that `request` names."""
        return await self.provider(request)(request)

    async def aclose(self) -> None:
        """Close every provider, also those that were handed in."""
        made, self._made = list(self._made.values()), {}
        for provider in (*made, *self._ready.values()):
            await provider.aclose()
