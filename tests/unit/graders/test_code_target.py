"""The user's own check: found or refused in one line, and read without guessing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judgekit.errors import InputError
from judgekit.graders.code import code_grades, load_target
from judgekit.types import Case, Expected, Fault, Grade, Output

CASE = Case(id="c", input="?", expected=Expected(python="checks:polite"), tags=("t",))
OUTPUT = Output(id="c", output="Моля, 👍", label="x")


def graded(call: Callable[..., Any] | None, case: Case = CASE) -> Grade:
    (grade,) = code_grades(case, OUTPUT, call=call)
    return grade


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        (True, "PASS", "checks:polite passed"),
        (False, "FAIL", "checks:polite returned False"),
        ("", "PASS", "checks:polite passed"),
        ("no greeting", "FAIL", "no greeting"),
        ((True, "kind"), "PASS", "kind"),
        ((False, "rude"), "FAIL", "rude"),
        ((False, ""), "FAIL", "checks:polite returned False"),
        (np.True_, "PASS", "checks:polite passed"),
        ((np.False_, "rude"), "FAIL", "rude"),
    ],
)
def test_a_check_says_pass_or_fail(answer: object, verdict: str, reason: str) -> None:
    grade = graded(lambda _output: answer)
    assert (grade.verdict, grade.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (None, "nothing"),
        (0, "0"),
        (1, "1"),
        (0.8, "0.8"),
        ("PASS", "'PASS'"),
        (" fail", "' fail'"),
        ("True", "'True'"),
        (np.float64(0.8), "0.8"),
        (np.array([True]), "array([ True])"),
        ([], "[]"),
        ((True,), "(True,)"),
    ],
)
def test_an_answer_that_could_be_read_two_ways_is_no_verdict(answer: object, shown: str) -> None:
    fault = graded(lambda _output: answer).fault
    assert fault is not None
    assert (fault.kind, fault.code) == ("failed", "check_error")
    assert fault.why.startswith(f"checks:polite returned {shown}; return True or False")


def test_a_check_may_say_that_it_does_not_apply() -> None:
    fault = Fault("not_applicable", "no_order", "no order in it")
    assert graded(lambda _output: fault).fault == fault


class _Rude(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def test_an_exception_is_never_a_fail() -> None:
    def broken(_output: Output) -> bool:
        raise ValueError("no\nsuch thing")

    def leaves(_output: Output) -> bool:
        raise SystemExit(1)

    def asserts(_output: Output) -> bool:
        raise AssertionError

    def rude(_output: Output) -> bool:
        raise _Rude

    whys = [graded(call).fault.why for call in (broken, leaves, asserts, rude)]  # type: ignore[union-attr]
    assert whys == [
        "ValueError: no such thing in checks:polite",
        "SystemExit: 1 in checks:polite",
        "AssertionError in checks:polite",
        "_Rude in checks:polite",
    ]
    assert graded(lambda: True).fault is None
    assert graded(None).fault == Fault("failed", "check_error", "the function checks:polite was not loaded")


def test_a_check_is_given_what_it_names() -> None:
    assert graded(lambda output: output.label == "x").verdict == "PASS"
    assert graded(lambda o: isinstance(o, Output)).verdict == "PASS"
    assert graded(lambda text: text == "Моля, 👍").verdict == "PASS"
    assert graded(lambda output, case: case.tags == ("t",) and output is OUTPUT).verdict == "PASS"
    assert graded(lambda case, text: case is CASE and "Моля" in text).verdict == "PASS"
    assert graded(lambda output, *, text, limit=3: output is OUTPUT and bool(text) and limit == 3).verdict == "PASS"
    assert graded(lambda output, /, case=None: case is CASE).verdict == "PASS"
    assert graded(lambda _output, other: True).fault is not None


def test_async_checks_are_refused() -> None:
    async def later(_output: Output) -> bool:
        return True

    class Later:
        async def __call__(self, _output: Output) -> bool:
            return True

    def hides(output: Output) -> object:
        return later(output)

    for call in (later, Later(), hides):
        fault = graded(call).fault
        assert fault is not None
        assert "is async" in fault.why


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    monkeypatch.syspath_prepend(tmp_path)

    def write(body: str) -> str:
        name = f"jk_check_{abs(hash((str(tmp_path), body)))}"
        (tmp_path / f"{name}.py").write_text(body, encoding="utf-8")
        return name

    return write


def test_a_function_is_found_by_its_name(module: Callable[[str], str]) -> None:
    name = module(
        "def polite(output):\n    return 'Моля' in output.text\nclass K:\n    polite = staticmethod(polite)\n"
    )
    assert graded(load_target(f"{name}:polite")).verdict == "PASS"
    assert graded(load_target(f"{name}:K.polite")).verdict == "PASS"


@pytest.mark.parametrize(
    ("body", "target", "said"),
    [
        ("", "no_such_module_here:f", 'no module "no_such_module_here" beside the suite or installed'),
        ("import no_such_module_here", "{}:f", 'importing "{}" failed: ModuleNotFoundError: No module named'),
        ("1 / 0", "{}:f", 'importing "{}" failed: ZeroDivisionError: division by zero'),
        ("raise SystemExit(3)", "{}:f", 'importing "{}" failed: SystemExit: 3'),
        ("def f(:", "{}:f", 'importing "{}" failed: SyntaxError'),
        ("def polite(o): pass", "{}:plite", "has no \"plite\". Did you mean 'polite'?"),
        ("f = 3", "{}:f", "is int, not a function"),
        ("async def f(o): pass", "{}:f", "is async; a check is a plain function"),
        ("", "checks", "write module:function"),
        ("", "a b:c", "write module:function"),
        ("", ":f", "write module:function"),
    ],
)
def test_what_cannot_be_loaded_is_one_clear_line(
    module: Callable[[str], str], body: str, target: str, said: str
) -> None:
    name = module(body)
    with pytest.raises(InputError) as caught:
        load_target(target.format(name))
    assert said.format(name) in str(caught.value)
    assert "\n" not in str(caught.value)
