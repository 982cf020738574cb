import hashlib
import json

import msgspec
import pytest

from judgekit.call.chain import key_of
from judgekit.call.key import KEY_PARTS, WIRE_VERSION, normal_url, request_key
from judgekit.types import Message


@pytest.fixture
def key(kit):
    provider = kit.Scripted()
    return lambda request: key_of(provider, request)


def test_the_key_is_the_sha256_of_the_canonical_json_of_its_parts(kit):
    wire = {"provider": "openai", "url": "HTTPS://API.OpenAI.com:443/v1/", "body": {"model": "m", "b": 1, "a": "é"}}
    request = kit.ask(trial=2, vote=3, ask=4)
    parts = [WIRE_VERSION, "openai", "https://api.openai.com/v1", {"a": "é", "b": 1, "model": "m"}, 2, 3, 4]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert request_key(wire, request) == hashlib.sha256(text.encode()).hexdigest()
    assert len(KEY_PARTS) == len(parts)


def test_every_part_that_can_change_the_answer_changes_the_key(kit, key):
    base = kit.ask("q", params={"temperature": 0})
    changed = {
        "model": kit.ask("q", model="openai:other", params={"temperature": 0}),
        "temperature": kit.ask("q", params={"temperature": 1}),
        "no temperature": kit.ask("q"),
        "max tokens": kit.ask("q", params={"temperature": 0, "max_tokens": 5}),
        "one word of the rubric": kit.ask("Q", params={"temperature": 0}),
        "system": msgspec.structs.replace(base, messages=(Message("system", "be kind"), base.messages[1])),
        "role": msgspec.structs.replace(base, messages=(Message("user", "be fair"), base.messages[1])),
        "base url": msgspec.structs.replace(base, base_url="http://127.0.0.1:8000/v1"),
        "schema": msgspec.structs.replace(base, schema={"type": "object"}),
        "trial": msgspec.structs.replace(base, trial=2),
        "vote": msgspec.structs.replace(base, vote=2),
        "ask": msgspec.structs.replace(base, ask=2),
    }
    keys = {name: key(request) for name, request in changed.items()}
    assert key(base) not in keys.values()
    assert len(set(keys.values())) == len(changed)


def test_who_asked_and_which_variable_holds_the_key_change_nothing(kit, key):
    assert key(kit.ask("q", label="case 1")) == key(kit.ask("q", label="case 2", api_key_env="OTHER_KEY"))


def test_the_order_of_parameters_changes_nothing(kit, key):
    assert key(kit.ask(params={"a": 1, "b": {"x": 1, "y": 2}})) == key(kit.ask(params={"b": {"y": 2, "x": 1}, "a": 1}))


def test_fields_do_not_run_together(kit, key):
    def pair(system, user):
        return msgspec.structs.replace(kit.ask(), messages=(Message("system", system), Message("user", user)))

    assert len({key(pair("ab", "c")), key(pair("a", "bc")), key(pair("abc", "")), key(pair("", "abc"))}) == 4


@pytest.mark.parametrize("text", ["\ud800", "\x00", '"\\', "🙂", "a\r\nb"])
def test_any_text_has_a_key_of_its_own(kit, key, text):
    assert key(kit.ask(text)) != key(kit.ask(text + " "))
    assert key(kit.ask(text)) == key(kit.ask(text))


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("https://API.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://api.openai.com:443/v1", "https://api.openai.com/v1"),
        ("http://h:80", "http://h/"),
        ("https://user:secret@h/v1", "https://h/v1"),
        ("http://[::1]:8000/v1/", "http://[::1]:8000/v1"),
    ],
)
def test_one_service_in_two_spellings_has_one_url(url, same):
    assert normal_url(url) == normal_url(same)


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://h/v1", "https://h/v10"),
        ("http://h:8000/v1", "http://h:8001/v1"),
        ("http://h/v1", "https://h/v1"),
        ("https://h/d?api-version=1", "https://h/d?api-version=2"),
        ("https://h/V1", "https://h/v1"),
    ],
)
def test_two_services_stay_two(url, other):
    assert normal_url(url) != normal_url(other)


def test_a_run_without_a_cache_still_writes_the_key_on_each_reply(kit, key):
    reply = kit.run(kit.build(kit.Scripted())(kit.ask("q")))
    assert reply.key == key(kit.ask("q"))
    assert not reply.cached
