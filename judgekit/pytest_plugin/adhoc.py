"""A judge inside any test: one criterion, one output, one verdict with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from judgekit.errors import JudgekitError, NotEnough
from judgekit.pytest_plugin.collect import SuiteSession, session_of
from judgekit.pytest_plugin.engine import execute
from judgekit.report.numbers import short
from judgekit.rubric import Rubric
from judgekit.run.adhoc import plan_of
from judgekit.run.loaded import Suite
from judgekit.types import Fault, Grade, Json, Message, Verdict

WHO = (
    "`judge` needs to know who judges: name a suite that has a `judge:` in pytest's configuration, "
    "e.g. `judgekit_suite = evals`"
)


@dataclass(frozen=True)
class JudgeSaid:
    """A verdict, or the reason for having none.

    verdict   PASS, FAIL, UNKNOWN (the judge abstained), or None: no verdict, and `fault` says why. Of a rubric with
              several dimensions: FAIL if one fails, PASS if all pass
    why       the judge's reason, or why there is no verdict
    """

    verdict: Verdict | None
    why: str
    fault: Fault | None = None
    grades: tuple[Grade, ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        """True for PASS, False for FAIL; `NotEnough` otherwise, since neither is what the judge said."""
        __tracebackhide__ = True
        if self.verdict in ("PASS", "FAIL"):
            return self.verdict == "PASS"
        raise NotEnough(f"neither PASS nor FAIL: {self}. `.verdict` tells the cases apart")

    def __repr__(self) -> str:
        return f"<judge: {self}>"

    def __str__(self) -> str:
        word = self.verdict or (f"no verdict, {self.fault.kind} ({self.fault.code})" if self.fault else "no verdict")
        return f"{word}: {short(self.why, 300)}" if self.why else word


class AskJudge:
    """Asks the judge of a suite; the calls of one suite share one budget for the whole session."""

    def __init__(self, session: SuiteSession, suite: Suite, item: pytest.Item) -> None:
        self._session = session
        self._suite = suite
        self._item = item

    def __call__(
        self,
        criterion: str | Rubric,
        *,
        output: Json,
        input: str | Sequence[Message | Mapping[str, str]] = "",  # noqa: A002 - the word for it everywhere
        context: str | None = None,
        reference: str | None = None,
        model: str | None = None,
    ) -> JudgeSaid:
        """What the judge says of one output.

        criterion   plain words, the id of a rubric that ships, a rubric file, or a `Rubric`
        model       what wrote the output: the judge must differ
        Raises `FixNeeded` for anything wrong in what is given, `SelfGrading` for a judge that wrote the output,
        `RunStopped` when no further call can succeed.
        """
        __tracebackhide__ = True
        given = {"id": "output", "input": input, "output": output, "context": context, "reference": reference}
        row = {name: value for name, value in given.items() if value is not None}
        try:
            said = self._ask(criterion, row, model)
        except JudgekitError as error:
            raise error.with_traceback(None) from None  # the test's own line says where, and the message what to do
        shown = criterion if isinstance(criterion, str) else criterion.id
        self._item.add_report_section("call", "judgekit", f"{shown}: {said} (advisory: the test decides)")
        return said

    def _ask(self, criterion: str | Rubric, row: Mapping[str, Json], model: str | None) -> JudgeSaid:
        config = self._suite.file.judge
        assert config is not None
        plan = plan_of(
            [row],
            rubrics=(criterion,),
            judge=config,
            model=model,
            answer=None,
            trials=None,
            columns={},
        )
        senders = self._session.senders(self._suite, list(config.models))
        finished = self._session.loop.run(execute(plan, senders, None))
        if finished.stopped is not None:
            raise finished.stopped
        for notice in finished.summary.info.notices:
            self._item.add_report_section("call", "judgekit", notice)
        return _said(finished.summary.results[0].grades)


def _said(grades: Sequence[Grade]) -> JudgeSaid:
    """All grades as one: the first that fails, else has no verdict, else abstains, else all pass."""
    order = {"FAIL": 0, None: 1, "UNKNOWN": 2, "PASS": 3}
    first = min(grades, key=lambda grade: order[grade.verdict])
    why = first.fault.why if first.fault else first.reason
    named = f"{first.dimension}: {why}" if len(grades) > 1 and first.verdict != "PASS" else why
    return JudgeSaid(first.verdict, named, first.fault, tuple(grades))


def ask_judge(request: pytest.FixtureRequest) -> AskJudge:
    """The judge of the suite in `judgekit_suite`, or else of the suite that the test is marked with."""
    named = request.config.getini("judgekit_suite")
    mark = request.node.get_closest_marker("judgekit")
    if not named and mark is not None and mark.args:
        named = mark.args[0]
    if not named:
        pytest.fail(WHO, pytrace=False)
    session = session_of(request.config)
    try:
        suite = session.suite((request.config.rootpath / named).resolve())
    except JudgekitError as error:
        pytest.fail(f"judgekit: {error}", pytrace=False)
    if suite.file.judge is None:
        pytest.fail(f"{suite.shown} has no `judge:`; {WHO}", pytrace=False)
    return AskJudge(session, suite, request.node)
