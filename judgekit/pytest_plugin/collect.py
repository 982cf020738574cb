"""From a marked function to one test a case, and the one object that holds what a session knows of its suites."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import JudgekitError, UsageError
from judgekit.pytest_plugin import ADVISORY
from judgekit.pytest_plugin.engine import Live, LoopThread, open_senders
from judgekit.pytest_plugin.judged import Judged
from judgekit.pytest_plugin.runs import Graded, graded
from judgekit.run.loaded import Suite, load_suite
from judgekit.run.plan import Plan, Selection, make_plan
from judgekit.run.senders import Senders

KEYWORDS = ("variant", "trials", "tag", "judge", "undecided")
UNDECIDED = (None, "error", "skip")


@dataclass(frozen=True)
class Asked:
    """What a mark asks for; equal marks share one run."""

    suite: Path
    variant: str | None = None
    trials: int | None = None
    tags: tuple[str, ...] = ()
    judge: str | None = None


@dataclass(frozen=True)
class Wanted:
    """The parameter of one test."""

    asked: Asked
    case: str
    undecided: str | None = None


_judged = pytest.StashKey[Judged]()
_session = pytest.StashKey["SuiteSession"]()


def session_of(config: pytest.Config) -> SuiteSession:
    """The one of this session, made and registered when first asked for."""
    found = config.stash.get(_session, None)
    if found is None:
        found = config.stash[_session] = SuiteSession(config)
        config.pluginmanager.register(found, "judgekit-session")
    return found


def parametrize(metafunc: pytest.Metafunc, mark: pytest.Mark) -> None:
    """Make one test for each case. What is wrong with the mark or the suite is an error of the collection."""
    try:
        asked, undecided = _asked(mark, metafunc.config.rootpath)
        if "judged" not in metafunc.fixturenames:
            name = metafunc.function.__name__
            raise UsageError(f"{name} is marked judgekit: give it the argument `judged`, the graded case")
        plan = session_of(metafunc.config).plan(asked)
    except JudgekitError as error:
        raise pytest.Collector.CollectError(f"judgekit: {error}") from None
    if not plan.cases:
        raise pytest.Collector.CollectError(f"judgekit: {plan.suite.shown}: no case is selected ({plan.selected})")
    wanted = [Wanted(asked, case.id, undecided) for case in plan.cases]
    metafunc.parametrize("judged", wanted, ids=[case.id for case in plan.cases], indirect=True)


def _asked(mark: pytest.Mark, root: Path) -> tuple[Asked, str | None]:
    known: dict[str, Any] = dict(mark.kwargs)
    if len(mark.args) != 1 or not isinstance(mark.args[0], (str, Path)):
        raise UsageError("the mark names one suite: @pytest.mark.judgekit('evals', variant='v2')")
    if strange := sorted(set(known) - set(KEYWORDS)):
        raise UsageError(f"the mark knows no {strange[0]!r}; it takes {', '.join(KEYWORDS)}")
    undecided = known.get("undecided")
    if undecided not in UNDECIDED:
        raise UsageError(f"undecided={undecided!r}: write 'error' or 'skip', or leave it out")
    tag = known.get("tag") or ()
    tags = (tag,) if isinstance(tag, str) else tuple(tag)
    suite = (root / mark.args[0]).resolve()
    return Asked(suite, known.get("variant"), known.get("trials"), tags, known.get("judge")), undecided


class SuiteSession:
    """Suites, plans and runs of one pytest session; its hooks exist only in sessions that use a suite."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.getoption
        self.live = Live(
            live=bool(option("judgekit_live")), calls=option("judgekit_max_calls"), usd=option("judgekit_max_cost")
        )
        self.loop = LoopThread()
        self._shares = hasattr(config, "workerinput")
        self._suites: dict[Path, Suite] = {}
        self._plans: dict[Asked, Plan] = {}
        self._selected: dict[Asked, set[str]] = {}
        self._graded: dict[Asked, Graded] = {}
        self._senders: dict[Path, Senders] = {}

    def suite(self, path: Path) -> Suite:
        """A suite, read once. Raises `InputError`."""
        if path not in self._suites:
            self._suites[path] = load_suite(path)
        return self._suites[path]

    def plan(self, asked: Asked) -> Plan:
        """The plan for all cases of a mark. Raises `FixNeeded`."""
        if asked not in self._plans:
            selection = Selection(tags=asked.tags)
            self._plans[asked] = make_plan(
                self.suite(asked.suite), asked.variant, trials=asked.trials, selection=selection, judge=asked.judge
            )
        return self._plans[asked]

    def senders(self, suite: Suite, models: list[str]) -> Senders:
        """The senders for single calls, one for each suite: their budget holds for the session.

        Raises `UsageError` when calls would be paid for without a limit.
        """
        if suite.folder not in self._senders:
            self._senders[suite.folder] = open_senders(self.live.way(suite, models))
        return self._senders[suite.folder]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """See which cases are left after `-k` and the like: only they are run."""
        for item in session.items:
            callspec = getattr(item, "callspec", None)
            wanted = callspec.params.get("judged") if callspec is not None else None
            if isinstance(wanted, Wanted):
                self._selected.setdefault(wanted.asked, set()).add(wanted.case)

    def judge_item(self, item: pytest.Item, wanted: Wanted, temporary: pytest.TempPathFactory) -> Judged:
        """The graded case of a test. The first test of a suite runs it whole, for all of its tests."""
        found = self._graded.get(wanted.asked)
        if found is None:
            plan = self.plan(wanted.asked)
            chosen = self._selected.get(wanted.asked)
            plan = replace(plan, cases=tuple(c for c in plan.cases if chosen is None or c.id in chosen))
            base = temporary.getbasetemp()
            root = (base.parent if self._shares else base) / f"judgekit-{plan.fingerprint[:16]}"
            found = graded(plan, root, live=self.live, loop=self.loop, shared=self._shares)
            self._graded[wanted.asked] = found
        if found.error:
            pytest.fail(f"judgekit: {found.error}", pytrace=False)
        judged = found.cases[wanted.case]
        item.stash[_judged] = judged
        item.user_properties.append(("judgekit_outcome", judged.outcome))
        if judged.against:
            item.user_properties.append((ADVISORY, judged.against))
        if judged.outcome == "undecided":
            _end_undecided(judged, wanted.undecided)
        for notice in found.notices:
            item.add_report_section("setup", "judgekit", notice)
        return judged

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """A failed case fails its test, when the function itself has nothing against it."""
        result = yield
        judged = item.stash.get(_judged, None)
        if judged is not None and judged.outcome == "fail":
            pytest.fail(judged.told(), pytrace=False)
        return result

    def pytest_unconfigure(self) -> None:
        """Close what is open, and end the loop."""
        for senders in self._senders.values():
            self.loop.run(senders.aclose())
        self.loop.close()


def _end_undecided(judged: Judged, undecided: str | None) -> None:
    """Undecided is not a pass and no failure: an error, or skipped when nothing that graded the case may decide."""
    if undecided == "skip" or (undecided is None and judged.only_advisory):
        said = judged.against or judged.advisory or ("PASS" if judged.only_advisory else "")
        pytest.skip(f"undecided: {judged.why}" + (f"; they said {said}" if said else ""))
    pytest.fail(judged.told(), pytrace=False)
