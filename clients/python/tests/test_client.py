"""The client against a real server. What a bad server does is in the conformance suite."""

import asyncio
import gc
import signal
import threading
import uuid

import pytest
from server import Server

import heddle
import heddle.sync
from heddle.v1 import turn_pb2


def test_calls_events_and_a_turn(server: Server) -> None:
    async def main() -> None:
        async with heddle.connect(server.url) as client:
            thread = (await client.threads.start(name="first")).thread
            assert (await client.threads.read(thread=str(uuid.UUID(bytes=thread.id)))).thread.name == "first"
            result = await client.turn(thread.id, "!chunks 20\n!delay 5\nHello there").result()
            assert result.text == "You said: Hello there" and result.usage.output_tokens > 0
            pieces = [piece async for piece in client.turn(thread.id, "!chunks 7\n!delay 20\nabcdefg").text]
            assert "".join(pieces) == "You said: abcdefg" and len(pieces) > 1
            changed = await client.settings.update(
                thread=thread.id, change={"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}})
            assert changed.sequence > 0
            with pytest.raises(heddle.NotFound) as caught:
                await client.threads.read(thread=uuid.uuid4())
            assert caught.value.reason == heddle.Reason.THREAD and not caught.value.may_have_happened
            names = {t.name async for t in client.threads.iter_list(page_size=1)}
            assert names == {"first"}
    asyncio.run(main())


def test_a_failed_turn(server: Server) -> None:
    async def main() -> None:
        async with heddle.connect(server.url) as client:
            thread = (await client.threads.start()).thread.id
            with pytest.raises(heddle.TurnFailed) as caught:
                await client.turn(thread, "!fail").result()
            assert (caught.value.status, caught.value.reason) == ("FAILED", "model_failed")
            stalled = asyncio.ensure_future(client.turn(thread, "!stall").result())
            await asyncio.sleep(0.3)
            stalled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stalled
            async with client.subscribe(thread, after=0) as events:
                ended = []
                async for message in events:
                    if message.event.HasField("turn_ended"):
                        ended.append(message.event.turn_ended.status)
                    if message.WhichOneof("kind") == "live":
                        break
            assert ended == [turn_pb2.TURN_STATUS_FAILED, turn_pb2.TURN_STATUS_INTERRUPTED]
    asyncio.run(main())


def test_kill_9_in_the_middle_loses_nothing(server: Server) -> None:
    """Each change once and each event once, over a server that is killed three times."""
    async def main() -> None:
        options = heddle.Options(backoff=0.05, longest_backoff=0.2, retries=100)
        async with heddle.connect(server.url, options=options) as client:
            thread = (await client.threads.start()).thread
            names: list[str] = []

            async def follow() -> None:
                async with client.subscribe(thread.id, after=0) as events:
                    async for message in events:
                        if message.event.HasField("name_changed"):
                            names.append(message.event.name_changed.name)
                            if names[-1] == "last":
                                return
            following = asyncio.ensure_future(follow())
            loop = asyncio.get_running_loop()
            for number in range(60):
                if number in (10, 30, 50):
                    await loop.run_in_executor(None, server.end, signal.SIGKILL)
                    starting = loop.run_in_executor(None, server.start)
                await client.threads.set_name(thread=thread.id, name=f"name {number}")
                if number in (10, 30, 50):
                    await starting
            await client.threads.set_name(thread=thread.id, name="last")
            await asyncio.wait_for(following, 30)
            assert names == [f"name {number}" for number in range(60)] + ["last"]
    asyncio.run(main())


def test_a_tool_and_a_question(server: Server) -> None:
    async def main() -> None:
        client = heddle.connect(server.url)

        @client.tool("weather")
        async def weather(town: str) -> dict[str, str]:
            return {"town": town, "sky": "grey"}

        @client.on_question
        def ask(question: object) -> str:
            return "Bern"
        async with client:
            thread = (await client.threads.start(
                asks_user=True, tools=[{"name": "weather", "description": "d", "schema": '{"type":"object"}'}])).thread
            asked = await client.turn(thread.id, '!tool weather {"town": "Bern"}').result()
            assert "grey" in asked.text and "Bern" in asked.text
            asked = await client.turn(thread.id, '!tool request_user_input {"question": "Which town?"}').result()
            assert "Bern" in asked.text
    asyncio.run(main())


def test_the_same_without_asyncio(server: Server) -> None:
    before = threading.active_count()
    with heddle.sync.connect(server.url) as client:
        thread = client.threads.start(name="sync").thread.id
        assert "".join(client.turn(thread, "Hello").text) == "You said: Hello"
        with client.subscribe(thread, after=0) as events:
            assert next(events).WhichOneof("kind") == "subscribed"
            assert next(events).event.sequence == 1
        assert [one.name for one in client.threads.iter_list()] == ["sync"]
        with pytest.raises(heddle.NotFound):
            client.threads.read(thread=uuid.uuid4())
    with pytest.raises(heddle.Closed):
        client.server.status()
    assert threading.active_count() == before


def test_nothing_is_left_after_close(server: Server) -> None:
    async def main() -> None:
        client = heddle.connect(server.url)
        async with client:
            thread = (await client.threads.start()).thread.id
            events = client.subscribe(thread)
            await events.opened_at()
        await asyncio.sleep(0.05)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        gc.collect()
        with pytest.raises(heddle.Closed):
            await client.server.status()
    asyncio.run(main())


def test_nobody_listens() -> None:
    async def main() -> None:
        options = heddle.Options(retries=1, backoff=0.01)
        with pytest.raises(heddle.CannotConnect) as caught:
            async with heddle.connect("heddle://127.0.0.1:1", options=options):
                pass
        assert "127.0.0.1:1" in str(caught.value)
    asyncio.run(main())


@pytest.mark.parametrize(("url", "word"), [
    ("http://localhost", "begins with heddle://"), ("heddle://a:b", "is no host"), ("heddle://a?x=1", "no option"),
    ("heddle://user@a", "token="), ("heddle://a/path", "no path"), ("heddle://a?tls=maybe", "on or off"),
    ("heddles://a?tls=off", "exclude"), ("heddle://", "is no host"), ("heddle://a:70000", "is no host"),
])
def test_urls_that_are_none(url: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        heddle.connect(url)


def test_urls() -> None:
    from heddle._url import parse
    target = parse("heddle://a,b:1,[::1]:2?ca=f&name=n")
    assert target.hosts == (("a", 7420), ("b", 1), ("::1", 2))
    assert (target.tls, target.ca, target.name) == (True, "f", "n")
    assert parse("heddles://h").tls and not parse("heddle://h").tls
