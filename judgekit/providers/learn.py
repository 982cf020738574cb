"""What a model refuses, read from the error in which it says so."""

from __future__ import annotations

import re
from collections.abc import Mapping

from judgekit.providers.dialect import NO_FIXES, OLD_LIMIT, OTHER_LIMIT, SCHEMA, SYSTEM_AS_USER, Fixes
from judgekit.providers.said import Said
from judgekit.types import Json, Request

SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "top_logprobs",
)
"""Parameters that may be left out when a model refuses them: they change how it samples, not what it is asked."""

_WORDS = frozenset({"stop", "seed", "user", "store", "tools", "speed", "reasoning", "thinking", "metadata"})
"""Parameters whose names are also words of a sentence: an error names them only in quotes."""

_REFUSED = re.compile(
    r"unsupported|not supported|n't supported|does(n't| not) support|not (permitted|allowed|enabled|available)|"
    r"unrecogni[sz]ed|unknown (name|parameter|field|argument)|unexpected|extra (inputs|fields)|deprecated|"
    r"only the default|may only be|must be (unset|1|default)|cannot (both )?be (specified|used|set)|invalid_parameter",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"system (role|message|prompt|instruction)|developer (role|instruction)|'?system'?|\"system\"", re.IGNORECASE
)
_ROLE = re.compile(r"\brole\b|instruction|system (message|prompt)", re.IGNORECASE)
_SCHEMA = re.compile(
    r"response_format|json_schema|output_config|response_?(json_?)?(schema|mime)|structured output", re.IGNORECASE
)


LESSONS = 5
"""How often one call is sent again with something left out; each time it must be something new."""

REFUSALS = 3
"""Requests that a model may refuse, with none answered, before the whole run is taken to be set up wrongly."""


class Memory:
    """What one provider knows of its models in this run: what they refuse, and whether they ever answered."""

    def __init__(self) -> None:
        self._fixes: dict[str, Fixes] = {}
        self._answered: set[str] = set()
        self._refused: dict[str, int] = {}

    def fixes(self, model: str) -> Fixes:
        """What `model` was found to refuse."""
        return self._fixes.get(model, NO_FIXES)

    def learn(self, model: str, fixes: Fixes) -> Fixes:
        """Add to it; the sum is returned, since calls in flight learn at the same time."""
        known = self._fixes[model] = self.fixes(model) | fixes
        return known

    def answered(self, model: str) -> bool:
        """Whether `model` has answered: then its name, its URL and its key are right."""
        return model in self._answered

    def note_answer(self, model: str) -> None:
        """`model` has answered."""
        self._answered.add(model)

    def is_one_call(self, model: str, status: int, said: Said, request: Request) -> bool:
        """Whether a refusal is about this prompt alone, so that the run goes on.

        It is once the model has answered. Before, a 400 is, unless it names a parameter that the user set or is the
        third one; anything else is about the set-up.
        """
        if self.answered(model):
            return True
        if status not in (400, 422):
            return False
        self._refused[model] = self._refused.get(model, 0) + 1
        return self._refused[model] < REFUSALS and not blames_params(said, request)


def lesson(said: Said, request: Request, fixes: Fixes) -> str | None:
    """The fix that an error asks for and that `fixes` has not got yet, or None when the error is about something else.

    Only what this request holds can be at fault: a temperature that nobody set is not blamed.
    """
    text = f"{said.text} {said.param} {said.code}"
    if not _REFUSED.search(text):
        return None
    limit = _limit(said, request.params)
    if limit is not None:
        return limit if limit not in fixes else None
    for name in SAMPLING:
        if name in request.params and name not in fixes and _names(text, name):
            return name
    if (
        SYSTEM_AS_USER not in fixes
        and any(m.role == "system" for m in request.messages)
        and _SYSTEM.search(text)
        and _ROLE.search(text)
    ):
        return SYSTEM_AS_USER
    if request.schema is not None and SCHEMA not in fixes and _SCHEMA.search(text):
        return SCHEMA
    return None


def blames_params(said: Said, request: Request) -> bool:
    """Whether an error names a parameter that the user set, so that every call with it will fail."""
    names = (*request.params, "response_format", "output_config") if request.schema is not None else request.params
    return any(_names(said.param, name) or _names(said.text, name) for name in names if name not in _WORDS) or any(
        _names(said.param, name) or re.search(rf"['\"`]{name}['\"`]", said.text) for name in _WORDS & {*names}
    )


def _limit(said: Said, params: Mapping[str, Json]) -> str | None:
    """The switch between the two names of the token limit; each way at most once."""
    blamed = said.param or said.text
    if "max_tokens" in params and _names(blamed, "max_tokens") and "max_completion_tokens" in said.text:
        return OTHER_LIMIT
    if "max_completion_tokens" in params and _names(blamed, "max_completion_tokens"):
        return OLD_LIMIT
    return None


def _names(text: str, name: str) -> bool:
    spelled = re.escape(name).replace("_", "_?")  # `topP` is `top_p` to its own service
    return re.search(rf"(?<![a-z_]){spelled}(?![a-z_])", text, re.IGNORECASE) is not None
