"""Jinja2 as judgekit uses it: sandboxed, strict about what is missing, never escaping, and with nothing but data."""

from __future__ import annotations

import json
from types import CodeType
from typing import Any

from jinja2 import StrictUndefined, TemplateRuntimeError
from jinja2 import Template as Compiled
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from judgekit.render.fences import fence
from judgekit.types import Json, text_of

LONGEST = 10_000


class MissingField(TemplateRuntimeError):
    """A template shows a field that the case or the output does not have."""

    def __init__(self, field: str) -> None:
        super().__init__(f"shows `{field}`, which is missing here")
        self.field = field


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment whose templates see plain JSON data: no globals, no loader, no escaping."""

    intercepted_binops = frozenset(["*", "**"])

    def __init__(self) -> None:
        super().__init__(
            autoescape=False,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=shown,
        )
        self.globals.clear()
        for name in ("e", "escape", "forceescape", "safe", "urlize", "xmlattr"):
            del self.filters[name]  # a prompt is not HTML
        self.filters["tojson"] = _to_json
        self.filters["_fence"] = _fence
        self.filters["_levels"] = _levels
        self.filters["_examples"] = _examples

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """A slip such as `"-" * 10 ** 10` must not eat the machine."""
        if operator == "**":
            raise TemplateRuntimeError("`**` is not available in a template")
        size = max((len(side) for side in (left, right) if isinstance(side, (str, list, tuple))), default=0)
        if size and size * max((side for side in (left, right) if isinstance(side, int)), default=0) > LONGEST:
            raise TemplateRuntimeError(f"`*` repeats a text or list to more than {LONGEST} signs or items")
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`output.items` is the key of a JSON object before it is a method of a dict."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


def shown(value: Any) -> Any:
    """What is printed for `value`: never `None`, and never the repr of something that is not data."""
    if value is None:
        raise TemplateRuntimeError("prints a value that is missing here; guard it with `{% if ... is not none %}`")
    if isinstance(value, (dict, list, tuple)):
        return text_of(value)
    if isinstance(value, (str, int, float, StrictUndefined)):
        return value
    raise TemplateRuntimeError(f"prints a {type(value).__name__}, which is not data; add `| list` or `| join`")


def compiled(env: Sandbox, code: CodeType) -> Compiled:
    """A template of this environment that is ready to render."""
    return Compiled.from_code(env, code, {})


def line_of(error: BaseException) -> int | None:
    """The line of the template at which an error arose."""
    line, trace = None, error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Compiled):
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line


def _fence(value: Any, name: str, marker: str, whole: bool) -> str:
    if value is None and whole:
        raise MissingField(name)
    if value is not None and not isinstance(value, (dict, list)):
        value = str(shown(value))
    return fence(value, name, marker)


def _to_json(value: Json, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, indent=indent)


def _levels(levels: dict[str, str]) -> str:
    return "\n".join(f"{level}: {meaning.strip()}" for level, meaning in levels.items())


def _examples(examples: list[dict[str, str]], tag: str) -> str:
    """Worked examples as the judge should answer them: material quoted, then the reply."""
    return "\n\n".join(_example(number, example, tag) for number, example in enumerate(examples, 1))


def _example(number: int, example: dict[str, str], tag: str) -> str:
    quoted = [
        f"{name.capitalize()}:\n" + "\n".join(f"> {line}" for line in example[name].rstrip("\n").split("\n"))
        for name in ("input", "context", "output")
        if name in example
    ]
    verdict = f"<{tag}>{example['verdict']}</{tag}>" if tag else ""
    answer = (
        f"{example['reason'].strip()}\n{verdict}"
        if verdict
        else _to_json({"reasoning": example["reason"].strip(), "verdict": example["verdict"]})
    )
    return "\n".join([f"Example {number}", *quoted, f"Your reply:\n{answer}"])
