from __future__ import annotations

import pytest

from judgekit.providers.transport import proxy_for

PROXY = "http://proxy:3128"


@pytest.mark.parametrize(
    ("url", "env", "wanted"),
    [
        ("https://api.example/v1", {}, None),
        ("https://api.example/v1", {"https_proxy": PROXY}, PROXY),
        ("https://api.example/v1", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://api.example/v1", {"HTTPS_PROXY": "http://upper", "https_proxy": PROXY}, PROXY),
        ("https://api.example/v1", {"http_proxy": PROXY}, None),
        ("https://api.example/v1", {"ALL_PROXY": PROXY}, PROXY),
        ("https://api.example/v1", {"https_proxy": "proxy:3128"}, PROXY),
        ("https://api.example/v1", {"https_proxy": PROXY, "no_proxy": "api.example"}, None),
        ("https://api.example/v1", {"https_proxy": PROXY, "no_proxy": "example"}, None),
        ("https://api.example/v1", {"https_proxy": PROXY, "NO_PROXY": " other , .example "}, None),
        ("https://api.example/v1", {"https_proxy": PROXY, "no_proxy": "*.example"}, None),
        ("https://api.example/v1", {"https_proxy": PROXY, "no_proxy": "*"}, None),
        ("https://api.example/v1", {"https_proxy": PROXY, "no_proxy": "ample"}, PROXY),
        ("https://api.example/v1", {"https_proxy": PROXY, "no_proxy": ", ,"}, PROXY),
        ("https://api.example:8443/v1", {"https_proxy": PROXY, "no_proxy": "api.example:8443"}, None),
        ("https://api.example:8443/v1", {"https_proxy": PROXY, "no_proxy": "api.example:1"}, PROXY),
        ("http://127.0.0.1:11434/v1", {"http_proxy": PROXY}, None),
        ("http://localhost:11434/v1", {"all_proxy": PROXY}, None),
    ],
)
def test_proxy_for(url: str, env: dict[str, str], wanted: str | None) -> None:
    assert proxy_for(url, env) == wanted
