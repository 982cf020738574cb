"""A rubric: criteria that a judge grades one at a time, each with its scale."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from judgekit.errors import InputError, Problem
from judgekit.located import load_model, near, read_text, read_yaml
from judgekit.types import Json, Severity, Verdict, sha256_of

UNKNOWN = "UNKNOWN"
CASE_RUBRIC = "case"
"""Id of the built-in rubric that judges an output against the case's own rubric text."""

CASE_CRITERION = "meets every line of the case's rubric"
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]

T = TypeVar("T")


def _as_tuple(value: Any) -> Any:
    """YAML has lists where a frozen value has tuples; nothing else is coerced."""
    return tuple(value) if isinstance(value, list) else value


Items = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
TextOrTexts = Annotated[str | tuple[str, ...], BeforeValidator(_as_tuple)]


class Strict(BaseModel):
    """A part of a file: unknown keys are errors and nothing is coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Ordinal(Strict):
    """Ordered levels (whole numbers, ascending) with their meaning; `pass_at` is the lowest level that passes."""

    levels: dict[str, str]
    pass_at: int

    @field_validator("levels", mode="before")
    @classmethod
    def _numbers(cls, value: Json) -> Json:
        if isinstance(value, dict):
            bad = [k for k in value if not str(k).lstrip("-").isdigit()]
            if bad:
                raise ValueError(f"levels are whole numbers, not {bad[0]!r}")
            if len(value) < 2:
                raise ValueError("a scale needs at least two levels")
            return {str(k): value[k] for k in sorted(value, key=lambda k: int(str(k)))}
        return value

    @model_validator(mode="after")
    def _reachable(self) -> Ordinal:
        if not min(map(int, self.levels)) < self.pass_at <= max(map(int, self.levels)):
            raise ValueError(f"pass_at {self.pass_at} must be one of the levels above the lowest, or nothing can fail")
        return self


class Example(Strict):
    """A worked example that a template may show to the judge."""

    output: str
    verdict: str
    reason: str
    input: str | None = None
    context: str | None = None

    @field_validator("verdict", mode="before")
    @classmethod
    def _text(cls, value: Json) -> Json:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Dimension(Strict):
    """One criterion with its scale."""

    id: Name
    criterion: str = Field(min_length=1)
    scale: Literal["binary"] | Ordinal = "binary"
    severity: Severity | None = None
    examples: Items[Example] = ()
    needs: Items[Literal["context", "reference", "trace", "rubric"]] = ()

    @field_validator("scale", mode="before")
    @classmethod
    def _known_scale(cls, value: Json) -> Json:
        if value == "binary" or isinstance(value, (dict, Ordinal)):
            return value
        raise ValueError(f"{value!r} is no scale; write binary, or {{levels: {{0: ..., 1: ...}}, pass_at: 1}}")

    @property
    def labels(self) -> tuple[str, ...]:
        """Every verdict text that the judge may give, the honest abstention last."""
        if self.scale == "binary":
            return ("PASS", "FAIL", UNKNOWN)
        assert isinstance(self.scale, Ordinal)
        return (*self.scale.levels, UNKNOWN)

    def verdict(self, label: str) -> Verdict:
        """The verdict of a label of this scale: a level passes from `pass_at` on."""
        if label == UNKNOWN:
            return "UNKNOWN"
        if isinstance(self.scale, Ordinal):
            return "PASS" if int(label) >= self.scale.pass_at else "FAIL"
        return "PASS" if label == "PASS" else "FAIL"

    @model_validator(mode="after")
    def _examples_on_scale(self) -> Dimension:
        for example in self.examples:
            if example.verdict not in self.labels:
                raise ValueError(
                    f"an example has the verdict {example.verdict!r}; the scale has {', '.join(self.labels)}"
                )
        return self


class Total(Strict):
    """The rubric passes from a total of levels on, and with no dimension of `no_level_zero_in` at its lowest level."""

    min_total: int
    no_level_zero_in: Items[str] = ()


class Rubric(Strict):
    """One or more dimensions, the template that asks for them, and when the rubric as a whole passes.

    template_text   the text of the Jinja2 template; None means the default that ships
    """

    id: Name
    version: int | str = 1
    description: str = ""
    template: str | None = None
    dimensions: Items[Dimension] = Field(min_length=1)
    pass_when: Literal["all"] | Total = "all"
    template_text: str | None = Field(default=None, exclude=True)

    @model_validator(mode="after")
    def _consistent(self) -> Rubric:
        ids = [d.id for d in self.dimensions]
        twice = sorted({i for i in ids if ids.count(i) > 1})
        if twice:
            raise ValueError(f"dimension {twice[0]!r} is defined twice")
        if isinstance(self.pass_when, Total):
            binary = [d.id for d in self.dimensions if d.scale == "binary"]
            if binary:
                raise ValueError(f"min_total adds up levels, but dimension {binary[0]!r} is binary")
            for name in self.pass_when.no_level_zero_in:
                if name not in ids:
                    raise ValueError(f"no_level_zero_in names no dimension {name!r}.{near(name, ids)}")
        return self

    def dimension(self, name: str) -> Dimension:
        """The dimension of that id. Raises KeyError."""
        return next(d for d in self.dimensions if d.id == name)

    def fingerprint(self, dimension: str) -> str:
        """Hex SHA-256 of everything of this rubric that can change the judge's answer on one dimension."""
        body = self.dimension(dimension).model_dump_json(exclude={"severity"})
        return sha256_of(f"{self.template_text or ''}\0{body}")


def case_rubric() -> Rubric:
    """The built-in rubric `case`: one dimension, whose criterion is fixed; the case's own text is data."""
    return Rubric(
        id=CASE_RUBRIC,
        description="The output against the rubric text that the case itself brings.",
        dimensions=(Dimension(id="meets", criterion=CASE_CRITERION, needs=("rubric",)),),
    )


def from_text(criterion: str, *, name: str = "criterion") -> Rubric:
    """A rubric of one binary dimension out of plain words, as in `jk.grade(df, rubric="Polite.")`."""
    return Rubric(id=name, dimensions=(Dimension(id="meets", criterion=criterion),))


def load_rubric(path: Path, *, name: str | None = None) -> Rubric:
    """Read one rubric file, and the template beside it if it names one.

    Raises `InputError` with file and line of every problem.
    """
    shown = name or str(path)
    doc = read_yaml(read_text(path, name=shown), file=shown)
    rubric = load_model(Rubric, doc)
    if rubric.template is None:
        return rubric
    template = path.parent / rubric.template
    if not template.is_file():
        raise InputError(doc.problem(["template"], f"no template file {rubric.template!r} beside this rubric"))
    return rubric.model_copy(update={"template_text": read_text(template)})


def shipped_folder() -> Path:
    """The folder of the rubrics that ship with the package (in a wheel, or in a checkout)."""
    inside = Path(__file__).parent / "shipped" / "rubrics"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "rubrics"


def shipped_rubrics() -> dict[str, Path]:
    """Id -> file of every rubric that ships with the package."""
    return {p.stem: p for p in sorted(shipped_folder().glob("*.yaml"))}


def find_rubric(name: str, *, base: Path) -> Rubric:
    """A rubric by file (relative to `base`) or by the id of one that ships.

    Raises `InputError` that lists what ships when there is none.
    """
    if name == CASE_RUBRIC:
        return case_rubric()
    path = base / name
    if name.endswith((".yaml", ".yml")) or "/" in name:
        return load_rubric(path, name=name)
    local = [p for p in (base / f"{name}.yaml", base / "rubrics" / f"{name}.yaml") if p.is_file()]
    shipped = shipped_rubrics()
    if local:
        return load_rubric(local[0])
    if name in shipped:
        return load_rubric(shipped[name], name=f"{name}.yaml (shipped)")
    what = f"no rubric {name!r}.{near(name, shipped)} Give a file, or one that ships: {', '.join(shipped)}"
    raise InputError(Problem("", None, what))
