"""What a judge is: one hash for each part that can change its answer, and one over all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from judgekit import parse
from judgekit.graders.judge import REMINDER, Instrument
from judgekit.rubric import Ordinal
from judgekit.suite import JudgeConfig
from judgekit.types import Frozen, Json

WORDS = {
    "template": "the template",
    "criterion": "the criterion",
    "scale": "the scale",
    "examples": "the examples",
    "needs": "what the dimension needs",
    "dimension": "the dimension's name",
    "parser": "how replies are read",
    "model": "the model",
    "endpoint": "where the model is served",
    "params": "the parameters",
    "votes": "the number of votes",
    "reask": "how an unreadable reply is asked again",
    "structured": "the form of reply",
}
"""Every part, as people call it."""

PAIR_WORDS = {"labels": "the verdicts on offer"}
"""What a judge of pairs has instead of scale and examples."""


class Fingerprint(Frozen, frozen=True):
    """One judge on one dimension. `parts` are called as in `WORDS`, each a hex SHA-256; `hash` is one over them."""

    hash: str
    parts: dict[str, str]


def fingerprint_of(judge: Instrument) -> Fingerprint:
    """The fingerprint of an instrument: equal exactly when it would be asked and read in the same way.

    Not in it: where the key is, why the judge may grade itself, severity and tags. They change no answer.
    """
    dimension, config = judge.dimension, judge.config
    scale = dimension.scale
    values: dict[str, Json] = {
        "template": judge.template.fingerprint,
        "criterion": dimension.criterion,
        # a list, because levels in another order are another scale to the reader of a prompt
        "scale": [list(scale.levels.items()), scale.pass_at] if isinstance(scale, Ordinal) else scale,
        "examples": [example.model_dump(mode="json") for example in dimension.examples],
        "needs": list(dimension.needs),
        "dimension": dimension.id,
        "parser": parse.PARSER_VERSION,
        "model": list(config.models),
        "endpoint": config.base_url,
        "params": config.params,
        "votes": config.votes,
        "reask": [config.reask, REMINDER if config.reask else ""],
        "structured": config.structured,
    }
    parts = {name: _hash(value) for name, value in values.items()}
    return Fingerprint(_hash(parts), parts)


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """The parts that differ, as people call them, in the order of `WORDS`."""
    words = WORDS | PAIR_WORDS
    names = [*words, *sorted({*before, *now} - set(words))]
    return tuple(words.get(name, name) for name in names if before.get(name) != now.get(name))


def judge_words(judge: Instrument) -> str:
    """`anthropic:claude-sonnet-4-5`, `openai:gpt-5 + gemini:gemini-3-pro, 3 votes`."""
    return words_of(judge.config)


def words_of(config: JudgeConfig) -> str:
    """The same of a configuration."""
    return " + ".join(config.models) + (f", {config.votes} votes" if config.votes > 1 else "")


def _hash(value: Json) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
