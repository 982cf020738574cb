"""One changed character of any part is another judge."""

import pytest

from judgekit import parse
from judgekit.calibration.fingerprint import WORDS, changed, fingerprint_of
from judgekit.graders import judge as judge_module
from judgekit.graders.judge import Instrument
from judgekit.render import compile_template
from judgekit.rubric import Dimension, Example, Ordinal, Rubric
from judgekit.suite import JudgeConfig

CONFIG = {"model": "anthropic:claude-sonnet-4-5", "params": {"temperature": 0, "max_tokens": 300}}
EXAMPLE = Example(output="Hi.", verdict="2", reason="greets")
SCALE = Ordinal(levels={"0": "rude", "1": "plain", "2": "kind"}, pass_at=1)
TEMPLATE = "{{ criterion }} {{ output }} {{ verdicts }}"


def instrument(config=None, template=TEMPLATE, **dimension):
    fields = {"id": "d", "criterion": "Is kind.", "scale": SCALE, "examples": (EXAMPLE,), "needs": ("context",)}
    own = Dimension(**{**fields, **dimension})
    rubric = Rubric(id="r", dimensions=(own,), template_text=template)
    judge = JudgeConfig(**{**CONFIG, **(config or {})})
    compiled = compile_template(template, name="t", ordinal=True, structured=judge.structured)
    return Instrument(rubric, own, compiled, judge)


CHANGES = {
    "template": instrument(template=TEMPLATE + "."),
    "criterion": instrument(criterion="Is kind"),
    "scale": instrument(scale=Ordinal(levels={"0": "rude", "1": "plain", "2": "Kind"}, pass_at=1)),
    "examples": instrument(examples=(Example(output="Hi", verdict="2", reason="greets"),)),
    "needs": instrument(needs=()),
    "dimension": instrument(id="e"),
    "model": instrument({"model": "anthropic:claude-sonnet-4-6"}),
    "endpoint": instrument({"base_url": "https://x"}),
    "params": instrument({"params": {"temperature": 0, "max_tokens": 301}}),
    "votes": instrument({"votes": 3}),
    "reask": instrument({"reask": 0}),
    "structured": instrument({"structured": True}),
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_change_of_one_part_changes_that_part_and_the_whole(part):
    before, after = fingerprint_of(instrument()), fingerprint_of(CHANGES[part])
    assert after.hash != before.hash
    assert [name for name in before.parts if before.parts[name] != after.parts[name]] == [part]
    assert changed(before.parts, after.parts) == (WORDS[part],)


def test_there_is_a_test_for_every_part():
    assert set(CHANGES) | {"parser"} == set(WORDS) == set(fingerprint_of(instrument()).parts)


def test_parser_version_is_a_part(monkeypatch):
    before = fingerprint_of(instrument())
    monkeypatch.setattr(parse, "PARSER_VERSION", parse.PARSER_VERSION + ".")
    after = fingerprint_of(instrument())
    assert changed(before.parts, after.parts) == ("how replies are read",)


def test_words_of_the_reminder_are_a_part(monkeypatch):
    before = fingerprint_of(instrument())
    monkeypatch.setattr("judgekit.calibration.fingerprint.REMINDER", judge_module.REMINDER + ".")
    assert fingerprint_of(instrument()).parts["reask"] != before.parts["reask"]


def test_default_template_and_the_pass_mark_are_parts():
    default = fingerprint_of(instrument(template=None))
    assert default.parts["template"] != fingerprint_of(instrument()).parts["template"]
    stricter = fingerprint_of(instrument(scale=Ordinal(levels=SCALE.levels, pass_at=2)))
    assert stricter.parts["scale"] != fingerprint_of(instrument()).parts["scale"]


def test_panel_is_another_judge_and_its_order_counts():
    models = ("a:x", "b:y")
    hashes = {fingerprint_of(instrument({"model": m})).hash for m in ("a:x", models, models[::-1])}
    assert len(hashes) == 3


@pytest.mark.parametrize("config", [{"api_key_env": "KEY"}, {"allow_self": "why"}, {"same_as": "gpt-4o"}])
def test_what_changes_no_answer_is_no_part(config):
    assert fingerprint_of(instrument(config)) == fingerprint_of(instrument())


def test_severity_is_no_part_and_parameters_have_no_order():
    assert fingerprint_of(instrument(severity="high")) == fingerprint_of(instrument())
    turned = {"params": {"max_tokens": 300, "temperature": 0}}
    assert fingerprint_of(instrument(turned)) == fingerprint_of(instrument())
