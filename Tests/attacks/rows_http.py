"""docs/attacks.md: the HTTP door (H1 to H9)."""

import base64
import json
import socket
import struct
import time
import uuid

from attack import Attack
from harness.connection import Connection
from harness.ends import LATE_SECONDS
from harness.http_door import HTTP, place, raw
from harness.websocket import BINARY, CLOSE, PING, PONG, Raw, frame, handshake
from harness.wire import GOAWAY, HELLO
from rows import OWN, TOKENS, row
from world import TOKENS as SECRETS

HEAD = b"POST /heddle.v1.ServerService/Status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def closed_with(attack: Attack, data: bytes, wanted: int) -> bytes:
    answer = raw(attack.server, data)
    assert answer.startswith(b"HTTP/1.1 ") and status(answer) == wanted, (data[-200:], answer[:300])
    assert answer.lower().count(b"\r\ncontent-length: ") == 1, f"more than one answer to {data[:200]}: {answer[:400]}"
    return answer


@row("H1")
def smuggling(attack: Attack):
    """Requests that another reader would cut differently: one constant answer, and the connection closes."""
    hidden = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answers = set()
    for more in (
            b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
            b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} " + hidden,
            b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + hidden,
            b"Content-Length: 2, 2\r\n\r\n{}" + hidden, b"Content-Length: +2\r\n\r\n{}" + hidden,
            b"Content-Length: 0x2\r\n\r\n{}" + hidden, b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + hidden,
            b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden, b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
            b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n" + hidden, b"X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
            b"X: a\nContent-Length: 2\r\n\r\n{}" + hidden, b"X: a\x00b\r\nContent-Length: 2\r\n\r\n{}",
            b"X\x00: a\r\n\r\n", b"Host: localhost\r\n\r\n", b" X: a\r\n\r\n"):
        answers.add(closed_with(attack, HEAD + more, 400))
    for data in (b"GET /livez HTTP/1.1\r\n\r\n", b"GET /livez HTTP/1.1\nHost: localhost\r\n\r\n",
                 b"GET http://localhost/livez HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x00\r\n\r\n",
                 b"GET /livez HTTP/1.1\nHost: localhost\n\n", b"SSH-2.0-x\r\n\r\n"):
        answers.add(closed_with(attack, data, 400))
    assert len(answers) == 1, answers


@row("H2")
def large_and_slow_heads(attack: Attack):
    """A head of 16 KiB + 1 or 101 lines; a head that does not end."""
    line = b"X-A: " + b"a" * 1_000 + b"\r\n"
    closed_with(attack, HEAD + line * 17 + b"\r\n", 431)
    closed_with(attack, HEAD + b"A: b\r\n" * 101 + b"\r\n", 431)
    closed_with(attack, b"GET /" + b"a" * 17_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431)
    fine = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    closed_with(attack, fine + b"A: b\r\n" * 90 + b"\r\n", 200)
    clock = attack.clock()
    closed_with(attack, HEAD, 408)
    assert clock.wall() >= 4.5, clock.wall()
    assert clock.seconds() <= 5 + LATE_SECONDS, clock.seconds()


@row("H3")
def foreign_hosts_and_origins(attack: Attack):
    """DNS rebinding, and pages of other sites."""
    for host in (b"evil.example", b"localhost.evil.example", b"10.1.2.3"):
        data = b"GET /livez HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n"
        assert b"evil" not in closed_with(attack, data, 421)
    for origin in ("http://evil.example", "null", "http://localhost", "https://localhost:1"):
        with HTTP(attack.server) as peer:
            assert peer.call("ServerService/Status", origin=origin).status == 403, origin
            assert peer.get("/readyz", origin=origin).status == 403
    with HTTP(attack.server) as peer:
        assert peer.call("ServerService/Status", origin=f"http://{peer.host}:{peer.port}").status == 200


@row("H4")
def json_that_is_wrong(attack: Attack):
    """Depth, numbers, surrogates, names that stand twice."""
    with HTTP(attack.server) as peer:
        def refused(body: bytes, method: str = "ThreadService/SetName") -> str:
            answer = peer.ask("POST", f"/heddle.v1.{method}", body, content_type="application/json")
            assert answer.status == 400, (body, answer.text)
            return answer.reason
        assert refused(b'{"name":' + b"[" * 33 + b"]" * 33 + b"}") == "too_deep"
        assert refused(b'{"name":' + b"[" * 100_000) == "too_deep"
        assert refused(b'{"name":"\\ud800"}') == "invalid_utf8"
        assert refused(b'{"name":"\xff"}') == "invalid_utf8"
        assert refused(b'{"name":"\\u0000","thread":"AAAAAAAAAAEAAAAAAAAAAg=="}') == "embedded_nul"
        assert refused(b'{"change":{"temperature":1e400}}', "SettingsService/Update") == "malformed"
        assert refused(b'{"expectedRevision":18446744073709551616}', "SettingsService/Update") == "malformed"
        assert refused(b'{"wrong":1}') == "malformed"
        twice = b'{"name":"first","name":"last"}'
        answer = peer.ask("POST", "/heddle.v1.ThreadService/Start", twice, content_type="application/json")
        assert answer.json["thread"]["name"] == "last"


@row("H5")
def envelopes_that_lie(attack: Attack):
    """Flags that are not spoken, and lengths beyond the body or short of it."""
    with HTTP(attack.server) as peer:
        def refused(body: bytes) -> dict:
            answer = peer.ask("POST", "/heddle.v1.ThreadService/Subscribe", body,
                              content_type="application/connect+json")
            assert answer.status == 200 and answer.body[0] == 2
            return json.loads(answer.body[5:])["error"]
        for flags in (1, 2, 0x80):
            assert refused(struct.pack(">BI", flags, 2) + b"{}")["code"] == "invalid_argument"
        for body in (b"", b"\0\0", struct.pack(">BI", 0, 3) + b"{}", struct.pack(">BI", 0, 1) + b"{}"):
            assert refused(body)["code"] == "invalid_argument"
        assert refused(struct.pack(">BI", 0, 2 ** 32 - 1) + b"{}")["code"] == "resource_exhausted"
        assert peer.call("ServerService/Status").status == 200


@row("H6", OWN)
def events_unread(attack: Attack):
    """A stream of events that nobody reads is ended; its numbers are checked."""
    server = attack.start("--config", slow(attack))
    with HTTP(server) as peer:
        thread = peer.call("ThreadService/Start", {}).json["thread"]["id"]
        path = f"/v1/threads/{thread_uuid(thread)}/events"
        assert peer.get(path, last_event_id="99999").reason == "future_seq"
        for last in ("text", "-1", "18446744073709551616"):
            assert peer.get(path, last_event_id=last).reason == "out_of_range"
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            deaf.connect(place(server.ready["http"]))
            deaf.sendall(f"GET {path}?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            count = 0
            reasons = 'heddle_connections_closed_total{door="http",reason="slow_consumer"} 1'
            until = time.monotonic() + 120
            while time.monotonic() < until:
                for _ in range(200):
                    count += 1
                    name = f"{count:06}" + "n" * 990
                    assert peer.call("ThreadService/SetName", {"thread": thread, "name": name}).status == 200
                if reasons in peer.get("/metrics").text:
                    return
        raise AssertionError("the deaf follower was not cut off")


def slow(attack: Attack):
    file = attack.folder / "slow.json"
    file.write_text(json.dumps({"limits": {"slowConsumerMilliseconds": 2_000, "outgoingBytes": 65_536}}))
    return file


def thread_uuid(identifier: str) -> str:
    return str(uuid.UUID(bytes=base64.b64decode(identifier)))


@row("H7", TOKENS)
def what_operators_see(attack: Attack):
    """Routes of operators as a tenant and as a stranger; paths that are none; too many scrapes."""
    server = attack.server
    with HTTP(server) as stranger, HTTP(server, SECRETS["alice"]) as alice, HTTP(server, SECRETS["root"]) as root:
        for path in ("/debug/state", "/debug/log-level"):
            assert (stranger.get(path).status, alice.get(path).status) == (401, 403)
            assert root.get(path).status == 200
        for path in ("/../metrics", "/debug/../metrics", "//metrics", "/%6detrics", "/metrics%00", "/debug/", "/.git"):
            assert root.get(path).status == 404, path
        seen = [root.get("/metrics").status for _ in range(attack.size(200, 10_000))]
        assert set(seen) == {200, 429} and seen.count(200) <= 20 + len(seen) // 50, (seen.count(200), len(seen))
        assert root.get("/readyz").status == 200


@row("H8")
def sockets_that_are_not_opened(attack: Attack):
    """Requests for a WebSocket from other pages, for other hosts, of other protocols; bytes before the answer."""
    for changes, wanted in (
            ({"origin": "https://evil.example"}, 403), ({"origin": "null"}, 403), ({"host": "evil.example"}, 421),
            ({"upgrade": "h2c"}, 426), ({"connection": "close"}, 426), ({"sec_websocket_version": "7"}, 426),
            ({"sec_websocket_key": "AAAA"}, 400), ({"sec_websocket_protocol": "chat"}, 400),
            ({"content_length": "5"}, 400), ({"transfer_encoding": "chunked"}, 400)):
        answer = raw(attack.server, handshake(**changes) + b"0\r\n\r\n", finish=True)
        assert status(answer) == wanted and b"evil" not in answer, (changes, answer)
    for early in (b"\x00", frame(BINARY, Connection.hello_frame().encode()), frame(CLOSE)):
        closed_with(attack, handshake() + early, 400)


@row("H9")
def sockets_that_break_the_rules(attack: Attack):
    """Frames that RFC 6455 forbids, floods of those that bring nothing, and messages without an end."""
    hello = Connection.hello_frame().encode()
    for data, code in (
            (frame(BINARY, hello, mask=None), 1002), (frame(BINARY, hello, reserved=4), 1002), (frame(5), 1002),
            (frame(0, hello), 1002), (frame(1, hello), 1003), (frame(PING, bytes(126)), 1002),
            (frame(CLOSE, last=False), 1002), (frame(BINARY, length=1 << 63), 1002), (frame(PING) * 10, 1008),
            (frame(PONG) * 2_000, 1008), (frame(BINARY) * 2_000, 1008)):
        with Raw(attack.server) as peer:
            peer.send(data)
            assert peer.close_code() == code, data[:40]
    before = attack.server.resident_bytes()
    count, held = attack.size(100, 1_000), []
    for _ in range(count):
        peer = Raw(attack.server)
        held.append(peer)
        # The message never ends, and yet what has come of it is served.
        peer.send(frame(BINARY, hello + b"\xfa", length=1 << 40))
        assert peer.next()[1][1] == HELLO
    grown = (attack.server.resident_bytes() - before) / count
    attack.note(f"{grown / 1024:.0f} KiB for each of {count} messages without an end")
    assert grown < 64 * 1_024, grown
    for peer in held:
        peer.socket.close()
    with Raw(attack.server) as peer:
        peer.send(frame(BINARY, b"GET / HTTP/1.1\r\n"))
        assert b"no HTTP" in peer.next()[1]
    with Raw(attack.server) as peer:
        peer.send(frame(BINARY, hello) + frame(BINARY, b"\xfa" * 16))
        said = b""
        while (part := peer.next())[0] != CLOSE:
            said += part[1]
        assert said[1] == HELLO and GOAWAY in said
