"""Seeds for the doors of gRPC and HTTP: calls as bytes, written out, so that no library decides what they look like."""

import struct

from harness.connection import Connection
from harness.messages import METHODS, words
from harness.wire import REQUEST, Frame

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4
TOKEN = "t" * 32


def h2(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def pair(name: str, value: str) -> bytes:
    """A literal that is not indexed, without Huffman coding."""
    def text(data: str) -> bytes:
        raw = data.encode()
        assert len(raw) < 127 + 128
        return (bytes([len(raw)]) if len(raw) < 127 else bytes([127, len(raw) - 127])) + raw
    return b"\0" + text(name) + text(value)


def path(name: str) -> str:
    service, method = name.split(".")
    return f"/heddle.v1.{service}Service/{method}"


def head(stream: int, where: str, *more: tuple[str, str], flags: int = END_HEADERS, token: str = TOKEN) -> bytes:
    pairs = [(":method", "POST"), (":scheme", "http"), (":path", where), (":authority", "localhost"),
             ("content-type", "application/grpc"), ("te", "trailers"), ("authorization", f"Bearer {token}"), *more]
    return h2(HEADERS, flags, stream, b"".join(pair(*entry) for entry in pairs))


def message(data: bytes, flag: int = 0) -> bytes:
    return bytes([flag]) + struct.pack(">I", len(data)) + data


def call(stream: int, where: str, data: bytes, *more: tuple[str, str]) -> bytes:
    return head(stream, where, *more) + h2(DATA, END_STREAM, stream, message(data))


def send(data: bytes, connection: int = 0, piece: int = 0) -> bytes:
    first = bytes([1, connection, piece]) if piece else bytes([0, connection])
    return first + struct.pack("<H", len(data)) + data


def wait(milliseconds: int) -> bytes:
    return bytes([2]) + struct.pack("<H", milliseconds)


def requests() -> list[tuple[str, bytes]]:
    found = []
    for name, method in METHODS.items():
        if method.request is None or name.startswith("Client."):
            continue
        data = b""
        try:
            data = method.request(thread=bytes(range(16))).SerializeToString()
        except ValueError:
            pass
        found.append((name, data))
    return found


def grpc(output) -> None:
    opening = PREFACE + h2(SETTINGS, 0, 0)
    key = ("heddle-idempotency-key-bin", "AAECAwQFBgcICQoLDA0ODw==")
    for name, data in requests():
        output.add("grpc", send(opening + call(1, path(name), data)))
        output.add("grpc", send(opening + call(1, path(name), b"", key, ("grpc-timeout", "5S"))))
    start = METHODS["Turn.Start"].request(thread=bytes(16), input=words("think")).SerializeToString()
    many = b"".join(call(stream, path("Server.Status"), b"") for stream in range(1, 21, 2))
    subscribe = METHODS["Thread.Subscribe"].request(credit=64).SerializeToString()
    followed = opening + call(1, path("Thread.Start"), b"", key) + call(3, path("Thread.Subscribe"), subscribe)
    inputs = [
        send(opening + many, piece=7), send(followed) + wait(700), send(followed + h2(RST_STREAM, 0, 3, b"\0\0\0\x08")),
        send(followed + h2(WINDOW_UPDATE, 0, 3, b"\0\0\1\0")) + bytes([6, 0]) + wait(31_000) + bytes([6, 0]),
        send(opening + call(1, path("Turn.Start"), start)) + bytes([4]) + send(opening + many),
        send(opening + call(1, "/grpc.health.v1.Health/Check", b"")), send(opening + call(1, "/grpc.health.v1.Health/List", b"")),
        send(opening + call(1, "/grpc.health.v1.Health/Watch", b"")) + wait(2_000),
        send(opening + call(1, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", b"\x3a\x01*")),
        send(opening + call(1, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", b"\x22\x17heddle.v1.ThreadService")),
        send(opening + call(1, path("Server.Status"), b"", ("x-forwarded-client-cert", 'By=a;URI=spiffe://b/c,Hash=1;URI="d"'))),
        send(opening + head(1, path("Server.Status"), ("grpc-encoding", "gzip")) + h2(DATA, END_STREAM, 1, message(b"", 1))),
        send(opening + head(1, path("Server.Status"), flags=END_HEADERS | END_STREAM)),
        send(opening + head(1, path("Server.Status"), flags=0) + h2(CONTINUATION, END_HEADERS, 1, pair("a", "b"))),
        send(opening + head(1, path("Server.Status")) + h2(DATA, 0, 1, b"\0\0") + h2(DATA, END_STREAM, 1, b"\0\0\0")),
        send(opening + head(1, path("Server.Status")) + h2(DATA, END_STREAM, 1, message(b"") * 2)),
        send(opening + head(1, path("Server.Status")) + h2(DATA, END_STREAM, 1, b"\0\xff\xff\xff\xff")),
        send(opening + head(1, path("Server.Status")) + h2(DATA, END_STREAM, 1, b"\0\0\0\0\1x")),
        send(opening + head(1, path("Server.Status"), token="x" * 32) + h2(DATA, END_STREAM, 1, message(b""))),
        send(opening + call(1, "/heddle.v1.Nothing/At", b"")), send(opening + call(1, path("Server.Status"), b"\xff")),
        send(opening + h2(PING, 0, 0, b"12345678") * 4), send(opening + h2(GOAWAY, 0, 0, bytes(8)) + many),
        send(opening + h2(SETTINGS, 0, 0, b"\0\4\0\0\0\0") + followed[len(opening):]) + wait(31_000),
        send(opening + h2(PRIORITY, 0, 3, bytes(5)) + many), send(opening + many) + bytes([3, 0]) + send(opening + many),
        send(b"GET / HTTP/1.1\r\n\r\n"), send(PREFACE), send(b"\xfa\x01"), send(opening) + wait(60_000) + wait(60_000),
        send(opening + call(1, path("Server.Status"), b"").replace(b"application/grpc", b"application/json")),
        send(opening + call(1, path("Server.Status"), b"").replace(b"POST", b"PUT ")),
    ]
    for data in inputs + connect(opening, key):
        output.add("grpc", data)


def connect(opening: bytes, key: tuple[str, str]) -> list[bytes]:
    """Calls by Connect on the gRPC door."""
    def typed(stream: int, where: str, kind: str, body: bytes, *more: tuple[str, str]) -> bytes:
        pairs = [(":method", "POST"), (":scheme", "http"), (":path", where), (":authority", "localhost"),
                 ("content-type", kind), ("authorization", f"Bearer {TOKEN}"), *more]
        return (h2(HEADERS, END_HEADERS, stream, b"".join(pair(*entry) for entry in pairs))
                + h2(DATA, END_STREAM, stream, body))
    json, proto, stream = "application/json", "application/proto", "application/connect+json"
    status, start, subscribe = path("Server.Status"), path("Thread.Start"), path("Thread.Subscribe")
    calls = [
        typed(1, status, json, b"{}"), typed(1, status, proto, b""), typed(1, status, json, b"[" * 40),
        typed(1, start, json, b'{"name":"a"}', key, ("connect-timeout-ms", "5000")),
        typed(1, start, json, b'{"name":1e400}'), typed(1, status, json, b"{}", ("content-encoding", "gzip")),
        typed(1, status, json, b"{}", ("connect-protocol-version", "2")), typed(1, status, stream, message(b"{}")),
        typed(1, status, json, b"{}", ("connect-timeout-ms", "x")), typed(1, status, "text/html", b"{}"),
        typed(1, subscribe, stream, message(b'{"credit":64}')) + typed(3, start, json, b"{}", key),
        typed(1, subscribe, "application/connect+proto", message(b"")), typed(1, subscribe, stream, message(b"{}", 1)),
        typed(1, subscribe, stream, message(b"{}") * 2), typed(1, subscribe, stream, b"\0\xff\xff\xff\xff{}"),
        typed(1, "/heddle.v1.Nothing/At", json, b"{}"),
    ]
    return [send(opening + call) for call in calls] + [send(opening + calls[10]) + wait(31_000)]


def post(where: str, body: bytes, kind: str = "application/json", *more: str) -> bytes:
    lines = [f"POST {where} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", f"Content-Length: {len(body)}",
             f"Authorization: Bearer {TOKEN}", *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def get(where: str, *more: str, verb: str = "GET") -> bytes:
    return "\r\n".join([f"{verb} {where} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {TOKEN}", *more]).encode() + b"\r\n\r\n"


def http(output) -> None:
    for name, data in requests():
        output.add("http", send(post(path(name), b"{}")))
        output.add("http", send(post(path(name), data, "application/proto", "Connect-Timeout-Ms: 5000")))
        output.add("http", send(post(path(name), message(b"{}"), "application/connect+json")))
    status = post(path("Server.Status"), b"{}")
    thread = "00000000-0000-0000-0000-000000000000"
    subscribe = METHODS["Thread.Subscribe"].request().SerializeToString()
    upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: heddle.v1",
               "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="]
    # The mask is zero, so that the fuzzer sees the bytes that it changes.
    hello = Connection.hello_frame(TOKEN).encode()
    follow = Frame(REQUEST, METHODS["Thread.Start"].number, 1, b"").encode()
    opened = send(get("/frames", *upgrade))
    socket = lambda data, code=0x82: bytes([code, 0x80 | len(data)]) + bytes(4) + data  # noqa: E731
    inputs = [
        *(send(get(where)) for where in ("/livez", "/readyz", "/healthz", "/metrics", "/", "/debug/state", "/nothing", "/../x", "*")),
        send(get("/livez", verb="HEAD")), send(get("/livez", verb="OPTIONS")), send(get("/debug/log-level", verb="PUT")),
        send(status * 4), send(status, piece=5), send(status + get("/livez")) + wait(31_000) + wait(60_000),
        send(get(f"/v1/threads/{thread}/events?after=0")), send(get(f"/v1/threads/{thread}/events", "Last-Event-ID: 7")),
        send(post(path("Thread.Subscribe"), message(subscribe), "application/connect+proto")) + wait(31_000),
        send(post(path("Thread.Start"), b'{"name":"a"}', "application/json", "Heddle-Idempotency-Key-Bin: AAECAwQFBgcICQoLDA0ODw==")),
        send(post(path("Thread.List"), b'{"pageSize":3,"order":"DESCENDING"}')), send(post(path("Thread.List"), b'{"x":{"y":[1e400,null]}}')),
        send(post(path("Server.Status"), b"{}", "application/x-www-form-urlencoded")), send(post(path("Server.Status"), b"[" * 40)),
        send(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        send(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}"),
        send(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), send(b"GET / HTTP/1.0\r\n\r\n"), send(b"GET / HTTP/1.1\n\n"),
        send(get("/livez", "Origin: http://elsewhere")), send(get("/livez").replace(b"localhost", b"elsewhere")),
        opened + send(b"\x82\x90" + bytes(4) + b"\xfa\x01" + bytes(14)), opened + send(socket(hello) + socket(follow)),
        opened + send(socket(hello[:9], 0x02) + socket(b"", 0x89) + socket(hello[9:], 0x80), piece=3) + wait(2_000),
        opened + send(socket(hello) + socket(b"\x03\xe8", 0x88)), opened + send(socket(b"text", 0x81)),
        opened + send(b"\x82\xff" + bytes(7) + b"\xff" + bytes(4) + hello), opened + send(socket(b"", 0x89) * 6),
        send(get("/frames", *upgrade) + b"\x88\x80" + bytes(4)), send(get("/frames", *upgrade[:3])), send(PREFACE), send(b"\xfa\x01"), send(status[:40]) + wait(6_000),
        send(post(path("Server.Status"), b"{}", "application/json", "Expect: 100-continue")),
        send(post(path("Server.Status"), b"{}", "application/json", "Content-Encoding: gzip")),
        send(get("/metrics", "X: " + "y" * 9_000)), send(get("/livez", *(f"X{n}: y" for n in range(110)))),
    ]
    for data in inputs:
        output.add("http", data)
