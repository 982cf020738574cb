"""Nothing is paid for that nobody agreed to, and a cap stops before it is passed; what is done is kept."""

import pytest

PRICES = {"openai:judge-1": {"input": 1, "output": 2}}
COST = (100 * 1 + 30 * 2) / 1e6  # dollars of one reply of the service


def test_cap_on_calls_stops_there_and_the_same_command_goes_on(cli, live, service):
    folder = live(10)
    stopped = cli("run", folder, "--max-calls", "4", "--json")
    assert stopped.code == 4
    assert len(service.seen) == 4
    assert "the budget is used up: 4 of 4 calls" in stopped.err
    assert "the same command goes on" in stopped.err
    assert stopped.json["calls"]["sent"] == 4
    assert stopped.json["units"]["graded"] == 4

    rest = cli("run", folder, "--max-calls", "6", "--json")
    assert rest.code == 3  # all judged, by a judge that nobody certified
    assert rest.json["run"] == stopped.json["run"]
    assert sorted(service.numbers) == list(range(10))
    assert rest.json["interrupted"] is False

    whole = cli("run", live(10, name="other"), "--yes", "--json")
    assert rest.json["results"] == whole.json["results"]


def test_retries_count_against_the_cap_on_calls(cli, live, service):
    service.answer = lambda _: service.Play(503, {}, {"retry-after": "0"})
    ran = cli("run", live(5), "--max-calls", "3", "--json", "-j", "1")
    assert ran.code == 4
    assert len(service.seen) == 3


def test_cap_on_money_is_never_passed(cli, live, service):
    folder = live(20, prices=PRICES, judge={"params": {"max_tokens": 60}})
    cap = 7.5 * COST
    ran = cli("run", folder, "--max-cost", f"{cap:.6f}", "--json")
    assert ran.code == 4
    assert 0 < ran.json["cost"] <= cap
    assert ran.json["cost"] == pytest.approx(len(service.seen) * COST)
    assert "--max-cost" in ran.err


def test_budget_of_the_suite_holds_without_an_option(cli, live, service):
    folder = live(8, budget={"calls": 3})
    ran = cli("run", folder, "--json")
    assert ran.code == 4
    assert len(service.seen) == 3


def test_option_cannot_raise_what_the_suite_allows(cli, live, service):
    ran = cli("run", live(8, budget={"calls": 3}), "--max-calls", "5", "--json")
    assert ran.code == 4
    assert len(service.seen) == 3


def test_unknown_price_under_a_cap_on_money_says_so_and_sends_nothing(cli, live, service):
    ran = cli("run", live(3), "--max-cost", "1", "--json")
    assert ran.code == 4
    assert service.seen == []
    assert "the price of 'openai:judge-1' is not known" in ran.err
    assert "prices:" in ran.err


def test_unknown_price_is_said_and_is_not_zero(cli, live):
    ran = cli("run", live(2), "--yes", "--json")
    assert ran.json["cost"] is None


def test_without_a_yes_or_a_budget_nothing_is_sent_where_nobody_can_be_asked(cli, live, service):
    folder = live(3)
    ran = cli("run", folder, "--json")
    assert ran.code == 2
    assert "--yes" in ran.err
    assert "3 judge calls to send" in ran.err
    assert service.seen == []
    assert not (folder / "runs").exists()


def test_missing_key_is_said_before_anything_is_sent_or_made(cli, live, service):
    folder = live(3, judge={"api_key_env": "SHOP_KEY"})
    for options in (["--yes"], [], ["--max-calls", "1"]):
        ran = cli("run", folder, "--json", *options)
        assert ran.code == 4
        assert "needs a key: set SHOP_KEY" in ran.err
        assert len(ran.err.splitlines()) == 1
    assert service.seen == []
    assert not (folder / "runs").exists()


def test_missing_key_of_the_writer_is_said_too(cli, live, service):
    writer = {"system": "p.md", "model": "openai:writer", "base_url": service.url, "api_key_env": "WRITER_KEY"}
    ran = cli("run", live(3, variants={"w": writer}, **{"p.md": "Be kind."}), "--yes")
    assert ran.code == 4
    assert "WRITER_KEY" in ran.err
    assert service.seen == []


def test_run_that_the_cache_answers_needs_no_key(cli, live, service, monkeypatch):
    folder = live(3, judge={"api_key_env": "SHOP_KEY"})
    monkeypatch.setenv("SHOP_KEY", "sk-shop")
    first = cli("run", folder, "--yes", "--json")
    monkeypatch.delenv("SHOP_KEY")
    again = cli("run", folder, "--yes", "--json")
    assert again.json["results"] == first.json["results"]
    assert len(service.seen) == 3


def test_kept_replies_of_one_judge_do_not_stand_in_for_another_without_a_key(cli, live, service, monkeypatch):
    folder = live(3, judge={"api_key_env": "SHOP_KEY"})
    monkeypatch.setenv("SHOP_KEY", "sk-shop")
    cli("run", folder, "--yes", "--json")
    monkeypatch.delenv("SHOP_KEY")
    ran = cli("run", folder, "--yes", "--json", "--judge", "openai:judge-2")
    assert ran.code == 4
    assert "SHOP_KEY" in ran.err
    assert ran.out == ""


def test_provider_that_does_not_exist_is_told_with_its_nearest_name(cli, live, service):
    ran = cli("run", live(3, judge={"model": "opneai:gpt-5-mini"}), "--yes")
    assert ran.code == 2
    assert "unknown provider 'opneai'" in ran.err
    assert "openai" in ran.err
