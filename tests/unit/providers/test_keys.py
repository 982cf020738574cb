from __future__ import annotations

import pickle

import pytest

from judgekit.errors import RunStopped
from judgekit.providers.keys import Key, find_key

CANARY = "sk-canary/4711+x"


def test_first_variable_that_is_set_gives_the_key() -> None:
    key = find_key({"A": " ", "B": f"\t{CANARY}\r\n"}, ["A", "B"], where="x", optional=False)
    assert (key.reveal(), key.source) == (CANARY, "B")


@pytest.mark.parametrize("text", [f"{CANARY!r}", f"{CANARY!s}", f"{[CANARY]}"])
def test_key_object_shows_nothing(text: str) -> None:
    key = Key(CANARY, "B")
    assert CANARY not in repr(key) + str(key) + f"{key}" + repr([key]) + repr(vars(type(key)))
    assert not hasattr(key, "__dict__")
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(key)


def test_key_that_a_server_sends_back_is_hidden_in_every_spelling() -> None:
    key = Key(CANARY, "B")
    assert key.hide(f"bad key {CANARY}, sk-canary%2F4711%2Bx") == "bad key ***, ***"
    assert Key("", "").hide("text") == "text"


@pytest.mark.parametrize("value", ["sk-a b", "sk-a\nb", "sk-ä", "sk-a\x00b"])
def test_key_that_cannot_stand_in_a_header_is_named_by_its_variable_only(value: str) -> None:
    with pytest.raises(RunStopped) as caught:
        find_key({"MY_KEY": value}, ["MY_KEY"], where="x", optional=False)
    assert caught.value.code == "bad_key"
    assert "MY_KEY" in caught.value.why
    assert value not in caught.value.why


@pytest.mark.parametrize("env", [{}, {"MY_KEY": ""}, {"MY_KEY": " \n"}])
def test_missing_key_names_the_variable(env: dict[str, str]) -> None:
    with pytest.raises(RunStopped, match=r"api\.example needs a key: set MY_KEY or OTHER") as caught:
        find_key(env, ["MY_KEY", "OTHER"], where="api.example", optional=False)
    assert caught.value.code == "no_key"


def test_local_server_needs_no_key() -> None:
    assert not find_key({}, ["MY_KEY"], where="x", optional=True)


def test_key_is_taken_out_of_a_whole_reply_in_both_spellings() -> None:
    key = Key("sk-live/3fd9c27b+e1", "K")
    raw = b'{"a": "sk-live/3fd9c27b+e1", "b": "?key=sk-live%2F3fd9c27b%2Be1"}'
    assert key.hide_in(raw) == b'{"a": "***", "b": "?key=***"}'


def test_placeholder_for_a_key_may_stand_in_a_reply() -> None:
    raw = b'{"content": "ollama wrote this"}'
    assert Key("ollama", "K").hide_in(raw) == raw
    assert Key("", "").hide_in(raw) == raw
