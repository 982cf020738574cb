"""A planted key is found in no error, no traceback (local variables included), no log, no repr and no reply."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback

import msgspec
import pytest
from loopback_service import Play, Service
from service_shapes import KEY, SHAPES, Shape

from judgekit.errors import CallFailed, RunStopped

STATUSES = [401, 403, 400, 404, 429, 500]


@pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
@pytest.mark.parametrize("told", [KEY, "that"], ids=["service repeats the key", "traceback with variables"])
def test_key_reaches_nobody(told: str, shape: Shape, fast: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    found: list[str] = []
    plays = [Play(status, shape.error(status, f"key {told} is bad", told)) for status in STATUSES]
    plays += [Play(200, f"no JSON {told}".encode()), Play(drop=True), Play(200, {told: 1})]

    async def main() -> None:
        async with Service([*plays, Play(200, shape.reply("fine"))]) as service:
            provider = shape.provider(service.url, fast=fast)
            for _ in plays:
                try:
                    reply = await provider(shape.request(params={"seed": 1}))
                    found.append(msgspec.json.encode(reply).decode())
                except (CallFailed, RunStopped) as error:
                    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
                    frames = [f for f in shown.stack if "judgekit" in f.filename and "tests" not in f.filename]
                    assert frames
                    if told != KEY:  # else what the service said lies in variables; the key that we sent must not
                        found.extend(f"{f.name}: {f.locals}" for f in frames)
                    found.extend([*traceback.format_exception(error), str(error), repr(error), repr(error.args)])
            last = await provider(shape.request())
            assert last.text == "fine"
            found.extend([repr(provider), json.dumps(provider.wire(shape.request())), repr(last)])
            await provider.aclose()

    asyncio.run(main())
    assert [text for text in found if KEY in text] == []
    assert len(found) > len(plays) * 4
    assert KEY not in caplog.text
