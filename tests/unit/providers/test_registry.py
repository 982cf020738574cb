from __future__ import annotations

import asyncio
import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from judgekit.errors import RunStopped, UsageError
from judgekit.providers import registry
from judgekit.providers.base import Setup, check_params, split_model, timeout_from
from judgekit.providers.http import HttpProvider
from judgekit.providers.registry import CHAT_SERVICES, known_providers, make_provider
from judgekit.providers.route import ProviderSet
from judgekit.types import Json, Message, Reply, Request


def request(model: str = "openai:m", **more: Any) -> Request:
    return Request(model, (Message("user", "x"),), **more)


class Echo:
    """A provider of somebody else."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.closed = False

    def wire(self, request: Request) -> dict[str, Json]:
        return {"provider": "echo", "url": "", "body": request.model}

    async def __call__(self, request: Request) -> Reply:
        return Reply(text=request.model)

    async def aclose(self) -> None:
        self.closed = True


def plug(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    monkeypatch.setattr(registry, "_added", lambda: {p.name: p for p in points})


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("openai:gpt-5", ("openai", "gpt-5")),
        ("ollama:llama3.1:8b", ("ollama", "llama3.1:8b")),
        ("OpenAI: gpt-5 ", ("openai", "gpt-5")),
        ("local:C:/models/x.gguf", ("local", "C:/models/x.gguf")),
    ],
)
def test_only_the_first_colon_counts(model: str, parts: tuple[str, str]) -> None:
    assert split_model(model) == parts


@pytest.mark.parametrize("model", ["gpt-5", "openai:", ":gpt-5", "", "openai: "])
def test_model_without_provider_says_how_to_write_it(model: str) -> None:
    with pytest.raises(UsageError, match="provider:name"):
        split_model(model)


def test_unknown_provider_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'anthropic'"):
        make_provider("antropic", env={})
    with pytest.raises(UsageError, match="Known: anthropic, azure, deepseek"):
        make_provider("zzz", env={})


def test_every_shipped_provider_can_be_made_without_a_key_or_a_package() -> None:
    env = {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}
    for name in known_providers():
        if name != "replay":
            provider = make_provider(name, env=env)
            wire = provider.wire(request(f"{name}:m"))
            assert set(wire) == {"provider", "url", "body"}
            asyncio.run(provider.aclose())


def test_chat_services_of_the_two_tables_are_the_same() -> None:
    from judgekit.providers.openai import SERVICES

    assert set(SERVICES) == {"openai", *CHAT_SERVICES}
    for service in SERVICES.values():
        if service.base_url:
            service.url(service.base_url, "m")


def test_provider_of_another_package_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    here = EntryPoint("echo", f"{__name__}:Echo", registry.GROUP)
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or sys.modules[Echo.__module__])
    plug(monkeypatch, here)
    made = make_provider("echo", env={"A": "1"}, base_url="http://h", timeout_s=7)
    assert type(made).__name__ == "Echo"
    assert made.setup == Setup(env={"A": "1"}, base_url="http://h", timeout_s=7)  # type: ignore[attr-defined]
    assert "echo" in known_providers()


def test_provider_of_another_package_that_lacks_its_own_package_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    plug(monkeypatch, EntryPoint("broken", "no_such_module_anywhere:x", registry.GROUP))
    with pytest.raises(UsageError, match="needs the package 'no_such_module_anywhere'"):
        make_provider("broken", env={})


def test_provider_is_found_in_any_case() -> None:
    assert make_provider("OpenAI ", env={}).wire(request("OpenAI:m"))["body"]["model"] == "m"


def test_replay_without_recordings_says_where_they_belong() -> None:
    with pytest.raises(UsageError, match="suite"):
        make_provider("replay", env={})


def test_azure_without_an_endpoint_names_the_variable() -> None:
    with pytest.raises(UsageError, match="AZURE_OPENAI_ENDPOINT"):
        make_provider("azure", env={})


def test_azure_takes_the_key_in_its_own_header() -> None:
    from judgekit.providers.openai import ChatCompletions

    assert ChatCompletions().headers("k", "r.openai.azure.com") == {"api-key": "k"}
    assert ChatCompletions().headers("k", "api.openai.com") == {"authorization": "Bearer k"}
    assert ChatCompletions().headers("", "localhost") == {}


@pytest.mark.parametrize(
    ("env", "base_url", "url"),
    [
        ({}, None, "https://api.openai.com/v1/chat/completions"),
        ({"OPENAI_BASE_URL": "http://gate/v1 "}, None, "http://gate/v1/chat/completions"),
        ({"OPENAI_BASE_URL": " "}, None, "https://api.openai.com/v1/chat/completions"),
        ({"OPENAI_BASE_URL": "http://gate/v1"}, "http://own", "http://own/v1/chat/completions"),
    ],
)
def test_base_url_of_the_judge_wins_over_the_variable(env: dict[str, str], base_url: str | None, url: str) -> None:
    assert make_provider("openai", env=env, base_url=base_url).wire(request())["url"] == url


def test_missing_key_stops_before_any_call() -> None:
    providers = ProviderSet({})
    with pytest.raises(RunStopped, match="OPENAI_API_KEY"):
        providers.check(request())
    with pytest.raises(RunStopped, match="MY_KEY"):
        asyncio.run(providers(request(api_key_env="MY_KEY")))
    with pytest.raises(RunStopped, match="GEMINI_API_KEY or GOOGLE_API_KEY"):
        providers.check(request("gemini:m"))
    providers.check(request("ollama:m"))
    providers.check(request(base_url="http://127.0.0.1:1/v1"))


def test_named_key_is_wanted_even_by_a_local_server() -> None:
    with pytest.raises(RunStopped, match="MY_KEY"):
        ProviderSet({}).check(request("ollama:m", api_key_env="MY_KEY"))


def test_one_provider_for_each_service_url_and_key_variable() -> None:
    providers = ProviderSet({"A": "a", "B": "b"})
    first = providers.provider(request())
    assert providers.provider(request("openai:other")) is first
    assert providers.provider(request(base_url="http://h")) is not first
    assert providers.provider(request(api_key_env="A")) is not providers.provider(request(api_key_env="B"))
    assert isinstance(first, HttpProvider)


def test_provider_that_stands_already_is_used_and_closed() -> None:
    echo = Echo(Setup(env={}))
    providers = ProviderSet({}, ready={"replay": echo})
    assert asyncio.run(providers(request("replay:m"))).text == "replay:m"
    assert providers.wire(request("replay:m"))["provider"] == "echo"
    providers.check(request("replay:m"))
    asyncio.run(providers.aclose())
    assert echo.closed


@pytest.mark.parametrize("name", ["messages", "model", "stream", "n"])
def test_parameters_that_would_break_the_count_of_replies_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"parameter '{name}'"):
        make_provider("openai", env={}).wire(request(params={name: True}))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_parameter_that_json_cannot_hold_is_refused(value: float) -> None:
    with pytest.raises(UsageError, match="finite"):
        check_params({"temperature": value})


@pytest.mark.parametrize(("text", "seconds"), [("", 180.0), (" 30 ", 30.0), ("0.5", 0.5)])
def test_timeout_comes_from_the_environment(text: str, seconds: float) -> None:
    assert timeout_from({"JUDGEKIT_TIMEOUT_S": text}) == seconds


@pytest.mark.parametrize("text", ["0", "-1", "soon", "nan", "inf"])
def test_timeout_that_is_none_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="JUDGEKIT_TIMEOUT_S"):
        timeout_from({"JUDGEKIT_TIMEOUT_S": text})


def test_making_providers_and_keys_loads_no_network_package() -> None:
    code = (
        "import sys; from judgekit.providers.route import ProviderSet; from judgekit.types import *\n"
        "p = ProviderSet({})\n"
        "[p.wire(Request(f'{n}:m', (Message('user', 'x'),))) for n in ('openai', 'anthropic', 'gemini', 'litellm', 'local')]\n"
        "print([m for m in ('httpx', 'aiohttp', 'litellm', 'xllamacpp') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
