"""`judgekit.yaml`: what to grade, with what, by whom, and when to stop a build. Every key has a documented default."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from judgekit.errors import InputError, Problem
from judgekit.located import load_model, read_text, read_yaml
from judgekit.rubric import Items, Name, Strict, TextOrTexts
from judgekit.types import Json

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Trials = Annotated[int, Field(ge=1)]
Word = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) in (int, float) else value)]
"""A word of people's labels; a number is one too."""


class AtLeast(Strict):
    """A case passes when at least this many of its trials pass."""

    at_least: Trials


PassWhen = Literal["all", "any"] | AtLeast


class Variant(Strict):
    """One version of the feature under test: exactly one of `model`+prompt, `python`, `command`, `outputs`.

    system, user     prompt files; `user` is a template with `{{ input }}`, and without it the input is the message
    model            what answers (`provider:name`); with python/command/outputs: what wrote the outputs
    params           parameters for the model, passed as they are
    python           `module:function`, called as f(input) or f(input, case, trial)
    command          run in a fresh folder: the case as JSON on stdin, the output as JSON or text on stdout
    outputs          a file of recorded outputs (or several)
    output_field     `answer.text`: where in a JSON output the text to grade stands
    parse            `json`: the reply is an object with output, label, citations
    citation_pattern a regular expression; its first group (or the whole match) is one citation
    """

    system: str | None = None
    user: str | None = None
    model: str | None = None
    params: dict[str, Json] = {}
    base_url: str | None = None
    api_key_env: str | None = None
    python: str | None = None
    command: Items[str] | None = None
    outputs: TextOrTexts | None = None
    columns: dict[str, str] = {}
    output_field: str | None = None
    parse: Literal["json"] | None = None
    citation_pattern: str | None = None
    timeout_s: float = Field(default=120, gt=0)

    @property
    def kind(self) -> Literal["prompt", "python", "command", "recorded"]:
        """How this variant gives outputs."""
        if self.python:
            return "python"
        if self.command:
            return "command"
        return "recorded" if self.outputs else "prompt"

    @model_validator(mode="after")
    def _one_way(self) -> Variant:
        ways = [k for k in ("python", "command", "outputs") if getattr(self, k)]
        if len(ways) > 1:
            raise ValueError(f"has both {ways[0]!r} and {ways[1]!r}: a variant gives outputs in one way")
        if not ways and not self.model:
            raise ValueError("gives no outputs: add 'model' (with 'system'), 'python', 'command' or 'outputs'")
        if ways and (self.system or self.user):
            raise ValueError(f"has a prompt and {ways[0]!r}: a prompt needs a model that answers it")
        return self


class JudgeConfig(Strict):
    """The model that judges, or a list of models: a panel.

    votes       samples of each model; strict majority, else UNKNOWN
    reask       how often an unreadable reply is asked again before it stays without a verdict
    structured  ask for JSON with an enforced schema where the provider can
    allow_self  the reason for letting a model judge itself; recorded in every report
    same_as     what a deployment name really is, e.g. `gpt-4o`: used by the self-grading check alone
    """

    model: TextOrTexts
    params: dict[str, Json] = {}
    votes: Trials = 1
    reask: Count = 1
    structured: bool = False
    base_url: str | None = None
    api_key_env: str | None = None
    allow_self: str | None = None
    same_as: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models of the panel, one for a single judge."""
        return (self.model,) if isinstance(self.model, str) else self.model

    @field_validator("model")
    @classmethod
    def _some(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        if not value or not all(value if isinstance(value, tuple) else (value,)):
            raise ValueError("names no model; write one as provider:name, e.g. anthropic:claude-sonnet-4-5")
        if isinstance(value, tuple) and len(set(value)) < len(value):
            raise ValueError("names a model twice; use 'votes' for several samples of one model")
        return value


class CalibrationPolicy(Strict):
    """When a judge earns a certificate, and how people's labels are to be read.

    annotators      in a wide table of labels, the columns of the people
    pass, fail      labels that mean PASS and FAIL
    pass_at         for scores, the lowest one that is a PASS
    """

    kappa_low: Share = 0.50
    fail_recall_low: Share = 0.50
    pass_recall_low: Share = 0.50
    n: Trials = 30
    cases: Trials = 20
    each_label: Trials = 5
    coverage: Share = 0.90
    ceiling_high: float = -0.10
    max_age_days: Trials = 180
    strict: bool = False
    annotators: Items[str] = ()
    passes: Items[Word] = Field(default=(), alias="pass")
    fails: Items[Word] = Field(default=(), alias="fail")
    pass_at: float | None = None

    def thresholds(self) -> dict[str, Json]:
        """What a judge is held to, without how the labels are read: this is what a certificate keeps."""
        reading = {"annotators", "passes", "fails", "pass_at"}
        return self.model_dump(mode="json", exclude=reading)


class FewerPasses(Strict):
    """Fewer passes than the baseline, among the cases with `tag` if given, by at least `by`."""

    tag: str | None = None
    by: Trials = 1


class By(Strict):
    """The pass rate lies below the baseline's by more than `by`."""

    by: Share = 0.0


class Margin(Strict):
    """Non-inferiority: the interval of the difference must lie above -`margin`."""

    margin: Share


class Minimum(Strict):
    """The lower end of the pass rate's interval must reach `min`."""

    min: Share


class MaxShare(Strict):
    """At most this share."""

    max_share: Share = 0.0


class Prefer(Strict):
    """In a pairwise comparison `candidate` must win with a lower bound above `low`."""

    candidate: Literal["a", "b"] = "b"
    low: Share = 0.5
    max_inconsistent: Share = 0.2


class Rule(Strict):
    """One gate rule with its settings; exactly one key is set."""

    all_pass: bool | None = None
    must_pass: bool | None = None
    fewer_passes: FewerPasses | None = None
    pass_rate_below_baseline: By | None = None
    paired_interval_below_zero: bool | None = None
    not_worse_than: Margin | None = None
    pass_rate_low: Minimum | None = None
    unknown: MaxShare | None = None
    missing: MaxShare | None = None
    uncertified: bool | None = None
    budget: bool | None = None
    prefer: Prefer | None = None

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        """`must_pass` alone is `{must_pass: true}`; rules whose settings have defaults may stand alone too."""
        if not isinstance(value, str):
            return value
        flags = ("all_pass", "must_pass", "paired_interval_below_zero", "uncertified", "budget")
        return {value: True if value in flags or value not in cls.model_fields else {}}

    @model_validator(mode="after")
    def _one(self) -> Rule:
        if len(self.model_fields_set) != 1:
            raise ValueError("is not one rule: write each rule as an item of its own")
        return self

    @property
    def name(self) -> str:
        """The rule's name, e.g. `fewer_passes`."""
        return next(iter(self.model_fields_set))


class GatePolicy(Strict):
    """Rules that fail the gate (`block`) and rules that only warn."""

    block: Items[Rule] = ()
    warn: Items[Rule] = ()


class Budget(Strict):
    """The most that one command may send or spend; the run stops before it is passed."""

    calls: Count | None = None
    usd: float | None = Field(default=None, ge=0)


class Price(Strict):
    """US dollars per million tokens, for a model that the price list does not know."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class Pace(Strict):
    """How fast each provider is asked, and how often again after a failure that may heal.

    requests_per_minute, tokens_per_minute   begun within any 60 s; tokens are estimated before, counted after
    retries      tries after the first one
    wait_s       the longest single wait, also of one that the server asks for
    deadline_s   no try begins later than this after the first one
    """

    requests_per_minute: Trials | None = None
    tokens_per_minute: Trials | None = None
    retries: Count = 3
    wait_s: float = Field(default=60, gt=0)
    deadline_s: float = Field(default=300, gt=0)


class SuiteFile(Strict):
    """The whole of `judgekit.yaml`; paths in it are relative to it."""

    suite: Name = "suite"
    cases: TextOrTexts
    columns: dict[str, str] = {}
    recordings: Items[str] = ()
    trials: Trials = 1
    pass_when: PassWhen = "all"
    variants: dict[str, Variant] = {}
    judge: JudgeConfig | None = None
    rubrics: Items[str] = ()
    labels: str | None = None
    certificates: str = "certificates"
    calibration: CalibrationPolicy = CalibrationPolicy()
    gate: GatePolicy | None = None
    budget: Budget | None = None
    prices: dict[str, Price] = {}
    limits: Pace = Pace()
    traffic: str | None = None
    runs: str = "runs"

    @property
    def case_files(self) -> tuple[str, ...]:
        """The case files or globs, as written."""
        return (self.cases,) if isinstance(self.cases, str) else self.cases

    @field_validator("variants")
    @classmethod
    def _names(cls, value: dict[str, Variant]) -> dict[str, Variant]:
        for name in value:
            if not name or not all(c.isalnum() or c in "._-" for c in name) or name.startswith("."):
                raise ValueError(f"variant name {name!r} may hold letters, digits, '.', '_' and '-' only")
        return value


def load_suite_file(path: Path, *, name: str | None = None) -> SuiteFile:
    """Read and check a suite file; nothing that it points to is opened.

    Raises `InputError` with file, line and mend of every problem.
    """
    shown = name or str(path)
    if path.is_dir():
        path, shown = path / "judgekit.yaml", f"{shown}/judgekit.yaml".removeprefix("./")
    if not path.is_file():
        what = "no such file; `judgekit init` writes a small suite that runs at once"
        raise InputError(Problem(shown, None, what))
    return load_model(SuiteFile, read_yaml(read_text(path, name=shown), file=shown))


def json_schema() -> dict[str, Any]:
    """JSON Schema of a suite file, for editors."""
    return SuiteFile.model_json_schema()
