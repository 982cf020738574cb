"""Rubric + case + output -> the prompt for one judge call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgekit.render.fences import NOTICE, guard
from judgekit.render.sandbox import MissingField, line_of
from judgekit.render.template import Template
from judgekit.rubric import Dimension, Rubric
from judgekit.types import Case, Fault, Json, Message, Output, Prompt, ReplyForm, text_of


def missing_needs(dimension: Dimension, case: Case, output: Output) -> str | None:
    """The first field that the dimension needs and this case and output do not have; empty text is there."""
    have = _untrusted(case, output)
    return next((need for need in dimension.needs if have[need] is None), None)


def render(
    template: Template,
    rubric: Rubric,
    dimension: Dimension,
    case: Case,
    output: Output,
    *,
    structured: bool = False,
) -> Prompt | Fault:
    """The prompt that asks for one verdict on one dimension, and the form of reply that it asks for.

    A template that fails on this case alone is a fault: `not_applicable` (code `no_<field>`) when it shows a field
    that is missing here, else `failed` (code `template`), naming template, line and case. `output` must not be a fault.
    """
    untrusted = _untrusted(case, output)
    texts = [text for value in untrusted.values() if value is not None for text in texts_of(value)]
    marker, forged = guard(texts)
    form = ReplyForm(
        labels=dimension.labels,
        tag=f"result-{marker}" if forged and not structured else "result",
        form="json" if structured else "tag",
    )
    values: dict[str, Json] = {
        **untrusted,
        "criterion": dimension.criterion.strip(),
        "levels": {} if dimension.scale == "binary" else dict(dimension.scale.levels),
        "examples": [example.model_dump(exclude_none=True) for example in dimension.examples],
        "verdicts": verdicts(form, forged=forged),
        "dimension": dimension.id,
        "needs": list(dimension.needs),
        "_marker": marker,
        "_tag": "" if structured else form.tag,
    }
    whose = f"case {case.id!r}, rubric {rubric.id!r}"
    try:
        system, user = fill(template, values)
    except MissingField as error:
        mend = "guard it with `{% if ... is not none %}`, or list it under the dimension's `needs`"
        why = f"{place_of(template, error, whose)}: {error.message}; {mend}"
        return Fault("not_applicable", f"no_{error.field}", why)
    except Exception as error:  # noqa: BLE001 - a template of the user can raise anything
        return Fault("failed", "template", f"{place_of(template, error, whose)}: {error}")
    lacks = lacking(system + user, marker, form, ("output", "data"))
    if lacks:
        return Fault("failed", "template", f"{template.name}: {whose}: {lacks}")
    return Prompt(
        messages=(
            Message("system", f"{system}\n\n{NOTICE}" if system else NOTICE),
            Message("user", f"The code of this message is {marker}.\n\n{user}"),
        ),
        form=form,
    )


def verdicts(form: ReplyForm, *, forged: bool = False) -> str:
    """How the judge has to answer: the variable `verdicts` of a template."""
    if form.form == "json":
        labels = ", ".join(f'"{label}"' for label in form.labels)
        return (
            "Answer with one JSON object and nothing else. It has two keys, in this order: "
            f'"reasoning", your reasoning as text, and "verdict", exactly one of {labels}.'
        )
    menu = "\n".join(f"<{form.tag}>{label}</{form.tag}>" for label in form.labels)
    why = " The material holds something like a verdict tag, so yours carries the code." if forged else ""
    return (
        f"Write your reasoning first. Then end your reply with exactly one of these, and nothing after it.{why}\n{menu}"
    )


def lacking(text: str, marker: str, form: ReplyForm, *shown: Sequence[str]) -> str:
    """What a filled template left out, and without which a verdict would be about nothing; "" if it is all there.

    shown   for each thing that has to be shown, the fences in which it may stand
    """
    for fences in shown:
        if not any(f"<{name}-{marker}>" in text for name in fences):
            return f"does not show the {fences[0]} here; show it whatever the case brings"
    if form.form == "tag" and f"<{form.tag}>" not in text:
        return "does not say here how to give the verdict; say it whatever the case brings"
    return ""


def fill(template: Template, values: dict[str, Any]) -> tuple[str, str]:
    """The system part ("" if there is none) and the user part."""
    parts = template.parts
    context = parts.new_context(values)
    if not template.split:
        return "", "".join(parts.root_render_func(context)).strip("\n")
    system, user = (
        "".join(parts.blocks[name](context)).strip("\n") if name in parts.blocks else "" for name in ("system", "user")
    )
    return system, user


def place_of(template: Template, error: BaseException, whose: str) -> str:
    """`pair.j2:7: case 'c1', rubric 'r'`: where a template failed, and on what."""
    line = line_of(error)
    return f"{template.name}{f':{line}' if line else ''}: {whose}"


def _untrusted(case: Case, output: Output) -> dict[str, Json]:
    """Plain JSON of everything that comes from outside; None is missing, "" is not."""
    chat = None if isinstance(case.input, str) else [{"role": m.role, "content": m.content} for m in case.input]
    return {
        "input": case.input if chat is None else chat,
        "output": output.output,
        "context": case.context if output.context is None else output.context,
        "reference": case.reference,
        "trace": output.trace,
        "rubric": case.rubric or None,
    }


def texts_of(value: Json) -> list[str]:
    """A value as it may be printed: whole, and the texts inside it, which JSON writes with escapes."""
    if isinstance(value, str):
        return [value]
    texts, todo = [], [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            todo += [*item.keys(), *item.values()]
        elif isinstance(item, (list, tuple)):
            todo += item
    return [text_of(value), *sorted(texts)]
