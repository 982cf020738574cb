"""Case and two outputs -> the prompt for one call of a judge of pairs: both orders differ by the swap alone."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.render.fences import NOTICE, guard
from judgekit.render.prompt import fill, lacking, place_of, texts_of, verdicts
from judgekit.render.sandbox import MissingField
from judgekit.render.template import Template
from judgekit.types import Case, Fault, Json, Message, Output, Prompt, ReplyForm

PAIR_NOTICE = NOTICE.replace("output-CODE", "first-CODE")


def render_pair(
    template: Template,
    case: Case,
    first: Output,
    second: Output,
    *,
    criterion: str,
    dimension: str,
    needs: Sequence[str],
    labels: tuple[str, ...],
    structured: bool = False,
) -> Prompt | Fault:
    """The prompt that asks which of two outputs is better on one criterion. Neither may be a fault.

    Nothing of who wrote them is in it: no variant, model or file. The marker of the fences comes from the set of the
    texts, not from their order, so that swapping `first` and `second` swaps the two fenced texts and nothing else.
    A template that fails on this case alone is a fault, as in `judgekit.render.render`.
    """
    answers = sorted((first.output, second.output), key=texts_of)
    shared = _shared(case, first, second)
    texts = [text for value in (*shared.values(), *answers) if value is not None for text in texts_of(value)]
    marker, forged = guard(texts)
    form = ReplyForm(
        labels=labels,
        tag=f"result-{marker}" if forged and not structured else "result",
        form="json" if structured else "tag",
    )
    values: dict[str, Json] = {
        **shared,
        "first": first.output,
        "second": second.output,
        "criterion": criterion.strip(),
        "dimension": dimension,
        "needs": list(needs),
        "ties": "TIE" in labels,
        "verdicts": verdicts(form, forged=forged),
        "_marker": marker,
        "_tag": "" if structured else form.tag,
    }
    try:
        system, user = fill(template, values)
    except Exception as error:  # noqa: BLE001 - a template of the user can raise anything
        where = place_of(template, error, f"case {case.id!r}, dimension {dimension!r}")
        if isinstance(error, MissingField):
            return Fault("not_applicable", f"no_{error.field}", f"{where}: {error}")
        return Fault("failed", "template", f"{where}: {error}")
    lacks = lacking(system + user, marker, form, ("first", "data"), ("second", "data"))
    if lacks:
        return Fault("failed", "template", f"{template.name}: case {case.id!r}, dimension {dimension!r}: {lacks}")
    return Prompt(
        messages=(
            Message("system", f"{system}\n\n{PAIR_NOTICE}" if system else PAIR_NOTICE),
            Message("user", f"The code of this message is {marker}.\n\n{user}"),
        ),
        form=form,
    )


def pair_misses(case: Case, first: Output, second: Output, needs: Sequence[str]) -> str | None:
    """The first field that is needed and not there."""
    have = _shared(case, first, second)
    return next((need for need in needs if have[need] is None), None)


def _shared(case: Case, first: Output, second: Output) -> dict[str, Json]:
    """What both calls show alike: a context that only one of the outputs had would tell them apart."""
    chat = None if isinstance(case.input, str) else [{"role": m.role, "content": m.content} for m in case.input]
    own = first.context if first.context == second.context else None
    return {
        "input": case.input if chat is None else chat,
        "context": case.context if own is None else own,
        "reference": case.reference,
        "rubric": case.rubric or None,
    }
