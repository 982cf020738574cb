from __future__ import annotations

import pytest

from judgekit.errors import UsageError
from judgekit.providers.urls import chat_url, gemini_url, is_azure, is_local, is_loopback, messages_url, shown_url


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://h", "http://h/v1/chat/completions"),
        ("http://h/", "http://h/v1/chat/completions"),
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h//v1//", "http://h/v1/chat/completions"),
        ("http://h/api/v1/", "http://h/api/v1/chat/completions"),
        ("http://h/v10", "http://h/v10/chat/completions"),
        ("http://h/av1", "http://h/av1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1/chat/completions/", "http://h/v1/chat/completions"),
        ("HTTP://Host:80/V1", "http://host/V1/chat/completions"),
        ("https://h:443", "https://h/v1/chat/completions"),
        ("https://h:8443", "https://h:8443/v1/chat/completions"),
        ("http://[::1]:8000", "http://[::1]:8000/v1/chat/completions"),
        (" http://h/v1#part ", "http://h/v1/chat/completions"),
        ("https://r.openai.azure.com", "https://r.openai.azure.com/openai/v1/chat/completions"),
        ("https://r.openai.azure.com/openai/v1/", "https://r.openai.azure.com/openai/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
        ),
    ],
)
def test_chat_url(base: str, url: str) -> None:
    assert chat_url(base) == url


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        ("https://gate.example/anthropic", "https://gate.example/anthropic/v1/messages"),
        ("https://gate.example/v1/messages", "https://gate.example/v1/messages"),
    ],
)
def test_messages_url(base: str, url: str) -> None:
    assert messages_url(base) == url


@pytest.mark.parametrize(
    ("base", "model", "url"),
    [
        ("https://g.example", "gemini-x", "https://g.example/v1beta/models/gemini-x:generateContent"),
        ("https://g.example/v1beta/", "gemini-x", "https://g.example/v1beta/models/gemini-x:generateContent"),
        ("https://g.example/v1", "models/gemini-x", "https://g.example/v1/models/gemini-x:generateContent"),
        ("https://g.example", "tunedModels/a b", "https://g.example/v1beta/tunedModels/a%20b:generateContent"),
    ],
)
def test_gemini_url(base: str, model: str, url: str) -> None:
    assert gemini_url(base, model) == url


@pytest.mark.parametrize(
    ("base", "says"),
    [
        ("localhost:8000", "http://localhost:8000"),
        ("h/v1", "http://h/v1"),
        ("ftp://h", "http:// or https://"),
        ("", "http:// or https://"),
        ("http://", "http:// or https://"),
        ("http://h:port", "is no URL"),
        ("http://me:hunter2@h", "api_key_env"),
    ],
)
def test_bad_base_url_says_what_to_write(base: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        chat_url(base)
    assert says in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "loopback", "local"),
    [
        ("localhost", True, True),
        ("127.0.0.1", True, True),
        ("127.8.9.1", True, True),
        ("::1", True, True),
        ("10.0.0.5", False, True),
        ("192.168.1.4", False, True),
        ("host.docker.internal", False, True),
        ("api.openai.com", False, False),
        ("8.8.8.8", False, False),
        ("localhost.evil.example", False, False),
        ("127.0.0.1.evil.example", False, False),
    ],
)
def test_local_hosts(host: str, loopback: bool, local: bool) -> None:
    assert is_loopback(host) is loopback
    assert is_local(host) is local


def test_azure_is_known_by_the_end_of_its_host() -> None:
    assert is_azure("r.openai.azure.com")
    assert not is_azure("openai.azure.com.evil.example")


def test_secrets_in_a_query_are_hidden_and_versions_are_not() -> None:
    assert shown_url("http://h/p?api-version=1&key=abc&x=2") == "http://h/p?api-version=1&key=***&x=2"
    assert shown_url("http://h/p?api-version=1") == "http://h/p?api-version=1"
