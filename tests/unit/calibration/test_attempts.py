"""Every look is counted, whatever became of it."""

import pytest

from judgekit.calibration.attempts import MOST, Look, ledger, level, read_looks
from judgekit.calibration.items import case_hash
from judgekit.errors import InputError
from judgekit.run.looks import Looks


def attempt(token, *cases):
    return Look("attempt", token, "2026-01-01", "m", {"r.d": "f"}, cases)


def test_levels_are_those_of_the_policy_and_their_sum_stays_under_the_budget():
    assert [round(level(j), 4) for j in range(1, 6)] == [0.025, 0.0083, 0.0042, 0.0025, 0.0017]
    assert sum(level(j) for j in range(1, 10_000)) < 0.05
    with pytest.raises(ValueError, match="from 1"):
        level(0)


def test_looks_at_dev_are_no_attempts_but_are_remembered():
    shown = Look("shown", "s", "2026-01-01", "m", {"r.d": "f", "r.e": "g"})
    found = ledger([shown, attempt("a", "x"), shown])
    assert found.used == 1
    assert found.number == 2
    assert found.shown == {"r.d", "r.e"}


def test_fifth_attempt_spends_the_cases_of_the_whole_set():
    looks = [attempt(str(j), f"case{j}") for j in range(MOST)]
    assert ledger(looks[:4]).spent == frozenset()
    found = ledger(looks)
    assert found.used == 0
    assert found.spent == {f"case{j}" for j in range(MOST)}
    later = ledger([*looks, attempt("new", "case9")])
    assert later.used == 1
    assert "case9" not in later.spent


def test_count_up_to_a_look_is_its_own_number_even_for_the_last_of_a_set():
    looks = [attempt(str(j), "c") for j in range(MOST + 2)]
    assert [ledger(looks, upto=str(j)).used for j in range(MOST + 2)] == [1, 2, 3, 4, 5, 1, 2]


def test_torn_last_line_is_an_attempt(tmp_path):
    looks = Looks.beside("labels.csv", tmp_path)
    assert looks.add(attempt("a", "x")).used == 1
    with looks.path.open("ab") as file:
        file.write(b'{"kind":"attempt","tok')
    assert looks.ledger().used == 2
    assert looks.add(attempt("b", "x")).used == 3
    assert looks.ledger().used == 3


def test_damaged_line_in_the_middle_is_an_error_with_its_place():
    with pytest.raises(InputError, match=r"l\.jsonl:1: is damaged"):
        read_looks("nonsense\n{}\n", file="l.jsonl")


def test_two_commands_at_one_time_get_numbers_of_their_own(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    looks = Looks.beside("labels.csv", tmp_path)
    with ThreadPoolExecutor(5) as pool:
        numbers = list(pool.map(lambda j: looks.add(attempt(str(j), "x")).used, range(5)))
    assert sorted(numbers) == [1, 2, 3, 4, 5]


def test_look_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="nothing is shown"):
        Looks.beside("file/labels.csv", tmp_path).add(attempt("a"))


def test_glob_of_labels_has_one_file_of_attempts(tmp_path):
    assert Looks.beside("labels/*.csv", tmp_path).name == "labels/_.csv.attempts.jsonl"


def test_case_hash_does_not_show_the_case():
    assert case_hash("refund-01") != case_hash("refund-02")
    assert "refund" not in case_hash("refund-01")
