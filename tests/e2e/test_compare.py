"""`compare` and `baseline` through the command line, on the examples whose results were counted by hand."""

import json
import shutil
from pathlib import Path

import pytest

from judgekit.cli.main import main

ROOT = Path(__file__).parents[2]
VARIANTS = {"shop": ["v1", "v2", "v3", "v3-small"], "shop-bg": ["v1", "v2", "v3", "v3-small"], "support": ["v1", "v2"]}


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Path:
    """The examples in a folder of their own, each variant run once."""
    folder = tmp_path_factory.mktemp("examples")
    for name in VARIANTS:
        shutil.copytree(ROOT / "examples" / name, folder / name, ignore=shutil.ignore_patterns("runs", ".judgekit"))
    for suite in ("shop", "shop/nine", "shop-bg", "shop-bg/nine", "support"):
        for variant in VARIANTS[suite.partition("/")[0]]:
            assert main(["run", str(folder / suite), "--variant", variant, "--quiet", "--json"]) in (0, 1)
    return folder


@pytest.fixture
def own(ran, tmp_path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(ran / "support", tmp_path / "support"))


def ids(changes):
    return {change["id"] for change in changes}


@pytest.mark.parametrize("suite", ["shop", "shop-bg"])
def test_the_same_score_hides_two_broken_promises(ran, cli, suite):
    done = cli("compare", "v1", "v2", "--suite", ran / suite, "--json")
    d = done.json
    assert done.code == 1
    assert (d["cases"], d["passed"], d["decision"]) == (8, [6, 6], "fail")
    assert len(d["fixed"]) == len(d["regressions"]) == 2
    assert all(change["must_pass"] and change["reason"] for change in d["regressions"])
    assert all((change["before"], change["after"]) == (1, 0) for change in d["regressions"])
    assert d["difference"]["value"] == 0
    assert any(reason.startswith("must_pass: 2 must-pass cases failed") for reason in d["reasons"])


def test_the_broken_promises_come_with_their_text(ran, cli):
    d = cli("compare", "v1", "v2", "--suite", ran / "shop", "--json").json
    assert ids(d["regressions"]) == {"wholesale", "by-friday"}
    assert ids(d["fixed"]) == {"returns", "broken"}
    friday = next(change for change in d["regressions"] if change["id"] == "by-friday")
    assert "guarantee" in friday["reason"]
    assert "we guarantee" in friday["evidence"]["output"]


@pytest.mark.parametrize(
    ("suite", "base", "new", "passed", "code"),
    [
        ("shop", "v1", "v3", [6, 8], 0),
        ("shop", "v3", "v3-small", [8, 6], 1),
        ("shop/nine", "v3", "v3-small", [9, 6], 1),
        ("shop-bg", "v1", "v3", [6, 8], 0),
        ("shop-bg", "v3", "v3-small", [8, 6], 1),
        ("shop-bg/nine", "v3", "v3-small", [9, 6], 1),
    ],
)
def test_known_results(ran, cli, suite, base, new, passed, code):
    done = cli("compare", base, new, "--suite", ran / suite, "--json")
    assert done.json["passed"] == passed
    assert done.code == code


def test_support_is_better_on_the_whole_and_worse_where_it_counts(ran, cli):
    done = cli("compare", "v1", "v2", "--suite", ran / "support", "--json")
    d = done.json
    assert done.code == 1
    # 11 passes more over 60 trials: 46 of 60 against 57 of 60
    assert d["difference"]["value"] == pytest.approx(11 / 60)
    assert d["difference"]["on_these_cases"]["low"] > 0
    assert d["difference"]["low"] < 0 < d["difference"]["high"]
    (worse,) = d["regressions"]
    assert (worse["id"], worse["before"], worse["after"], worse["trials"]) == ("sup-05", 5, 3, [5, 5])
    assert d["reasons"][0].startswith("fewer_passes: 2 passes fewer than v1 tagged regression: sup-05 5/5 -> 3/5")
    judges = {j["grader"]: j for j in worse["evidence"]["judges"]}
    assert judges["case.meets"]["before"]["verdict"] == "PASS"
    assert judges["case.meets"]["after"]["verdict"] == "FAIL"
    assert judges["case.meets"]["after"]["reason"]
    assert (d["sign_test"]["up"], d["sign_test"]["down"]) == (6, 1)
    assert d["sign_test"]["p"] == pytest.approx(2 * 8 / 2**7)  # 1 or 0 of 7


def test_the_document_has_the_shape_that_others_rely_on(ran, cli):
    d = cli("compare", "v1", "v2", "--suite", ran / "support", "--json").json
    wanted = {"base", "new", "cases", "only_in_base", "only_in_new", "passed", "regressions", "fixed", "difference",
              "sign_test", "decision", "reasons", "warnings"}  # fmt: skip
    assert wanted <= set(d)
    assert {"id", "before", "after", "must_pass", "reason"} <= set(d["regressions"][0])
    assert {"value", "low", "high", "n", "method"} <= set(d["difference"])
    assert "NaN" not in json.dumps(d)


def test_people_see_every_case_that_changed_with_its_reason(ran, cli):
    told = cli("compare", "v1", "v2", "--suite", ran / "shop")
    text = told.out + told.err
    for words in ("wholesale (must pass)", "regression: must_not_include", "fixed: max_words: 49 words", "Gate: FAIL"):
        assert words in text
    assert "4 cases unchanged" in text
    assert "tracking" not in text
    told = cli("compare", "v1", "v2", "--suite", ran / "shop", "--all")
    assert "tracking" in told.out + told.err


def test_run_folders_are_sides_too(ran, cli):
    (one,) = (ran / "shop" / "runs").glob("*-v1-*")
    (two,) = (ran / "shop" / "runs").glob("*-v3-small-*")
    d = cli("compare", one, two, "--json").json
    assert (d["base"]["run"], d["new"]["run"]) == (one.name, two.name)


# ── baselines ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_baseline_is_compared_like_the_run_it_was_made_of(own, cli):
    file = own / "baseline.json"
    assert cli("baseline", "v1", "--suite", own, "-o", file).code == 0
    from_file = cli("compare", file, "v2", "--suite", own, "--json")
    from_run = cli("compare", "v1", "v2", "--suite", own, "--json")
    assert from_file.code == from_run.code == 1
    for key in ("passed", "difference", "sign_test", "by_tag", "decision", "only_in_base", "warnings"):
        assert from_file.json[key] == from_run.json[key]
    assert ids(from_file.json["regressions"]) == {"sup-05"}
    assert len(file.read_text().splitlines()) < 50
    assert "Cancel" not in file.read_text()


def test_update_if_better_keeps_the_bar(own, cli):
    file = own / "baseline.json"
    done = cli("baseline", "v1", "--suite", own, "-o", file, "--update-if-better", "--json")
    assert done.json["written"] is True
    first = file.read_text()
    done = cli("baseline", "v2", "--suite", own, "-o", file, "--update-if-better", "--json")
    assert (done.code, done.json["written"]) == (0, False)
    assert "sup-05 5/5 -> 3/5" in done.json["why"]
    assert file.read_text() == first
    done = cli("baseline", "v2", "--suite", own, "-o", file, "--json")
    assert done.json["given_up"] == ["sup-05 5/5 -> 3/5"]
    assert file.read_text() != first


def test_a_file_that_is_no_baseline_is_not_written_over(own, cli):
    cases = own / "cases.jsonl"
    before = cases.read_text()
    done = cli("baseline", "v1", "--suite", own, "-o", cases)
    assert done.code == 2
    assert "is no baseline" in done.err
    assert cases.read_text() == before


def test_a_folder_that_is_not_there_is_said(own, cli):
    done = cli("baseline", "v1", "--suite", own, "-o", own / "nowhere" / "b.json")
    assert done.code == 2
    assert "cannot be written" in done.err


def test_graduate_tags_reliable_cases_and_changes_no_other_line(own, cli):
    cases = own / "cases.jsonl"
    before = cases.read_text().splitlines()
    file = own / "baseline.json"
    offered = cli("baseline", "v1", "--suite", own, "-o", file, "--json").json
    assert offered["reliable"] == ["sup-02", "sup-08", "sup-09", "sup-12"]
    assert cases.read_text().splitlines() == before
    done = cli("baseline", "v1", "--suite", own, "-o", file, "--graduate", "--json").json
    assert done["graduated"] == offered["reliable"]
    after = cases.read_text().splitlines()
    changed = {
        json.loads(a)["id"]: (json.loads(a), json.loads(b)) for a, b in zip(before, after, strict=True) if a != b
    }
    assert list(changed) == offered["reliable"]
    for was, now in changed.values():
        assert now == {**was, "tags": [*was["tags"], "regression"]}
    # a tag is no change of the case: the run still compares with the new file
    assert cli("compare", file, "v2", "--suite", own, "--json").code == 1
    assert cli("baseline", "v1", "--suite", own, "-o", file, "--graduate", "--json").json["graduated"] == []


def test_graduate_leaves_tables_to_people_with_the_place(cli, suite):
    folder = suite(
        {
            "judgekit.yaml": "cases: cases.csv\ntrials: 3\nvariants: {v: {outputs: outputs.jsonl}}\n",
            "cases.csv": "id,input,must_include\na,hello,hi\n",
            "outputs.jsonl": [{"id": "a", "output": "hi", "trial": t} for t in (1, 2, 3)],
        }
    )
    assert cli("run", folder, "--quiet").code == 0
    before = (folder / "cases.csv").read_text()
    done = cli("baseline", "v", "--suite", folder, "-o", folder / "b.json", "--graduate", "--json").json
    assert done["left"] == ["cases.csv:2: add the tag regression to a by hand"]
    assert (folder / "cases.csv").read_text() == before


# ── what is not comparable ───────────────────────────────────────────────────────────────────────────────


def small(suite, name="suite", *, cases=None, trials=1, rows=None, gate="", extra=""):
    cases = cases or [{"id": "a", "input": "q", "expected": {"must_include": ["hi"]}}]
    rows = rows or [{"id": c["id"], "output": "hi", "trial": t} for c in cases for t in range(1, trials + 1)]
    return suite(
        {
            "judgekit.yaml": f"cases: cases.jsonl\ntrials: {trials}\nvariants: {{v: {{outputs: outputs.jsonl}}}}\n{gate}{extra}",
            "cases.jsonl": cases,
            "outputs.jsonl": rows,
        },
        name=name,
    )


def newest(folder):
    return max((folder / "runs").iterdir(), key=lambda p: p.name)


def case(id_, word="hi", **more):
    return {"id": id_, "input": "q", "expected": {"must_include": [word]}, **more}


def test_cases_on_one_side_only_are_listed_and_left_out(cli, suite):
    one = small(suite, "one", cases=[case("c1"), case("c2"), case("c3")])
    two = small(suite, "two", cases=[case("c2"), case("c3"), case("c4")])
    for folder in (one, two):
        cli("run", folder, "--quiet")
    d = cli("compare", newest(one), newest(two), "--json").json
    assert (d["cases"], d["only_in_base"], d["only_in_new"]) == (2, ["c1"], ["c4"])


def test_no_case_in_common_is_exit_2(cli, suite):
    one, two = small(suite, "one", cases=[case("a")]), small(suite, "two", cases=[case("b")])
    for folder in (one, two):
        cli("run", folder, "--quiet")
    done = cli("compare", newest(one), newest(two), "--json")
    assert done.code == 2
    assert "no case in common" in done.err
    assert done.out == ""


def test_a_changed_case_is_refused_by_name_until_it_is_allowed(cli, suite):
    one, two = small(suite, "one", cases=[case("a"), case("b")]), small(suite, "two", cases=[case("a"), case("b", "h")])
    for folder in (one, two):
        cli("run", folder, "--quiet")
    done = cli("compare", newest(one), newest(two))
    assert done.code == 2
    assert "cases: what is checked changed in b" in done.err
    assert "--allow cases" in done.err
    done = cli("compare", newest(one), newest(two), "--allow", "cases", "--json")
    assert done.code == 0
    assert done.json["allowed"] == [{"kind": "cases", "what": "what is checked changed in b"}]


def test_another_number_of_trials_is_refused(cli, suite):
    one, two = small(suite, "one", trials=2), small(suite, "two", trials=3)
    for folder in (one, two):
        cli("run", folder, "--quiet")
    done = cli("compare", newest(one), newest(two))
    assert done.code == 2
    assert "trials: 2 per case" in done.err


def test_another_judge_is_refused_with_both_names(own, cli):
    recordings = own / "recordings.jsonl"
    assert cli("run", own, "--variant", "v1", "--judge", "replay:other-judge", "--quiet").code in (0, 1, 3)
    assert recordings.is_file()
    first, last = sorted((own / "runs").glob("*-v1-*"), key=lambda p: p.name)
    done = cli("compare", first, last)
    assert done.code == 2
    assert "judge: replay:judge-model" in done.err
    assert "replay:other-judge" in done.err
    assert cli("compare", first, last, "--allow", "judge").code in (0, 1)


def test_a_run_without_its_judges_has_other_graders(own, cli):
    cli("run", own, "--variant", "v1", "--judge", "none", "--quiet")
    first, last = sorted((own / "runs").glob("*-v1-*"), key=lambda p: p.name)
    done = cli("compare", first, last)
    assert done.code == 2
    assert "graders: case, support-reply judged in" in done.err


@pytest.mark.parametrize("side", ["base", "new", "baseline"])
def test_a_stopped_run_is_exit_2_with_the_command_that_finishes_it(own, cli, side):
    stopped = next((own / "runs").glob("*-v1-*"))
    manifest = json.loads((stopped / "run.json").read_text())
    manifest["run"].pop("finished")
    manifest["run"]["interrupted"] = True
    (stopped / "run.json").write_text(json.dumps(manifest))
    command = {
        "base": ("compare", stopped, "v2"),
        "new": ("compare", "v2", stopped),
        "baseline": ("baseline", stopped, "-o", own / "b.json"),
    }[side]
    done = cli(*command, "--suite", own)
    assert done.code == 2
    assert f"`judgekit run {own} --variant v1`" in done.err
    assert not (own / "b.json").exists()


def test_a_run_of_fewer_trials_is_finished_with_that_number(own, cli):
    cli("run", own, "--variant", "v1", "--trials", "2", "--judge", "none", "--quiet")
    stopped = newest(own)
    manifest = json.loads((stopped / "run.json").read_text())
    manifest["run"].pop("finished")
    (stopped / "run.json").write_text(json.dumps(manifest))
    assert "--trials 2`" in cli("compare", "v2", "v1", "--suite", own).err


def test_a_name_that_is_nothing_is_exit_2(own, cli):
    done = cli("compare", "v1", "v9", "--suite", own)
    assert done.code == 2
    assert "v9" in done.err


def test_only_advisory_judges_are_undecided_exit_3(own, cli, suite):
    folder = suite(
        {
            "judgekit.yaml": (
                "cases: cases.jsonl\nrecordings: [r.jsonl]\njudge: {model: 'replay:j'}\n"
                "variants: {v: {outputs: o.jsonl}, w: {outputs: p.jsonl}}\n"
            ),
            "cases.jsonl": [{"id": "a", "input": "q", "rubric": "Polite."}],
            "o.jsonl": [{"id": "a", "output": "hi", "model": "gpt-4o"}],
            "p.jsonl": [{"id": "a", "output": "ho", "model": "gpt-4o"}],
            "r.jsonl": [{"reply": "Fine.\n<result>PASS</result>"}],
        }
    )
    for variant in ("v", "w"):
        assert cli("run", folder, "--variant", variant, "--quiet").code == 3
    done = cli("compare", "v", "w", "--suite", folder, "--json")
    assert done.code == 3
    assert done.json["decision"] == "undecided"
    assert done.json["difference"]["value"] is None
