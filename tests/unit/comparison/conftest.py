"""Sides out of counts: what these tests are about is what the counts say."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from judgekit.comparison.prints import Prints
from judgekit.comparison.side import CaseSide, Side
from judgekit.graders.outcome import case_outcome

SAME = "aaaaaaaa-bbbbbbbb-cccccccc"


@pytest.fixture
def side() -> Callable[..., Side]:
    """`side({"a": (passed, failed, undecided)}, name="v1", must=("a",), tags={"a": ("regression",)})`."""
    return make_side


def make_side(
    counts: Mapping[str, tuple[int, ...]],
    *,
    name: str = "v1",
    must: tuple[str, ...] = (),
    tags: Mapping[str, tuple[str, ...]] | None = None,
    pass_when: Any = "all",
    prints: Mapping[str, str] | None = None,
    rubrics: tuple[str, ...] = (),
    print_: Prints | None = None,
    **rest: Any,
) -> Side:
    cases = []
    for id_, given in counts.items():
        passed, failed, undecided = (*given, 0, 0)[:3]
        outcomes = ["pass"] * passed + ["fail"] * failed + ["undecided"] * undecided
        cases.append(
            CaseSide(
                id=id_,
                passed=passed,
                failed=failed,
                undecided=undecided,
                outcome=case_outcome(outcomes, pass_when),
                pass_when=pass_when,
                tags=(tags or {}).get(id_, ()),
                must_pass=id_ in must,
                fingerprint=(prints or {}).get(id_, SAME),
                rubrics=rubrics,
            )
        )
    trials = cases[0].trials if cases else 1
    return Side(
        name=name,
        suite="shop",
        variant=name,
        run=f"run-{name}",
        trials=rest.pop("trials", trials),
        prints=print_ or Prints(variant=name),
        deciding=rest.pop("deciding", ()),
        cases=tuple(cases),
        **rest,
    )
