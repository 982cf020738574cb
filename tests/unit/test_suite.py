"""Suites and rubrics: unknown keys, wrong kinds and contradictions are errors with line and mend, all at once."""

import json

import pytest

from judgekit.errors import InputError
from judgekit.located import load_model, read_text, read_yaml
from judgekit.rubric import Example, Rubric, find_rubric, load_rubric
from judgekit.suite import Rule, SuiteFile, Variant, json_schema, load_suite_file


def suite(text):
    return load_model(SuiteFile, read_yaml(text, file="judgekit.yaml"))


def problems(text, model=SuiteFile):
    with pytest.raises(InputError) as caught:
        load_model(model, read_yaml(text, file="f.yaml"))
    return {p.line: p.what for p in caught.value.problems}


FULL = """
suite: shop
cases: cases.jsonl
recordings: [recordings.jsonl]
trials: 1
variants:
  v1:      {system: prompts/v1.md, model: "replay:model-large"}
  v2:      {system: prompts/v2.md, user: prompts/user.md, model: "openai:gpt-5-mini", params: {temperature: 0.7}}
  app:     {python: "app.assistant:answer", model: "openai:gpt-5"}
  script:  {command: ["python", "answer.py"], model: "openai:gpt-5"}
  nightly: {outputs: outputs/nightly.jsonl}
judge:
  model: "anthropic:claude-sonnet-4-5"
  params: {temperature: 0}
  votes: 1
rubrics: [support-reply]
labels: labels.csv
certificates: certificates
calibration: {kappa_low: 0.50, fail_recall_low: 0.50, n: 30, coverage: 0.90, max_age_days: 180}
gate:
  block: [must_pass, {fewer_passes: {tag: regression}}, paired_interval_below_zero]
  warn: [{fewer_passes: {by: 2}}, {unknown: {max_share: 0.0}}]
budget: {calls: 2000, usd: 5}
"""


def test_the_suite_of_the_documentation_loads():
    loaded = suite(FULL)
    assert loaded.case_files == ("cases.jsonl",)
    assert [v.kind for v in loaded.variants.values()] == ["prompt", "prompt", "python", "command", "recorded"]
    assert [r.name for r in loaded.gate.block] == ["must_pass", "fewer_passes", "paired_interval_below_zero"]
    assert loaded.gate.warn[1].unknown.max_share == 0
    assert loaded.judge.models == ("anthropic:claude-sonnet-4-5",)


def test_every_key_but_the_cases_has_a_default():
    assert suite("cases: c.jsonl").trials == 1
    assert "'cases' is missing" in "\n".join(problems("suite: a").values())


def test_all_errors_come_at_once_with_their_lines():
    found = problems(
        "suite: shop\ncases: c.jsonl\ntrails: 3\nvariants:\n  v: {modell: x, python: 'a:b'}\njudge:\n  model: m\n"
        "  votes: '3'\ngate:\n  block: [must_pas]\n"
    )
    assert "Did you mean 'trials'?" in found[3]
    assert "Did you mean 'model'?" in found[5]
    assert "'judge.votes'" in found[8]
    assert "Did you mean 'must_pass'?" in found[10]


@pytest.mark.parametrize("name", ["no", "on", "2024-01-02", "012", "1e3"])
def test_words_that_other_yaml_turns_into_something_else(name):
    text = f"cases: c.jsonl\nsuite: {name}\n"
    if name in ("no", "on"):
        assert suite(text).suite == name
    else:
        assert "quote it, as in" in problems(text)[2]


def test_a_duplicate_key_is_an_error():
    with pytest.raises(InputError, match=r"f.yaml:2"):
        read_yaml("suite: a\nsuite: b\n", file="f.yaml")


@pytest.mark.parametrize(
    ("variant", "what"),
    [
        ({"python": "a:b", "outputs": "x"}, "gives outputs in one way"),
        ({"system": "a.md"}, "gives no outputs"),
        ({"python": "a:b", "system": "a.md"}, "a prompt needs a model"),
    ],
)
def test_a_variant_gives_outputs_in_exactly_one_way(variant, what):
    with pytest.raises(ValueError, match=what):
        Variant(**variant)


def test_a_rule_is_one_rule():
    with pytest.raises(ValueError, match="not one rule"):
        Rule.model_validate({"must_pass": True, "all_pass": True})
    assert Rule.model_validate("missing").missing.max_share == 0


def test_a_missing_suite_says_how_to_make_one(tmp_path):
    with pytest.raises(InputError, match="judgekit init"):
        load_suite_file(tmp_path)


def test_the_schema_for_editors_knows_every_key():
    schema = json_schema()
    assert set(schema["properties"]) == set(SuiteFile.model_fields)
    json.dumps(schema, allow_nan=False)


RUBRIC = """
id: kb
dimensions:
  - {id: a, criterion: Right., scale: {levels: {0: wrong, 1: partly, 2: right}, pass_at: 1}}
  - {id: b, criterion: Clear., scale: {levels: {0: no, 1: so, 2: yes}, pass_at: 2}}
pass_when: {min_total: 3, no_level_zero_in: [a]}
"""


def test_levels_map_to_verdicts_and_unknown_stays_unknown():
    rubric = load_model(Rubric, read_yaml(RUBRIC, file="f.yaml"))
    a, b = rubric.dimensions
    assert a.labels == ("0", "1", "2", "UNKNOWN")
    assert [a.verdict(x) for x in a.labels] == ["FAIL", "PASS", "PASS", "UNKNOWN"]
    assert [b.verdict(x) for x in b.labels] == ["FAIL", "FAIL", "PASS", "UNKNOWN"]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("id: b", "id: a", "defined twice"),
        ("[a]", "[x]", "names no dimension"),
        ("pass_at: 2", "pass_at: 0", "nothing can fail"),
        ("scale: {levels: {0: no, 1: so, 2: yes}, pass_at: 2}", "scale: binary", "is binary"),
        ("{0: no, 1: so, 2: yes}", "{low: no, high: yes}", "whole numbers"),
        ("criterion: Right.", 'criterion: ""', "criterion"),
        (
            "criterion: Right.,",
            "criterion: Right., examples: [{output: x, verdict: PASS, reason: r}],",
            "the scale has",
        ),
    ],
)
def test_a_rubric_that_cannot_work_is_an_error(old, new, what):
    assert what in "\n".join(problems(RUBRIC.replace(old, new), Rubric).values())


@pytest.mark.parametrize("part", ["criterion", "scale", "examples", "template"])
def test_every_part_that_can_change_an_answer_changes_the_fingerprint(part):
    rubric = load_model(Rubric, read_yaml(RUBRIC, file="f.yaml"))
    old = rubric.dimensions[0]
    changes = {
        "criterion": {"criterion": "Right!"},
        "scale": {"scale": old.scale.model_copy(update={"pass_at": 2})},
        "examples": {"examples": (Example(output="x", verdict="2", reason="r"),)},
    }
    if part == "template":
        changed = rubric.model_copy(update={"template_text": "x"})
    else:
        changed = rubric.model_copy(update={"dimensions": (old.model_copy(update=changes[part]), rubric.dimensions[1])})
    assert changed.fingerprint("a") != rubric.fingerprint("a")
    assert part == "template" or changed.fingerprint("b") == rubric.fingerprint("b")


def test_a_rubric_is_found_by_file_by_id_and_a_miss_lists_what_ships(tmp_path):
    (tmp_path / "mine.yaml").write_text(RUBRIC)
    assert find_rubric("mine.yaml", base=tmp_path).id == "kb"
    assert find_rubric("mine", base=tmp_path).id == "kb"
    assert find_rubric("support-reply", base=tmp_path).id == "support-reply"
    assert find_rubric("case", base=tmp_path).dimensions[0].criterion == "meets every line of the case's rubric"
    with pytest.raises(InputError, match="Did you mean 'groundedness'"):
        find_rubric("groundednes", base=tmp_path)


def test_a_template_that_is_not_there_is_an_error_at_its_line(tmp_path):
    (tmp_path / "r.yaml").write_text("id: r\ntemplate: no.j2\ndimensions: [{id: a, criterion: x}]\n")
    with pytest.raises(InputError, match=r"r.yaml:2: no template file 'no.j2'"):
        load_rubric(tmp_path / "r.yaml")


@pytest.mark.parametrize(
    ("raw", "text"), [(b"\xef\xbb\xbfa: 1", "a: 1"), ("a: ü".encode("utf-16"), "a: ü"), ("ü".encode(), "ü")]
)
def test_text_is_read_by_its_mark(tmp_path, raw, text):
    (tmp_path / "f").write_bytes(raw)
    assert read_text(tmp_path / "f") == text


def test_a_byte_that_is_not_utf8_is_told_with_its_line(tmp_path):
    (tmp_path / "f").write_bytes("one\ntwo\n10 – 20".encode("cp1252"))
    with pytest.raises(InputError, match=r"f:3: byte 0x96 is not UTF-8"):
        read_text(tmp_path / "f")


def test_a_suite_says_how_labels_are_read_and_a_number_is_a_word():
    policy = suite("cases: c\ncalibration: {annotators: [A, B], pass: [ok, 1], fail: [0], pass_at: 2}").calibration
    assert (policy.annotators, policy.passes, policy.fails, policy.pass_at) == (("A", "B"), ("ok", "1"), ("0",), 2)
    assert "did you mean 'pass'" in problems("cases: c\ncalibration: {passs: [ok]}")[2].lower()
    assert set(policy.thresholds()) == set(type(policy).model_fields) - {"annotators", "passes", "fails", "pass_at"}
    assert "pass" in json_schema()["$defs"]["CalibrationPolicy"]["properties"]


def test_the_pace_of_calls_has_keys_of_its_own():
    loaded = suite(
        "cases: c.jsonl\nlimits: {requests_per_minute: 500, tokens_per_minute: 90000, retries: 0, wait_s: 5}\n"
    )
    assert (loaded.limits.requests_per_minute, loaded.limits.tokens_per_minute) == (500, 90_000)
    assert (loaded.limits.retries, loaded.limits.wait_s, loaded.limits.deadline_s) == (0, 5, 300)
    assert "Did you mean 'requests_per_minute'?" in problems("cases: c.jsonl\nlimits: {request_per_minute: 5}\n")[2]
