"""The pytest plugin: the cases of a suite as tests, and a judge for any test. Silent and free until used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from judgekit.pytest_plugin.adhoc import AskJudge
    from judgekit.pytest_plugin.judged import Judged

MARK = (
    "judgekit(suite, variant=None, trials=None, tag=None, judge=None, undecided=None): "
    "each case of the suite is a test of its own, which takes the argument `judged`"
)
ADVISORY = "judgekit_advisory"
"""The user property of a test under which stands what advisory judges had against its case."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin, in a group of their own."""
    group = parser.getgroup("judgekit")
    group.addoption(
        "--judgekit-live",
        action="store_true",
        help="Ask the real models, instead of answering every model from the suite's recordings.",
    )
    group.addoption("--judgekit-max-calls", type=int, metavar="N", help="With --judgekit-live: send at most N calls.")
    group.addoption(
        "--judgekit-max-cost", type=float, metavar="USD", help="With --judgekit-live: spend at most so many dollars."
    )
    parser.addini("judgekit_suite", "The suite whose judge and recordings the `judge` fixture uses.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARK)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case of the suite that a marked function names."""
    mark = metafunc.definition.get_closest_marker("judgekit")
    if mark is not None:
        from judgekit.pytest_plugin.collect import parametrize

        parametrize(metafunc, mark)


@pytest.fixture
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """The graded case of this test: `case`, `output`, `outputs`, `outcome`, `why`, `grades`.

    An undecided case ends here: as an error, or skipped when only advisory judges graded it. A failed one fails the
    test when its function has ended.
    """
    if not hasattr(request, "param"):
        pytest.fail("`judged` needs a suite: mark the test with @pytest.mark.judgekit('evals')", pytrace=False)
    from judgekit.pytest_plugin.collect import session_of

    return session_of(request.config).judge_item(request.node, request.param, tmp_path_factory)


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> AskJudge:
    """A judge for this test: `judge("Polite.", output=reply, input=question)` gives its verdict with the reason."""
    from judgekit.pytest_plugin.adhoc import ask_judge

    return ask_judge(request)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests of which an advisory judge said FAIL: it decides nothing, and should be seen."""
    told: dict[str, str] = {}
    for category in ("passed", "skipped", "failed", "error"):
        for report in terminalreporter.stats.get(category, ()):
            for name, value in getattr(report, "user_properties", ()):
                if name == ADVISORY:
                    told[report.nodeid] = value
    if told:
        terminalreporter.section("judgekit: advisory judges, which decide nothing", sep="-")
        for node, value in list(told.items())[:20]:
            terminalreporter.line(f"{node}: {value}")
        if len(told) > 20:
            terminalreporter.line(f"and {len(told) - 20} more")
