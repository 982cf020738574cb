"""From the base URL that people write to the URL that is called: one table, no guessing at path names."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from judgekit.errors import UsageError

_PORTS = {"http": 80, "https": 443}
_SECRET = re.compile(r"key|token|secret|sig|pass|auth|credential", re.IGNORECASE)
_VERSION = re.compile(r"/v\d+[a-z]*\d*\Z")
_LOCAL_NAMES = ("localhost", "host.docker.internal", "ip6-localhost")


def split_base(base: str) -> SplitResult:
    """A base URL in one spelling: host in lower case, no usual port, no fragment, no doubled or trailing slash.

    Raises `UsageError` when it is no http(s) URL, or carries a password.
    """
    text = base.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"base_url {text!r} is no URL: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise UsageError("base_url holds a user name or password: put the key into a variable named by `api_key_env`")
    if parts.scheme.lower() not in _PORTS or not parts.hostname:
        hint = f"http://{text}" if re.match(r"[\w.-]+(:\d+)?(/|\Z)", text) else "https://example.com/v1"
        raise UsageError(f"base_url {text!r} should begin with http:// or https://, as in {hint}")
    scheme, host = parts.scheme.lower(), parts.hostname.lower()
    host = f"[{host}]" if ":" in host else host
    netloc = host if port in (None, _PORTS[scheme]) else f"{host}:{port}"
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    return SplitResult(scheme, netloc, path, parts.query, "")


def chat_url(base: str) -> str:
    """Chat completions below `base`: a bare host gets `/v1`, any other path is kept as it is written."""
    parts = split_base(base)
    path = parts.path
    if not path.endswith("/chat/completions"):
        if is_azure(parts.hostname or "") and path in ("", "/openai"):
            path = "/openai/v1"
        path = f"{path or '/v1'}/chat/completions"
    return urlunsplit(parts._replace(path=path))


def messages_url(base: str) -> str:
    """Anthropic messages below `base`, whether or not it ends in `/v1`."""
    parts = split_base(base)
    path = parts.path
    if not path.endswith("/messages"):
        path = f"{path}/messages" if path.endswith("/v1") else f"{path}/v1/messages"
    return urlunsplit(parts._replace(path=path))


def gemini_url(base: str, model: str) -> str:
    """Gemini's generateContent for `model` below `base`, whether or not it ends in a version such as `/v1beta`."""
    parts = split_base(base)
    path = parts.path if _VERSION.search(parts.path) else f"{parts.path}/v1beta"
    name = model if "/" in model else f"models/{model}"
    return urlunsplit(parts._replace(path=f"{path}/{quote(name)}:generateContent"))


def host_of(url: str) -> str:
    """The host of a URL, without its port."""
    return urlsplit(url).hostname or ""


def is_azure(host: str) -> bool:
    """Whether a host belongs to Azure's model services, which take the key in another header."""
    return host.endswith((".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_local(host: str) -> bool:
    """Whether a host is this machine or a private network, where servers commonly ask for no key."""
    if host in _LOCAL_NAMES or host.endswith((".localhost", ".local")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private or address.is_link_local


def shown_url(url: str) -> str:
    """A URL for people and for cache keys: values of query parameters that look like secrets are hidden."""
    parts = urlsplit(url)
    if not parts.query or not _SECRET.search(parts.query):
        return url
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, "***" if _SECRET.search(name) else value) for name, value in pairs]
    return urlunsplit(parts._replace(query=urlencode(kept, safe="*")))
