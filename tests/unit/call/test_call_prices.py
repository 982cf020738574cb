import asyncio

import pytest
from genai_prices import Usage as Counted
from genai_prices import calc_price
from genai_prices.data_snapshot import get_snapshot

from judgekit.call.prices import Price, Prices, _Listed, estimate_tokens, output_cap
from judgekit.types import Message, Usage

USAGE = Usage(input_tokens=1_000_000, output_tokens=100_000)


def test_own_prices_are_per_million_tokens_and_win_over_the_list():
    prices = Prices({"openai:gpt-5-mini": Price(input=3.0, output=20.0)})
    assert prices.cost("openai:gpt-5-mini", USAGE) == pytest.approx(3.0 + 2.0)


def test_an_own_price_fits_with_and_without_the_provider():
    prices = Prices({"my-model": Price(input=1.0, output=1.0)})
    assert prices.cost("openai:my-model", USAGE) == pytest.approx(1.1)
    assert prices.cost("openai:my-other-model", USAGE) is None


def test_the_list_knows_the_usual_models():
    prices = Prices()
    for ours, provider, model in [
        ("openai:gpt-5-mini", "openai", "gpt-5-mini"),
        ("anthropic:claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("gemini:gemini-2.5-flash", "google", "gemini-2.5-flash"),
        ("litellm:mistral/mistral-large-latest", "mistral", "mistral-large-latest"),
    ]:
        counted = Counted(input_tokens=150_000, output_tokens=700, cache_read_tokens=1000)
        listed = calc_price(counted, model, provider_id=provider).total_price
        assert prices.cost(ours, Usage(150_000, 700, None, 1000)) == pytest.approx(float(listed))


def test_every_price_is_what_the_list_says_for_short_long_and_cached_prompts():
    usages = [Usage(100, 0), Usage(0, 10), Usage(300_000, 100), Usage(100, 10, None, 50), Usage(199_999, 1)]
    for provider in get_snapshot().providers:
        for model in provider.models:
            listed = _Listed(provider, model)
            for usage in usages:
                assert listed.cost(usage) == pytest.approx(listed._exact(usage), abs=1e-12), (provider.id, model.id)


@pytest.mark.parametrize("model", ["openai:no-such-model", "nobody:gpt-5", "nothing", "openai:", "azure:prod-judge"])
def test_an_unknown_model_has_an_unknown_price_and_never_0(model):
    prices = Prices()
    assert prices.cost(model, USAGE) is None
    assert not prices.knows(model)
    assert prices.unknown(["replay:x", model, model]) == (model,)


@pytest.mark.parametrize("model", ["replay:gpt-5", "local:smollm2"])
def test_what_answers_from_this_machine_costs_0_even_uncounted(model):
    assert Prices().cost(model, Usage()) == 0.0


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_uncounted_tokens_have_an_unknown_price(usage):
    assert Prices().cost("openai:gpt-5-mini", usage) is None


def test_a_routers_price_is_the_routers():
    url = "https://openrouter.ai/api/v1/chat/completions"
    usage = Usage(1000, 100)
    listed = calc_price(
        Counted(input_tokens=1000, output_tokens=100), "deepseek/deepseek-chat", provider_id="openrouter"
    )
    assert Prices().cost("openai:deepseek/deepseek-chat", usage, url) == pytest.approx(float(listed.total_price))
    assert Prices().cost("openai:deepseek/deepseek-chat", usage) is None


def test_an_unlisted_url_leaves_the_provider_that_the_model_names():
    prices = Prices()
    known = prices.cost("openai:gpt-5-mini", USAGE)
    assert prices.cost("openai:gpt-5-mini", USAGE, "https://gateway.example.org/v1") == known


def test_a_price_that_is_at_hand_is_not_looked_up_in_a_thread():
    async def main():
        prices = Prices({"mine": Price(input=1.0, output=1.0)})
        assert prices.begin("openai:mine") is None
        assert prices.begin("replay:x") is None
        first, second = prices.begin("openai:gpt-5-mini"), prices.begin("openai:gpt-5-mini")
        assert first is second
        assert first is not None
        await first
        assert prices.begin("openai:gpt-5-mini") is None

    asyncio.run(main())


def test_tokens_are_a_quarter_of_the_bytes_and_four_a_message():
    assert estimate_tokens([Message("user", "abcdefgh")]) == 4 + 2
    assert estimate_tokens([Message("user", "abcdefghi"), Message("system", "")]) == 4 + 3 + 4
    assert estimate_tokens([Message("user", "漢字漢字")]) == 4 + 3
    assert estimate_tokens([Message("user", "\ud800")]) > 4


def test_the_longest_reply_is_what_the_parameters_say(kit):
    assert output_cap(kit.ask(), default=7) == 7
    assert output_cap(kit.ask(params={"max_completion_tokens": 50}), default=7) == 50
    assert output_cap(kit.ask(params={"max_tokens": True}), default=7) == 7
