import asyncio

import pytest

from judgekit.call.budget import Budget, Ledger
from judgekit.call.counters import Counters
from judgekit.call.prices import Price, Prices
from judgekit.call.retry import RetryPolicy
from judgekit.errors import CallFailed, RunStopped
from judgekit.providers.replay import Recording, Replay
from judgekit.types import Message, Reply, Request, Usage

# a request of 1,000 tokens in (4 * 996 bytes + 4) and at most 100 out, at $1 and $10 a million: $0.002 expected
EXPECTED = 0.002


def paid(number, **more):
    text = f"{number:<3984}"
    return Request(model="openai:judge", messages=(Message("user", text),), params={"max_tokens": 100}, **more)


def reply(tokens_in=1000, tokens_out=100):
    return Reply("fine", usage=Usage(tokens_in, tokens_out))


@pytest.fixture
def spend(kit):
    def spend(sender, n, budget, **more):
        counters, ledger = Counters(), Ledger(budget)
        chain = kit.build(sender, ledger=ledger, counters=counters, **more)
        ends = kit.run(kit.gathered(chain, [paid(i) for i in range(n)]))
        return ends, counters, ledger

    return spend


def stopped(ends):
    return [end for end in ends if isinstance(end, RunStopped)]


def test_calls_stop_at_the_cap_and_what_is_done_is_kept(kit, spend):
    sender = kit.Scripted(reply(), takes=1.0)
    ends, counters, _ = spend(sender, 20, Budget(calls=7))
    assert sender.sent == counters.sent == 7
    assert sum(isinstance(end, Reply) for end in ends) == 7
    assert len(stopped(ends)) == 13


def test_the_error_says_what_was_spent_and_how_to_go_on(kit):
    chain = kit.build(kit.Scripted(reply()), budget=Budget(calls=3, usd=1.0))

    async def one_by_one():
        return [(await kit.gathered(chain, [paid(i)]))[0] for i in range(4)]

    end = kit.run(one_by_one())[-1]
    assert end.code == "budget"
    assert end.exit_code == 4
    assert "3 of 3 calls and $0.0060 of $1.0000;" in str(end)
    assert "--max-calls or --max-cost" in str(end)
    assert "same command again" in str(end)


def test_the_error_names_what_the_calls_under_way_may_still_cost(kit, spend):
    ends, _, _ = spend(kit.Scripted(reply(), takes=1.0), 4, Budget(calls=3, usd=1.0))
    (end,) = stopped(ends)
    assert "$0.0000 of $1.0000 (with about $0.0060 more for the calls under way)" in str(end)


def test_money_stops_before_the_cap_is_passed_and_uses_all_that_fits(kit, spend):
    sender = kit.Scripted(reply(), takes=1.0)
    ends, counters, _ = spend(sender, 50, Budget(usd=0.0201))
    assert sender.sent == 10  # 10 * 0.002 fit, an eleventh would not
    assert counters.cost_usd == pytest.approx(0.02)
    assert len(stopped(ends)) == 40


def test_what_is_in_flight_counts_at_its_expected_cost(kit, spend):
    sender = kit.Scripted(reply(), takes=1.0)
    spend(sender, 50, Budget(usd=0.005))
    assert sender.most_active == 2


def test_calls_that_turn_out_cheaper_make_room_for_more(kit, spend):
    cheap = reply(1000, 0)  # $0.001 where $0.002 were expected
    ends, counters, _ = spend(kit.Scripted(cheap, takes=1.0), 50, Budget(usd=0.0101))
    assert counters.sent == 9  # the tenth is expected to cost 0.002, and 0.0011 are left
    assert counters.cost_usd == pytest.approx(0.009)
    assert len(stopped(ends)) == 41


def test_a_call_dearer_than_expected_is_learned_from(kit):
    dear = reply(1000, 500)  # $0.006, three times what was expected
    counters = Counters()
    chain = kit.build(kit.Scripted(dear), counters=counters, budget=Budget(usd=0.0141))

    async def one_by_one():
        return [(await kit.gathered(chain, [paid(i)]))[0] for i in range(5)]

    ends = kit.run(one_by_one())
    assert counters.cost_usd == pytest.approx(0.012)  # two of them; a third is taken for 0.006, where 0.002 would fit
    assert [type(end) for end in ends] == [Reply, Reply, RunStopped, RunStopped, RunStopped]


def test_many_dear_calls_at_once_do_not_multiply_what_the_next_is_taken_for(kit, spend):
    dear = reply(1000, 500)
    _, counters, ledger = spend(kit.Scripted(dear, takes=1.0), 64, Budget(usd=1.0))
    assert counters.cost_usd == pytest.approx(64 * 0.006)
    assert ledger.held == 0.0


def test_a_retry_takes_a_call_from_the_budget(kit, spend):
    sender = kit.Scripted(kit.status(503))
    ends, counters, _ = spend(sender, 1, Budget(calls=3), retry=RetryPolicy(retries=9))
    assert sender.sent == 3
    assert isinstance(ends[0], RunStopped)
    assert (counters.sent, counters.retries) == (3, 2)


def test_a_refused_try_costs_nothing_and_a_lost_answer_what_was_expected(kit, spend):
    _, _, ledger = spend(kit.Scripted(kit.status(503), kit.status(429), reply()), 1, Budget(usd=1.0))
    assert ledger.spent == pytest.approx(EXPECTED)
    lost = CallFailed("no answer in 60 s", code="timeout", retryable=True)
    _, _, ledger = spend(kit.Scripted(lost, lost, reply()), 1, Budget(usd=1.0))
    assert ledger.spent == pytest.approx(3 * EXPECTED)


def test_lost_answers_cannot_pass_the_cap(kit, spend):
    lost = CallFailed("no answer in 60 s", code="timeout", retryable=True)
    sender = kit.Scripted(lost)
    ends, _, ledger = spend(sender, 5, Budget(usd=0.0061), retry=RetryPolicy(retries=9))
    assert sender.sent <= 3
    assert ledger.spent + ledger.held <= 0.0061
    assert stopped(ends)


def test_a_call_without_token_counts_is_unpriced_and_held_against_the_budget(kit, spend):
    ends, counters, ledger = spend(kit.Scripted(Reply("fine")), 3, Budget(usd=1.0))
    assert [end.cost_usd for end in ends] == [None] * 3
    assert (counters.unpriced, counters.uncounted, counters.cost_usd) == (3, 3, 0.0)
    assert ledger.spent == pytest.approx(3 * EXPECTED)


def test_money_cannot_be_capped_for_a_model_without_a_price(kit, spend):
    sender = kit.Scripted()
    ends, _, _ = spend(sender, 1, Budget(usd=5.0), prices=Prices())
    assert sender.sent == 0
    assert ends[0].code == "no_price"
    assert "'openai:judge'" in str(ends[0])
    assert "prices:" in str(ends[0])


def test_without_a_cap_a_model_without_a_price_runs_and_says_that_its_cost_is_unknown(kit, spend):
    ends, counters, _ = spend(kit.Scripted(), 2, Budget(), prices=Prices())
    assert [end.cost_usd for end in ends] == [None, None]
    assert (counters.unpriced, counters.cost_usd) == (2, 0.0)


def test_a_cost_that_the_provider_states_wins_over_the_price_list(kit, spend):
    stated = Reply("fine", usage=Usage(1000, 100), cost_usd=0.5)
    ends, counters, _ = spend(kit.Scripted(stated), 1, Budget())
    assert ends[0].cost_usd == counters.cost_usd == 0.5


def test_a_call_that_is_broken_off_frees_its_place_and_stays_on_the_books(kit):
    ledger = Ledger(Budget(usd=0.005))
    chain = kit.build(kit.Scripted(reply(), takes=10.0), ledger=ledger)

    async def main():
        task = asyncio.create_task(chain(paid(1)))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    kit.run(main())
    assert ledger.held == 0.0
    assert ledger.spent == pytest.approx(EXPECTED)


def test_a_budget_of_nothing_sends_nothing(kit, spend):
    for budget in (Budget(calls=0), Budget(usd=0.0)):
        sender = kit.Scripted(reply())
        ends, _, _ = spend(sender, 3, budget)
        assert (sender.sent, len(stopped(ends))) == (0, 3)


def test_free_calls_fit_any_budget(kit, spend):
    sender = kit.Scripted(reply())
    ends, _, _ = spend(sender, 3, Budget(usd=0.0), prices=Prices({"judge": Price(input=0.0, output=0.0)}))
    assert [end.cost_usd for end in ends] == [0.0] * 3


def test_replayed_calls_are_free_whatever_their_model_would_cost(kit):
    replay = Replay([Recording(reply="fine")])
    chain = kit.build(replay, budget=Budget(usd=0.0), prices=Prices())
    end = kit.run(chain(kit.ask(model="openai:no-such-model")))
    assert (end.text, end.cost_usd) == ("fine", 0.0)
