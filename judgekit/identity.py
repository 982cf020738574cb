"""Canonical model names, and whether a judge is the model whose outputs it would grade."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from judgekit.errors import SelfGrading
from judgekit.types import Frozen

Kind = Literal["same", "family", "different", "unknown"]


class Canonical(Frozen, frozen=True):
    """A model name without the ways in which hosts, routers, dates and packaging spell it.

    maker     who made the model; for a name that is not recognised the organisation it was given with, else None
    family    the maker's line, e.g. `gpt`; None = the name is not recognised and may stand for any model
    name      lower case, words joined by `-`
    as_given  what the user wrote; requests and reports keep it
    """

    maker: str | None
    family: str | None
    name: str
    as_given: str

    @property
    def id(self) -> str:
        """`maker/name`, or the name alone; its canonical form is itself."""
        return f"{self.maker}/{self.name}" if self.maker else self.name


class Relation(Frozen, frozen=True):
    """How a judge relates to the model that wrote an output, and why: one sentence for people, without a full stop."""

    kind: Kind
    reason: str


class _Line(NamedTuple):
    """A maker's line of models. `open_weights`: many hosts serve it, each with a name of its own."""

    maker: str
    family: str
    names: re.Pattern[str]
    open_weights: bool


def _lines() -> tuple[_Line, ...]:
    """Names are matched from the start; a line named by an everyday word asks for more than that word."""
    served = {
        ("openai", "gpt"): r"(chat)?gpt(-|$)|o\d(-|$)|(text-|code-)?davinci|codex-",
        ("anthropic", "claude"): r"claude(-|$)",
        ("google", "gemini"): r"gemini(-|$)",
        ("google", "palm"): r"palm-|(text|chat|code)-(bison|unicorn)",
        ("xai", "grok"): r"grok(-|$)",
        ("cohere", "command"): r"command-(r|a|light|nightly|text|xlarge)|c4ai-|aya-",
        ("amazon", "nova"): r"nova-(micro|lite|pro|premier|sonic|\d)",
        ("amazon", "titan"): r"titan-(text|tg)",
        ("perplexity", "sonar"): r"sonar(-(pro|reasoning|deep|small|medium|large)|$)",
        ("baidu", "ernie"): r"ernie-",
        ("bytedance", "doubao"): r"doubao-",
        ("writer", "palmyra"): r"palmyra-",
        ("reka", "reka"): r"reka-(core|flash|edge)",
    }
    weights = {
        ("openai", "gpt"): r"gpt-oss",
        ("meta", "llama"): r"llama(-|$)|code-?llama",
        (
            "mistral",
            "mistral",
        ): r"(open-)?(mis|mix|minis|codes|magis|devs|pix|maths)tral(-|$)",
        ("alibaba", "qwen"): r"(qwen|qwq|qvq)(-|$)",
        ("deepseek", "deepseek"): r"deepseek(-|$)",
        ("google", "gemma"): r"(code|pali|shield)?gemma(-|$)",
        ("microsoft", "phi"): r"phi-(\d|mini|small|medium|silica)|wizardlm",
        ("zhipu", "glm"): r"(chat)?glm-",
        ("moonshot", "kimi"): r"kimi-|moonshot-",
        ("01-ai", "yi"): r"yi-(\d|large|medium|lightning|coder|vl)",
        ("huggingface", "smollm"): r"smol(lm|vlm)|zephyr-\d",
        ("ai2", "olmo"): r"olmo(e)?-|tulu-|molmo-",
        ("ibm", "granite"): r"granite-\d",
        ("nvidia", "nemotron"): r"nemotron-",
        ("tii", "falcon"): r"falcon-?(\d|h\d|mamba)",
        ("lg", "exaone"): r"exaone-",
        ("upstage", "solar"): r"solar-(\d|pro|mini)",
        ("tencent", "hunyuan"): r"hunyuan-",
        ("minimax", "minimax"): r"minimax-|abab\d",
        ("databricks", "dbrx"): r"dbrx(-|$)",
        ("ai21", "jamba"): r"jamba-|j2-",
        ("liquid", "lfm"): r"lfm\d?-",
        ("internlm", "internlm"): r"internlm-",
        ("baichuan", "baichuan"): r"baichuan-",
        ("lmsys", "vicuna"): r"vicuna-",
        ("bigcode", "starcoder"): r"starcoder-?",
    }
    return tuple(
        _Line(maker, family, re.compile(names), open_weights=table is weights)
        for table in (weights, served)
        for (maker, family), names in table.items()
    )


_LINES = _lines()
_WORDS = {
    **{word: word for word in ("gpt", "claude", "gemini", "gemma", "llama", "qwen", "mistral", "deepseek", "grok")},
    "chatgpt": "gpt",
    "mixtral": "mistral",
}
"""Words that betray a line anywhere in a name (`hermes-llama-8b`); too little to recognise the model by."""

_HOST = re.compile(
    r"openai(-responses)?|text-completion-openai|azure(-?openai|-?ai)?|anthropic|bedrock(-converse)?|converse|invoke|"
    r"vertex(-?ai)?|google(-gla|-vertex|-ai-studio)?|gemini|mistral|cohere|deepseek|xai|groq|together(-?ai)?|"
    r"fireworks(-ai)?|deepinfra|openrouter|litellm(-proxy)?|perplexity|cerebras|sambanova|nvidia-nim|databricks|"
    r"sagemaker|watsonx|github(-copilot)?|huggingface|hf|replicate|ollama(-chat)?|(hosted-)?vllm|lm-?studio|llama-cpp|"
    r"llamafile|xinference|anyscale|novita|hyperbolic|nebius|cloudflare|workers-ai|@cf|@hf|replay|local|models|"
    r"responses|us|eu|global|[a-z]{2}(-gov)?-[a-z]+-\d"
)
"""Words before `:` or `/` that say where a model is served, not which model it is; the last is a cloud region."""

_FINE_TUNE = re.compile(r"(?:^|[:/])ft:([^:]+)")
_BEDROCK = re.compile(
    r"^(?:(?:us|eu|apac|jp|au|ca|sa|us-gov|global)\.)?"
    r"(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|openai|qwen|google|nvidia|minimax|moonshotai|moonshot|writer|zai)\."
)
_ROUTER_TAG = re.compile(
    r":(free|nitro|floor|online|beta|extended|exacto|thinking|self-moderated|latest|default|cloud)$"
)
_MAKER_HEAD = re.compile(
    r"^(meta|anthropic|google|openai|databricks|mistralai|mistral-ai|microsoft|amazon|cohere|xai)-"
)
_LATEST = re.compile(r"-(latest|free)$")
_STAGE = re.compile(r"-(beta|default)$")
_FULL_DATE = re.compile(
    r"-(20\d\d-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])|20\d\d-(0[1-9]|1[0-2])|(0[1-9]|1[0-2])-20\d\d)$"
)
_SHORT_DATE = re.compile(r"-((0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])|2[3-9](0[1-9]|1[0-2]))(?=$|-preview$)")
_PACKAGING = re.compile(
    r"-(i?q[1-8](-[k01])?(-(xxs|xs|s|m|l|xl|nl))?|ud|gguf|ggml|awq|gptq|exl2|mlx|bnb|hf|fp8-dynamic|fp4|fp8|fp16|fp32|"
    r"f16|f32|bf16|int4|int8|nf4|mxfp4|nvfp4|[2-8]-?bit|w\d+a\d+)$"
)
_TUNED = re.compile(r"(?<=\d)(.*?)-(instruct-turbo|instruct|chat|it|instant|versatile)$")
_PREVIEW = re.compile(r"-((preview|exp|experimental)(-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))?|00\d)$")
_EFFORT = re.compile(r"^(o\d|gpt-5|gpt-oss)(.*)-(minimal|low|medium|high|xhigh)$")
_CLAUDE = re.compile(r"^claude-(\d(?:-\d)?-)?(opus|sonnet|haiku|instant)(-\d(?:-\d)?)?(-v\d)?$")


def canonical(model: str) -> Canonical:
    """The canonical form of a model name, however a host, router or file spells it. Looks nothing up.

    Dropped: provider and router prefixes (also doubled), `:free`, dates, `-latest`, the name of a fine-tune (what is
    left is the model it was tuned from), quantisation and file format; for open weights `-instruct` and `-chat` too,
    because many hosts leave them out. Kept: size, version, and the organisation of a name that is not recognised.
    """
    text = " ".join(model.split())
    if text.lower().startswith("python:"):
        return Canonical(None, None, text, model)
    maker, line, name = None, None, text
    for _ in range(9):  # each round only drops or re-orders words; a real name settles in two or three
        before = (maker, name)
        maker, line, name = _reduce(f"{maker}/{name}" if maker else name)
        if (maker, name) == before:
            break
    return Canonical(maker, line.family if line else None, name, model)


def compare(judge: str, author: str | None, *, judge_same_as: str | None = None) -> Relation:
    """How the model `judge` relates to the model `author` that wrote an output (None or "" = not said).

    judge_same_as   what the judge's name really stands for, e.g. `gpt-4o` for a deployment `prod-judge`. It settles a
                    name that is not recognised; next to a recognised name the closer of both relations counts, so it
                    cannot hide that a model grades itself
    """
    if author is None or not author.strip():
        return Relation("unknown", "the outputs do not say which model wrote them")
    plain = _relate(judge, author)
    if not judge_same_as or plain.kind == "same":
        return plain
    told = _relate(judge_same_as, author)
    told = Relation(told.kind, f"{judge} is taken as {judge_same_as} (same_as): {told.reason}")
    closeness = ("same", "family", "unknown", "different")
    if canonical(judge).family is None or closeness.index(told.kind) < closeness.index(plain.kind):
        return told
    return plain


def check_judge(
    judges: Sequence[str],
    authors: Mapping[str | None, int],
    *,
    allow_self: str | None,
    same_as: str | None = None,
) -> tuple[str, ...]:
    """Refuse a judge that would grade its own outputs; what else a reader must know comes back as notices.

    judges      the models of the panel, as the user named them
    authors     model that wrote outputs -> number of those outputs; None = the outputs do not say
    allow_self  the user's reason for letting a model grade itself; blank is no reason
    same_as     what the judge's name stands for; in a panel it is used for the one name that is not recognised
    returns     one sentence each: an override with its reason, a judge of the same family, authorship not known

    Raises `SelfGrading`, which lists every such pair of judge and author with its number of outputs.
    """
    silent = sum(n for author, n in authors.items() if not (author or "").strip())
    named = {author: n for author, n in authors.items() if author and author.strip() and n > 0}
    hidden = [judge for judge in judges if canonical(judge).family is None]
    reason = (allow_self or "").strip()
    refused: list[str] = []
    notices: list[str] = []
    if same_as and len(judges) > 1 and len(hidden) != 1:
        notices.append(f"same_as is not used: it needs one judge of unrecognised name, this panel has {len(hidden)}")
    for judge in judges:
        alias = same_as if len(judges) == 1 or hidden == [judge] else None
        for author, n in sorted(named.items(), key=lambda item: (-item[1], item[0])):
            relation = compare(judge, author, judge_same_as=alias)
            whose = f"{_outputs(n)} by {author}"
            if relation.kind == "same" and not reason:
                refused.append(f"judge {judge} would grade its own work, {whose}: {relation.reason}.")
            elif relation.kind == "same":
                notices.append(f'judge {judge} grades its own work, {whose}, allowed because "{reason}"')
            elif relation.kind == "family":
                notices.append(f"judge {judge} may favour its kin, {whose}: {relation.reason}")
            elif relation.kind == "unknown":
                notices.append(f"cannot tell whether judge {judge} grades its own work, {whose}: {relation.reason}")
    if refused:
        mend = (
            'Take another judge, or write `allow_self: "<reason>"` under `judge:`; every report then shows the reason'
        )
        raise SelfGrading("\n".join((*refused, f"{mend}.")))
    if silent and judges:
        notices.append(
            f"cannot tell whether a judge grades its own work: {_outputs(silent)} without an author; "
            "write `model:` in the variant, or a `model` in each output"
        )
    return tuple(notices)


def _outputs(n: int) -> str:
    return "1 output" if n == 1 else f"{n} outputs"


def _relate(judge: str, author: str) -> Relation:
    """The relation of two names, both as given."""
    a, b = canonical(judge), canonical(author)
    both = f"{judge} and {author}"
    if a.name == b.name and a.maker == b.maker and a.name:
        return Relation("same", f"{both} are the same model, {a.id}" if judge != author else f"both are {judge}")
    if a.family and b.family and a.family == b.family:
        return Relation("family", f"{both} are two models of one family, {a.family} by {a.maker}")
    shared = sorted(_kin(a) & _kin(b))
    if shared:
        advice = "" if a.family else "; if the judge is that very model, say so with `same_as`"
        return Relation("family", f"the names {both} both speak of {shared[0]}{advice}")
    if a.family and b.family:
        lines = f"two lines of {a.maker}" if a.maker == b.maker else f"models of {a.maker} and {b.maker}"
        return Relation("different", f"{both} are {lines}")
    if not a.family and not b.family and a.maker and b.maker:
        if a.maker != b.maker:
            return Relation("different", f"{both} are models of {a.maker} and {b.maker}")
        if a.name.split("-")[0] == b.name.split("-")[0]:
            return Relation("family", f"{both} are two models of {a.maker} of one name")
    if not a.family and not b.family:
        return Relation("unknown", "neither is a known model name; `same_as` under `judge:` says what the judge is")
    if not a.family:
        return Relation("unknown", f"{judge} is no known model name; `same_as` under `judge:` says what it is")
    return Relation("unknown", f"the author {author} is no known model name; write the model's own name")


def _kin(model: Canonical) -> set[str]:
    """The lines that a name speaks of: its own, and any other it mentions (`deepseek-r1-distill-llama-8b`)."""
    if model.name.startswith("python:"):
        return set()
    words = (re.sub(r"\d.*", "", word) for word in model.name.split("-"))
    own = {model.family} if model.family else set()
    return own | {_WORDS[word] for word in words if word in _WORDS}


def _reduce(text: str) -> tuple[str | None, _Line | None, str]:
    """One round: (maker, line, name), with prefixes, then suffixes, taken off `text`."""
    text = " ".join(unicodedata.normalize("NFKC", text.lower()).split()).replace("\\", "/")
    text = re.sub(r"[\u2010-\u2015\u2212]", "-", text)
    tuned = _FINE_TUNE.search(text)
    *orgs, last = _without_hosts(tuned[1] if tuned else text).split("/")
    last = re.sub(r"(?<=.)@[\w.-]+$", "", last)
    last = re.sub(r"(\.|:)ft-.*$", "", last)
    last = _one_name(_BEDROCK.sub("", last))
    name = re.sub(r"[\s._-]+", "-", last).strip("-")
    line, name = _recognise(name)
    name = _without_suffixes(name, line)
    if line and line.names.match(name):
        return line.maker, line, name
    return "/".join(o for o in orgs if o) or None, None, name


def _without_hosts(text: str) -> str:
    """Take off leading providers, routers and resource paths: `openrouter/`, `azure:`, `accounts/x/models/` ..."""
    path = re.search(r"(?:^|/)(?:publishers/[^/]+|accounts/[^/]+|projects/.*)/models/(.+)$", text)
    if path:
        text = path[1]
    if text.startswith("arn:"):
        text = text.rpartition("/")[2]
    while True:
        head = re.match(r"([^:/]+)(:/|[:/])(?=.)", text)
        if head is None:
            return text
        word, rest = head[1].replace("_", "-").strip(), text[head.end() :].lstrip("/")
        # `mistral:7b` is a model and its tag, `mistral:mistral-large` a provider and its model
        is_tag = head[2] == ":" and _recognise(word)[0] is not None and _recognise(rest.rpartition("/")[2])[0] is None
        if not rest or is_tag or not _HOST.fullmatch(word):
            return text
        text = rest


def _one_name(text: str) -> str:
    """Resolve the colons that are left: router tags, bedrock versions, `name:tag`, an unknown `provider:name`."""
    while found := _ROUTER_TAG.search(text):
        text = text[: found.start()]
    version = re.search(r"-v?\d+:\d+(:\d+k)?$", text)
    if version and text[: version.start()] != "claude":
        text = text[: version.start()]
    head, colon, tag = text.partition(":")
    if colon and _recognise(head)[0]:
        return f"{head}-{tag.replace(':', '-')}"
    if colon and _recognise(tag)[0]:
        return tag
    return text


def _recognise(name: str) -> tuple[_Line | None, str]:
    """The line that a name belongs to, and the name with the line's word set apart: `llama3-8b` -> `llama-3-8b`."""
    # Bedrock writes `llama3`, Fireworks `llama-v3p1`, old Claude `claude-v2`; `deepseek-v3` is a name
    apart = re.sub(r"^(llama|claude)-v(\d)", r"\1-\2", name)
    apart = re.sub(r"^([a-z]{2,}?)-?(\d)(?:p(\d)(?=-))?", lambda m: "-".join(x for x in m.groups() if x), apart)
    for shown in (name, apart, _MAKER_HEAD.sub("", name)):
        for line in _LINES:
            if line.names.match(shown):
                return line, apart if shown == name and line.names.match(apart) else shown
    return None, name


def _without_suffixes(name: str, line: _Line | None) -> str:
    """Take off, until nothing is left to take, what does not change which model it is."""
    drop = [_LATEST, _FULL_DATE, _PACKAGING]
    if line:
        drop += [_SHORT_DATE, _STAGE]
    if line and line.family == "gemini":
        drop.append(_PREVIEW)
    while True:
        before = name
        for pattern in drop:
            name = pattern.sub("", name) or name
        if line and line.open_weights:
            name = _TUNED.sub(r"\1", name)
        if line and line.family == "gpt":
            name = _EFFORT.sub(r"\1\2", name.replace("gpt-35-", "gpt-3-5-"))
        if line and line.family == "claude" and (found := _CLAUDE.match(name)):
            version = (found[1] or found[3] or "").strip("-")
            name = "-".join(part for part in ("claude", found[2], version) if part)
        if name == before:
            return name
