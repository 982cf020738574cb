"""Every service x every fault: each ends as the right kind of "no verdict", with one line that says what to do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from loopback_service import Play, Service, free_port
from service_shapes import ANTHROPIC, GEMINI, KEY, OPENAI, SHAPES, Shape

from judgekit.errors import CallFailed, RunStopped
from judgekit.types import Reply


@dataclass(frozen=True)
class Fault:
    """`make` gives the answer; then what must come of it."""

    name: str
    make: Any
    kind: type[Exception] | str
    code: str = ""
    retryable: bool = False
    after_s: float | None = None
    says: str = ""
    status: int | None = None


def error(status: int, message: str = "Something.", code: str = "", **headers: str) -> Any:
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    return lambda shape: Play(status, shape.error(status, message, code), named)


STOP, FAIL, AGAIN = RunStopped, CallFailed, True
FAULTS = [
    Fault("401", error(401, f"Incorrect API key provided: {KEY}"), STOP, "bad_key", says="_API_KEY"),
    Fault("402", error(402, "Payment required"), STOP, "quota", says="credit"),
    Fault("403", error(403, "No access to this model"), STOP, "forbidden", says="check what the key may use"),
    Fault("404", error(404, "The model does not exist"), STOP, "not_found", says="http://127.0.0.1:"),
    Fault("405", Play(405, b"Method Not Allowed", content_type="text/plain"), STOP, "not_found", says="base_url"),
    Fault("308", Play(308, b"", {"location": "https://elsewhere.test/v1"}), STOP, "redirect", says="set base_url"),
    Fault("400", error(400, "Something is wrong with this"), FAIL, "bad_request", says="params", status=400),
    Fault("422", error(422, "Something is wrong with this"), FAIL, "bad_request", says="params", status=422),
    Fault("429 daily", error(429, "Limit of requests per day (RPD) reached"), STOP, "quota", says="credit"),
    Fault("429 daily, soon over", error(429, "tokens per day", retry_after="60"), FAIL, "status_429", AGAIN, 60.0),
    Fault("html that tells the key", Play(200, f"<p>{KEY}</p>".encode(), content_type="text/html"), FAIL, "not_json"),
    Fault("key in another type", Play(200, KEY.encode(), content_type=f"text/{KEY}"), FAIL, "not_json", AGAIN),
    Fault("400 too long", error(400, "This model's maximum context length is 8192 tokens"), FAIL, "too_long", says="characters"),
    Fault("413", error(413, "Request exceeds the maximum size"), FAIL, "too_long", says="shorten"),
    Fault("408", error(408), FAIL, "status_408", AGAIN, status=408),
    Fault("409", error(409), FAIL, "status_409", AGAIN, status=409),
    Fault("429", error(429, "Rate limit reached"), FAIL, "status_429", AGAIN, status=429, says="in flight"),
    Fault("429 seconds", error(429, "Rate limit reached", retry_after="2"), FAIL, "status_429", AGAIN, 2.0),
    Fault("429 fraction", error(429, "Rate limit reached", retry_after="0.25"), FAIL, "status_429", AGAIN, 0.25),
    Fault("429 millis", error(429, "Rate limit reached", retry_after_ms="1500"), FAIL, "status_429", AGAIN, 1.5),
    Fault("429 date", error(429, "x", retry_after="Tue, 14 Nov 2023 22:13:23 GMT"), FAIL, "status_429", AGAIN, 3.0),
    Fault("429 past", error(429, "x", retry_after="Tue, 14 Nov 2023 22:13:10 GMT"), FAIL, "status_429", AGAIN, 0.0),
    Fault("429 nonsense", error(429, "x", retry_after="soon"), FAIL, "status_429", AGAIN),
    Fault("429 quota", error(429, "You exceeded your quota", "insufficient_quota"), STOP, "quota", says="credit"),
    Fault("500", error(500, "Internal error"), FAIL, "status_500", AGAIN, status=500, says="run again later"),
    Fault("501", error(501, "Not implemented"), FAIL, "status_501"),
    Fault("502 page", Play(502, b"<html>Bad Gateway</html>", content_type="text/html"), FAIL, "status_502", AGAIN),
    Fault("503 wait", error(503, "Overloaded", retry_after="7"), FAIL, "status_503", AGAIN, 7.0),
    Fault("529", error(529, "Overloaded", "overloaded_error"), FAIL, "status_529", AGAIN, status=529),
    Fault("500 told not to", error(500, "x", x_should_retry="false"), FAIL, "status_500"),
    Fault("filter is down", error(400, "The filter timed out", "content_filter_error"), FAIL, "filter_failed", AGAIN),
    Fault("filter on the prompt", error(400, f"Blocked by the content_filter {KEY}", "content_filter"), "filter", says="prompt"),
    Fault("error inside 200", lambda s: Play(200, s.error(429, "Slow down", "429")), FAIL, "", AGAIN),
    Fault("empty body", Play(200, b""), FAIL, "empty", AGAIN, status=200),
    Fault("white space", Play(200, b" \n"), FAIL, "empty", AGAIN, status=200),
    Fault("html with 200", Play(200, b"<html>Log in</html>", content_type="text/html"), FAIL, "not_json", says="base_url"),
    Fault("half a JSON", Play(200, b'{"choices": [{"mess'), FAIL, "not_json", AGAIN, status=200),
    Fault("JSON but no object", Play(200, b"[1, 2]"), FAIL, "not_json", AGAIN, status=200),
    Fault("another object", Play(200, {"ok": True}), FAIL, "no_reply", AGAIN, status=200, says="it has: ok"),
    Fault("not UTF-8", lambda s: Play(200, str(s.reply("caf\u00e9")).replace("'", '"').encode("latin-1")), FAIL, "not_json", AGAIN),
    Fault("broken gzip", Play(200, b"not gzip", {"content-encoding": "gzip"}), FAIL, "not_json", AGAIN),
    Fault("huge body", lambda s: Play(200, s.reply("x" * 3_000_000)), FAIL, "too_big", says="max_tokens"),
    Fault("reset in mid-body", lambda s: Play(200, s.reply("y" * 1000), cut=True), FAIL, "connection", AGAIN, says="run again"),
    Fault("reset before the reply", Play(drop=True), FAIL, "connection", AGAIN, says="run again"),
    Fault("slow body", lambda s: Play(200, s.reply("z" * 1000), stall=True), FAIL, "timeout", AGAIN, says="0.3 s"),
    Fault("cut reply", lambda s: Play(200, s.cut), "length", says="raise max_tokens"),
    Fault("refusal", lambda s: Play(200, s.refusal), "refused"),
    Fault("blocked reply", lambda s: Play(200, s.blocked), "filter"),
]  # fmt: skip


async def outcome(shape: Shape, play: Play, *, fast: bool) -> tuple[Reply | Exception, list[Any]]:
    async with Service([play]) as service:
        provider = shape.provider(service.url, fast=fast, timeout_s=0.3 if play.stall else 5.0, max_bytes=1_000_000)
        try:
            return await provider(shape.request()), service.seen
        except (CallFailed, RunStopped) as error:
            return error, service.seen
        finally:
            await provider.aclose()


@pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_fault_ends_as_the_right_kind_of_no_verdict(fault: Fault, shape: Shape, fast: bool) -> None:
    play = fault.make(shape) if callable(fault.make) else fault.make
    got, seen = asyncio.run(outcome(shape, play, fast=fast))

    assert len(seen) == 1, "a provider never tries again by itself"
    if isinstance(fault.kind, str):
        allowed = {fault.kind, "refused"} if fault.kind == "filter" else {fault.kind, "filter"}
        assert isinstance(got, Reply)
        assert got.finish in (allowed if "blocked" in fault.name or "refusal" in fault.name else {fault.kind})
        assert "PASS" not in got.text
        assert "None" not in got.text
        line = got.note
    else:
        assert type(got) is fault.kind
        assert isinstance(got, (CallFailed, RunStopped))
        assert got.code == fault.code or not fault.code
        line = got.why
        assert "\n" not in line
        assert "judge-1" in line
    if isinstance(got, CallFailed):
        assert got.retryable is fault.retryable
        assert got.after_s == fault.after_s
        assert fault.status is None or got.status == fault.status
    assert fault.says in line
    assert KEY not in f"{got} {got!r}"


@pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_refused_connection_says_that_nothing_listens(shape: Shape, fast: bool) -> None:
    async def main() -> CallFailed:
        provider = shape.provider(f"http://127.0.0.1:{free_port()}", fast=fast)
        with pytest.raises(CallFailed) as caught:
            await provider(shape.request())
        await provider.aclose()
        return caught.value

    failed = asyncio.run(main())
    assert (failed.code, failed.retryable) == ("connection", True)
    assert "nothing listens at http://127.0.0.1:" in failed.why


@pytest.mark.parametrize("status", [400, 403, 404])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_once_a_model_has_answered_its_refusal_is_one_failed_call(shape: Shape, status: int) -> None:
    async def main() -> None:
        async with Service([Play(200, shape.reply("fine")), Play(status, shape.error(status, "no", ""))]) as service:
            provider = shape.provider(service.url)
            await provider(shape.request())
            with pytest.raises(CallFailed) as caught:
                await provider(shape.request())
            assert caught.value.retryable is False
            await provider.aclose()

    asyncio.run(main())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_service_that_hangs_and_then_works_is_used_again(shape: Shape) -> None:
    async def main() -> list[str]:
        hang = Play(200, shape.reply("late"), stall=True)
        async with Service([hang] * 5 + [Play(200, shape.reply("fine"))]) as service:
            provider = shape.provider(service.url, timeout_s=0.1)
            failed = await asyncio.gather(*(provider(shape.request()) for _ in range(5)), return_exceptions=True)
            assert [getattr(f, "code", f) for f in failed] == ["timeout"] * 5
            again = await asyncio.gather(*(provider(shape.request()) for _ in range(5)))
            await provider.aclose()
            return [r.text for r in again]

    assert asyncio.run(main()) == ["fine"] * 5


@pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])
def test_two_hundred_calls_at_once_need_no_place_in_a_pool(fast: bool) -> None:
    async def main() -> int:
        async with Service([Play(200, OPENAI.reply("fine"))]) as service:
            provider = OPENAI.provider(service.url, fast=fast)
            replies = await asyncio.gather(*(provider(OPENAI.request()) for _ in range(200)))
            await provider.aclose()
            return sum(r.text == "fine" for r in replies)

    assert asyncio.run(main()) == 200


def test_third_refusal_with_no_answer_before_it_stops_the_run() -> None:
    async def main() -> list[str]:
        async with Service([Play(400, OPENAI.error(400, "no", ""))]) as service:
            provider = OPENAI.provider(service.url)
            ends = await asyncio.gather(*(provider(OPENAI.request()) for _ in range(3)), return_exceptions=True)
            await provider.aclose()
            return sorted(type(e).__name__ for e in ends)

    assert asyncio.run(main()) == ["CallFailed", "CallFailed", "RunStopped"]


def test_limit_per_minute_at_gemini_is_waited_for_though_it_speaks_of_billing() -> None:
    message = "You exceeded your current quota, please check your plan and billing details."
    body = GEMINI.error(429, message, "RESOURCE_EXHAUSTED")
    violation = {"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}
    body["error"]["details"] = [{"violations": [violation]}, {"retryDelay": "21s"}]
    got, _ = asyncio.run(outcome(GEMINI, Play(429, body), fast=True))
    assert isinstance(got, CallFailed)
    assert (got.retryable, got.after_s) == (True, 21.0)

    violation["quotaId"] = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
    got, _ = asyncio.run(outcome(GEMINI, Play(429, body), fast=True))
    assert isinstance(got, RunStopped)


def test_wait_in_google_details_is_read() -> None:
    body = GEMINI.error(429, "Quota", "RESOURCE_EXHAUSTED")
    body["error"]["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17.5s"}]
    got, _ = asyncio.run(outcome(GEMINI, Play(429, body), fast=True))
    assert isinstance(got, CallFailed)
    assert (got.retryable, got.after_s) == (True, 17.5)


def test_error_inside_200_counts_as_the_status_that_it_names() -> None:
    body = {"choices": None, "error": {"message": "Provider returned error", "code": 429}}
    got, _ = asyncio.run(outcome(OPENAI, Play(200, body), fast=True))
    assert isinstance(got, CallFailed)
    assert (got.status, got.retryable) == (429, True)
    assert "Provider returned error" in got.why


def test_empty_choices_list_the_keys_that_were_there() -> None:
    got, _ = asyncio.run(outcome(OPENAI, Play(200, {"id": "x", "choices": []}), fast=True))
    assert isinstance(got, CallFailed)
    assert "choices, id" in got.why


def test_no_credit_at_anthropic_stops_the_run() -> None:
    body = ANTHROPIC.error(400, "Your credit balance is too low to access the API", "invalid_request_error")
    got, _ = asyncio.run(outcome(ANTHROPIC, Play(400, body), fast=True))
    assert isinstance(got, RunStopped)
    assert got.code == "quota"


def test_bad_key_at_gemini_is_a_400_and_stops_the_run() -> None:
    body = GEMINI.error(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT")
    got, _ = asyncio.run(outcome(GEMINI, Play(400, body), fast=True))
    assert isinstance(got, RunStopped)
    assert got.code == "bad_key"
    assert "GEMINI_API_KEY" in got.why
