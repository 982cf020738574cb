"""Tables: labels keep their order, what is missing is counted, and cases stay the unit."""

import numpy as np
import pytest

from judgekit.stats.agreement import kappa
from judgekit.stats.tables import Table, codes, count, count_by, count_codes, number

P, F, U = "PASS", "FAIL", "UNKNOWN"


def test_declared_labels_keep_their_order_and_their_zeros() -> None:
    table = count([P, P], [P, P], labels=(P, F, U))
    assert table.labels == (P, F, U)
    assert table.counts.tolist() == [[2, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert table.occurring().labels == (P,)


def test_rows_are_human_and_columns_judge() -> None:
    assert count([P, P, F], [P, F, F], labels=(P, F)).counts.tolist() == [[1, 1], [0, 1]]


def test_missing_labels_are_left_out_and_counted_by_side() -> None:
    table = count([P, None, F, None], [None, P, F, None], labels=(P, F))
    assert table.n == 1
    assert (table.left_out, table.no_verdict.tolist(), table.missing) == (2, [1, 0], 3)


def test_an_undeclared_label_is_named() -> None:
    with pytest.raises(ValueError, match=r"'GOOD' is not one of \['PASS', 'FAIL'\]"):
        count([P, "GOOD"], [P, P], labels=(P, F))


def test_a_label_that_is_not_text_is_named_not_taken_for_missing() -> None:
    with pytest.raises(ValueError, match="label nan is not text"):
        count([P, float("nan")], [P, P])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="'MAYBE' is not one of"):
        count([P], [P]).keep(["MAYBE"])


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="rows must match"):
        count([P], [P, F])


@pytest.mark.parametrize(
    ("counts", "why"),
    [([[1, 2]], "square"), ([[1, -1], [0, 1]], "whole numbers"), ([[0.5, 0], [0, 1]], "whole numbers")],
)
def test_what_is_no_table_is_refused(counts: list[list[float]], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Table.of(counts)


def test_a_label_declared_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="different labels"):
        Table.of([[1, 0], [0, 1]], ["A", "A"])
    with pytest.raises(ValueError, match="declared twice"):
        codes(["A"], ["A", "A"])


def test_without_unknown_turns_abstentions_into_missing_verdicts() -> None:
    table = count([P, P, F, U, F], [P, U, F, P, None], labels=(P, F, U))
    decided = table.without(U)
    assert decided.labels == (P, F)
    assert decided.counts.tolist() == [[1, 0], [0, 1]]
    assert decided.no_verdict.tolist() == [1, 1]
    assert (decided.left_out, decided.missing) == (1, 3)
    assert decided.without(U) is decided


def test_a_row_that_falls_out_is_always_counted_somewhere() -> None:
    rng = np.random.default_rng(2)
    draw = [P, F, U, None]
    human, judge = ([draw[i] for i in rng.integers(0, 4, 200)] for _ in range(2))
    table = count(human, judge, labels=(P, F, U))
    for part in (table, table.without(U), table.keep([F]), table.keep([U, P]), table.binary([P]), table.occurring()):
        assert part.n + part.missing == 200


def test_binary_merges_levels_and_keeps_every_row() -> None:
    table = count(["0", "1", "2", "2", None], ["0", "2", "1", "2", "1"], labels=("0", "1", "2"))
    merged = table.binary(["1", "2"])
    assert merged.labels == (P, F)
    assert merged.counts.tolist() == [[3, 0], [0, 1]]
    assert merged.left_out == 1


def test_one_row_per_case_is_the_plain_table() -> None:
    plain, cased = count([P, F], [P, P]), count([P, F], [P, P], cases=["a", "b"])
    assert cased.stack is None
    assert cased.counts.tolist() == plain.counts.tolist()


def test_cases_that_look_alike_are_joined() -> None:
    table = count([P, P, P, P, F], [P, F, P, F, F], cases=["a", "a", "b", "b", "c"], labels=(P, F))
    assert table.stack is not None
    assert table.times is not None
    assert sorted(table.times.tolist()) == [1, 2]
    assert (table.n, table.cases) == (5, 3)
    assert table.counts.tolist() == [[2, 2], [0, 1]]


def test_weights_count_mass_but_n_stays_rows() -> None:
    table = count([P, F], [P, F], weights=[2.0, 4.0], labels=(P, F))
    assert table.counts.tolist() == [[2, 0], [0, 4]]
    assert (table.n, table.tally.tolist()) == (2, [[1, 0], [0, 1]])


@pytest.mark.parametrize("weights", [[1.0], [0.0, 1.0], [float("nan"), 1.0]])
def test_a_weight_must_be_above_0(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="one weight above 0"):
        count([P, F], [P, F], weights=weights)


def test_case_ids_must_match_the_rows() -> None:
    with pytest.raises(ValueError, match="1 case ids for 2 rows"):
        count([P, F], [P, F], cases=["a"])


def test_keeping_labels_of_a_table_of_cases_drops_empty_cases() -> None:
    table = count([P, P, U], [P, F, P], cases=["a", "a", "b"], labels=(P, F, U))
    assert table.without(U).cases == 1


def test_tables_by_tag_share_their_labels() -> None:
    by = count_by([P, F, P], [P, F, F], ["hard", "easy", "hard"])
    assert list(by) == ["easy", "hard"]
    assert by["hard"].counts.tolist() == [[0, 0], [1, 1]]  # labels sorted: FAIL, PASS
    assert by["easy"].labels == by["hard"].labels
    cased = count_by([P, F, P], [P, F, F], ["hard", "easy", "hard"], cases=["a", "b", "a"])
    assert (cased["hard"].n, cased["hard"].cases) == (2, 1)
    with pytest.raises(ValueError, match="rows must match"):
        count_by([P], [P], [])


def test_labels_are_opaque_here_spelling_is_read_before() -> None:
    """Another spelling is another label: whoever reads the file has to know that "pass" is PASS."""
    raw = count([P, "pass", "Pass ", F], [P, P, P, F])
    assert kappa(raw).value == pytest.approx(1 / 3)
    assert kappa(count([P, P, P, F], [P, P, P, F])).value == 1


def test_codes_are_counted_like_labels() -> None:
    rng = np.random.default_rng(0)
    human, judge = rng.integers(0, 3, 500), rng.integers(0, 3, 500)
    texts = count([str(h) for h in human], [str(j) for j in judge])
    assert count_codes(human, judge, 3).tolist() == texts.counts.tolist()
    wide = rng.integers(0, 40, 500)
    assert count_codes(wide, wide, 40).trace() == 500


def test_codes_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="outside of 0 to 1"):
        count_codes(np.array([0, 2]), np.array([0, 1]), 2)


def test_empty_columns_make_an_empty_table() -> None:
    table = count([], [], labels=(P, F))
    assert (table.n, table.missing) == (0, 0)
    assert count([], [], labels=(P, F), cases=[]).n == 0


def test_numbers_follow_first_appearance() -> None:
    assert number(["b", "a", "b"]).tolist() == [0, 1, 0]
