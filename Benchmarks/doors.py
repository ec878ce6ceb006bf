"""P12 to P16: what the doors cost beyond the frame door, in the server's CPU. Differences and ratios are of one round."""

from __future__ import annotations

import json
import socket
import ssl
import statistics
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path

import grpc
import loads
import wire

sys.path.insert(0, str(wire.ROOT / "Tests"))

from harness.certificates import Authority, client_context  # noqa: E402
from harness.connection import Connection  # noqa: E402
from harness.http_door import HTTP  # noqa: E402
from harness.messages import event_pb2, thread_pb2  # noqa: E402

median = statistics.median
EVENT_BYTES = 1_024
SUBSCRIBERS = 32


class Server(wire.Heddle):
    """All doors are open; `ready` as the harness's helpers want it."""

    def __init__(self, bench: loads.Bench, **config):
        self.files = tempfile.TemporaryDirectory(prefix="doors-")
        file = Path(self.files.name) / "config.json"
        file.write_text(json.dumps({"grpc": {"listen": "127.0.0.1:0"}, "http": {"listen": "127.0.0.1:0"}, **config}))
        super().__init__(bench.heddle, "--loops", str(bench.loops), "--config", str(file), environment={
            "HEDDLE_HTTP_LISTEN": "127.0.0.1:0", "HEDDLE_GRPC_LISTEN": "127.0.0.1:0"})

    def end(self, *how) -> None:
        super().end(*how)
        self.files.cleanup()


def spent(server: wire.Heddle, work, count: int) -> float:
    """Microseconds of the server's CPU for each of `count`."""
    before = server.cpu_ns()
    work()
    # What the server does behind the last answer counts too.
    time.sleep(0.05)
    return (server.cpu_ns() - before) / count / 1_000


def framed(server: wire.Heddle, count: int, depth: int, context: ssl.SSLContext | None = None, front: bytes = b"",
           name: str = "Server.Status", size: int = 0) -> float:
    """`count` requests on one connection of frames."""
    connection = Connection(f"127.0.0.1:{server.port}")
    try:
        if front:
            connection.send(front)
        if context:
            connection.socket = context.wrap_socket(connection.socket, server_hostname="localhost")
        connection.hello(unwanted_notifications=["thread_started"])
        fields = {}
        if size:
            thread = connection.new_thread(ephemeral=True).id
            fields = {"thread": thread, "name": "n" * 1_000}
            name = "Thread.SetName"

        def work(requests: int = count) -> None:
            for _ in range(requests // depth):
                frames = [connection.request_frame(name, **fields) for _ in range(depth)]
                connection.send(b"".join(frame.encode() for frame in frames))
                for frame in frames:
                    connection.terminal(frame.stream)
        work(count // 4)
        return spent(server, work, count)
    finally:
        connection.close()


def subscribers(bench: loads.Bench, server: Server, by_grpc: bool, events: int) -> float:
    """Microseconds for each event of 1 KiB that is delivered to one of many subscribers."""
    writer = Connection(f"127.0.0.1:{server.port}")
    writer.hello(unwanted_notifications=["thread_started"])
    thread = writer.new_thread().id
    stops, threads, live = [], [], threading.Semaphore(0)
    if by_grpc:
        for _ in range(SUBSCRIBERS):
            # One principal follows a thread once on a connection, so each has a channel of its own.
            own = grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}", options=[("grpc.use_local_subchannel_pool", 1)])
            ask = own.unary_stream("/heddle.v1.ThreadService/Subscribe",
                                   request_serializer=thread_pb2.SubscribeRequest.SerializeToString,
                                   response_deserializer=event_pb2.SubscriptionEvent.FromString)
            stream = ask(thread_pb2.SubscribeRequest(thread=thread, kinds=["SUBSCRIPTION_KIND_EVENTS"]))
            threads.append(threading.Thread(target=take, args=(stream, live, events), daemon=True))
            stops.append(own.close)
    else:
        for _ in range(SUBSCRIBERS):
            peer = Connection(f"127.0.0.1:{server.port}")
            peer.hello(unwanted_notifications=["thread_started"])
            follower = peer.follow(thread, kinds=["SUBSCRIPTION_KIND_EVENTS"])
            threads.append(threading.Thread(target=take, args=(messages(follower), live, events), daemon=True))
            stops.append(peer.close)
    for one in threads:
        one.start()
    for _ in threads:
        live.acquire()

    def work() -> None:
        for number in range(events):
            writer.call("Thread.SetName", thread=thread, name=f"{number:06}" + "n" * (EVENT_BYTES - 40))
        for one in threads:
            one.join()
    try:
        return spent(server, work, events * SUBSCRIBERS)
    finally:
        for stop in stops:
            stop()
        writer.close()


def messages(follower):
    while True:
        yield follower.next(60)


def take(stream, live, events: int) -> None:
    left = events
    for message in stream:
        if message.HasField("live"):
            live.release()
        left -= message.HasField("event") and message.event.HasField("name_changed")
        if left == 0:
            return


def unary_grpc(server: Server, count: int) -> float:
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel:
        call = channel.unary_unary("/heddle.v1.ServerService/Status", request_serializer=lambda data: data,
                                   response_deserializer=lambda data: data)
        for _ in range(count // 4):
            call(b"")
        return spent(server, lambda: [call(b"") for _ in range(count)], count)


def unary_connect(server: Server, count: int) -> float:
    server.ready = {"http": f"127.0.0.1:{server.http_port}"}
    with HTTP(server) as peer:
        for _ in range(count // 4):
            peer.call("ServerService/Status")
        return spent(server, lambda: [peer.call("ServerService/Status") for _ in range(count)], count)


def connects(server: Server, count: int, context: ssl.SSLContext | None) -> float:
    """Milliseconds of the server's CPU to connect and say HELLO."""
    def work() -> None:
        for _ in range(count):
            connection = Connection(f"127.0.0.1:{server.port}")
            if context:
                connection.socket = context.wrap_socket(connection.socket, server_hostname="localhost")
            connection.hello()
            connection.close()
    work()
    return spent(server, work, count) / 1_000


PROXY = b"\r\n\r\n\0\r\nQUIT\n" + b"\x21\x11" + struct.pack(">H", 12) + socket.inet_aton("10.1.2.3") + \
    socket.inet_aton("10.1.2.4") + struct.pack(">HH", 1, 2)


def measure(bench: loads.Bench, rounds: int) -> dict:
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="doors-") as folder:
        authority = Authority(Path(folder))
        certificate, client = authority.server(), authority.sign("bench", "DNS:bench")
        plain_context = client_context(authority)
        mutual_context = client_context(authority, client)
        tls = {"tls": certificate.settings}
        mutual = {"tls": {**certificate.settings, "client": "require", "clientCA": str(authority.chain)},
                  "identities": {"file": identities(Path(folder))}}
        proxied = {"proxy": {"mode": "require", "from": ["127.0.0.1"]}}
        for number in range(rounds):
            one = round_of(bench, tls, mutual, proxied, plain_context, mutual_context)
            for name, value in one.items():
                found.setdefault(name, []).append(value)
            wire.say(f"round {number + 1}: " + ", ".join(f"{name} {value:.3g}" for name, value in one.items()))
    return {name: {"value": median(values), "rounds": values} for name, values in found.items()}


def identities(folder: Path) -> str:
    file = folder / "identities"
    file.write_text("dns:bench bench\n")
    return str(file)


def round_of(bench, tls, mutual, proxied, context, mutual_context) -> dict[str, float]:
    one: dict[str, float] = {}

    def on(config: dict, work):
        server = Server(bench, **config)
        try:
            return work(server)
        finally:
            server.end()

    def other_doors(server: Server) -> dict[str, float]:
        return {"frames": subscribers(bench, server, False, 200), "grpc": subscribers(bench, server, True, 200),
                "unary": unary_grpc(server, 2_000), "json": unary_connect(server, 2_000), "scrape": scrape(server)}

    def requests(server: Server, context: ssl.SSLContext | None = None) -> dict[str, float]:
        return {"single": framed(server, 4_000, 1, context), "deep": framed(server, 64_000, 16, context),
                "large": framed(server, 16_000, 16, context, size=1_000), "connect": connects(server, 200, context)}
    open_ = on({}, other_doors) | on({}, requests)
    by_tls = on(tls, lambda server: requests(server, context))
    by_proxy = on(proxied, lambda server: framed(server, 64_000, 16, front=PROXY))
    one["subscribe"] = open_["grpc"] / open_["frames"]
    one["connect-json"] = open_["json"] / open_["unary"]
    one["tls-single"] = by_tls["single"] - open_["single"]
    one["tls-deep"] = by_tls["deep"] - open_["deep"]
    one["tls-large"] = by_tls["large"] / open_["large"]
    one["tls-connect"] = by_tls["connect"] - open_["connect"]
    one["mtls-connect"] = on(mutual, lambda server: connects(server, 200, mutual_context)) - open_["connect"]
    one["proxy"] = by_proxy - open_["deep"]
    one["scrape"] = open_["scrape"]
    return one


def scrape(server: Server) -> float:
    """Milliseconds of one scrape, as a client sees it, of 20 at the rate that the door allows."""
    server.ready = {"http": f"127.0.0.1:{server.http_port}"}
    times = []
    with HTTP(server) as peer:
        for _ in range(20):
            began = time.monotonic()
            assert peer.get("/metrics").status == 200
            times.append((time.monotonic() - began) * 1_000)
            time.sleep(0.12)
    return median(times)


# Name, target, what, bound. A PROXY header should cost a request nothing; 0.3 µs is what two runs differ by.
TARGETS = [
    ("subscribe", "P12", "CPU of an event of 1 KiB to one of 32 subscribers, gRPC / frames", 1.5),
    ("connect-json", "P12", "CPU of ServerService/Status, Connect with JSON / gRPC, (1, 1)", 3),
    ("tls-single", "P13", "µs of CPU of a request by TLS more than without, (1, 1)", 5),
    ("tls-deep", "P13", "µs of CPU of a request by TLS more than without, (1, 16)", 1),
    ("tls-large", "P13", "CPU of requests of 1 KiB, 16 at a time, by TLS / without", 2.5),
    ("tls-connect", "P14", "ms of CPU of a connection by TLS more than without", 0.6),
    ("mtls-connect", "P14", "ms of CPU of a connection by mutual TLS more than without", 1),
    ("proxy", "P15", "µs of CPU of a request behind a PROXY header more than without, (1, 16)", 0.3),
    ("scrape", "P16", "ms of a scrape", 5),
]
