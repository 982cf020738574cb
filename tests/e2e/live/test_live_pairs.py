"""A comparison against a judge over HTTP: both orders sent once, kept, paid once, stopped by a budget and gone on with."""

import re

import pytest

PRICES = {"openai:judge-1": {"input": 1, "output": 2}}
ONE = ("--dimension", "overall")


def shown(asked):
    return re.findall(r"(?s)<(?:first|second)-\w+>\n(.*?)\n</", asked.prompt)


@pytest.fixture
def pairs(live, service):
    """A suite of two recorded variants; the judge prefers whatever begins with `better`."""

    def write(n, **more):
        files = {
            f"{name}.jsonl": [
                {"id": f"c{i:03d}", "output": f"{word} answer number {i:03d}.", "model": "claude-sonnet-4-5"}
                for i in range(n)
            ]
            for name, word in (("old", "plain"), ("new", "better"))
        }
        variants = {"old": {"outputs": "old.jsonl"}, "new": {"outputs": "new.jsonl"}}
        return live(n, prices=PRICES, variants=variants, **files, **more)

    def prefers_better(asked):
        first = shown(asked)[0]
        return service.Play(
            body=service.completion(f"x\n<result>{'FIRST' if 'better' in first else 'SECOND'}</result>")
        )

    service.answer = prefers_better
    return write


def test_both_orders_of_each_pair_are_sent_once_and_paid_once(cli, pairs, service):
    folder = pairs(5)
    first = cli("pairwise", folder, *ONE, "--yes", "--json")
    assert first.code == 0, first.err
    assert first.json["b"] == 5
    assert first.json["calls"] == {"sent": 10, "cached": 0}
    assert first.json["cost"] == pytest.approx(10 * (100 * 1 + 30 * 2) / 1e6)
    orders = {tuple(shown(asked)) for asked in service.seen}
    assert len(orders) == 10
    assert {order[::-1] for order in orders} == orders
    second = cli("pairwise", folder, *ONE, "--json")  # nothing is paid for, so nobody has to say yes
    assert second.json["calls"] == {"sent": 0, "cached": 10}
    assert second.json["cost"] == 0
    assert second.json["results"] == first.json["results"]
    assert len(service.seen) == 10


def test_repeats_are_asked_although_the_cache_has_the_first(cli, pairs, service):
    folder = pairs(2)
    cli("pairwise", folder, *ONE, "--yes", "--json")
    again = cli("pairwise", folder, *ONE, "--yes", "--repeats", "3", "--json").json
    assert again["calls"] == {"sent": 8, "cached": 4}
    assert again["comparisons"][0]["steadiness"]["repetition"]["value"] == 1


def test_a_budget_stops_the_comparison_and_the_same_command_goes_on(cli, pairs, service):
    folder = pairs(6)
    stopped = cli("pairwise", folder, *ONE, "--max-calls", "5", "-j", "1", "--json")
    assert stopped.code == 4
    assert len(service.seen) <= 5
    assert stopped.json["interrupted"]
    assert stopped.json["units"]["judged"] < 6
    done = cli("pairwise", folder, *ONE, "--yes", "--json")
    assert done.code == 0
    assert done.json["b"] == 6
    assert len(service.seen) == 12
    assert len(list((folder / "runs").iterdir())) == 1


def test_a_round_that_failed_is_no_verdict_until_it_is_asked_again(cli, pairs, service):
    folder = pairs(3)
    good = service.answer

    def broken(asked):
        hit = asked.number == 1 and "better" in shown(asked)[0]
        return service.Play(400, {"error": {"message": "no", "type": "invalid_request_error"}}) if hit else good(asked)

    service.answer = broken
    first = cli("pairwise", folder, *ONE, "--yes", "--json").json
    assert (first["b"], first["missing"]) == (2, 1)
    service.answer = good
    second = cli("pairwise", folder, *ONE, "--yes", "--retry-missing", "--json").json
    assert (second["b"], second["missing"]) == (3, 0)
    assert second["calls"] == {"sent": 1, "cached": 1}
    assert len(list((folder / "runs").iterdir())) == 1


def test_an_unreadable_order_is_kept_until_retry_missing_asks_for_it_alone(cli, pairs, service):
    folder = pairs(3)
    good = service.answer

    def mumbles(asked):
        hit = asked.number == 2 and "plain" in shown(asked)[0]
        return service.Play(body=service.completion("Both are fine.")) if hit else good(asked)

    service.answer = mumbles
    first = cli("pairwise", folder, *ONE, "--yes", "--json").json
    assert (first["b"], first["tie"], first["missing"]) == (2, 0, 1)
    assert first["calls"]["sent"] == 3 * 2 + 1
    service.answer = good
    kept = cli("pairwise", folder, *ONE, "--yes", "--json").json
    assert (kept["missing"], kept["calls"]["sent"]) == (1, 0)
    again = cli("pairwise", folder, *ONE, "--yes", "--retry-missing", "--json").json
    assert (again["b"], again["missing"]) == (3, 0)
    assert again["calls"] == {"sent": 1, "cached": 1}


def test_a_recorded_comparison_replays_without_a_server(cli, pairs, service):
    folder = pairs(3)
    cli("pairwise", folder, *ONE, "--yes", "--record", folder / "kept.jsonl", "--json")
    seen = len(service.seen)
    with (folder / "judgekit.yaml").open("a") as file:
        file.write("recordings: [kept.jsonl]\n")
    again = cli("pairwise", folder, *ONE, "--replay", "--fresh", "--json").json
    assert again["b"] == 3
    assert len(service.seen) == seen
