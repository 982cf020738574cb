"""A judge template: checked once, before anything is sent, then rendered many times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from jinja2 import Template as Compiled
from jinja2 import TemplateSyntaxError, meta, nodes

from judgekit.errors import InputError, Problem
from judgekit.located import near, read_text
from judgekit.render.sandbox import Sandbox, compiled
from judgekit.rubric import shipped_folder
from judgekit.types import sha256_of

UNTRUSTED = ("input", "output", "context", "reference", "trace", "rubric")
"""What comes from cases and outputs: printed between fences, and only in the user message."""

ANSWERS = ("first", "second")
"""What a template for pairs shows instead of `output`: the two answers, in the order of this call."""

TRUSTED = ("criterion", "levels", "examples", "verdicts", "dimension", "needs")
"""What comes from the rubric."""

WORDING = "1"
"""Raised when the words that judgekit itself adds to a prompt change: part of a template's fingerprint."""

_TAG = re.compile(r"<(/?)result>")
_LOOP_NUMBERS = {"index", "index0", "revindex", "revindex0", "first", "last", "length", "depth", "depth0"}
_BANNED: tuple[tuple[type[nodes.Node], str], ...] = (
    (nodes.Macro, "macro"),
    (nodes.CallBlock, "call"),
    (nodes.FilterBlock, "filter"),
    (nodes.AssignBlock, "set"),
    (nodes.Include, "include"),
    (nodes.Import, "import"),
    (nodes.FromImport, "from"),
    (nodes.Extends, "extends"),
    (nodes.ScopedEvalContextModifier, "autoescape"),
)


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template. `source` is its text, `name` what errors call it."""

    name: str
    source: str
    parts: Compiled
    split: bool

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of all fixed text of this template's prompts, judgekit's own words included."""
        return sha256_of(f"{WORDING}\0{self.source}")


def compile_template(text: str | None, *, name: str, ordinal: bool, structured: bool) -> Template:
    """Check and compile a template; None is the default that ships, for this scale and form of reply.

    Raises `InputError` with the line of every problem: syntax, unknown variables, single braces, untrusted text in
    the system block, a template that never shows `output` or never asks for a verdict.
    """
    source = shipped_template(ordinal=ordinal, structured=structured) if text is None else text
    env = Sandbox()
    tree = parsed(env, source, name)
    problems = [
        *checked(tree, source, known=(*UNTRUSTED, *TRUSTED)),
        *_blocks(tree, UNTRUSTED),
        *_complete(tree, ("output",), structured=structured),
    ]
    return _fenced(env, tree, source, name, problems, UNTRUSTED)


def compile_pair_template(text: str | None, *, name: str, structured: bool) -> Template:
    """The same for a template that shows two answers, `first` and `second`; None is the one that ships.

    Raises `InputError` as `compile_template` does.
    """
    source = read_text(shipped_folder() / "pairwise" / "pair.j2") if text is None else text
    env = Sandbox()
    tree = parsed(env, source, name)
    untrusted = (*(u for u in UNTRUSTED if u not in ("output", "trace")), *ANSWERS)
    trusted = (*(t for t in TRUSTED if t not in ("levels", "examples")), "ties")
    problems = [
        *checked(tree, source, known=(*untrusted, *trusted)),
        *_blocks(tree, untrusted),
        *_complete(tree, ANSWERS, structured=structured),
    ]
    return _fenced(env, tree, source, name, problems, untrusted)


def _fenced(
    env: Sandbox,
    tree: nodes.Template,
    source: str,
    name: str,
    problems: Sequence[tuple[int, str]],
    untrusted: Sequence[str],
) -> Template:
    """The compiled template whose untrusted expressions stand between fences. Raises `InputError`."""
    if problems:
        raise InputError([Problem(name, line, what) for line, what in sorted(problems)])
    _rewrite(tree, untrusted)
    split = any(isinstance(node, nodes.Block) for node in tree.body)
    return Template(name, source, finished(env, tree, name), split)


@lru_cache
def shipped_template(*, ordinal: bool, structured: bool) -> str:
    """The text of the default template for a scale and a form of reply."""
    kind = "json" if structured else "ordinal" if ordinal else "binary"
    return read_text(shipped_folder() / "templates" / f"{kind}.j2")


def parsed(env: Sandbox, source: str, name: str) -> nodes.Template:
    """The syntax tree. Raises `InputError`, also for a filter or test that does not exist."""
    try:
        tree = env.parse(source, name)
        meta.find_undeclared_variables(tree)  # generates the code once, and so finds what the grammar alone does not
    except TemplateSyntaxError as error:
        missing = re.search(r"No (?:filter|test) named '(.*?)'", str(error.message))
        hint = near(missing[1], [f for f in (*env.filters, *env.tests) if f[0] != "_"]) if missing else ""
        raise InputError(Problem(name, error.lineno, f"{error.message}{hint}")) from None
    return tree


def finished(env: Sandbox, tree: nodes.Template, name: str) -> Compiled:
    """The compiled template of a tree that passed every check."""
    tree.set_environment(env)
    return compiled(env, env.compile(tree, name, name))


def checked(tree: nodes.Template, source: str, *, known: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Line and message of every problem that any template of ours can have."""
    for kind, word in _BANNED:
        for node in tree.find_all(kind):
            block = "a block of `{% set %}`" if word == "set" else f"`{{% {word} %}}`"
            yield node.lineno, f"{block} is not available here: a template stands alone"
    for access in tree.find_all(nodes.Getattr):
        if access.attr.startswith("__"):
            yield access.lineno, f"`{access.attr}` is not available: a template sees data only"
    unknown = meta.find_undeclared_variables(tree) - set(known)
    for used in tree.find_all(nodes.Name):
        if used.ctx == "load" and (used.name in unknown or used.name in ("self", "super")):
            yield used.lineno, f"unknown variable {used.name!r}.{near(used.name, known)} Known: {', '.join(known)}"
    # what stands in Jinja's own braces is blanked, line by line
    plain = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", lambda m: "\n" * m[0].count("\n"), source, flags=re.DOTALL)
    for single in re.finditer(rf"\{{\s*(({'|'.join(known)})(?:\.\w+)*)\s*\}}", plain):
        line = plain.count("\n", 0, single.start()) + 1
        yield line, f"{single[0]} is not filled in: write {{{{ {single[1]} }}}}"


def _blocks(tree: nodes.Template, untrusted: Sequence[str]) -> Iterator[tuple[int, str]]:
    """A template is either one text, or the blocks `system` and `user` and nothing around them."""
    blocks = [node for node in tree.body if isinstance(node, nodes.Block)]
    for block in tree.find_all(nodes.Block):
        if block not in blocks or block.name not in ("system", "user"):
            yield block.lineno, f"block {block.name!r}: a template has the blocks `system` and `user`, side by side"
    if not blocks:
        return
    if not any(block.name == "user" for block in blocks):
        yield blocks[0].lineno, "there is a block `system` and no block `user`"
    for node in tree.body:
        parts = node.nodes if isinstance(node, nodes.Output) else [node]
        for part in parts:
            blank = isinstance(part, nodes.TemplateData) and not part.data.strip()
            if not blank and not isinstance(part, nodes.Block):
                yield part.lineno, "stands outside the blocks `system` and `user`, so it would not be sent"
    dirty = _tainted_names(tree, untrusted)
    for block in (b for b in blocks if b.name == "system"):
        for part in _printed(block):
            if taint := _taint(part, dirty):
                yield part.lineno, f"`{taint}` is untrusted and stands in the block `system`: show it in `user`"


def _complete(tree: nodes.Template, shown: Sequence[str], *, structured: bool) -> Iterator[tuple[int, str]]:
    """A judge has to see what it judges, and to know how to answer."""
    names = {node.name for node in tree.find_all(nodes.Name)}
    for name in shown:
        if name not in names:
            what = name if name == "output" else f"{name} answer"
            yield 1, f"never shows the {what}: write {{{{ {name} }}}} where it should stand"
    tags = any(_TAG.search(node.data) for node in tree.find_all(nodes.TemplateData))
    if "verdicts" not in names and (structured or not tags):
        yield 1, "never says how to give the verdict: write {{ verdicts }} where the judge should read it"


def _printed(tree: nodes.Node) -> Iterator[nodes.Expr]:
    for out in tree.find_all(nodes.Output):
        yield from (part for part in out.nodes if not isinstance(part, nodes.TemplateData))


def _rewrite(tree: nodes.Template, untrusted: Sequence[str]) -> None:
    """Print untrusted expressions between fences, and let a `<result>` in the text carry the marker if need be."""
    dirty = _tainted_names(tree, untrusted)
    for out in list(tree.find_all(nodes.Output)):
        out.nodes = [new for part in out.nodes for new in _rewritten(part, dirty)]


def _rewritten(part: nodes.Expr, dirty: set[str]) -> list[nodes.Expr]:
    line = part.lineno
    if isinstance(part, nodes.TemplateData):
        pieces = re.split(r"(?<=<)(/?)result(?=>)", part.data)
        out: list[nodes.Expr] = [nodes.TemplateData(pieces[0], lineno=line)]
        for slash, rest in zip(pieces[1::2], pieces[2::2], strict=True):
            tag = nodes.Name("_tag", "load", lineno=line)
            out += [nodes.TemplateData(slash, lineno=line), tag, nodes.TemplateData(rest, lineno=line)]
        return out
    taint = _taint(part, dirty)
    if taint:
        marker = nodes.Name("_marker", "load", lineno=line)
        whole = nodes.Const(isinstance(part, nodes.Name), lineno=line)
        return [_filter(part, "_fence", nodes.Const(taint, lineno=line), marker, whole)]
    if isinstance(part, nodes.Name) and part.name == "levels":
        return [_filter(part, "_levels")]
    if isinstance(part, nodes.Name) and part.name == "examples":
        return [_filter(part, "_examples", nodes.Name("_tag", "load", lineno=line))]
    return [part]


def _filter(value: nodes.Expr, name: str, *args: nodes.Expr) -> nodes.Expr:
    return nodes.Filter(value, name, list(args), [], None, None, lineno=value.lineno)


def _tainted_names(tree: nodes.Template, untrusted: Sequence[str]) -> set[str]:
    """Every name that may hold untrusted text: the variables, and what is set from them or loops over them."""
    dirty = set(untrusted)
    while True:
        before = len(dirty)
        for target, value in _bindings(tree):
            if _taint(value, dirty):
                dirty |= set(_names(target))
        if len(dirty) == before:
            return dirty


def _bindings(tree: nodes.Template) -> Iterator[tuple[nodes.Node, nodes.Node]]:
    for assign in tree.find_all(nodes.Assign):
        yield assign.target, assign.node
    for loop in tree.find_all(nodes.For):
        yield loop.target, loop.iter
    for with_ in tree.find_all(nodes.With):
        yield from zip(with_.targets, with_.values, strict=True)


def _taint(part: nodes.Node, dirty: set[str]) -> str:
    """The untrusted variable that an expression may print, `data` for one derived from it, "" for none."""
    found = sorted((name for name in _names(part) if name in dirty), key=lambda name: name not in ("output", *ANSWERS))
    return next(
        (name for name in found if name in (*UNTRUSTED, *ANSWERS)), "data" if found or _loop_items(part) else ""
    )


def _names(part: nodes.Node) -> Iterator[str]:
    if isinstance(part, nodes.Name):
        yield part.name
    yield from (node.name for node in part.find_all(nodes.Name))


def _loop_items(part: nodes.Node) -> bool:
    """Whether `loop` is used for more than its numbers: `loop.previtem` is an item."""
    numbers = sum(
        isinstance(node, nodes.Getattr)
        and isinstance(node.node, nodes.Name)
        and node.node.name == "loop"
        and node.attr in _LOOP_NUMBERS
        for node in (part, *part.find_all(nodes.Getattr))
    )
    return sum(name == "loop" for name in _names(part)) > numbers
