"""No test reaches anything but this machine."""

import ipaddress
import os
import socket
from typing import Any

import pytest
from hypothesis import settings

# a busy machine is no failure; and a build tries the same examples each time, while people's machines look for new ones
settings.register_profile("here", deadline=None)
settings.register_profile("build", deadline=None, derandomize=True)
settings.load_profile("build" if os.environ.get("CI") else "here")

_connect = socket.socket.connect


def _is_loopback(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a unix socket
    host = str(address[0])
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to any other host fails at once, naming the host."""

    def connect(self: socket.socket, address: Any) -> None:
        if not _is_loopback(address):
            raise AssertionError(f"a test tried to reach {address!r}; tests use loopback only")
        _connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture(autouse=True)
def _no_job_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run in CI too: none of them writes into the summary of that job."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "400")  # lines must not fold where a path happens to be long
