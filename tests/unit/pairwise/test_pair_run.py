"""A pairwise run with a sender in place of the world: exact calls, kept as they land, gone on with, refused in time."""

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judgekit.errors import CallFailed, InputError, RunStopped, SelfGrading, UsageError
from judgekit.graders.pairrubric import criterion_for_pairs, find_pair_rubric
from judgekit.run.loaded import load_suite
from judgekit.run.pairs.calls import count_pair_calls
from judgekit.run.pairs.folder import read_pairs
from judgekit.run.pairs.perform import perform_pairs
from judgekit.run.pairs.plan import make_pair_plan, parts_of
from judgekit.run.perform import Options
from judgekit.types import Reply

SHARED = {"v1": ["a0", "a1", "a2", "same"], "v2": ["b0", "b1", "b2", "same"], "v3": ["c0", "c1", "c2", "other"]}


class Sender:
    """Prefers the text that comes first in the alphabet; fails or stops where it is told to."""

    def __init__(self, *, fail=(), stop_after=None):
        self.requests = []
        self.fail, self.stop_after = fail, stop_after

    sent = property(lambda self: len(self.requests))
    cached = 0
    cost = 0.0

    async def __call__(self, request):
        if self.stop_after is not None and len(self.requests) >= self.stop_after:
            raise RunStopped("budget used up", code="budget")
        self.requests.append(request)
        text = request.messages[-1].content
        first = re.search(r"<first-\w+>\n(.*)\n", text)[1]
        second = re.search(r"<second-\w+>\n(.*)\n", text)[1]
        if first in self.fail:
            raise CallFailed("boom", code="status_500")
        return Reply(f"x\n<result>{'FIRST' if first < second else 'SECOND'}</result>", key=f"k{len(self.requests)}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.joinpath("cases.jsonl").write_text(
        "".join(
            json.dumps({"id": f"c{i}", "input": f"q{i}", "tags": ["odd"] if i % 2 else []}) + "\n" for i in range(4)
        )
    )
    for name, outputs in SHARED.items():
        rows = [{"id": f"c{i}", "output": o, "model": "claude-sonnet-4-5"} for i, o in enumerate(outputs)]
        tmp_path.joinpath(f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    variants = ", ".join(f"{n}: {{outputs: {n}.jsonl}}" for n in SHARED)
    tmp_path.joinpath("judgekit.yaml").write_text(
        f"suite: t\ncases: cases.jsonl\nvariants: {{{variants}}}\njudge: {{model: 'openai:gpt-5'}}\n"
    )
    return tmp_path


def plan_of(folder, *variants, rubric=None, **options):
    rubric = rubric or criterion_for_pairs("Comes first.")
    return make_pair_plan(load_suite(folder), variants or ("v1", "v2"), rubric=rubric, **options)


def perform(plan, sender, root=None, *, token="tok", **options):
    return asyncio.run(
        perform_pairs(
            plan,
            send=sender,
            counts=sender,
            options=Options(root, 1, **options),
            now=lambda: datetime(2030, 1, 2, tzinfo=UTC),
            token=token,
        )
    )


def counted(plan):
    return count_pair_calls(plan, peek=lambda _: None, price=lambda _: 0.5, tokens=lambda _: 10)


def test_the_plan_counts_exactly_what_is_sent(folder):
    plan = plan_of(folder, rubric=find_pair_rubric("pairwise", base=folder), repeats=2)
    calls, sender = counted(plan), Sender()
    finished = perform(plan, sender)
    # three pairs that differ, four dimensions, both orders, two repeats; the equal pair costs nothing
    assert calls.sent == sender.sent == 3 * 4 * 2 * 2
    assert calls.exact
    assert calls.usd == 24.0
    assert calls.reask == 48
    assert [b.block.stats.identical for b in finished.contest.bouts] == [2] * 4


def test_replies_that_the_cache_holds_are_told_and_cost_nothing(folder):
    plan = plan_of(folder)
    kept = Reply("<result>FIRST</result>")
    calls = count_pair_calls(
        plan, peek=lambda r: kept if "swapped" in r.label else None, price=lambda _: 0.5, tokens=lambda _: 10
    )
    (judge,) = calls.models
    assert (judge.calls, judge.cached, calls.sent, calls.usd) == (6, 3, 3, 1.5)


def test_every_pair_is_two_requests_that_differ_by_the_swap_alone(folder):
    sender = Sender()
    perform(plan_of(folder, rubric=find_pair_rubric("pairwise", base=folder)), sender)
    groups: dict[str, list[str]] = {}
    for request in sender.requests:
        assert request.label.endswith(("original order", "swapped order"))
        groups.setdefault(request.label.rpartition(",")[0], []).append("".join(m.content for m in request.messages))
    assert len(groups) == 12
    for original, swapped in groups.values():
        assert original != swapped
        turned = re.sub(
            r"(?s)(<first-\w+>\n)(.*?)(\n</first.*?<second-\w+>\n)(.*?)(\n</second)", r"\1\4\3\2\5", original
        )
        assert turned == swapped
        for word in ("v1", "v2", "jsonl", "claude", "gpt", "original", "swapped"):
            assert word not in original


def test_a_dimension_is_a_call_of_its_own_that_holds_no_sibling(folder):
    rubric = find_pair_rubric("pairwise", base=folder)
    sender = Sender()
    perform(plan_of(folder, rubric=rubric), sender)
    for request in sender.requests:
        text = "".join(m.content for m in request.messages)
        assert sum(d.criterion.strip() in text for d in rubric.dimensions) == 1


def test_the_better_variant_wins_and_the_equal_pair_is_a_tie(folder):
    contest = perform(plan_of(folder), Sender()).contest
    (bout,) = contest.bouts
    assert bout.block.stats.counts["A"] == 3
    assert bout.block.stats.counts["TIE"] == bout.block.stats.identical == 1
    assert bout.by_tag["odd"].pairs == 2
    assert contest.advisory == {"better": "uncertified"}
    assert contest.decision is None


def test_three_variants_meet_each_other_and_are_ranked(folder):
    contest = perform(plan_of(folder, "v1", "v2", "v3"), Sender()).contest
    assert [(b.a, b.b) for b in contest.bouts] == [("v1", "v2"), ("v1", "v3"), ("v2", "v3")]
    ranking = contest.rankings["better"]
    assert ranking.strengths[0].name == "v1"
    assert len(ranking.contrasts) == 3


def test_against_one_leaves_the_others_unpaired(folder):
    plan = plan_of(folder, "v1", "v2", "v3", against="v2")
    assert plan.duels == (("v2", "v1"), ("v2", "v3"))
    with pytest.raises(UsageError, match="not among"):
        plan_of(folder, "v1", "v2", against="v3")


def test_a_stopped_run_keeps_what_is_done_and_goes_on_from_there(folder):
    runs = folder / "runs"
    first = perform(plan_of(folder), Sender(stop_after=2), runs)
    assert first.stopped is not None
    assert (first.contest.judged, first.contest.units) == (1, 4)
    again = Sender()
    second = perform(plan_of(folder), again, runs)
    assert second.folder == first.folder
    assert again.sent == 4
    assert second.contest.judged == 4
    assert second.contest.bouts[0].block.stats.counts["A"] == 3
    assert "going on with" in second.notes[0]
    third = Sender()
    assert perform(plan_of(folder), third, runs, token="new").folder != first.folder
    assert third.sent == 6


def test_a_pair_whose_call_failed_is_judged_again_and_a_torn_line_is_dropped(folder):
    runs = folder / "runs"
    first = perform(plan_of(folder), Sender(fail=("b1",), stop_after=5), runs)
    assert first.contest.bouts[0].block.stats.counts["MISSING"] == 1
    file = first.folder / "pairs.jsonl"
    with file.open("ab") as out:
        out.write(b'{"case":"c3","tr')
    again = Sender()
    done = perform(plan_of(folder), again, runs)
    assert sorted({r.label.partition(",")[0] for r in again.requests}) == ["c1", "c2"]
    assert done.contest.bouts[0].block.stats.counts["MISSING"] == 0
    stored = read_pairs(done.folder)
    assert len(stored.grades) == 4
    assert stored.manifest.duels == (("v1", "v2"),)
    assert all(not g.calls for g in stored.grades.values())
    assert any(g.calls for g in read_pairs(done.folder, calls=True).grades.values())


def test_a_cancelled_run_keeps_what_is_done(folder):
    class Slow(Sender):
        async def __call__(self, request):
            if len(self.requests) == 4:
                asyncio.current_task().get_loop().call_soon(asked.cancel)
                await asyncio.Event().wait()
            return await super().__call__(request)

    async def go():
        nonlocal asked
        asked = asyncio.current_task()
        sender = Slow()
        return await perform_pairs(
            plan_of(folder),
            send=sender,
            counts=sender,
            options=Options(folder / "runs", 1),
            now=lambda: datetime(2030, 1, 2, tzinfo=UTC),
            token="tok",
        )

    asked = None
    done = asyncio.run(go())
    assert done.interrupted
    assert done.contest.judged == 2
    stored = read_pairs(done.folder)
    assert len(stored.grades) == 2
    assert stored.manifest.run.interrupted
    assert stored.manifest.run.finished is None


def test_a_pairwise_run_is_not_taken_for_a_run_of_one_variant(folder):
    from judgekit.run.store import run_folders

    perform(plan_of(folder), Sender(), folder / "runs")
    assert run_folders(folder / "runs") == []


def test_another_judge_or_rubric_is_another_run(folder):
    prints = {
        plan_of(folder).fingerprint,
        plan_of(folder, judge="openai:gpt-5-mini").fingerprint,
        plan_of(folder, rubric=criterion_for_pairs("Other.")).fingerprint,
        plan_of(folder, repeats=2).fingerprint,
        plan_of(folder, "v2", "v1").fingerprint,
    }
    assert len(prints) == 5
    assert plan_of(folder).fingerprint == plan_of(folder).fingerprint


def test_the_parts_of_a_judge_of_pairs_change_with_what_can_change_its_answer(folder):
    base = parts_of(plan_of(folder).instruments[0])
    other = parts_of(plan_of(folder, judge="openai:gpt-5-mini").instruments[0])
    assert {k for k in base if base[k] != other[k]} == {"model"}


def test_a_judge_that_wrote_either_side_is_refused(folder):
    with pytest.raises(SelfGrading, match="would grade its own work"):
        plan_of(folder, judge="anthropic:claude-sonnet-4-5-20250929")


@pytest.mark.parametrize(
    ("variants", "said"),
    [(("v1",), "needs two variants"), (("v1", "v1"), "given twice"), (("v1", "v9"), "no variant 'v9'")],
)
def test_a_comparison_without_two_variants_is_refused(folder, variants, said):
    with pytest.raises((UsageError, InputError), match=said):
        plan_of(folder, *variants)


def test_without_a_judge_there_is_nothing_to_compare_with(folder):
    text = (folder / "judgekit.yaml").read_text().replace("judge: {model: 'openai:gpt-5'}\n", "")
    (folder / "judgekit.yaml").write_text(text)
    with pytest.raises(InputError, match="no judge to compare with"):
        plan_of(folder)
    with pytest.raises(UsageError, match="--judge none"):
        plan_of(folder, judge="none")


def test_an_output_that_is_missing_on_one_side_is_no_verdict(folder):
    rows = (folder / "v2.jsonl").read_text().splitlines()
    (folder / "v2.jsonl").write_text("\n".join(rows[1:]) + "\n")
    contest = perform(plan_of(folder), Sender()).contest
    assert contest.bouts[0].block.stats.counts["MISSING"] == 1
    assert contest.causes[0].code == "no_output"
    assert "v2 has no output" in contest.causes[0].first


def test_the_shorter_record_of_trials_decides_how_many_are_compared(folder):
    rows = [json.loads(line) for line in (folder / "v1.jsonl").read_text().splitlines()]
    (folder / "v1.jsonl").write_text("".join(json.dumps({**r, "trial": t}) + "\n" for r in rows for t in (1, 2)))
    plan = plan_of(folder)
    assert plan.trials == 1
    assert any("v1 2, v2 1" in notice for notice in plan.notices)
