"""The values that the whole package speaks in: frozen, comparable, and JSON on both ends.

They are `msgspec.Struct`s: made in a fifth of the time of a frozen dataclass, checked while they are decoded,
and small in memory, which is what lets 100,000 cases load in about a second.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Literal, TypeAlias

import msgspec

from judgekit.errors import CallFailed

Json: TypeAlias = Any
"""Anything that JSON can hold: str, int, float, bool, None, list, dict. Never NaN or infinity."""

Verdict: TypeAlias = Literal["PASS", "FAIL", "UNKNOWN"]
Severity: TypeAlias = Literal["critical", "high", "medium", "low"]
Grading: TypeAlias = Literal["deterministic", "rubric", "both"]
Finish: TypeAlias = Literal["stop", "length", "refused", "filter", "tool", "other"]
FaultKind: TypeAlias = Literal["unreadable", "refused", "failed", "not_applicable"]
Outcome: TypeAlias = Literal["pass", "fail", "undecided"]

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")


class Frozen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A value: never changed after it is made."""


# ── cases and outputs ────────────────────────────────────────────────────────────────────────────────────


class Message(Frozen, frozen=True):
    """One turn of a chat. `role` is `system`, `user` or `assistant`."""

    role: str
    content: str


class Expected(Frozen, frozen=True):
    """What code can check of an output. Empty text, an empty list and 0 mean "no such check".

    must_include, must_not_include   terms, compared after NFC and case-folding unless `case_sensitive`
    must_match                       regular expressions that must be found in the output
    citation                         ids of which each must be among the output's citations
    retrieved                        ids that retrieval must find; `min_recall` and `min_precision` in [0, 1]
    number, tolerance                the last number in the output must lie within `tolerance` of `number`
    python                           `module:function`, called as f(output), or f(output, case) if it names it
    """

    label: str = ""
    equals: str = ""
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()
    must_match: tuple[str, ...] = ()
    max_words: int = 0
    citation: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()
    min_recall: float = 1.0
    min_precision: float = 0.0
    json_schema: dict[str, Json] | None = None
    number: float | None = None
    tolerance: float = 0.0
    python: str = ""
    case_sensitive: bool = False


class Case(Frozen, frozen=True):
    """One input with what a good answer must do. `id` is text, stable, and never reused."""

    id: str
    input: str | tuple[Message, ...]
    context: str | None = None
    context_ref: tuple[str, ...] = ()
    expected: Expected = Expected()
    reference: str | None = None
    rubric: str = ""
    rubrics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    must_pass: bool = False
    severity: Severity | None = None
    grading: Grading = "both"
    answerable: bool | None = None
    pass_when: Json = None
    split: str | None = None
    source: str | None = None
    added_on: str | None = None
    meta: dict[str, Json] = {}

    @property
    def holdout(self) -> bool:
        """Whether this case runs only with `--holdout`."""
        return self.split == "holdout"

    @property
    def must(self) -> bool:
        """Whether this case has to pass: told so, or of critical severity."""
        return self.must_pass or self.severity == "critical"


class Usage(Frozen, frozen=True):
    """Tokens of one call, None where the provider did not say (unknown is not zero)."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


class Fault(Frozen, frozen=True):
    """Why there is no verdict (or no output). Not evidence about the output: never a FAIL, never a PASS.

    kind   unreadable       the judge answered, but not with a valid verdict in the agreed place (or was cut)
           refused          the judge declined, or a filter blocked it
           failed           the call did not succeed, or the output is missing
           not_applicable   a check on a field that the output does not carry
    code   a short stable word for counting: `no_tag`, `truncated`, `empty`, `timeout`, ...
    why    one sentence for people
    """

    kind: FaultKind
    code: str
    why: str


class Output(Frozen, frozen=True):
    """What a variant answered to a case in one trial, or the fault that says why there is none.

    output      text, or JSON (`text` renders it); None exactly when `fault` is set
    citations, retrieved, label, context, trace   None: the output does not carry the field (absent is not empty)
    model       what wrote it, as the user named it; None = not known
    finish      `length` = the output was cut
    """

    id: str
    output: Json = None
    variant: str | None = None
    trial: int = 1
    model: str | None = None
    label: str | None = None
    citations: tuple[str, ...] | None = None
    retrieved: tuple[str, ...] | None = None
    context: str | None = None
    trace: Json = None
    finish: Finish | None = None
    fault: Fault | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    cached: bool = False

    @property
    def text(self) -> str:
        """The output as a judge and a text check see it: text as it is, anything else as JSON."""
        return text_of(self.output)

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of `text` in UTF-8: what a human label of this output is bound to."""
        return sha256_of(self.text)


def text_of(value: Json) -> str:
    """Text unchanged; any other JSON value as readable JSON with sorted keys (never a repr)."""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, indent=2)


def sha256_of(text: str) -> str:
    """Hex SHA-256 of `text` in UTF-8; lone surrogates are kept apart rather than refused."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# ── asking a model ───────────────────────────────────────────────────────────────────────────────────────


class Request(Frozen, frozen=True):
    """One call to a model, as the caller means it. Nothing here knows of rubrics or verdicts.

    model      `provider:name`, as the user wrote it
    messages   in order, the system message (if any) first
    params     parameters as the user gave them, e.g. `{"temperature": 0}`; none are added
    schema     a JSON Schema for structured output, where the provider enforces one
    trial, vote, ask   numbered from 1; they keep repeats apart in the cache
    base_url, api_key_env   per-judge overrides; the *name* of a variable, never a key
    label      for people: which case and grader asked. Not part of the cache key.
    """

    model: str
    messages: tuple[Message, ...]
    params: dict[str, Json] = {}
    schema: dict[str, Json] | None = None
    trial: int = 1
    vote: int = 1
    ask: int = 1
    base_url: str | None = None
    api_key_env: str | None = None
    label: str = ""


class Reply(Frozen, frozen=True):
    """What a model answered.

    text       the visible answer; "" if it gave none
    reasoning  separate thoughts, where the provider returns them; never searched for a verdict
    finish     why it stopped; `length` = cut by the token limit, `refused`/`filter` = declined or blocked
    model      the model name that the provider returned, None if it did not
    dropped    parameters that the provider refused and that were left out
    key        the cache key of the request, once known
    """

    text: str
    finish: Finish = "stop"
    reasoning: str = ""
    model: str | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    cached: bool = False
    latency_s: float | None = None
    dropped: tuple[str, ...] = ()
    note: str = ""
    key: str = ""


Sender: TypeAlias = Callable[[Request], Awaitable[Reply]]
"""The one seam to the world. Raises `CallFailed` for this call alone, `RunStopped` when no call can succeed."""

Answer: TypeAlias = Reply | CallFailed
"""What a grader is handed for each request: the reply, or the failure as a value."""


class ReplyForm(Frozen, frozen=True):
    """What a judge was asked to end its reply with: one of `labels` inside `<tag>...</tag>`, or JSON.

    labels   every allowed verdict text, e.g. `("PASS", "FAIL", "UNKNOWN")` or `("0", "1", "2", "UNKNOWN")`
    tag      `result`, or `result-<marker>` when the graded text holds something like a verdict tag
    form     `tag`, or `json` (an object with `reasoning` before `verdict`)
    """

    labels: tuple[str, ...]
    tag: str = "result"
    form: Literal["tag", "json"] = "tag"


class Prompt(Frozen, frozen=True):
    """A rendered judge prompt, and the form of reply that it asks for."""

    messages: tuple[Message, ...]
    form: ReplyForm


# ── grades ───────────────────────────────────────────────────────────────────────────────────────────────


class Call(Frozen, frozen=True):
    """One judge call as it happened, kept whole so that a verdict can be traced and re-parsed for nothing."""

    request: Request
    reply: Reply | None = None
    fault: Fault | None = None


class Vote(Frozen, frozen=True):
    """One judge's (or sample's) verdict within a grade; exactly one of `verdict` and `fault` is set.

    label      what the judge wrote: `PASS`, or a level such as `2`
    """

    judge: str
    vote: int = 1
    label: str | None = None
    verdict: Verdict | None = None
    fault: Fault | None = None
    reason: str = ""


class Grade(Frozen, frozen=True):
    """Who graded what, and the verdict or the reason why there is none.

    grader      a code check (`must_include`) or a rubric id
    dimension   the rubric's dimension; "" for a code check
    verdict     None exactly when `fault` is set
    level       the level on an ordinal scale, if there is one
    gating      whether this grade may decide: code checks may; a judge needs a certificate
    advisory    why a judge may not decide, e.g. `uncertified`; "" when `gating`
    """

    case: str
    trial: int
    grader: str
    kind: Literal["code", "judge"]
    dimension: str = ""
    verdict: Verdict | None = None
    fault: Fault | None = None
    level: int | None = None
    reason: str = ""
    evidence: str = ""
    gating: bool = False
    advisory: str = ""
    severity: Severity | None = None
    votes: tuple[Vote, ...] = ()
    calls: tuple[Call, ...] = ()

    def __post_init__(self) -> None:
        if (self.verdict is None) == (self.fault is None):
            raise ValueError("a grade has a verdict or a fault, never both and never neither")

    @property
    def name(self) -> str:
        """`must_include` for a check, `support-reply.polite` for a judge's dimension."""
        return f"{self.grader}.{self.dimension}" if self.dimension else self.grader


Steps: TypeAlias = Generator[tuple[Request, ...], tuple[Answer, ...], Grade]
"""A grader at work: yields requests that may go out together, is sent their answers, returns the grade."""


class TrialResult(Frozen, frozen=True):
    """One output of one case in one trial with all its grades, and what they add up to.

    why   the reason for a fail or for undecided, for people; "" for a pass
    """

    case: str
    trial: int
    outcome: Outcome
    why: str
    grades: tuple[Grade, ...]


class RunInfo(Frozen, frozen=True):
    """What a run was, beside its results: the head of `run.json` and of every report.

    selected   what `--tag`, `--limit` and the like left of the suite, in words; "" for all of it
    notices    what every report has to say: a self-grading override, a judge that could not be told apart, ...
    cost_usd   money spent by this command, None where a price is not known (unknown is not 0)
    """

    run: str
    suite: str
    variant: str
    trials: int = 1
    pass_when: Json = "all"
    model: str | None = None
    judges: tuple[str, ...] = ()
    votes: int = 1
    selected: str = ""
    notices: tuple[str, ...] = ()
    calls_sent: int = 0
    calls_cached: int = 0
    cost_usd: float | None = None
    started: str = ""
    finished: str | None = None
    interrupted: bool = False
    folder: str = ""


class Estimate(Frozen, frozen=True):
    """A number that never travels without its interval and n; undefined is a value with a reason.

    value, low, high   None exactly when `undefined` says why
    n                  units that carried it (cases, pairs, ...)
    missing            units left out because they had no verdict
    level              confidence level of [low, high]
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    missing: int = 0
    method: str = ""
    level: float = 0.95
    undefined: str = ""


class Decision(Frozen, frozen=True):
    """What the gate says: pass, fail or undecided, with its reasons.

    reasons         why it fails or is undecided, one line a rule
    warnings        rules that only warn, and spoke
    not_evaluated   rules that lack what they need, e.g. a baseline
    """

    outcome: Outcome
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    not_evaluated: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 undecided."""
        return {"pass": 0, "fail": 1, "undecided": 3}[self.outcome]
