"""`judgekit plan`: the exact calls of a run, and what they would cost; sends nothing."""

from __future__ import annotations

from pathlib import Path

from judgekit.cli.common import (
    CaseOpt,
    HoldoutFlag,
    JsonFlag,
    JudgeOpt,
    LimitOpt,
    SuiteArg,
    TagOpt,
    TrialsOpt,
    VariantOpt,
    console,
    print_json,
)


def plan(
    suite: SuiteArg = Path(),
    variant: VariantOpt = None,
    trials: TrialsOpt = None,
    tag: TagOpt = None,
    case: CaseOpt = None,
    limit: LimitOpt = None,
    holdout: HoldoutFlag = False,
    judge: JudgeOpt = None,
    json: JsonFlag = False,
) -> int:
    """Count the calls of a run, those the cache would answer, their tokens and their price. Sends nothing."""
    import msgspec

    from judgekit.cli.running import Asked, prepared, way_of
    from judgekit.report.numbers import money, plural
    from judgekit.run.calls import count_calls
    from judgekit.run.plan import Selection
    from judgekit.run.senders import Senders

    asked = Asked(
        suite=suite,
        variant=variant,
        trials=trials,
        selection=Selection(tuple(tag or ()), limit, holdout, tuple(case or ())),
        judge=judge,
    )
    plan = prepared(asked)
    senders = Senders(way_of(asked, plan, look_only=True), warn=lambda _: None)
    try:
        calls = count_calls(plan, peek=senders.peek, price=senders.price, tokens=senders.tokens)
    finally:
        senders.close_store()
    if json:
        document = {
            "suite": plan.suite.file.suite,
            "variant": plan.name,
            "cases": len(plan.cases),
            "trials": plan.trials,
            "outputs": plan.total,
            "selected": plan.selected,
            "calls": [msgspec.to_builtins(m) for m in calls.models],
            "to_send": calls.sent,
            "exact": calls.exact,
            "at_most_reasked": calls.reask,
            "usd": calls.usd,
            "notices": list(plan.notices),
        }
        print_json(document)
        return 0
    out = console()
    out.print(f"{plan.suite.file.suite} · {plan.name}: {plural(plan.total, 'output')}", markup=False)
    if plan.selected:
        out.print(f"Selected: {plan.selected}", markup=False)
    for notice in plan.notices:
        out.print(f"Note: {notice}", markup=False)
    for m in calls.models:
        price = "price unknown" if m.usd is None else f"about {money(m.usd)}"
        tokens = f"about {m.input_tokens:,} input tokens"
        out.print(
            f"{m.model}: {plural(m.calls, f'{m.purpose} call')}, {m.cached} cached, {tokens}, {price}", markup=False
        )
    if not calls.models:
        out.print("No calls to any model: code checks alone.")
    if not calls.exact:
        out.print("Judge calls are counted as if every output arrives; outputs that fail are not judged.")
        out.print("Tokens and price of judge calls come without the outputs' own text, which is not there yet.")
    if calls.reask:
        out.print(f"At most {plural(calls.reask, 'more call')} if replies cannot be read. Nothing was sent.")
    return 0
