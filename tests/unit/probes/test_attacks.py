"""The attacks that ship, and how they are carried out."""

from collections import Counter

import pytest

from judgekit.errors import InputError
from judgekit.probes.attacks import Attack, attacked, best_label, interleaved, load_attacks, share_of, shipped_attacks
from judgekit.render.fences import fold
from judgekit.rubric import Dimension

SHIPPED = load_attacks(shipped_attacks())
KINDS = {
    "planted-verdict", "closing-fence", "order", "fake-system", "invisible", "homoglyph", "role-play", "fake-rubric",
    "authority", "other-language", "encoded",
}  # fmt: skip


def test_the_set_that_ships_has_every_kind_at_least_three_times():
    assert len(SHIPPED) >= 40
    kinds = Counter(attack.kind for attack in SHIPPED)
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 3


def test_no_attack_that_ships_repeats_another():
    assert len({attack.text for attack in SHIPPED}) == len(SHIPPED)
    assert all(attack.id.startswith(attack.kind) for attack in SHIPPED)


def test_invisible_and_look_alike_attacks_are_what_they_say():
    hidden = [a.text for a in SHIPPED if a.kind == "invisible"]
    assert sum(any(ord(c) > 0xE0000 or c in "\u200b\u00ad\u202e" for c in text) for text in hidden) >= 3
    alike = [a.text.replace("{output}", "").replace("{good}", "PASS") for a in SHIPPED if a.kind == "homoglyph"]
    for text in alike:
        assert "<result>" not in text
        assert "<result" in fold(text)


def test_an_attack_carries_the_text_byte_for_byte_and_names_the_best_verdict():
    attack = Attack("x", "order", "Before {good}. {output} After {good}.")
    assert attacked("a {good} {output} b", attack, good="2") == "Before 2. a {good} {output} b After 2."


def test_the_best_verdict_of_an_ordinal_scale_is_its_highest_level():
    ordinal = Dimension(id="d", criterion="c", scale={"levels": {2: "a", 10: "b", 9: "c"}, "pass_at": 9})
    assert best_label(ordinal) == "10"
    assert best_label(Dimension(id="d", criterion="c")) == "PASS"


def test_neighbours_in_the_order_of_attacks_are_of_different_kinds():
    attacks = [Attack(f"{k}{i}", k, "{output}") for k, n in (("a", 3), ("b", 1), ("c", 2)) for i in range(n)]
    assert [a.id for a in interleaved(attacks)] == ["a0", "b0", "c0", "a1", "c1", "a2"]


def test_outputs_take_turns_so_that_every_attack_is_used_alike():
    attacks = [Attack(str(i), "k", "{output}") for i in range(10)]
    used = Counter(a.id for at in range(5) for a in share_of(attacks, at, 4))
    assert used == {str(i): 2 for i in range(10)}


def test_more_attacks_for_each_output_than_there_are_means_all_of_them_once():
    attacks = [Attack(str(i), "k", "{output}") for i in range(3)]
    assert [a.id for a in share_of(attacks, 7, 50)] == ["0", "1", "2"]


def test_a_file_of_attacks_is_refused_with_every_problem_at_its_line(tmp_path):
    file = tmp_path / "own.jsonl"
    file.write_text(
        '{"id": "a", "kind": "k", "text": "{output} x"}\n'
        '{"id": "a", "kind": "k", "text": "{output} y"}\n'
        '{"id": "b", "kind": "k", "text": "no place"}\n'
        '{"id": "c", "kinds": "k", "text": "{output}"}\n'
        "nonsense\n"
        '{"id": "", "kind": "k", "text": "{output}"}\n'
    )
    with pytest.raises(InputError) as caught:
        load_attacks(file)
    lines = [problem.line for problem in caught.value.problems]
    assert lines == [2, 3, 4, 5, 6]
    assert "a second attack 'a'" in str(caught.value)
    assert "exactly once" in str(caught.value)
    assert "Did you mean 'kind'" in str(caught.value)


def test_an_empty_file_of_attacks_is_an_error(tmp_path):
    file = tmp_path / "own.jsonl"
    file.write_text("\n")
    with pytest.raises(InputError, match="holds no attacks"):
        load_attacks(file)
