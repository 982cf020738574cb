"""Proxies, certificates and names, over real sockets and both transports."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from loopback_service import Play, Service
from service_shapes import KEY, OPENAI

from judgekit.errors import CallFailed, RunStopped, UsageError
from judgekit.providers.base import Setup
from judgekit.providers.http import HttpProvider
from judgekit.providers.openai import ChatCompletions
from judgekit.providers.transport import Shards, open_transport
from judgekit.types import Reply

BOTH = pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])


def provider(url: str, env: dict[str, str], *, fast: bool) -> HttpProvider:
    setup = Setup(env={"OPENAI_API_KEY": KEY, **env}, base_url=url, timeout_s=5.0)
    return HttpProvider(ChatCompletions(), setup, transport=open_transport(url, env, fast=fast))


@BOTH
def test_proxy_of_the_environment_is_used(fast: bool) -> None:
    async def main() -> None:
        async with Service([Play(200, OPENAI.reply("by proxy"))]) as proxy:
            one = provider("http://judge.example/v1", {"http_proxy": proxy.url}, fast=fast)
            reply = await one(OPENAI.request())
            await one.aclose()
            assert reply.text == "by proxy"
            assert proxy.seen[0].path == "http://judge.example/v1/chat/completions"
            assert proxy.seen[0].headers["host"] == "judge.example"

    asyncio.run(main())


@BOTH
def test_this_machine_is_never_called_through_a_proxy(fast: bool) -> None:
    async def main() -> None:
        async with Service([Play(200, OPENAI.reply("direct"))]) as service:
            one = provider(service.url, {"http_proxy": "http://127.0.0.1:9"}, fast=fast)
            reply = await one(OPENAI.request())
            await one.aclose()
            assert reply.text == "direct"

    asyncio.run(main())


@BOTH
def test_proxy_password_is_in_no_message(fast: bool) -> None:
    async def main() -> CallFailed:
        env = {"http_proxy": "http://user:hunter2@127.0.0.1:9"}
        one = provider("http://judge.example/v1", env, fast=fast)
        with pytest.raises(CallFailed) as caught:
            await one(OPENAI.request())
        await one.aclose()
        return caught.value

    assert "hunter2" not in str(asyncio.run(main()))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


async def over_tls(certificate: tuple[Path, Path], env: dict[str, str], *, fast: bool) -> Reply:
    cert, key = certificate
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    service = Service([Play(200, OPENAI.reply("private"))])

    server = await asyncio.start_server(service._serve, "127.0.0.1", 0, ssl=context)
    try:
        one = provider(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", env, fast=fast)
        try:
            return await one(OPENAI.request())
        finally:
            await one.aclose()
    finally:
        server.close()


@BOTH
def test_certificate_of_a_private_authority_is_trusted_when_named(certificate: tuple[Path, Path], fast: bool) -> None:
    reply = asyncio.run(over_tls(certificate, {"SSL_CERT_FILE": str(certificate[0])}, fast=fast))
    assert reply.text == "private"


@BOTH
def test_unknown_certificate_stops_the_run_and_says_how_to_trust_it(certificate: tuple[Path, Path], fast: bool) -> None:
    with pytest.raises(RunStopped) as caught:
        asyncio.run(over_tls(certificate, {}, fast=fast))
    assert caught.value.code == "certificate"
    assert "SSL_CERT_FILE" in caught.value.why


def test_certificate_file_that_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match="SSL_CERT_FILE=/no/such"):
        open_transport("https://judge.example", {"SSL_CERT_FILE": "/no/such"})


def test_httpx_alone_is_used_when_the_fast_transport_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx_aiohttp", None)
    monkeypatch.delitem(sys.modules, "judgekit.providers.direct", raising=False)  # imported by an earlier test
    assert isinstance(open_transport("http://127.0.0.1:1", {}), Shards)


def test_nonsense_for_a_proxy_is_a_usage_error_without_its_password() -> None:
    with pytest.raises(UsageError) as caught:
        open_transport("https://judge.example", {"HTTPS_PROXY": "ftp://me:hunter2@proxy"})
    assert "hunter2" not in str(caught.value)


def test_calls_are_spread_over_the_pools_of_the_fallback() -> None:
    counts: dict[int, int] = {}

    class Counting(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            counts[id(self)] = counts.get(id(self), 0) + 1
            return httpx.Response(200)

    async def main() -> None:
        shards = Shards(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), None, shards=2)
        shards._next = __import__("itertools").cycle([Counting(), Counting()])
        for _ in range(6):
            await shards.handle_async_request(httpx.Request("POST", "http://127.0.0.1"))

    asyncio.run(main())
    assert sorted(counts.values()) == [3, 3]
