"""The file: bound to itself, named for people, read strictly."""

import json

import msgspec
import pytest

from judgekit.calibration.certificate import (
    Certificate,
    Reading,
    from_text,
    sealed,
    to_text,
    verdict_hash,
    verdict_of,
)
from judgekit.errors import InputError

PAPER = sealed(
    Certificate(
        rubric="support-reply",
        dimension="polite",
        judge="anthropic:Claude Sonnet 4.5 + openai:gpt-5, 3 votes",
        fingerprint="0123456789abcdef" * 4,
        parts={"model": "x", "criterion": "y"},
        result="refused",
        reasons=("ä reason",),
        attempt=2,
        level=0.05 / 6,
        labels="labels.csv",
        reading=Reading({"label": "Urteil"}, ("ann",), ("ja",), ("nein",), None),
        rows={"r1": "v1"},
        policy={"kappa_low": 0.5},
        made="2026-01-02T03:04:05+00:00",
        judgekit="0.1.0",
    )
)


def test_text_and_back():
    assert from_text(to_text(PAPER), file="x") == PAPER


def test_file_name_says_what_it_is_for():
    assert PAPER.file_name == (
        "support-reply.polite.anthropic-claude-sonnet-4-5-openai-gpt-5-3-votes.0123456789ab.json"
    )
    odd = msgspec.structs.replace(PAPER, judge="模型/../x")
    assert "/" not in odd.file_name
    assert ".." not in odd.file_name


@pytest.mark.parametrize("key", [key for key in json.loads(to_text(PAPER)) if key != "form"])
def test_an_edit_of_any_field_is_noticed(key):
    body = json.loads(to_text(PAPER))
    value = body[key]
    if isinstance(value, str):
        body[key] = "certified" if key == "result" else value + "0"
    elif isinstance(value, (int, float)):
        body[key] = value + 1
    elif isinstance(value, list):
        body[key] = [*value, "more"]
    else:
        body[key] = {**value, "columns": {"label": "x"}} if key == "reading" else {**value, "extra": "x"}
    with pytest.raises(InputError, match="edited by hand"):
        from_text(json.dumps(body), file="x")


def test_order_and_spaces_of_the_file_do_not_matter():
    body = json.loads(to_text(PAPER))
    turned = dict(reversed(body.items()))
    assert from_text(json.dumps(turned, indent=7), file="x") == PAPER


@pytest.mark.parametrize("text", ["", "{}", "[1]", "not json", '{"form": 1}'])
def test_anything_else_is_no_certificate(text):
    with pytest.raises(InputError, match="no certificate"):
        from_text(text, file="x.json")


def test_another_form_is_told():
    text = to_text(sealed(msgspec.structs.replace(PAPER, form=2)))
    with pytest.raises(InputError, match="form 2"):
        from_text(text, file="x")


def test_kept_verdicts_can_be_told_apart_and_are_not_in_words():
    kept = {verdict: verdict_hash("row", verdict) for verdict in ("PASS", "FAIL", "UNKNOWN", None)}
    assert len(set(kept.values())) == 4
    for verdict, text in kept.items():
        assert verdict_of("row", text) == verdict
        assert (verdict or "PASS") not in text
    with pytest.raises(ValueError, match="not the hash"):
        verdict_of("another row", kept["PASS"])
