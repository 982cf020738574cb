"""A rubric for pairs: criteria on which one of two answers is better."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from judgekit.errors import InputError, Problem
from judgekit.located import load_model, near, read_text, read_yaml
from judgekit.rubric import Items, Name, Strict, shipped_folder

LABELS = ("FIRST", "SECOND", "TIE", "UNKNOWN")
SHIPPED = "pairwise"


class PairDimension(Strict):
    """One criterion. `needs`: without these fields of the case the pair is not judged."""

    id: Name
    criterion: str = Field(min_length=1)
    needs: Items[Literal["context", "reference", "rubric"]] = ()


class PairRubric(Strict):
    """One or more criteria for pairs, and the template that asks for them.

    ties            whether the judge may say TIE; without it a judge that sees no difference says UNKNOWN
    template_text   the text of the Jinja2 template; None means the one that ships
    """

    id: Name
    version: int | str = 1
    description: str = ""
    template: str | None = None
    ties: bool = True
    dimensions: Items[PairDimension] = Field(min_length=1)
    template_text: str | None = Field(default=None, exclude=True)

    @model_validator(mode="after")
    def _once(self) -> PairRubric:
        ids = [d.id for d in self.dimensions]
        twice = sorted({i for i in ids if ids.count(i) > 1})
        if twice:
            raise ValueError(f"dimension {twice[0]!r} is defined twice")
        return self

    @property
    def labels(self) -> tuple[str, ...]:
        """Every verdict that the judge may give, the honest abstention last."""
        return tuple(label for label in LABELS if self.ties or label != "TIE")

    def only(self, names: tuple[str, ...]) -> PairRubric:
        """The rubric with some of its dimensions, in the order given. Raises `InputError` for an unknown one."""
        by_id = {d.id: d for d in self.dimensions}
        for name in names:
            if name not in by_id:
                what = f"rubric {self.id!r} has no dimension {name!r}.{near(name, by_id)} Known: {', '.join(by_id)}"
                raise InputError(Problem("", None, what))
        return self.model_copy(update={"dimensions": tuple(by_id[name] for name in dict.fromkeys(names))})


def criterion_for_pairs(criterion: str) -> PairRubric:
    """A rubric of one dimension out of plain words."""
    return PairRubric(id="criterion", dimensions=(PairDimension(id="better", criterion=criterion),))


def find_pair_rubric(name: str, *, base: Path) -> PairRubric:
    """A rubric for pairs by file (relative to `base`), or the one that ships: `pairwise`.

    Raises `InputError` with file and line of every problem.
    """
    if name == SHIPPED and not (base / f"{name}.yaml").is_file():
        return _load(shipped_folder() / "pairwise" / "pairwise.yaml", "pairwise.yaml (shipped)")
    path = base / name
    for found in (path, base / f"{name}.yaml", base / "rubrics" / f"{name}.yaml"):
        if found.is_file():
            return _load(found, str(found.relative_to(base)))
    what = f"no rubric for pairs {name!r}.{near(name, [SHIPPED])} Give a file, or the one that ships: {SHIPPED}"
    raise InputError(Problem("", None, what))


def _load(path: Path, shown: str) -> PairRubric:
    doc = read_yaml(read_text(path, name=shown), file=shown)
    rubric = load_model(PairRubric, doc)
    if rubric.template is None:
        return rubric
    template = path.parent / rubric.template
    if not template.is_file():
        raise InputError(doc.problem(["template"], f"no template file {rubric.template!r} beside this rubric"))
    return rubric.model_copy(update={"template_text": read_text(template)})
