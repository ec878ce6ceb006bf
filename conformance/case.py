"""Runs one case: the client's steps beside the server's script."""

from __future__ import annotations

import asyncio
import contextlib

from driver import Driver, DriverDied
from schema import bytes_of, conformance, difference, event_pb2, fill, message_class, method
from scripted import Failed, ScriptedServer

CASE_SECONDS = 20.0
# Short times, so that cases about waiting do not wait long.
TIMES = {"timeout": 5_000, "backoff": 20, "longest_backoff": 200, "connect_timeout": 1_500, "close_timeout": 1_000}
OPTIONS = {"timeout", "backoff", "longest_backoff", "connect_timeout", "close_timeout", "ping_after", "lost_after"}


class LeftOut(Exception):
    """The driver's language has no such thing."""


class Run:
    def __init__(self, case: dict, driver: Driver, authority):
        self.case, self.driver, self.authority = case, driver, authority
        self.ids: dict[str, int] = {}
        self.ports: list[int] = []

    async def run(self) -> None:
        context = self.authority.context(self.case["tls"]) if "tls" in self.case else None
        servers = [ScriptedServer({**self.case, "server": script}, context)
                   for script in self.case.get("servers") or [self.case.get("server") or []]]
        self.ports = [await server.start() for server in servers]
        tasks = [asyncio.ensure_future(server.run()) for server in servers] + [asyncio.ensure_future(self._client())]
        try:
            done, left = await asyncio.wait(tasks, timeout=CASE_SECONDS, return_when=asyncio.FIRST_EXCEPTION)
            problems = [str(task.exception()) for task in done if isinstance(task.exception(), (Failed, DriverDied))]
            if problems:
                raise Failed("; ".join(problems))
            for task in done:
                task.result()
            if left:
                raise Failed("the case did not end")
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for server in servers:
                await server.stop()

    async def _client(self) -> None:
        await self.driver.step(begin=conformance.Begin(name=self.case["name"]))
        steps = list(self.case.get("client") or [])
        if not any("connect" in step for step in steps):
            steps.insert(0, {"connect": {}})
        for number, step in enumerate(steps):
            try:
                await self._do(step)
            except Failed as failed:
                raise Failed(f"step {number} of the client ({str(step)[:160]}): {failed}") from None

    async def _do(self, step: dict) -> None:
        for name in ("connect", "call", "await", "cancel", "subscribe", "next", "unsubscribe", "turn", "pages", "tool",
                     "runs", "hooks", "close", "wait"):
            if name in step:
                return await getattr(self, f"_{name}")(step)
        raise Failed("the case has no such step")

    async def _ask(self, step: dict, **what) -> conformance.Report:
        report = await self.driver.step(**what)
        if report.WhichOneof("what") == "left_out":
            raise LeftOut(report.left_out.why)
        if "as" in step:
            self.ids[step["as"]] = report.id
        return report

    # Steps

    async def _connect(self, step: dict) -> None:
        options = dict(step["connect"] or {})
        connect = conformance.Connect(url=self._url(options))
        for name, value in {**TIMES, **{name: options[name] for name in OPTIONS & options.keys()}}.items():
            setattr(connect, f"{name}_ms", value)
        for name in ("token", "retries", "credit", "token_fails"):
            if name in options:
                setattr(connect, name, options[name])
        connect.tokens.extend(options.get("tokens", []))
        self._check(step, await self._ask(step, connect=connect), "done")

    def _url(self, options: dict) -> str:
        query = dict(options.get("query", {}))
        for name in ("ca", "cert", "key"):
            if name in query:
                query[name] = self.authority.path(query[name])
        scheme = "heddles" if options.get("tls") else "heddle"
        hosts = options.get("hosts") or [f"127.0.0.1:{port}" for port in self.ports]
        text = ",".join(hosts) + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")
        return f"{scheme}://{text}"

    async def _call(self, step: dict) -> None:
        found = method(step["call"])
        report = await self._ask(step, call=conformance.Call(
            method=step["call"], request=fill(found.request(), step.get("request", {})).SerializeToString(),
            key=bytes_of(step.get("key", "")), timeout_ms=step.get("timeout", 0), background="as" in step))
        if "as" in step:
            self.ids[f"method of {step['as']}"] = step["call"]
        self._check(step, report, "done" if "as" in step else "answer", found.response)

    async def _await(self, step: dict) -> None:
        report = await self._ask({}, **{"await": conformance.Await(step=self.ids[step["await"]])})
        path = self.ids.get(f"method of {step['await']}")
        self._check(step, report, "answer" if path else "turn", method(path).response if path else None)

    async def _cancel(self, step: dict) -> None:
        self._check(step, await self._ask(step, cancel=conformance.Cancel(step=self.ids[step["cancel"]])), "done")

    async def _subscribe(self, step: dict) -> None:
        thread = step.get("thread", "t")
        ask = conformance.Subscribe(name=step["subscribe"], tree=step.get("tree", False), kinds=step.get("kinds", []),
                                    credit=step.get("credit", 0), after=step.get("after"), epoch=step.get("epoch"))
        if thread is not None:
            ask.thread = bytes_of(thread)
        self._check(step, await self._ask(step, subscribe=ask), "done")

    async def _next(self, step: dict) -> None:
        report = await self._ask(step, next=conformance.Next(name=step["next"], timeout_ms=step.get("timeout", 0)))
        if step.get("is") == "nothing":
            return self._check({}, report, "nothing")
        if step.get("is") == "ended":
            return self._check({}, report, "ended")
        self._check(step, report, "event", event_pb2.SubscriptionEvent)

    async def _unsubscribe(self, step: dict) -> None:
        ask = conformance.Unsubscribe(name=step["unsubscribe"])
        self._check(step, await self._ask(step, unsubscribe=ask), "done")

    async def _turn(self, step: dict) -> None:
        ask = conformance.Turn(thread=bytes_of(step.get("thread", "t")), text=step["turn"], background="as" in step)
        self._check(step, await self._ask(step, turn=ask), "done" if "as" in step else "turn")

    async def _pages(self, step: dict) -> None:
        found = method(step["pages"])
        report = await self._ask(step, pages=conformance.Pages(
            method=step["pages"], request=fill(found.request(), step.get("request", {})).SerializeToString(),
            most=step.get("most", 0)))
        self._check(step, report, "items")
        if "count" in step and len(report.items.items) != step["count"]:
            raise Failed(f"{len(report.items.items)} items, not {step['count']}")

    async def _tool(self, step: dict) -> None:
        does = {name: value for name, value in step.items() if name in ("answer", "fail", "wait_ms", "large", "question")}
        self._check({}, await self._ask(step, tool=conformance.Tool(name=step["tool"], **does)), "done")

    async def _runs(self, step: dict) -> None:
        report = await self._ask(step, tool_runs=conformance.ToolRuns())
        for name in ("begun", "cancelled"):
            found = dict(getattr(report.counts, name))
            if name in step["runs"] and found != step["runs"][name]:
                raise Failed(f"{name}: {found}")

    async def _hooks(self, step: dict) -> None:
        report = await self._ask(step, hooks=conformance.Hooks())
        for wanted in step["hooks"].get("has", []):
            if wanted not in report.heard.hooks:
                raise Failed(f"no `{wanted}` among {list(report.heard.hooks)}")
        for secret in step["hooks"].get("never", []):
            if secret in report.heard.text or any(secret in hook for hook in report.heard.hooks):
                raise Failed(f"`{secret}` is in a log")

    async def _close(self, step: dict) -> None:
        self._check(step, await self._ask(step, close=conformance.Close()), "done")

    async def _wait(self, step: dict) -> None:
        await asyncio.sleep(step["wait"])

    # Results

    def _check(self, step: dict, report: conformance.Report, wanted: str, message=None) -> None:
        came = report.WhichOneof("what")
        if "error" in step:
            if came != "failed":
                raise Failed(f"no error: {str(report)[:300]}")
            return self._check_error(step["error"], report.failed)
        if came != wanted:
            raise Failed(f"{came} instead of {wanted}: {str(report)[:400]}")
        if "is" in step and message is not None:
            body = getattr(report, came).message
            if told := difference(message.FromString(body), step["is"]):
                raise Failed(told)
        if "is" in step and wanted == "turn":
            for name, value in step["is"].items():
                if getattr(report.turn, name) != value:
                    raise Failed(f"{name} is {getattr(report.turn, name)!r}, not {value!r}")

    @staticmethod
    def _check_error(wanted: dict, failed: conformance.Failed) -> None:
        for name, value in wanted.items():
            found = dict(failed.details) if name == "details" else getattr(failed, name)
            if found != value and not (name == "details" and value.items() <= found.items()):
                raise Failed(f"the error's {name} is {found!r}, not {value!r} ({str(failed)[:300]})")


@contextlib.asynccontextmanager
async def driver_of(command: list[str], folder: str):
    driver = Driver(command, folder)
    try:
        yield driver
    finally:
        await driver.stop()


async def vectors(driver: Driver, cases: list[tuple[str, bytes]], unknown: bool) -> list[str]:
    """Messages that come back otherwise than they went in; `unknown`: also without the fields that no schema has."""
    wrong = []
    for name, data in cases:
        report = await driver.step(vector=conformance.Vector(message=f"heddle.v1.{name}", bytes=data))
        if report.WhichOneof("what") != "answer":
            wrong.append(f"{name}: {str(report)[:200]}")
            continue
        pair = [message_class(name).FromString(encoded) for encoded in (report.answer.message, data)]
        for message in pair:
            if not unknown:
                message.DiscardUnknownFields()
        if pair[0] != pair[1]:
            wrong.append(f"{name}: the message is another one")
    return wrong
