"""Every look is counted, whatever became of it."""

import pytest

from judgekit.calibration.attempts import MOST, Look, Touched, ledger, level, read_looks
from judgekit.calibration.items import case_hash, text_hash
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


# ── looks of other files ─────────────────────────────────────────────────────────────────────────────────


def at(minute, token, *cases, kind="attempt", texts=()):
    return Look(kind, token, f"2026-01-01T10:{minute:02d}:00+00:00", "m", {"r.d": "f"}, cases, texts)


def about(*hashes):
    return Touched(frozenset(hashes), frozenset(hashes))


def test_looks_of_another_file_count_where_they_touch_a_case_or_a_text():
    others = {"b": [at(1, "p", "x"), at(2, "q", "z"), at(3, "r", "w", texts=("t",))]}
    found = ledger([at(4, "a", "x")], others=others, touched=about("x", "t"))
    assert found.used == 3
    assert found.others == ("b",)
    assert ledger([at(4, "a", "x")], others=others, touched=about("y")).used == 1
    assert ledger([at(4, "a", "x")], others=others).used == 1


def test_five_looks_of_several_files_use_a_set_up_and_later_looks_at_it_count_for_no_other():
    others = {"b": [at(1, "p", "x"), at(3, "q", "x", "y")], "c": [at(2, "r", "x"), at(9, "s", "x")]}
    own = [at(4, "a", "x"), at(5, "b", "x"), at(8, "c", "new")]
    found = ledger(own, others=others, touched=about("x", "new"))
    assert found.used == 1
    assert found.spent == {"x", "y"}


def test_what_stands_in_another_file_came_before_the_look_that_is_counted_whatever_its_clock_says():
    late = {"b": [at(50, "p", "x")]}
    assert ledger([at(4, "mine", "x")], upto="mine", others=late, touched=about("x")).used == 2


def test_shown_disagreements_of_another_file_count_where_they_touch_any_label():
    others = {"b": [at(1, "p", "dev1", kind="shown")]}
    assert ledger([], others=others, touched=Touched(frozenset(), frozenset({"dev1"}))).shown == {"r.d"}
    assert ledger([], others=others, touched=about("x")).shown == frozenset()


def test_torn_line_of_another_file_is_a_look_at_what_that_file_is_about():
    torn = Look("attempt", "line 2", "", "", {})
    assert ledger([], others={"b": [at(1, "p", "x"), torn]}, touched=about("x")).used == 2


def test_times_are_compared_across_zones():
    early = Look("attempt", "p", "2026-01-01T09:30:00+02:00", "m", {}, ("x",))  # 07:30 UTC
    own = [Look("attempt", str(j), "2026-01-01T08:00:00+00:00", "m", {}, ("x",)) for j in range(4)]
    assert ledger([*own, at(0, "last", "new")], others={"b": [early]}, touched=about("x", "new")).used == 1


def test_files_of_the_folder_and_one_level_below_are_read_and_no_own_look_is_read_twice(tmp_path):
    (tmp_path / "below" / "deep").mkdir(parents=True)
    for name in ("a.csv", "below/b.csv", "below/deep/c.csv"):
        Looks.beside(name, tmp_path).add(at(1, name, "x"))
    looks = Looks.beside("a.csv", tmp_path)
    assert set(looks.others()) == {"b.csv.attempts.jsonl"}
    assert looks.add(at(2, "again", "x"), about("x")).used == 3
    assert set(Looks.beside("below/b.csv", tmp_path).others()) == {"a.csv.attempts.jsonl", "c.csv.attempts.jsonl"}


def test_text_hash_is_of_input_and_output():
    assert len({text_hash("a", "1"), text_hash("b", "1"), text_hash("a", "2")}) == 3
    assert text_hash("a", "1") == text_hash("a", "1")
