"""`replay:` answers from recordings: the offline default, and what turns a live run into a test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from judgekit.errors import CallFailed, InputError, Problem
from judgekit.located import near, read_text
from judgekit.types import Finish, Frozen, Json, Message, Reply, Request, Usage

Texts = str | tuple[str, ...]


class Failure(Frozen, frozen=True):
    """A recorded call that failed: what `CallFailed` carries."""

    code: str
    why: str = "recorded failure"
    status: int | None = None
    retryable: bool = False
    after_s: float | None = None


class Recording(Frozen, frozen=True):
    """One line of a recordings file. Conditions that are left out fit everything; the first that fits wins.

    key            exact request key, as `run --record` writes it; wins over every rule
    model          the name after `replay:`
    question_has   text (or several, all needed) in the last user message
    system_has     the same in the system message
    trial, vote, ask   numbers from 1
    reply          the answer, or `error` for a call that fails
    """

    reply: str | None = None
    key: str = ""
    model: str = ""
    question_has: Texts = ()
    system_has: Texts = ()
    trial: int | None = None
    vote: int | None = None
    ask: int | None = None
    finish: Finish = "stop"
    reasoning: str = ""
    usage: Usage = Usage()
    error: Failure | None = None

    def fits(self, model: str, system: str, question: str, request: Request) -> bool:
        """Whether every condition of this recording holds for a request."""
        return (
            self.model in ("", model)
            and self.trial in (None, request.trial)
            and self.vote in (None, request.vote)
            and self.ask in (None, request.ask)
            and all(text in question for text in _texts(self.question_has))
            and all(text in system for text in _texts(self.system_has))
        )


def _texts(value: Texts) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def bare_name(model: str) -> str:
    """The model without `replay:` and without a provider in front: `gpt-5` for `replay:gpt-5` and `openai:gpt-5`."""
    return model.removeprefix("replay:").split(":", 1)[-1] if ":" in model else model


def recording_key(request: Request) -> str:
    """Key of a recorded answer: the request as the caller means it, whoever answers it.

    Hex SHA-256 of canonical JSON of model name, messages, parameters, schema, trial, vote and ask; so a reply
    recorded from `openai:gpt-5` is found again under `replay:gpt-5`.
    """
    parts = [
        bare_name(request.model),
        [[m.role, m.content] for m in request.messages],
        dict(sorted(request.params.items())),
        request.schema,
        [request.trial, request.vote, request.ask],
    ]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def read_recordings(paths: Iterable[Path], *, names: Mapping[Path, str] | None = None) -> tuple[Recording, ...]:
    """Read recordings files (JSONL), in order.

    Raises `InputError` with file and line of every bad line.
    """
    decoder = msgspec.json.Decoder(Recording)
    found: list[Recording] = []
    problems: list[Problem] = []
    for path in paths:
        shown = (names or {}).get(path, str(path))
        # JSON text may hold U+2028, U+0085 and the like as they are: only a line feed ends a line
        for number, line in enumerate(read_text(path, name=shown).split("\n"), 1):
            if not line.strip():
                continue
            try:
                recording = decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeError) as error:
                problems.append(Problem(shown, number, f"is no recording: {_lower(str(error))}{_hint(str(error))}"))
                continue
            if (recording.reply is None) == (recording.error is None):
                problems.append(Problem(shown, number, "a recording has either 'reply' or 'error'"))
            found.append(recording)
    if problems:
        raise InputError(problems)
    return tuple(found)


def _lower(text: str) -> str:
    return text if text.startswith("JSON") else text[:1].lower() + text[1:]


def _hint(error: str) -> str:
    _, said, rest = error.partition("unknown field `")
    return near(rest.partition("`")[0], Recording.__struct_fields__) if said else ""


class Replay:
    """A sender that answers from recordings and never from a network.

    Raises `CallFailed` with code `no_recording`, naming what was asked, when nothing fits.
    """

    cacheable = False

    def __init__(self, recordings: Sequence[Recording] = ()) -> None:
        self._exact = {r.key: r for r in reversed(recordings) if r.key}
        self._rules: dict[str, list[Recording]] = {}
        names = {r.model for r in recordings if not r.key}
        for name in names | {""}:
            self._rules[name] = [r for r in recordings if not r.key and r.model in ("", name)]

    def wire(self, request: Request) -> dict[str, Json]:
        """What identifies a request to this provider, without secrets."""
        body: dict[str, Any] = {"messages": [[m.role, m.content] for m in request.messages], "params": request.params}
        return {"provider": "replay", "url": "", "body": {**body, "model": bare_name(request.model)}}

    async def __call__(self, request: Request) -> Reply:
        """The recorded answer to `request`."""
        model = bare_name(request.model)
        found = self._exact.get(recording_key(request)) if self._exact else None
        if found is None:
            system = "\n".join(m.content for m in request.messages if m.role == "system")
            question = _last_user(request.messages)
            rules = self._rules.get(model, self._rules[""])
            found = next((r for r in rules if r.fits(model, system, question, request)), None)
        if found is None:
            raise CallFailed(self._nothing(model, request), code="no_recording")
        if found.error is not None:
            error = found.error
            raise CallFailed(
                error.why, code=error.code, status=error.status, retryable=error.retryable, after_s=error.after_s
            )
        assert found.reply is not None
        return Reply(
            text=found.reply,
            finish=found.finish,
            reasoning=found.reasoning,
            model=model,
            usage=found.usage,
            cost_usd=0.0,
        )

    async def aclose(self) -> None:
        """Nothing is open."""

    def _nothing(self, model: str, request: Request) -> str:
        question = " ".join(_last_user(request.messages).split())
        shown = f"{question[:60]}..." if len(question) > 60 else question
        who = f"{request.label}: " if request.label else ""
        known = sorted(name for name in self._rules if name)
        other = f" There are recordings for: {', '.join(known)}." if known and model not in known else ""
        asked = f"trial {request.trial}, vote {request.vote}, ask {request.ask}"
        return f"{who}no recording of {model!r} fits ({asked}, question {shown!r}).{other}"


def _last_user(messages: Sequence[Message]) -> str:
    return next((m.content for m in reversed(messages) if m.role == "user"), "")
