"""conformance-live: the drivers against a real server behind a proxy that cuts connections at random, with `kill -9` and drains.

    python conformance/live.py --heddle PROGRAM [--client go] [--turns 1000] [--seed 1]

Each client runs turns by its helper, and follows the thread from the first event on. The server is killed and drained
meanwhile, and the proxy ends connections after a random number of bytes. At the end the text of each turn is that of the
store, and the events that the subscription brought are the stored ones, each once and in order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from authority import Authority  # noqa: E402
from driver import Driver  # noqa: E402
from schema import ROOT, conformance, event_pb2, method, thread_pb2  # noqa: E402

TEXT = "!chunks 6\n!delay 2\n{number} the quick brown fox jumps over the lazy dog"


class Server:
    """`heddle serve` on a folder and a port that stay the same."""

    def __init__(self, program: str, folder: str, tls: list[str]):
        self.program, self.folder, self.tls, self.port, self.process = program, folder, tls, 0, None
        self.kills = self.drains = 0

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            self.program, "serve", "--data", f"{self.folder}/data", "--listen", f"127.0.0.1:{self.port}", "--grpc", "off", "--http",
            "off", "--log-level", "error", *self.tls, stdout=asyncio.subprocess.PIPE)
        self.port = int(json.loads(await self.process.stdout.readline())["listen"].rsplit(":", 1)[1])

    async def restart(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        await self.process.wait()
        self.kills += how == signal.SIGKILL
        self.drains += how == signal.SIGTERM
        await self.start()


class Proxy:
    """Ends each connection after a random number of bytes, from time to time with a reset."""

    def __init__(self, server: Server, chance: random.Random):
        self.server, self.chance, self.cuts, self.is_calm = server, chance, 0, False

    async def start(self) -> int:
        self.listening = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self.listening.sockets[0].getsockname()[1]

    async def _accept(self, reader, writer) -> None:
        try:
            away, back = await asyncio.open_connection("127.0.0.1", self.server.port)
        except OSError:
            return writer.close()
        left = [None if self.is_calm else self.chance.randrange(2_000, 60_000)]

        async def pass_on(source, target) -> None:
            try:
                while data := await source.read(4_096):
                    if left[0] is not None:
                        data, left[0] = data[:left[0]], left[0] - len(data)
                    target.write(data)
                    await target.drain()
                    if left[0] is not None and left[0] <= 0:
                        self.cuts += 1
                        break
            except OSError:
                pass
            for one in (writer, back):
                one.transport.abort() if left[0] is not None and left[0] <= 0 and self.chance.random() < 0.5 else one.close()
        await asyncio.gather(pass_on(reader, back), pass_on(away, writer))


async def ask(driver: Driver, **what):
    report = await driver.step(120, **what)
    if report.WhichOneof("what") == "failed":
        raise AssertionError(f"{list(what)}: {report.failed}")
    return report


async def call(driver: Driver, path: str, request):
    report = await ask(driver, call=conformance.Call(method=path, request=request.SerializeToString()))
    return method(path).response.FromString(report.answer.message)


async def run(client: dict, options, authority: Authority) -> str:
    """A line of result; raises AssertionError for what is lost."""
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="heddle-live-") as folder:
        tls = []
        if options.tls:
            config = pathlib.Path(folder) / "config.json"
            pathlib.Path(authority.path("server.key")).chmod(0o600)
            config.write_text(json.dumps({"tls": {"certificate": authority.path("server.pem"), "key": authority.path("server.key")}}))
            tls = ["--config", str(config)]
        server = Server(options.heddle, folder, tls)
        await server.start()
        proxy = Proxy(server, chance)
        port = await proxy.start()
        driver = Driver(shlex.split(client["command"]), str(ROOT / client["folder"]))
        try:
            return await work(client, driver, server, proxy, port, chance, options, authority)
        finally:
            await driver.kill()
            proxy.listening.close()
            if server.process.returncode is None:
                server.process.kill()
                await server.process.wait()


async def work(client, driver, server, proxy, port, chance, options, authority) -> str:
    began = time.monotonic()
    query = f"?tls=on&ca={authority.path('ca.pem')}" if options.tls else ""
    await ask(driver, begin=conformance.Begin(name="live"))
    await ask(driver, connect=conformance.Connect(
        url=f"heddle://127.0.0.1:{port}{query}", retries=1_000, timeout_ms=60_000, backoff_ms=20, longest_backoff_ms=200))
    thread = (await call(driver, "ThreadService/Start", thread_pb2.StartThreadRequest(name="live"))).thread.id
    await ask(driver, subscribe=conformance.Subscribe(name="all", thread=thread, after=0))
    seen: list = []
    texts, disturbed = {}, asyncio.ensure_future(disturb(server, chance))
    try:
        for number in range(options.turns):
            report = await driver.step(120, turn=conformance.Turn(thread=thread, text=TEXT.format(number=number)))
            # A turn that a kill ended in the middle was not completed, and says so.
            if report.WhichOneof("what") == "failed":
                assert report.failed.kind == "TurnFailed", report
                texts[number] = None
            else:
                texts[report.turn.turn] = report.turn.text
            seen += await events(driver, "all", 1)
    finally:
        disturbed.cancel()
        await asyncio.gather(disturbed, return_exceptions=True)
    if server.process.returncode is not None:
        await server.start()
    proxy.is_calm = True
    seen += await events(driver, "all", 2_000)
    # The same from the store, by a new subscription on calm water.
    await ask(driver, subscribe=conformance.Subscribe(name="store", thread=thread, after=0))
    stored = await events(driver, "store", 2_000)
    assert [event.sequence for event in seen] == list(range(1, len(seen) + 1)), "events are left out, doubled or out of order"
    assert len(stored) == len(seen), f"{len(seen)} events came, {len(stored)} are stored"
    assert [event.SerializeToString() for event in seen] == [event.SerializeToString() for event in stored], "an event is another one"
    completed = {event.turn_ended.turn for event in stored if event.HasField("turn_ended") and event.turn_ended.status == 3}
    said: dict[bytes, str] = {}
    for event in stored:
        item = event.item_completed.item
        if event.HasField("item_completed") and item.message.role == 4:
            said[event.turn] = said.get(event.turn, "") + "".join(part.text for part in item.message.content)
    told = {turn: text for turn, text in texts.items() if text is not None}
    for turn, text in told.items():
        assert said[turn] == text, f"a text is {text!r}, and the store has {said[turn]!r}"
    assert told.keys() <= completed
    started = sum(event.HasField("turn_started") for event in stored)
    assert started == options.turns, f"{started} turns were started for {options.turns}"
    return (f"live: client={client['name']} turns={options.turns} completed={len(told)} events={len(seen)} cuts={proxy.cuts} "
            f"kills={server.kills} drains={server.drains} seconds={time.monotonic() - began:.0f} failed=0")


async def disturb(server: Server, chance: random.Random) -> None:
    while True:
        await asyncio.sleep(chance.uniform(1, 3))
        await asyncio.shield(server.restart(chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])))


async def events(driver: Driver, name: str, milliseconds: int) -> list:
    """The stored events of a subscription, until nothing has come for so long."""
    found = []
    while True:
        report = await ask(driver, next=conformance.Next(name=name, timeout_ms=milliseconds))
        if report.WhichOneof("what") == "nothing":
            return found
        message = event_pb2.SubscriptionEvent.FromString(report.event.message)
        if message.WhichOneof("kind") == "event":
            found.append(message.event)


def main() -> None:
    parser = argparse.ArgumentParser(prog="live", description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--client", default="")
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tls", action="store_true")
    options = parser.parse_args()
    wanted = [name for name in options.client.split(",") if name]
    failed = 0
    with Authority() as authority:
        for client in yaml.safe_load((ROOT / "conformance/clients.yaml").read_text()):
            if wanted and client["name"] not in wanted:
                continue
            if "build" in client:
                subprocess.run(shlex.split(client["build"]), cwd=ROOT / client["folder"], check=True)
            try:
                print(asyncio.run(run(client, options, authority)), flush=True)
            except AssertionError as lost:
                failed += 1
                print(f"live: client={client['name']} FAILED: {lost}", flush=True)
    sys.exit(bool(failed))


main()
