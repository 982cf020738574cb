"""The user message of a variant under test: a template of the case, with nothing added."""

from __future__ import annotations

from collections.abc import Callable

from judgekit.errors import CallFailed, InputError, Problem
from judgekit.render.sandbox import Sandbox, line_of
from judgekit.render.template import checked, finished, parsed
from judgekit.types import Case, Json

_KNOWN = ("input", "context", "meta")


def compile_message(text: str, *, name: str) -> Callable[[Case], str]:
    """A function from a case to its message. Variables: `input`, `context`, `meta`; a chat is `role: content` lines.

    What a good answer must hold (`reference`, `expected`, `rubric`) is not there: it would give the answer away.
    Raises `InputError` for a bad template. The function raises `CallFailed` (code `template`) where one case fails.
    """
    env = Sandbox()
    tree = parsed(env, text, name)
    problems = list(checked(tree, text, known=_KNOWN))
    if problems:
        raise InputError([Problem(name, line, what) for line, what in sorted(problems)])
    template = finished(env, tree, name)

    def message(case: Case) -> str:
        values: dict[str, Json] = {"input": _input(case), "context": case.context, "meta": case.meta}
        try:
            return "".join(template.root_render_func(template.new_context(values))).removesuffix("\n")
        except Exception as error:  # noqa: BLE001 - a template of the user can raise anything
            line = line_of(error)
            place = f"{name}:{line}" if line else name
            raise CallFailed(f"{place}: case {case.id!r}: {error}", code="template") from None

    return message


def _input(case: Case) -> str:
    if isinstance(case.input, str):
        return case.input
    return "\n\n".join(f"{turn.role}: {turn.content}" for turn in case.input)
