from __future__ import annotations

import pytest

from judgekit.providers.learn import blames_params, lesson
from judgekit.providers.said import Said
from judgekit.types import Message, Request


def request(**params: object) -> Request:
    return Request("openai:m", (Message("system", "s"), Message("user", "u")), params=params)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("'temperature' is not supported", "temperature"),
        ("topP is not supported by this model", "top_p"),
        ("Unrecognized request argument supplied: max_completion_tokens", "max_completion_tokens->max_tokens"),
        ("System role not supported", "system->user"),
        ("Conversation role system is not allowed", "system->user"),
        ("the temperature of the room is 20", None),  # nothing is refused
        ("the file system is not available", None),  # not a role
        (
            "max_tokens is too large: 9999, not allowed above 4096",
            None,
        ),  # a limit that is too high is the user's to mend
        ("Rate limit reached", None),
    ],
)
def test_lesson(text: str, fix: str | None) -> None:
    params = (
        {"temperature": 0, "top_p": 1, "max_tokens": 5}
        if "max_completion" not in text
        else {"max_completion_tokens": 5}
    )
    assert lesson(Said(text), request(**params), frozenset()) == fix


def test_nothing_is_learned_twice() -> None:
    said = Said("'temperature' is not supported")
    assert lesson(said, request(temperature=0), frozenset({"temperature"})) is None


@pytest.mark.parametrize(
    ("said", "blames"),
    [
        (Said("bad value", param="seed"), True),
        (Said("'seed' must be a number"), True),
        (Said("please stop; the seed of doubt"), False),
        (Said("reasoning_effort must be low or high"), True),
        (Said("messages must not be empty"), False),
    ],
)
def test_an_error_blames_a_parameter_only_by_its_name(said: Said, blames: bool) -> None:
    assert blames_params(said, request(seed=1, stop="x", reasoning_effort="high")) is blames
