"""Laws that agreement must obey whatever the table: relabelling, order, bounds, and intervals that hold their value."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from judgekit.stats import draws
from judgekit.stats.agreement import agreement, kappa, kappa_asymptotic, kappas, matthews, recall, weighted_kappa
from judgekit.stats.chance import ac1, alpha, fleiss, ratings
from judgekit.stats.correction import Judged, double_sampling
from judgekit.stats.counts import case_rate, wilson
from judgekit.stats.paired import holm, on_cases_like_these, on_these_cases
from judgekit.stats.rates import case_mean, pass_at_k, pass_hat_k
from judgekit.stats.tables import Table, count
from judgekit.types import Estimate

tables = st.integers(2, 4).flatmap(lambda k: arrays(np.int64, (k, k), elements=st.integers(0, 15)))
labels = st.sampled_from(["A", "B", "C", None])
columns = st.lists(st.tuples(labels, labels), min_size=1, max_size=40)
counts = st.integers(0, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.fixture(autouse=True, scope="module")
def _few_draws() -> object:
    """Laws hold for any number of draws."""
    before = draws.MIN_DRAWS, draws.IN_EACH_TAIL
    draws.MIN_DRAWS, draws.IN_EACH_TAIL = 400, 10
    yield
    draws.MIN_DRAWS, draws.IN_EACH_TAIL = before


def sound(found: Estimate, lowest: float = -1.0, highest: float = 1.0) -> None:
    """A value inside its interval inside its range, or a reason; never NaN."""
    if found.undefined:
        assert (found.value, found.low, found.high) == (None, None, None)
        return
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    slack = 1e-9
    assert lowest - slack <= found.low <= found.value <= found.high <= highest + slack


def close(a: float | None, b: float | None) -> bool:
    return (a is None) == (b is None) and (a is None or b is None or abs(a - b) < 1e-9)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_every_coefficient_is_sound_or_says_why_not(cells: np.ndarray) -> None:
    table = Table.of(cells)
    for found in (kappa(table), matthews(table), weighted_kappa(table, "linear"), weighted_kappa(table, "quadratic")):
        sound(found)
    for found in (agreement(table), recall(table, "0"), recall(table, "1")):
        sound(found, 0)
    for metric in ("nominal", "ordinal", "interval"):
        sound(alpha(table, metric))
    sound(ac1(table))
    sound(fleiss(table))


@given(tables)
def test_kappa_is_symmetric_where_both_directions_exist(cells: np.ndarray) -> None:
    there, back = kappa(Table.of(cells)).value, kappa(Table.of(cells.T)).value
    assert there is None or back is None or close(there, back)


@given(tables, st.randoms())
def test_renaming_labels_changes_nothing(cells: np.ndarray, random: object) -> None:
    order = list(range(len(cells)))
    random.shuffle(order)  # type: ignore[attr-defined]
    moved = cells[np.ix_(order, order)]
    for statistic in (kappa, matthews, ac1, fleiss, alpha, agreement):
        assert close(statistic(Table.of(cells)).value, statistic(Table.of(moved)).value)


@given(columns, st.randoms())
def test_the_order_of_rows_changes_nothing(rows: list[tuple[str | None, str | None]], random: object) -> None:
    before = count(*zip(*rows, strict=True), labels=("A", "B", "C"))
    random.shuffle(rows)  # type: ignore[attr-defined]
    after = count(*zip(*rows, strict=True), labels=("A", "B", "C"))
    assert before.counts.tolist() == after.counts.tolist()
    assert before.missing == after.missing
    assert kappa(before) == kappa(after)


@given(columns, columns)
def test_counting_two_files_together_is_adding_their_tables(
    first: list[tuple[str | None, str | None]], second: list[tuple[str | None, str | None]]
) -> None:
    one, two, both = (
        count(*zip(*rows, strict=True), labels=("A", "B", "C")) for rows in (first, second, first + second)
    )
    assert (one.counts + two.counts).tolist() == both.counts.tolist()
    assert one.missing + two.missing == both.missing


@given(columns, st.sampled_from(["A", "B", "C"]))
def test_no_row_is_ever_lost(rows: list[tuple[str | None, str | None]], label: str) -> None:
    table = count(*zip(*rows, strict=True), labels=("A", "B", "C"))
    assert table.n + table.missing == len(rows)
    for part in (table.without(label), table.keep([label]), table.binary([label]), table.occurring()):
        assert part.n + part.missing == len(rows)


@given(tables, st.integers(2, 7))
def test_a_table_counted_twice_over_keeps_its_values_and_narrows(cells: np.ndarray, times: int) -> None:
    small, large = Table.of(cells), Table.of(cells * times)
    for statistic in (kappa, matthews, ac1, fleiss):
        assert close(statistic(small).value, statistic(large).value)
    a, b = kappa_asymptotic(small).se, kappa_asymptotic(large).se
    assert (a is None) == (b is None)
    assert a is None or b is None or abs(a / times**0.5 - b) < 1e-7


@given(st.lists(st.sampled_from("AB"), min_size=4, max_size=30), st.lists(st.sampled_from("AB"), min_size=30))
def test_scikit_learn_agrees_whenever_it_has_a_number(human: Sequence[str], judge: Sequence[str]) -> None:
    judge = judge[: len(human)]
    mine = kappa(count(human, judge)).value
    if mine is None:
        assert len(set(human)) == 1
    elif len(set(human) | set(judge)) > 1:
        assert abs(mine - cohen_kappa_score(human, judge)) < 1e-9


@given(tables)
def test_moving_an_error_to_the_diagonal_never_lowers_agreement(cells: np.ndarray) -> None:
    errors = np.argwhere((cells > 0) & ~np.eye(len(cells), dtype=bool))
    if not len(errors):
        return
    i, j = errors[0]
    better = cells.copy()
    better[i, j] -= 1
    better[i, i] += 1
    assert agreement(Table.of(better)).value > agreement(Table.of(cells)).value  # type: ignore[operator]


@given(tables)
def test_two_labels_have_one_kappa_whatever_the_weights(cells: np.ndarray) -> None:
    two = Table.of(cells[:2, :2])
    for weights in ("linear", "quadratic"):
        assert close(kappa(two).value, weighted_kappa(two, weights).value)


@given(arrays(np.int64, (12, 3), elements=st.integers(-1, 2)), st.randoms())
def test_raters_have_no_names_and_units_no_order(codes: np.ndarray, random: object) -> None:
    units, raters = list(range(12)), [0, 1, 2]
    random.shuffle(units)  # type: ignore[attr-defined]
    random.shuffle(raters)  # type: ignore[attr-defined]
    for statistic in (alpha, fleiss, ac1):
        before = statistic(ratings(codes, ["1", "2", "3"]))
        after = statistic(ratings(codes[units][:, raters], ["1", "2", "3"]))
        assert close(before.value, after.value)
        sound(before, -1.0 if statistic is alpha else -np.inf)  # chance counts single ratings too, agreement cannot


@given(tables)
def test_a_perfect_judge_has_kappa_1_and_doubt(cells: np.ndarray) -> None:
    perfect = np.diag(np.maximum(cells.diagonal(), 1))
    found = kappa(Table.of(perfect))
    assert found.value == pytest.approx(1)
    assert found.low is not None
    assert found.low < 1


@given(arrays(np.float64, (6, 3, 3), elements=st.floats(0.01, 50)))
def test_kappa_does_not_depend_on_the_scale_of_a_table(stack: np.ndarray) -> None:
    assert kappas(stack) == pytest.approx(kappas(stack * 7), abs=1e-9)
    assert (kappas(stack) <= 1).all()


@given(counts)
def test_rates_are_sound_and_symmetric(count_of: tuple[int, int]) -> None:
    passed, n = count_of
    for rate in (case_rate, wilson):
        found, mirror = rate(passed, n), rate(n - passed, n)
        sound(found, 0)
        if found.low is not None and mirror.high is not None:
            assert found.low == pytest.approx(1 - mirror.high, abs=1e-9)


@given(counts, st.integers(1, 8))
def test_pass_at_k_grows_with_k_and_pass_hat_k_falls(count_of: tuple[int, int], k: int) -> None:
    passed, n = count_of
    for call, sign in ((pass_at_k, 1), (pass_hat_k, -1)):
        one, more = call(passed, n, k), call(passed, n, k + 1)
        sound(one, 0)
        if one.value is not None and more.value is not None:
            assert sign * (more.value - one.value) >= -1e-12
        assert (one.value is None) == (k > n)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30))
def test_means_stay_in_range_and_hold_their_value(values: list[float]) -> None:
    sound(case_mean(values, ends=(-1, 1)))


@given(st.lists(st.tuples(counts, counts), max_size=20))
def test_differences_are_sound_and_turn_sign(pairs: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    base, new = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for difference in (on_these_cases, on_cases_like_these):
        there, back = difference(base, new), difference(new, base)
        sound(there)
        assert there.value is None or back.value is None or close(there.value, -back.value)
        assert (there.value is None) == (back.value is None)


@given(st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.floats(0, 1)), max_size=8))
def test_holm_never_lowers_a_p_and_keeps_their_order(p: dict[str, float | None]) -> None:
    found = holm(p)
    known = [(value, found[name]) for name, value in p.items() if value is not None]
    for value, adjusted in known:
        assert adjusted is not None
        assert value <= adjusted <= 1
    ranked = [adjusted for _, adjusted in sorted(known, key=lambda pair: pair[0])]
    assert ranked == sorted(ranked, key=lambda x: x if x is not None else -1)
    assert [name for name, value in found.items() if value is None] == [n for n, value in p.items() if value is None]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["PASS", "FAIL", None]), st.sampled_from([0.0, 1.0, None]), st.integers(0, 5)),
        min_size=1,
        max_size=40,
    )
)
def test_the_corrected_rate_is_sound_and_is_the_plain_one_when_all_is_labelled(
    rows: list[tuple[str | None, float | None, int]],
) -> None:
    verdicts, human, cases = (list(column) for column in zip(*rows, strict=True))
    for given_cases in (None, cases):
        found = double_sampling(Judged(verdicts, human, given_cases))
        sound(found.rate, 0)
        assert sum(stratum.outputs for stratum in found.strata) in (0, len(rows))
    if all(label is not None for label in human):
        mean = sum(label for label in human if label is not None) / len(human)
        assert close(double_sampling(Judged(verdicts, human)).rate.value, mean)
