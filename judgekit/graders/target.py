"""The user's own check in Python: found by `module:function`, called, and its answer read without guessing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from judgekit.errors import InputError, Problem
from judgekit.graders.text import shorten
from judgekit.located import near
from judgekit.types import Case, Fault, Output, Verdict

ANSWERS = "return True or False, (True or False, reason), or the reason of a failure as text ('' passes)"


def target_problem(target: str) -> str:
    """Why `target` is not of the form `module:function`; "" when it is."""
    module, _, function = target.partition(":")
    if not function or not all(part.isidentifier() for part in [*module.split("."), *function.split(".")]):
        return f'"{shorten(target)}" is no Python function; write module:function, e.g. checks:polite'
    if module.endswith(".py"):
        return f'"{shorten(target)}" names a file; write {module.removesuffix(".py")}:{function}'
    return ""


def load_target(target: str, *, can_wait: bool = False) -> Callable[..., Any]:
    """The function that `module:function` names; the module is imported, so its own code runs.

    can_wait   an async function will do
    Raises `InputError`, in one line, when the form is wrong, the import fails, the name is not there, or what it
    names cannot be called or is async.
    """

    def stop(what: str) -> InputError:
        return InputError(Problem("", None, f"python: {what}"))

    problem = target_problem(target)
    if problem:
        raise stop(problem)
    module, _, names = target.partition(":")
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise stop(f'no module "{module}" beside the suite or installed') from None
        raise stop(f'importing "{module}" failed: {said(error)}') from None
    except (Exception, SystemExit) as error:  # noqa: BLE001  a module's own code may raise anything
        raise stop(f'importing "{module}" failed: {said(error)}') from None
    for name in names.split("."):
        if not hasattr(found, name):
            raise stop(f'"{module}" has no "{names}".{near(name, [n for n in dir(found) if n[0] != "_"])}')
        found = getattr(found, name)
    if not callable(found):
        raise stop(f'"{target}" is {type(found).__name__}, not a function')
    if is_async(found) and not can_wait:
        raise stop(f'"{target}" is async; a check is a plain function (ask a model through a rubric instead)')
    return found  # type: ignore[no-any-return]


def target_finding(call: Callable[..., Any], case: Case, output: Output) -> tuple[Verdict, str] | Fault:
    """What the user's check says of an output. It is called with those of `output`, `text` and `case` that it names;
    a single argument of another name is the output.

    True or "" passes; False, or a text that is the reason, fails; (True or False, reason) says both; a `Fault` is no
    verdict. Anything else, None included, and every exception is the fault `check_error`: a broken check is no
    evidence about the output.
    """
    name = case.expected.python or getattr(call, "__qualname__", type(call).__name__)
    if is_async(call):
        return Fault("failed", "check_error", f"{name} is async; a check is a plain function")
    try:
        args, named = _arguments(call, case, output)
        result = call(*args, **named)
    except (Exception, SystemExit) as error:  # noqa: BLE001  so may a check
        return Fault("failed", "check_error", f"{said(error)} in {name}")
    return _read(result, name)


def _arguments(call: Callable[..., Any], case: Case, output: Output) -> tuple[list[Any], dict[str, Any]]:
    try:
        parameters = inspect.signature(call).parameters.values()
    except (ValueError, TypeError):  # a function written in C may not say
        return [output], {}
    offered = {"output": output, "text": output.text, "case": case}
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    first = positional[0] if positional else None
    args = [offered.get(first.name, output)] if first else []
    rest = [p for p in parameters if p is not first and p.name in offered and p.kind is not p.POSITIONAL_ONLY]
    return args, {p.name: offered[p.name] for p in rest}


def _read(result: Any, name: str) -> tuple[Verdict, str] | Fault:
    reason = ""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], str):
        result, reason = result[0], result[1]
        if isinstance(result, str):
            return Fault("failed", "check_error", f"{name} returned a pair of texts; {ANSWERS}")
    if type(result).__module__ == "numpy" and getattr(result, "ndim", None) == 0:
        result = result.item()
    if isinstance(result, bool):
        return ("PASS", reason or f"{name} passed") if result else ("FAIL", reason or f"{name} returned False")
    if isinstance(result, Fault):
        return result
    if isinstance(result, str) and result.strip().upper() not in ("PASS", "FAIL", "UNKNOWN", "TRUE", "FALSE", "OK"):
        return ("FAIL", result.strip()) if result.strip() else ("PASS", f"{name} passed")
    if inspect.iscoroutine(result):
        result.close()
        return Fault("failed", "check_error", f"{name} is async; a check is a plain function")
    found = "nothing" if result is None else shorten(_repr(result), 60)
    return Fault("failed", "check_error", f"{name} returned {found}; {ANSWERS}")


def is_async(call: Any) -> bool:
    """Whether calling it gives something to wait for."""
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None))  # noqa: B004


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001  a user's own __repr__ may break; the type still says what came back
        return f"a {type(value).__name__}"


def said(error: BaseException) -> str:
    """`ValueError: what it said`, on one line, whatever kind of exception a user's code raised."""
    try:
        message = shorten(str(error), 200)
    except Exception:  # noqa: BLE001  a user's own __str__ may break
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
