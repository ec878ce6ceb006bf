"""The driver of the Python client for the conformance suite: conformance/README.md."""

from __future__ import annotations

import asyncio
import collections
import logging
import struct
import sys
from typing import Any

from google.protobuf import descriptor_pool, message_factory

import heddle
from conformance import conformance_pb2 as pb
from heddle._generated import methods

MESSAGES = collections.deque(maxlen=10_000)


class Log(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        MESSAGES.append(record.getMessage())


class Heard(heddle.Hooks):
    def __init__(self) -> None:
        self.words: list[str] = []

    def connected(self, host: str, port: int) -> None:
        self.words.append("connected")

    def lost(self, reason: str) -> None:
        self.words.append("lost")

    def retry(self, method: str, attempt: int, wait: float, reason: str) -> None:
        self.words.append(f"retry {method} {reason}")

    def resumed(self, thread: bytes | None, after: int | None) -> None:
        self.words.append("resumed")

    def call(self, call: heddle.CallEnded) -> None:
        self.words.append(f"call {call.method} {call.reason}")


class Driver:
    def __init__(self) -> None:
        self.client: heddle.Client | None = None
        self.tasks: dict[int, asyncio.Task[Any]] = {}

    async def begin(self, step: pb.Step) -> None:
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        if self.client is not None:
            await self.client.close()
        self.client, self.tasks, self.hooks = None, {}, Heard()
        self.subscriptions: dict[str, heddle.Subscription] = {}
        self.tools: list[pb.Tool] = []
        self.begun: dict[str, int] = {}
        self.cancelled: dict[str, int] = {}

    async def connect(self, step: pb.Step) -> None:
        asked = step.connect
        options: dict[str, Any] = {"hooks": self.hooks}
        for name in ("timeout", "backoff", "longest_backoff", "connect_timeout", "ping_after", "lost_after",
                     "close_timeout"):
            if milliseconds := getattr(asked, f"{name}_ms"):
                options[name] = milliseconds / 1_000
        if asked.HasField("retries"):
            options["retries"] = asked.retries
        if asked.credit:
            options["credit"] = asked.credit
        self.client = heddle.connect(asked.url, token=self.token(asked), options=heddle.Options(**options))
        for tool in self.tools:
            self.register(tool)
        await self.client.__aenter__()

    @staticmethod
    def token(asked: pb.Connect) -> Any:
        left = list(asked.tokens)
        if asked.token or not (left or asked.token_fails):
            return asked.token or None

        def give() -> str:
            if len(left) > 1:
                return left.pop(0)
            if asked.token_fails:
                raise RuntimeError("no token today")
            return left[0]
        return give

    async def call(self, step: pb.Step) -> Any:
        method = methods.BY_PATH[step.call.method]
        asked = method.request.FromString(step.call.request)
        work = self.client._call(method, asked, step.call.key or None, step.call.timeout_ms / 1_000 or None)
        return await self.run(step, step.call.background, self.answer(work))

    @staticmethod
    async def answer(work: Any) -> dict[str, Any]:
        return {"answer": pb.Answer(message=(await work).SerializeToString())}

    async def run(self, step: pb.Step, in_background: bool, work: Any) -> Any:
        if not in_background:
            return await work
        self.tasks[step.id] = asyncio.ensure_future(work)
        await asyncio.sleep(0)

    async def await_(self, step: pb.Step) -> Any:
        return await self.tasks[getattr(step, "await").step]

    async def cancel(self, step: pb.Step) -> None:
        self.tasks[step.cancel.step].cancel()

    async def subscribe(self, step: pb.Step) -> None:
        asked = step.subscribe
        self.subscriptions[asked.name] = subscription = self.client.subscribe(
            asked.thread if asked.HasField("thread") else None, after=asked.after if asked.HasField("after") else None,
            epoch=asked.epoch if asked.HasField("epoch") else None, tree=asked.tree, kinds=list(asked.kinds),
            credit=asked.credit or None)
        subscription._open_if_needed()

    async def next(self, step: pb.Step) -> dict[str, Any]:
        taking = asyncio.ensure_future(self.subscriptions[step.next.name].__anext__())
        done, _ = await asyncio.wait([taking], timeout=(step.next.timeout_ms or 5_000) / 1_000)
        if not done:
            taking.cancel()
            return {"nothing": pb.Nothing()}
        try:
            return {"event": pb.Event(message=taking.result().SerializeToString())}
        except StopAsyncIteration:
            return {"ended": pb.Ended()}

    async def unsubscribe(self, step: pb.Step) -> None:
        await self.subscriptions[step.unsubscribe.name].aclose()

    async def turn(self, step: pb.Step) -> Any:
        return await self.run(step, step.turn.background, self.whole_turn(step.turn))

    async def whole_turn(self, asked: pb.Turn) -> dict[str, Any]:
        turn = self.client.turn(asked.thread, asked.text)
        pieces = [piece async for piece in turn.text]
        return {"turn": pb.TurnEnd(text="".join(pieces), turn=turn.id, pieces=len(pieces),
                                   output_tokens=turn.usage.output_tokens)}

    async def pages(self, step: pb.Step) -> dict[str, Any]:
        service, name = step.pages.method.split("Service/")
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
        pager = getattr(getattr(self.client, f"{service.lower()}s"), f"iter_{snake}")
        items: list[bytes] = []
        async for item in pager(methods.BY_PATH[step.pages.method].request.FromString(step.pages.request)):
            items.append(item.SerializeToString())
            if len(items) == step.pages.most:
                break
        return {"items": pb.Items(items=items)}

    async def tool(self, step: pb.Step) -> None:
        tool = pb.Tool.FromString(step.tool.SerializeToString())
        self.tools.append(tool)
        if self.client is not None:
            self.register(tool)

    def register(self, tool: pb.Tool) -> None:
        async def work(*_: Any, **arguments: Any) -> str:
            self.begun[tool.name] = self.begun.get(tool.name, 0) + 1
            if tool.WhichOneof("does") == "fail":
                raise ValueError(tool.fail)
            if tool.WhichOneof("does") == "wait_ms":
                try:
                    await asyncio.sleep(tool.wait_ms / 1_000)
                except asyncio.CancelledError:
                    self.cancelled[tool.name] = self.cancelled.get(tool.name, 0) + 1
                    raise
                return "waited"
            return "x" * tool.large if tool.WhichOneof("does") == "large" else tool.answer
        self.client.on_question(work) if tool.question else self.client.tool(tool.name, work)

    async def tool_runs(self, step: pb.Step) -> dict[str, Any]:
        return {"counts": pb.Counts(begun=self.begun, cancelled=self.cancelled)}

    async def hooks_(self, step: pb.Step) -> dict[str, Any]:
        words, self.hooks.words = self.hooks.words, []
        return {"heard": pb.Heard(hooks=words, text="\n".join([*MESSAGES, repr(self.client)]))}

    async def close(self, step: pb.Step) -> None:
        await self.client.close()

    async def vector(self, step: pb.Step) -> dict[str, Any]:
        found = descriptor_pool.Default().FindMessageTypeByName(step.vector.message)
        make = getattr(message_factory, "GetMessageClass", None) or (lambda one: one._concrete_class)
        return {"answer": pb.Answer(message=make(found).FromString(step.vector.bytes).SerializeToString())}

    async def report(self, step: pb.Step) -> pb.Report:
        kind = step.WhichOneof("what")
        try:
            made = await getattr(self, {"await": "await_", "hooks": "hooks_"}.get(kind, kind))(step)
        except asyncio.CancelledError:
            return pb.Report(id=step.id, failed=pb.Failed(kind="Cancelled"))
        except heddle.HeddleError as error:
            failed = pb.Failed(kind=error.kind, message=str(error), attempts=error.attempts,
                               may_have_happened=error.may_have_happened)
            for name in ("code", "reason", "debug_id"):
                setattr(failed, name, getattr(error, name, ""))
            failed.details.update(getattr(error, "details", {}))
            return pb.Report(id=step.id, failed=failed)
        return pb.Report(id=step.id, **(made or {"done": pb.Done()}))


async def main() -> None:
    logging.getLogger("heddle").addHandler(Log())
    logging.getLogger("heddle").setLevel(logging.DEBUG)
    driver, loop = Driver(), asyncio.get_running_loop()
    while head := await loop.run_in_executor(None, sys.stdin.buffer.read, 4):
        body = await loop.run_in_executor(None, sys.stdin.buffer.read, struct.unpack(">I", head)[0])
        report = (await driver.report(pb.Step.FromString(body))).SerializeToString()
        sys.stdout.buffer.write(struct.pack(">I", len(report)) + report)
        sys.stdout.buffer.flush()


asyncio.run(main())
