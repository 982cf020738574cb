"""`judgekit pairwise` from the command line and from Python; counts are worked out by hand."""

import asyncio
import json
import re
import shutil
from pathlib import Path

import pytest

import judgekit as jk

ROOT = Path(__file__).parents[2]


def says(label):
    return f"Because.\n<result>{label}</result>"


def base(n=4, recordings=(), gate="", judge='{model: "replay:judge"}'):
    return {
        "judgekit.yaml": (
            "suite: t\ncases: cases.jsonl\nrecordings: [recordings.jsonl]\n"
            "variants:\n  baseline: {outputs: a.jsonl}\n  gpt-x-new: {outputs: b.jsonl}\n"
            f"judge: {judge}\n{gate}"
        ),
        "cases.jsonl": [{"id": f"c{i}", "input": f"question {i}"} for i in range(n)],
        "a.jsonl": [{"id": f"c{i}", "output": f"old {i}", "model": "claude-sonnet-4-5"} for i in range(n)],
        "b.jsonl": [{"id": f"c{i}", "output": f"new {i}", "model": "gemini-3-pro"} for i in range(n)],
        "recordings.jsonl": list(recordings),
    }


def newer():
    """Prefers the new answers in either place."""
    return [
        *[{"question_has": f"old {i}\n</first-", "reply": says("SECOND")} for i in range(10)],
        {"reply": says("FIRST")},
    ]


ONE = ("--dimension", "overall")


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    place = tmp_path_factory.mktemp("examples") / "ab"
    shutil.copytree(ROOT / "examples" / "ab", place, ignore=shutil.ignore_patterns("runs", ".judgekit"))
    return place


def test_example_ab_one_order_alone_names_the_wrong_winner_and_both_orders_the_right_one(cli, example):
    ran = cli("pairwise", example, "--a", "v1", "--b", "v2", *ONE, "--json")
    assert ran.code == 0
    doc = ran.json
    # 24 cases: v2 clearly better in 11, v1 in 3, 9 go to whatever is first, 1 pair of equal answers
    counts = {k: doc[k] for k in ("a", "b", "tie", "inconsistent", "identical", "unknown", "missing", "pairs")}
    assert counts == {
        "a": 3,
        "b": 11,
        "tie": 1,
        "inconsistent": 9,
        "identical": 1,
        "unknown": 0,
        "missing": 0,
        "pairs": 24,
    }
    assert doc["calls"]["sent"] == 2 * 24 + 2 * 23  # answers, then both orders of the pairs that differ
    one, other = doc["win_rate_by_order"]["original"], doc["win_rate_by_order"]["swapped"]
    assert one["value"] == pytest.approx((11 + 0.5) / 24)
    assert one["value"] < 0.5
    assert other["value"] == pytest.approx((11 + 9 + 0.5) / 24)
    assert doc["win_rate"]["value"] == pytest.approx((11 + 9 / 2 + 1 / 2) / 24)
    assert doc["win_rate"]["low"] > 0.5
    assert doc["first_position"]["flips"] == {"first": 9, "second": 0, "undirected": 0}
    assert doc["bias_test"]["p"] == pytest.approx(2 / 2**9)
    assert any("one order alone would mislead" in w for w in doc["warnings"])
    assert any("leans to the answer shown first: 9 of 9 flips" in w for w in doc["warnings"])


def test_example_ab_is_worse_on_one_tag(cli, example):
    tags = cli("pairwise", example, "--a", "v1", "--b", "v2", *ONE, "--json").json["comparisons"][0]["by_tag"]
    complaint = tags.pop("complaint")
    assert (complaint["a"], complaint["b"], complaint["inconsistent"]) == (3, 0, 1)
    assert complaint["win_rate"]["value"] == pytest.approx(0.5 / 4)
    assert all(tag["win_rate"]["value"] > 0.5 for tag in tags.values())


def test_example_ab_says_the_answer_first_and_its_readme_tells_the_truth(cli, example):
    ran = cli("pairwise", example, "--a", "v1", "--b", "v2")
    assert ran.out == ""
    told = " ".join(ran.err.split())
    assert told.startswith(
        "v2 wins 67% [52, 79] over 24 cases, both orders averaged; 39% of pairs flipped with the order, all 9 of them to "
        "the first answer. v2 is better on cases like these, by this judge."
    )
    assert "advisory" in told
    readme = (example / "README.md").read_text()
    for number in ("67% [52, 79]", "48%", "85%", "9 of 23", "p = 0.004"):
        assert number in readme
        if number != "9 of 23":
            assert number in told


def test_every_count_is_kept_apart(cli, suite):
    replies = [
        {"question_has": "question 0", "reply": says("TIE")},
        {"question_has": "question 1", "reply": says("FIRST")},
        {"question_has": "question 2", "reply": says("UNKNOWN")},
        {"question_has": "question 3", "reply": "no verdict here"},
        {"question_has": ["question 4", "old 4\n</first-"], "reply": says("FIRST")},
        {"question_has": "question 4", "error": {"code": "status_500", "why": "boom"}},
        {"question_has": ["question 5", "old 5\n</first-"], "reply": says("SECOND")},
        {"question_has": "question 5", "reply": says("TIE")},
        *newer(),
    ]
    doc = cli("pairwise", suite(base(8, replies)), "--a", "baseline", "--b", "gpt-x-new", *ONE, "--json").json
    counts = {k: doc[k] for k in ("a", "b", "tie", "leaning", "inconsistent", "unknown", "missing")}
    assert counts == {"a": 0, "b": 2, "tie": 2, "leaning": 1, "inconsistent": 1, "unknown": 1, "missing": 2}
    # 1/2 + 1/2 + 3/4 + 1 + 1 over the five pairs with a preference or a tie in both orders
    assert doc["win_rate"]["value"] == pytest.approx((0.5 + 0.5 + 0.75 + 1 + 1) / 5)
    assert {(c["kind"], c["code"]): c["n"] for c in doc["causes"]} == {
        ("unreadable", "no_tag"): 2,
        ("failed", "status_500"): 1,
    }
    by_id = {r["id"]: r for r in doc["results"]}
    assert by_id["c4"]["outcome"] == "MISSING"
    assert [k["first"] for k in by_id["c6"]["looks"]] == ["baseline", "gpt-x-new"]
    assert [k["pick"] for k in by_id["c6"]["looks"]] == ["B", "B"]


def test_no_name_reaches_the_judge_and_every_dimension_is_a_call_of_its_own(cli, suite):
    folder = suite(base(3, newer()))
    record = folder / "sent.jsonl"
    doc = cli("pairwise", folder, "--a", "baseline", "--b", "gpt-x-new", "--record", record, "--json").json
    assert doc["dimensions"] == ["overall", "helpfulness", "correctness", "tone"]
    assert doc["calls"]["sent"] == 3 * 4 * 2
    (run,) = (folder / "runs").iterdir()
    requests = [
        call["request"] for line in (run / "pairs.jsonl").read_text().splitlines() for call in json.loads(line)["calls"]
    ]
    assert len(requests) == 24
    for request in requests:
        text = "".join(m["content"] for m in request["messages"])
        assert not re.search(r"baseline|gpt-x-new|claude|gemini|jsonl", text)
        assert len(re.findall(r"Criterion \"", text)) == 1


def test_repeats_tell_position_from_noise(cli, suite):
    folder = suite(base(6, [{"reply": says("FIRST")}]))
    doc = cli("pairwise", folder, "--a", "baseline", "--b", "gpt-x-new", *ONE, "--repeats", "3", "--json").json
    assert doc["calls"]["sent"] == 6 * 2 * 3
    assert (doc["pairs"], doc["cases"]) == (18, 6)
    steady = doc["comparisons"][0]["steadiness"]
    assert (steady["repetition"]["value"], steady["position"]["value"], steady["drift"]["value"]) == (1, 0, 1)
    noisy = [{"vote": 2, "reply": says("SECOND")}, {"reply": says("FIRST")}]
    other = suite(base(6, noisy), "noisy")
    doc = cli("pairwise", other, "--a", "baseline", "--b", "gpt-x-new", *ONE, "--repeats", "2", "--json").json
    assert doc["comparisons"][0]["steadiness"]["repetition"]["value"] == 0
    told = cli("pairwise", folder, "--a", "baseline", "--b", "gpt-x-new", *ONE, "--repeats", "3").err
    assert "The flips are more than noise" in told


def test_the_gate_is_undecided_while_the_judge_has_no_certificate(cli, suite):
    gate = "gate: {block: [{prefer: {candidate: b}}]}\n"
    ran = cli("pairwise", suite(base(10, newer(), gate)), "--a", "baseline", "--b", "gpt-x-new", *ONE, "--json")
    assert ran.code == 3
    assert ran.json["decision"] == "undecided"
    assert "by its word: pass" in ran.json["reasons"][0]


def test_a_run_without_any_verdict_is_undecided(cli, suite):
    ran = cli("pairwise", suite(base(2, [{"reply": "hm"}])), "--a", "baseline", "--b", "gpt-x-new", *ONE)
    assert ran.code == 3
    assert "Nothing can be said" in ran.err


def test_three_variants_are_ranked(cli, suite):
    files = base(6, newer())
    files["judgekit.yaml"] = files["judgekit.yaml"].replace("judge:", "  third: {outputs: c.jsonl}\njudge:")
    files["c.jsonl"] = [{"id": f"c{i}", "output": f"old {i}", "model": "gemini-3-pro"} for i in range(6)]
    folder = suite(files)
    ran = cli("pairwise", folder, "--variants", "baseline,gpt-x-new,third", *ONE, "--json")
    doc = ran.json
    assert "win_rate" not in doc
    assert [(c["names"]["a"], c["names"]["b"]) for c in doc["comparisons"]] == [
        ("baseline", "gpt-x-new"),
        ("baseline", "third"),
        ("gpt-x-new", "third"),
    ]
    assert doc["comparisons"][1]["identical"] == 6
    assert doc["ranking"]["overall"]["strengths"][0]["variant"] == "gpt-x-new"
    resolved = {frozenset((c["better"], c["worse"])): c["resolved"] for c in doc["ranking"]["overall"]["contrasts"]}
    assert resolved == {
        frozenset(("gpt-x-new", "baseline")): True,
        frozenset(("gpt-x-new", "third")): True,
        frozenset(("baseline", "third")): False,
    }
    told = cli("pairwise", folder, "--variants", "baseline,gpt-x-new,third", *ONE).err
    assert told.startswith("overall: gpt-x-new is the strongest of 3: better than ")
    assert "not resolved, it may be the other way round" in told
    assert doc["ranking"]["overall"]["meaning"].startswith("gpt-x-new is the strongest of 3")


def test_a_panel_votes_per_pair(cli, suite):
    replies = [{"model": "leaning", "reply": says("FIRST")}, *newer()]
    judge = '{model: ["replay:leaning", "replay:one", "replay:two"]}'
    doc = cli(
        "pairwise", suite(base(3, replies, judge=judge)), "--a", "baseline", "--b", "gpt-x-new", *ONE, "--json"
    ).json
    assert (doc["b"], doc["inconsistent"]) == (3, 0)
    assert doc["calls"]["sent"] == 3 * 2 * 3
    assert len(doc["results"][0]["looks"]) == 6


def test_a_judge_that_wrote_one_side_is_refused_before_anything_is_sent(cli, suite):
    folder = suite(base(2, newer(), judge='{model: "replay:gemini-3-pro"}'))
    ran = cli("pairwise", folder, "--a", "baseline", "--b", "gpt-x-new")
    assert ran.code == 2
    assert "would grade its own work" in ran.err
    assert not (folder / "runs").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--a", "baseline"), "--b is missing"),
        (("--a", "baseline", "--b", "baseline"), "given twice"),
        (("--a", "baseline", "--b", "gpt-x-old"), "Did you mean 'gpt-x-new'"),
        (("--a", "baseline", "--variants", "baseline,gpt-x-new"), "either --a and --b, or --variants"),
        (("--dimension", "tones"), "Did you mean 'tone'"),
        (("--rubric", "nothing.yaml"), "no rubric for pairs"),
    ],
)
def test_options_that_cannot_be_meant_are_told_in_one_line(cli, suite, options, said):
    ran = cli("pairwise", suite(base(1, newer())), *options)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_stored_comparison_is_shown_again_from_its_files(cli, suite):
    folder = suite(base(4, newer(), "gate: {block: [{prefer: {candidate: b}}]}\n"))
    first = cli("pairwise", folder, *ONE, "--json")
    (run,) = (folder / "runs").iterdir()
    again = cli("report", run, "--json")
    assert again.code == first.code == 3
    assert again.json == first.json
    assert cli("report", run).err.split("\n")[0] == cli("pairwise", folder, *ONE).err.split("\n")[0]
    assert cli("report", run, "--markdown").code == 2


def test_a_pairwise_run_is_not_taken_for_the_newest_run_of_a_variant(cli, suite):
    folder = suite(base(2, newer()))
    cli("pairwise", folder, *ONE)
    assert cli("report", "--suite", folder).code == 2
    assert cli("run", folder, "--variant", "baseline", "--judge", "none", "--json").json["variant"] == "baseline"
    assert cli("report", "--suite", folder, "--json").json["variant"] == "baseline"


def test_two_variants_need_no_naming(cli, suite):
    assert cli("pairwise", suite(base(2, newer())), *ONE, "--json").json["b"] == 2


def test_a_paid_comparison_asks_first(cli, suite, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    folder = suite(base(3, newer(), judge='{model: "openai:gpt-5"}'))
    ran = cli("pairwise", folder, *ONE)
    assert ran.code == 2
    assert "6 judge calls to send" in ran.err
    assert "--yes" in ran.err
    assert cli("pairwise", folder, *ONE, "--replay", "--json").json["b"] == 3


# ── in Python ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def judge(tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in newer()))
    return jk.Judge("replay:judge", recordings=file)


ROWS = [{"input": f"question {i}", "mine": f"old {i}", "yours": f"new {i}"} for i in range(4)]


def test_two_columns_are_compared(judge):
    ab = jk.pairwise(ROWS, a="mine", b="yours", criterion="Newer.", judge=judge, model="openai:gpt-5")
    assert ab.win_rate.value == 1
    assert ab.inconsistent == 0
    assert ab.first_position.value == 0.5
    assert ab.counts["B"] == 4
    assert str(ab).startswith("yours wins 100%")
    assert "yours wins 100%" in repr(ab)
    frame = ab.to_frame()
    assert list(frame["outcome"]) == ["B"] * 4
    assert ab.to_dict()["b"] == 4


def test_a_frame_with_a_missing_answer_has_a_pair_without_a_verdict(judge):
    import pandas as pd

    frame = pd.DataFrame(ROWS)
    frame.loc[1, "yours"] = None
    frame.loc[2, "yours"] = "old 2"
    ab = jk.pairwise(frame, a="mine", b="yours", criterion="Newer.", judge=judge)
    assert ab.counts == {"A": 0, "B": 2, "TIE": 1, "INCONSISTENT": 0, "UNKNOWN": 0, "MISSING": 1}


def test_it_works_inside_a_running_loop(judge):
    async def inside():
        direct = await jk.pairwise.aio(ROWS, a="mine", b="yours", criterion="Newer.", judge=judge)
        return direct, jk.pairwise(ROWS, a="mine", b="yours", criterion="Newer.", judge=judge)

    one, other = asyncio.run(inside())
    assert one.win_rate == other.win_rate


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"a": "mine", "b": "mine"}, "two columns"),
        ({"a": "mine", "b": "your"}, "has no column 'your'"),
        ({"criterion": None, "rubric": "pairwize"}, "no rubric for pairs"),
        ({"rubric": "pairwise"}, "not both"),
        ({"criterion": " "}, "criterion is empty"),
        ({"model": {"his": "openai:gpt-5"}}, "neither 'mine' nor 'yours'"),
        ({"repeats": 0}, "counts from 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(judge, options, said):
    given = {"a": "mine", "b": "yours", "criterion": "Newer.", "judge": judge, **options}
    with pytest.raises(jk.JudgekitError, match=said):
        jk.pairwise(ROWS, **given)


def test_the_judge_must_differ_from_each_side():
    with pytest.raises(jk.JudgekitError, match="would grade its own work"):
        jk.pairwise(ROWS, a="mine", b="yours", criterion="x", judge="openai:gpt-5", model={"yours": "openai/gpt-5"})
