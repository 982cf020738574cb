"""How a variant gives its outputs: recorded, asked of a model, called in Python, or run as a command."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from judgekit.errors import CallFailed, InputError, Problem
from judgekit.graders.target import load_target
from judgekit.render import compile_message
from judgekit.run.called import called, importable, named
from judgekit.run.convert import MALFORMED, as_output, pick
from judgekit.suite import Variant
from judgekit.types import Case, Fault, Json, Message, Output, Reply, Request, Sender

Answerer = Callable[[Case, int], Awaitable[Output]]
"""Gives the output of a case in a trial; what goes wrong is an output with a fault, never an exception."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """A system prompt, a user message and a model that answers them."""

    variant: Variant
    system: str
    user: Callable[[Case], str] | None
    user_text: str = ""

    def request(self, case: Case, trial: int) -> Request:
        """The one call that gives this case's output in this trial."""
        assert self.variant.model is not None
        messages = [Message("system", self.system)] if self.system else []
        if self.user is not None:
            messages.append(Message("user", self.user(case)))
        elif isinstance(case.input, str):
            messages.append(Message("user", case.input))
        else:
            messages.extend(case.input)
        return Request(
            model=self.variant.model,
            messages=tuple(messages),
            params=self.variant.params,
            trial=trial,
            base_url=self.variant.base_url,
            api_key_env=self.variant.api_key_env,
            label=f"{case.id}, trial {trial}, answer",
        )


def prompted(variant: Variant, *, folder: Path, name: str) -> Prompted:
    """Read a variant's prompt files.

    Raises `InputError` when one is missing, or when the user template names something that a case does not have.
    """
    texts = {}
    for key in ("system", "user"):
        file = getattr(variant, key)
        if file is None:
            continue
        try:
            texts[key] = (folder / file).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            what = f"variants.{name}.{key}: cannot read {file!r}: {getattr(error, 'strerror', None) or error}"
            raise InputError(Problem("judgekit.yaml", None, what)) from None
    user = compile_message(texts["user"], name=str(variant.user)) if "user" in texts else None
    return Prompted(variant, texts.get("system", "").strip(), user, texts.get("user", ""))


def answer_by_model(prompt: Prompted, send: Sender, *, name: str) -> Answerer:
    """Outputs from a model, through the same sender as every other call."""

    async def answer(case: Case, trial: int) -> Output:
        base = Output(id=case.id, variant=name, trial=trial, model=prompt.variant.model)
        try:
            reply = await send(prompt.request(case, trial))
        except CallFailed as error:
            return _missing(base, error.code, error.why)
        return output_of_reply(reply, base, prompt.variant)

    return answer


def output_of_reply(reply: Reply, base: Output, variant: Variant) -> Output:
    """The output that a model's reply is: its text, or what `parse` and `citation_pattern` take from it."""
    if not reply.text.strip() and reply.finish != "stop":
        return _missing(base, f"empty_{reply.finish}", f"the model gave no text (it stopped with: {reply.finish})")
    value: dict[str, Json] = {"output": reply.text}
    if variant.parse == "json":
        value = _parsed(reply.text)
    elif variant.citation_pattern:
        found = re.finditer(variant.citation_pattern, reply.text)
        value["citations"] = [m.group(1 if m.lastindex else 0) for m in found]
    output = pick(as_output(value, base), variant.output_field)
    return msgspec.structs.replace(
        output, finish=reply.finish, usage=reply.usage, cost_usd=reply.cost_usd, cached=reply.cached
    )


def _parsed(text: str) -> dict[str, Json]:
    """The object in a reply that should be JSON; text that is not stays the output, without label or citations."""
    body = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        value = json.loads(body, parse_constant=lambda _: MALFORMED)
    except (ValueError, RecursionError):
        return {"output": text}
    if isinstance(value, dict) and any(k in value for k in ("output", "reply", "answer", "text")):
        return value
    return {"output": value if not isinstance(value, str) else text}


def answer_by_record(outputs: Mapping[tuple[str, int], Output], *, name: str) -> Answerer:
    """Recorded outputs by (case, trial)."""

    async def answer(case: Case, trial: int) -> Output:
        return recorded(outputs, case, trial, name=name)

    return answer


def recorded(outputs: Mapping[tuple[str, int], Output], case: Case, trial: int, *, name: str) -> Output:
    """The recorded output of a case in a trial, or one with the fault that there is none."""
    found = outputs.get((case.id, trial))
    if found is None:
        base = Output(id=case.id, variant=name, trial=trial)
        return _missing(base, "no_output", f"no recorded output of case {case.id!r}, trial {trial}")
    return msgspec.structs.replace(found, variant=name)


def answer_by_python(variant: Variant, function: Callable[..., Any], *, name: str) -> Answerer:
    """Outputs from a function `f(input)`, or `f(input, case, trial)` where it names them; sync ones run in a thread."""
    shown = getattr(function, "__qualname__", type(function).__name__)
    wanted = named(function, "case", "trial")

    async def answer(case: Case, trial: int) -> Output:
        base = Output(id=case.id, variant=name, trial=trial, model=variant.model)
        chat = case.input if isinstance(case.input, str) else [msgspec.to_builtins(m) for m in case.input]
        extra: dict[str, Any] = {k: v for k, v in (("case", case), ("trial", trial)) if k in wanted}
        try:
            async with asyncio.timeout(variant.timeout_s):
                value, error = await called(partial(function, chat, **extra))
        except TimeoutError:
            return _missing(base, "timeout", f"{shown} took longer than {variant.timeout_s:g} s")
        if error:
            return _missing(base, "exception", f"{shown} raised {error}")
        return pick(as_output(value, base), variant.output_field)

    return answer


def load_function(target: str, *, folder: Path, name: str) -> Callable[..., Any]:
    """Load `module:function`, looking beside the suite first. Raises `InputError`."""
    importable(folder)
    try:
        return load_target(target, can_wait=True)
    except InputError as error:
        raise InputError([Problem(f"variants.{name}", None, p.what) for p in error.problems]) from None


def answer_by_command(variant: Variant, *, folder: Path, name: str) -> Answerer:
    """Outputs of a command: the case as JSON on stdin, JSON or text on stdout, a fresh folder for each trial.

    Words of the command that name files beside the suite become absolute, since the command runs elsewhere.
    """
    assert variant.command is not None
    words = [str((folder / word).resolve()) if (folder / word).is_file() else word for word in variant.command]
    home = str(folder.resolve())

    async def answer(case: Case, trial: int) -> Output:
        base = Output(id=case.id, variant=name, trial=trial, model=variant.model)
        given = json.dumps({**msgspec.to_builtins(case), "trial": trial}, ensure_ascii=False).encode()
        with tempfile.TemporaryDirectory(prefix="judgekit-", ignore_cleanup_errors=True) as place:
            try:
                process = await asyncio.create_subprocess_exec(
                    *words,
                    cwd=place,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    env={**os.environ, "JUDGEKIT_SUITE": home, "PYTHONIOENCODING": "utf-8"},
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                return _missing(base, "no_command", f"cannot start {words[0]!r}: {_why(error)}")
            try:
                async with asyncio.timeout(variant.timeout_s):
                    out, err = await process.communicate(given)
            except TimeoutError:
                limit = f"{variant.timeout_s:g} s"
                left = f"ended, but something that it started kept its output open for {limit}"
                what = f"took longer than {limit}" if process.returncode is None else left
                await _end(process)
                return _missing(base, "timeout", f"{words[0]} {what}")
            except asyncio.CancelledError:
                await _end(process)
                raise
        if process.returncode:
            last = err.decode(errors="replace").strip().splitlines()[-1:] or ["nothing on stderr"]
            return _missing(base, "exit_status", f"{words[0]} ended with status {process.returncode}: {last[0]}")
        try:
            text = out.decode("utf-8-sig")
        except UnicodeDecodeError:
            return _missing(base, "not_utf8", f"{words[0]} printed something that is not UTF-8")
        return pick(as_output(_printed(text), base), variant.output_field)

    return answer


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the command and what it started, and close its pipes, which something that got away may still hold."""
    with suppress(ProcessLookupError, PermissionError):  # it has ended
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - a process has no public way to do it


def _why(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def _printed(text: str) -> Json:
    """JSON when the whole of stdout is a JSON object, else the text without its last newline."""
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    return text.removesuffix("\n").removesuffix("\r")


def _missing(base: Output, code: str, why: str) -> Output:
    return msgspec.structs.replace(base, fault=Fault("failed", code, why))
