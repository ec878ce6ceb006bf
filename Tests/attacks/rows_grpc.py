"""docs/attacks.md: HTTP/2 and gRPC (G1 to G11, G13)."""

import secrets
import struct
import time

from hyperframe.frame import (
    ContinuationFrame, DataFrame, GoAwayFrame, HeadersFrame, PingFrame, PriorityFrame, RstStreamFrame, SettingsFrame,
    WindowUpdateFrame)

from attack import Attack
from harness.http2 import (
    ENHANCE_YOUR_CALM, FLOW_CONTROL_ERROR, PROTOCOL_ERROR, REFUSED_STREAM, Peer)
from harness.messages import METHODS
from rows import OWN, row
from world import TOKENS

STATUS, READ, START = (f"/heddle.v1.{name}" for name in ("ServerService/Status", "ThreadService/Read",
                                                        "ThreadService/Start"))
SUBSCRIBE = "/heddle.v1.ThreadService/Subscribe"
MEBIBYTE = 1 << 20
IDLE_BYTES = 24 * 1024


def serve(attack: Attack, *arguments, **more):
    return attack.start("--grpc", "127.0.0.1:0", *arguments, **more)


def peer(attack: Attack, **settings) -> Peer:
    made = Peer(attack.server.ready["grpc"], **settings)
    attack.defer(made.close)
    return made


def alive(attack: Attack):
    with Peer(attack.server.ready["grpc"]) as other:
        other.is_served()


def calmed(client: Peer, text: str = "", seconds: float = 10):
    """X: GOAWAY ENHANCE_YOUR_CALM, then the end."""
    said = client.end(seconds)
    assert said is not None, "no GOAWAY"
    assert said.error_code == ENHANCE_YOUR_CALM, said
    assert text.encode() in said.additional_data, said


def reason(pairs: dict) -> str:
    return pairs.get("heddle-reason", "")


def flood(client: Peer, piece: bytes, count: int):
    """As fast as the server takes it, until it closes."""
    for _ in range(0, count, 100):
        if not client.push(piece * 100):
            return


@row("G1", on=OWN)
def g1(attack: Attack):
    """rapid reset, and errors that are forced on us → ENHANCE_YOUR_CALM, the memory stays"""
    server = serve(attack)
    alive(attack)
    before = server.resident_bytes()
    client = peer(attack)
    for _ in range(50):
        pieces = []
        for _ in range(100):
            stream, data = client.request(STATUS)
            pieces += [data, RstStreamFrame(stream, error_code=8).serialize()]
        if not client.push(b"".join(pieces)) or client.is_told_to_go():
            break
    calmed(client, "too_many")
    client = peer(attack)
    for _ in range(50):
        pieces = []
        for _ in range(100):
            # A window of 2³¹ on the stream: the server must reset it.
            stream = client.next_stream()
            pieces += [client.head(stream, client.heads(STATUS)).serialize(),
                       WindowUpdateFrame(stream, window_increment=(1 << 31) - 1).serialize()]
        if not client.push(b"".join(pieces)) or client.is_told_to_go():
            break
    calmed(client, "too_many")
    growth = server.resident_bytes() - before
    attack.note(f"memory + {growth // 1024} KiB")
    assert growth < 8 * MEBIBYTE, growth
    alive(attack)


@row("G2", on=OWN)
def g2(attack: Attack):
    """CONTINUATION flood → closed at the ninth"""
    serve(attack)
    client = peer(attack)
    client.push(HeadersFrame(1, client.encoder.encode(client.heads(STATUS))).serialize())
    flood(client, ContinuationFrame(1, b"").serialize(), 10_000)
    client.end(10)
    alive(attack)


@row("G3", on=OWN)
def g3(attack: Attack):
    """HPACK bomb, one header of 4 kB named 12,000 times → 431 at 16 KiB, the third time ENHANCE_YOUR_CALM"""
    server = serve(attack)
    alive(attack)
    before = server.resident_bytes()
    client = peer(attack)
    large = ("x-large", "y" * 4_000)
    for number in range(3):
        stream = client.next_stream()
        # The second and later mentions are one byte each.
        block = client.encoder.encode(client.heads(STATUS) + [large] * 12_000)
        client.send(HeadersFrame(stream, block[:16_000], flags=["END_HEADERS", "END_STREAM"]
                                 if len(block) <= 16_000 else []))
        if len(block) > 16_000:
            client.send(ContinuationFrame(stream, block[16_000:], flags=["END_HEADERS"]))
        if number < 2:
            pairs, _ = client.answer(stream)
            assert pairs[":status"] == "431", pairs
    calmed(client)
    growth = server.resident_bytes() - before
    attack.note(f"memory + {growth // 1024} KiB")
    assert growth < 4 * MEBIBYTE, growth
    alive(attack)


@row("G4", on=OWN)
def g4(attack: Attack):
    """PING flood, SETTINGS flood, unread too → too_many_pings; closed"""
    server = serve(attack)
    alive(attack)
    before = server.resident_bytes()
    client = peer(attack)
    flood(client, PingFrame(0, b"12345678").serialize(), 1_000)
    calmed(client, "too_many_pings")
    for unread in (False, True):
        client = peer(attack, receive_bytes=4_096 if unread else None)
        flood(client, SettingsFrame(0, settings={SettingsFrame.HEADER_TABLE_SIZE: 4_096}).serialize(), 20_000)
        if not unread:
            client.end(10)
    assert server.resident_bytes() - before < 4 * MEBIBYTE
    alive(attack)


@row("G5", on=OWN)
def g5(attack: Attack):
    """empty DATA, PRIORITY, WINDOW_UPDATE of 1, 10⁵ of each → 1,000 in 30 s, then ENHANCE_YOUR_CALM"""
    serve(attack)
    for piece in (DataFrame(1, b""), PriorityFrame(1, depends_on=0, stream_weight=16), WindowUpdateFrame(0, window_increment=1)):
        client = peer(attack, widens=False)
        client.send(client.head(client.next_stream(), client.heads(STATUS)))
        flood(client, piece.serialize(), 100_000)
        calmed(client, "too_many_idle_frames")
    # A thousand pass.
    client = peer(attack)
    client.send(PriorityFrame(1, depends_on=0, stream_weight=16).serialize() * 900)
    client.is_served()


@row("G6", on=OWN)
def g6(attack: Attack):
    """windows of 0 and 1, 1,000 calls → ≤ 1 MiB waits, then REFUSED_STREAM; slow_consumer after its time"""
    server = serve(attack, HEDDLE_LIMITS_SLOW_CONSUMER_MILLISECONDS=4_000)
    alive(attack)
    before = server.resident_bytes()
    for window in (0, 1):
        client = peer(attack, window=window)
        asked = [client.ask("/heddle.v1.CatalogService/ListModels") for _ in range(1_000)]
        began = time.monotonic()
        ends: dict[int, int] = {}
        while len(ends) < 1_000:
            frame = client.receive(60)
            if frame is None or isinstance(frame, GoAwayFrame) and frame.error_code == ENHANCE_YOUR_CALM:
                break
            if isinstance(frame, RstStreamFrame):
                ends[frame.stream_id] = frame.error_code
        attack.note(f"window {window}: {len(ends)} of {len(asked)} reset in {time.monotonic() - began:.1f} s")
        assert set(ends.values()) <= {REFUSED_STREAM, ENHANCE_YOUR_CALM}, set(ends.values())
        assert time.monotonic() - began < 30
    growth = server.resident_bytes() - before
    attack.note(f"memory + {growth // 1024} KiB")
    assert growth < 12 * MEBIBYTE, growth
    alive(attack)


@row("G7", on=OWN)
def g7(attack: Attack):
    """window overflow, DATA beyond our window → FLOW_CONTROL_ERROR; stream 0, even → PROTOCOL_ERROR; skipped number → served"""
    serve(attack)
    client = peer(attack)
    client.push(WindowUpdateFrame(0, window_increment=(1 << 31) - 1).serialize())
    assert client.end(10).error_code == FLOW_CONTROL_ERROR
    client = peer(attack)
    stream = client.next_stream()
    client.send(client.head(stream, client.heads(READ)), DataFrame(stream, client.message(b"", length=4 * MEBIBYTE)))
    # No wider window is waited for.
    client.push(b"".join(DataFrame(stream, bytes(16_384)).serialize() for _ in range(600)))
    pairs, _ = client.answer(stream)
    assert pairs.get("reset") == FLOW_CONTROL_ERROR or reason(pairs) == "malformed", pairs
    client.is_served()
    for number in (0, 2):
        client = peer(attack)
        block = client.encoder.encode(client.heads(STATUS))
        client.push(struct.pack(">I", len(block))[1:] + bytes((1, 5)) + struct.pack(">I", number) + block)
        assert client.end(10).error_code == PROTOCOL_ERROR
    client = peer(attack)
    client.stream = 101
    client.is_served()
    alive(attack)


@row("G8", on=OWN)
def g8(attack: Attack):
    """prefix of 4 MiB + 1 and of 2³² − 1 → frame_too_large; flags 1 and 2 → unknown_flags; none, two messages → malformed"""
    serve(attack)
    client = peer(attack)
    for body, wanted in (
            (client.message(b"", length=4 * MEBIBYTE + 1), "frame_too_large"),
            (client.message(b"", length=0xFFFF_FFFF), "frame_too_large"), (client.message(b"", 1), "unknown_flags"),
            (client.message(b"", 2), "unknown_flags"), (b"", "malformed"), (client.message(b"")[:4], "malformed"),
            (client.message(b"") * 2, "malformed"), (client.message(b"ab", length=3), "malformed")):
        stream = client.next_stream()
        client.send(client.head(stream, client.heads(STATUS)), DataFrame(stream, body, flags=["END_STREAM"]))
        pairs, _ = client.answer(stream)
        assert reason(pairs) == wanted, (body, pairs)
    client.is_served()


@row("G9", on=OWN)
def g9(attack: Attack):
    """bad type, verb, path, header case → 415, 405, unknown_method, RST PROTOCOL_ERROR; nothing is echoed"""
    serve(attack)
    client = peer(attack)
    mark = secrets.token_hex(8)

    def said(pairs: list) -> dict:
        stream = client.next_stream()
        client.send(client.head(stream, pairs), DataFrame(stream, client.message(b""), flags=["END_STREAM"]))
        found, body = client.answer(stream)
        assert mark not in repr(found) and mark.encode() not in body, found
        return found
    assert said(client.heads(STATUS, content_type=f"text/{mark}"))[":status"] == "415"
    assert said(client.heads(STATUS, without=("content-type",)))[":status"] == "415"
    changed = [(name, mark.upper() if name == ":method" else value) for name, value in client.heads(STATUS)]
    assert said(changed)[":status"] == "405"
    assert reason(said(client.heads(f"/{mark}"))) == "unknown_method"
    assert reason(said(client.heads("/" + mark * 512))) == "unknown_method"
    for more in (("X-Upper", mark), ("connection", mark), ("te", mark)):
        without = ("te",) if more[0] == "te" else ()
        stream = client.next_stream()
        block = client.encoder.encode(client.heads(STATUS, without=without))
        # A literal without indexing, by hand: the library writes names in lower case.
        name, value = more[0].encode(), more[1].encode()
        block += b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value
        client.send(HeadersFrame(stream, block, flags=["END_HEADERS", "END_STREAM"]))
        pairs, _ = client.answer(stream)
        assert pairs.get("reset") == PROTOCOL_ERROR, (more, pairs)
    client.is_served()


@row("G10", on=OWN)
def g10(attack: Attack):
    """the 257th principal on one connection → too_many_connections for it alone; B with A's key and thread → its own answers"""
    file = attack.folder / "many"
    file.touch(mode=0o600)
    many = {f"tenant{number}": secrets.token_hex(24) for number in range(257)}
    many |= {name: TOKENS[name] for name in ("witness",)}
    file.write_text("".join(f"{token} {name}\n" for name, token in many.items()))
    serve(attack, "--token-file", file, watched=False)
    client = peer(attack)
    names = [name for name in many if name != "witness"]

    def call(name: str, path: str, body: bytes = b"", more: tuple = ()) -> tuple[dict, bytes]:
        pairs = (("authorization", f"Bearer {many[name]}"), *more)
        return client.answer(client.ask(path, body, more=pairs))
    for name in names[:256]:
        pairs, _ = call(name, STATUS)
        assert pairs["grpc-status"] == "0", (name, pairs)
    pairs, _ = call(names[256], STATUS)
    assert reason(pairs) == "too_many_connections", pairs
    key = (("heddle-idempotency-key-bin", "AAECAwQFBgcICQoLDA0ODw"),)
    start, read = METHODS["Thread.Start"], METHODS["Thread.Read"]
    _, first = call(names[0], START, start.request(name="one").SerializeToString(), key)
    pairs, second = call(names[1], START, start.request(name="two").SerializeToString(), key)
    one, two = (start.response.FromString(body[5:]).thread for body in (first, second))
    assert pairs["grpc-status"] == "0" and one.id != two.id
    foreign, _ = call(names[1], READ, read.request(thread=one.id).SerializeToString())
    nothing, _ = call(names[1], READ, read.request(thread=secrets.token_bytes(16)).SerializeToString())
    assert {**foreign, "grpc-status-details-bin": 0} == {**nothing, "grpc-status-details-bin": 0}, (foreign, nothing)


@row("G11", on=OWN)
def g11(attack: Attack):
    """GOAWAY, FIN or RST at each byte of a request → only whole requests ran"""
    serve(attack)
    start = METHODS["Thread.Start"]
    with attack.connect() as witness:
        whole = 0
        body = start.request(name="whole").SerializeToString()
        with peer(attack) as client:
            length = len(client.request(START, body)[1])
        for cut in sorted({*range(0, length + 1, attack.size(7, 1)), length - 1, length}):
            for how in ("goaway", "fin", "rst"):
                client = Peer(attack.server.ready["grpc"])
                _, data = client.request(START, body)
                client.send(data[:cut])
                if how == "goaway":
                    client.push(GoAwayFrame(0, 0, 0).serialize())
                if how == "rst":
                    client.socket.setsockopt(1, 13, struct.pack("ii", 1, 0))
                client.close()
                whole += cut == length
        time.sleep(1)
        found = sum(thread.name == "whole" for thread in witness.call("Thread.List").threads)
        # A client that leaves at once may take its whole request back.
        assert found <= whole, f"{found} threads of {whole} whole requests"
    alive(attack)


@row("G13", on=OWN)
def g13(attack: Attack):
    """idle connections of HTTP/2 → ≤ 24 KiB each"""
    server = serve(attack, watched=False)
    alive(attack)
    count = attack.size(1_000, 10_000)
    clients = [peer(attack) for _ in range(100)]
    for client in clients:
        client.is_served()
    before = server.resident_bytes()
    clients = [peer(attack) for _ in range(count)]
    for client in clients:
        assert client.receive(30) is not None
    each = (server.resident_bytes() - before) // count
    attack.note(f"{each} bytes each")
    assert each <= IDLE_BYTES, each
    clients[-1].is_served()
