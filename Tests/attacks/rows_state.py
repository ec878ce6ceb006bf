"""docs/attacks.md, Protocol state: S1 to S19."""

import concurrent.futures
import json
import time

from attack import Attack, history
from harness.connection import Connection, Follower
from harness.ends import EARLY_SECONDS, LATE_SECONDS, expect_goaway, expect_kept, expect_silence, is_refusal
from harness.messages import METHODS, client_pb2, event_pb2, frame_pb2, item_text, thread_pb2, turn_status
from harness.protobuf import bytes_field, padded
from harness.wire import (
    BEFORE_HELLO_BYTES, CANCEL, CREDIT, ERROR, EVENT, GOAWAY, HELLO, PING, PONG, REQUEST, RESPONSE, Frame, HeddleError)
from rows import SLOW, row
from world import CANARY

HELLO_SECONDS = 5


def status(stream: int) -> Frame:
    return Frame(REQUEST, METHODS["Server.Status"].number, stream)


@row("S1★")
def s1(attack: Attack):
    """request before hello → not_initialized, X; PING is legal"""
    for kind in (REQUEST, CANCEL, CREDIT, GOAWAY, RESPONSE, EVENT, ERROR):
        peer = attack.connect(hello=False)
        peer.send(Frame(kind, METHODS["Server.Status"].number, 1, bytes_field(1, b"x")).encode())
        expect_goaway(peer, "UNAUTHENTICATED", "not_initialized")
    peer = attack.connect(hello=False)
    peer.send(Frame(PING, payload=frame_pb2.Ping(opaque=b"before").SerializeToString()).encode())
    pong = frame_pb2.Pong.FromString(peer.wait_for(lambda frame: frame.kind == PONG).body)
    assert (pong.opaque, pong.status) == (b"before", frame_pb2.SERVING_STATUS_SERVING)
    peer.hello(quiet=True)
    expect_kept(peer)


@row("S2★")
def s2(attack: Attack):
    """second hello → already_initialized, K"""
    peer = attack.connect()
    for fields in ({"client_name": "again"}, {"features": ["call_tool"]}, {"versions": [7]}):
        peer.send(Connection.hello_frame(**fields, quiet=True).encode())
        is_refusal(peer.error(), "FAILED_PRECONDITION", "already_initialized")
        expect_kept(peer)


@row("S3★", on=SLOW)
def s3(attack: Attack):
    """connects, says nothing → closed at 5 s, Z"""
    began = time.monotonic()
    peers = attack.connect_many(50, hello=False)
    for peer in peers:
        expect_silence(peer)
    seconds = time.monotonic() - began
    assert -EARLY_SECONDS <= seconds - HELLO_SECONDS <= LATE_SECONDS, seconds


@row("S4★")
def s4(attack: Attack):
    """request id in use, not larger than the last, even, 0 → bad_request_id, X; gaps are allowed"""
    for streams in ((5, 5), (5, 3), (2,), (0,), (1, 4), (0xFFFFFFFF, 1)):
        peer = attack.connect()
        peer.send(b"".join(status(stream).encode() for stream in streams))
        expect_goaway(peer, "INVALID_ARGUMENT", "bad_request_id")
    peer = attack.connect()
    _, feed = attack.follow_new(peer)
    peer.send(status(feed.stream).encode())
    expect_goaway(peer, "INVALID_ARGUMENT", "bad_request_id")
    peer = attack.connect()
    for stream in (1, 7, 4_000_000_001, 0xFFFFFFFF):
        peer.send(status(stream).encode())
        peer.answer(stream, "Server.Status")


@row("S5★")
def s5(attack: Attack):
    """cancel of an unknown request → no reply; counts as a glitch, K; of a finished one, once: no reply and no glitch"""
    peer = attack.connect()
    expect_kept(peer)
    for stream in (1, 3, 2, 0, 0xFFFFFFFF):
        peer.send(Frame(CANCEL, stream=stream).encode())
    expect_kept(peer)
    assert not peer.inbox, peer.inbox
    glitches = peer.server_hello.limits.glitches
    # A client cannot know that its CANCEL crosses the answer.
    for _ in range(glitches + 50):
        stream = peer.open("Server.Status")
        peer.answer(stream, "Server.Status")
        peer.send(Frame(CANCEL, stream=stream).encode())
    expect_kept(peer)
    peer.send(Frame(CANCEL, stream=0xFFFFFFFF).encode() * (glitches + 1))
    expect_goaway(peer, "RESOURCE_EXHAUSTED", "enhance_your_calm")
    peer = attack.connect()
    expect_kept(peer)
    # No request ends twice.
    peer.send(Frame(CANCEL, stream=1).encode() * (glitches + 10))
    expect_goaway(peer, "RESOURCE_EXHAUSTED", "enhance_your_calm")


@row("S6★")
def s6(attack: Attack):
    """cancel of a running request → it ends once: cancelled, or its result if that came first, K"""
    thread = attack.thread(attack.connect())
    peer = attack.connect()
    stream = peer.open("Thread.Subscribe", thread=thread, after=0)
    peer.answer(stream, "Thread.Subscribe")
    peer.send(Frame(CANCEL, stream=stream).encode())
    end = peer.wait_for(lambda frame: frame.stream == stream and frame.kind == ERROR)
    is_refusal(HeddleError(frame_pb2.Error.FromString(end.body)), "CANCELLED", "cancelled")
    peer.call("Thread.SetName", thread=thread, name="after the end")
    assert peer.call("Thread.Unsubscribe", thread=thread).was_subscribed is False
    for name in ("Thread.Subscribe", "Thread.Read", "Thread.Resume", "Thread.ListItems", "Server.Status"):
        for _ in range(attack.size(8, 200)):
            peer = attack.connect()
            fields = {} if name == "Server.Status" else {"thread": thread}
            frame = peer.request_frame(name, **fields)
            peer.send(frame.encode() + Frame(CANCEL, stream=frame.stream).encode())
            first = end = peer.terminal(frame.stream)
            if not first.ends:
                end = peer.wait_for(lambda one, stream=frame.stream: one.stream == stream and one.ends)
            # An end after the answer is that of the subscription that follows it.
            of = frame.method if first.ends else METHODS["Thread.Subscribe"].number
            assert end.method == of, f"{name}: the end of {end.method}"
            peer.call("Thread.SetName", thread=thread, name="behind it")
            expect_kept(peer)  # a second end would be reported as a broken rule
            peer.close()


@row("S7★")
def s7(attack: Attack):
    """cancel of a mutation → its result once it is durable; what was told is in the log, K"""
    peer = attack.connect()
    thread, told = attack.thread(peer), 0
    for attempt in range(attack.size(110, 250)):
        frame = peer.request_frame("Thread.SetName", thread=thread, name=f"name {attempt}")
        cancel = Frame(CANCEL, stream=frame.stream).encode()
        if attempt % 2:
            peer.send(frame.encode())
            time.sleep(attempt % 20 / 5_000)  # the cancel comes at another moment each time
            peer.send(cancel)
        else:
            peer.send(frame.encode() + cancel)
        end = peer.terminal(frame.stream)
        name = peer.call("Thread.Read", thread=thread).thread.name
        if end.kind == RESPONSE:
            told += 1
            assert name == f"name {attempt}", name
        else:
            is_refusal(HeddleError(frame_pb2.Error.FromString(end.body)), "CANCELLED", "cancelled")
        assert not peer.inbox, peer.inbox
    peer.call("Thread.SetName", thread=thread, name="durable")
    peer.send(Frame(CANCEL, stream=peer.next_stream - 2).encode())
    assert peer.call("Thread.Read", thread=thread).thread.name == "durable"
    attack.note(f"{told} results came before their cancel")


@row("S8★")
def s8(attack: Attack):
    """answer to a question the server never asked → unknown_server_request; glitch, K"""
    for kind, message in ((RESPONSE, thread_pb2.StartThreadResponse(sequence=1)),
                          (ERROR, frame_pb2.Error(code=13, reason="internal"))):
        for stream in (2, 0x7FFFFFF0, 0xFFFFFFFE):
            peer = attack.connect()
            peer.send(Frame(kind, METHODS["Client.CallTool"].number, stream, message.SerializeToString()).encode())
            refused = HeddleError(frame_pb2.Error.FromString(peer.wait_for(lambda frame: frame.kind == ERROR).body))
            is_refusal(refused, "FAILED_PRECONDITION", "unknown_server_request")
            expect_kept(peer)


# Questions and tools: what the server asks of its clients


def question(attack: Attack, text: str = "Go on?", choices: tuple = (), count: int = 2, **limits) -> tuple:
    """A thread whose model asks a person, and `count` connections that were asked."""
    asker = attack.connect(features=["request_user_input"])
    thread, feed = attack.follow_new(asker, asks_user=True)
    others = [attack.connect(features=["request_user_input"]) for _ in range(count - 1)]
    feeds = [feed, *(other.follow(thread, feed.last) for other in others)]
    arguments = {"question": text, **({"choices": list(choices)} if choices else {})}
    turn = attack.turn(attack.connect(), thread, f"!tool request_user_input {json.dumps(arguments)}")
    return thread, turn, feeds, [asked(each.connection) for each in feeds]


def asked(peer: Connection, timeout: float = 60.0) -> tuple[int, object]:
    """The server's next request on this connection: its stream and the message."""
    frame = peer.wait_for(lambda frame: frame.kind == REQUEST, timeout)
    assert frame.stream and frame.stream & 1 == 0, frame
    if frame.method == METHODS["Client.CallTool"].number:
        return frame.stream, client_pb2.CallToolRequest.FromString(frame.body)
    assert frame.method == METHODS["Client.RequestUserInput"].number, frame
    return frame.stream, client_pb2.RequestUserInputRequest.FromString(frame.body)


def user_answer(stream: int, text: str, action_hash: bytes) -> bytes:
    said = client_pb2.RequestUserInputResponse(answer=text, action_hash=action_hash)
    number = METHODS["Client.RequestUserInput"].number
    return Frame(RESPONSE, number, stream, said.SerializeToString(), flags=2).encode()


def errors_on(peer: Connection, stream: int) -> list[HeddleError]:
    return [HeddleError(frame_pb2.Error.FromString(frame.body)) for frame in peer.inbox
            if frame.kind == ERROR and frame.stream == stream]


def tool_outputs(events: list) -> list:
    return [event.item_completed.item.tool_output for event in events
            if event.item_completed.item.WhichOneof("kind") == "tool_output"]


@row("S9★")
def s9(attack: Attack):
    """question answered twice, or by two at once (50 races, 1,000 by hand) → first wins, other already_answered"""
    races = attack.size(50, 1_000)
    asker, other = (attack.connect(features=["request_user_input"], timeout=60) for _ in range(2))
    starter = attack.connect(timeout=60)
    wins = [0, 0]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number in range(races):
            thread, feed = attack.follow_new(asker, asks_user=True)
            second = other.follow(thread, feed.last)
            turn = attack.turn(starter, thread, '!tool request_user_input {"question": "Who?"}')
            calls = [asked(asker), asked(other)]

            def say(which: int, peer: Connection):
                stream, ask = calls[which]
                peer.send(user_answer(stream, f"answer {which}", ask.action_hash))
            order = ((0, asker), (1, other)) if number % 2 else ((1, other), (0, asker))
            list(pool.map(lambda each: say(*each), order))
            feed.until_completed(turn)
            second.until_completed(turn)
            for peer in (asker, other):
                expect_kept(peer)
            outputs = tool_outputs(feed.events)
            assert len(outputs) == 1, f"{len(outputs)} outputs for one question"
            text = outputs[0].content[0].text
            winner = int("answer 1" in text)
            assert f"answer {winner}" in text and f"answer {1 - winner}" not in text, text
            wins[winner] += 1
            late = [errors_on(peer, stream) for peer, (stream, _) in zip((asker, other), calls)]
            assert not late[winner], late
            assert [error.reason for error in late[1 - winner]] == ["already_answered"], late
            # Once more by the winner: the call is over for it too.
            peer, (stream, ask) = (asker, other)[winner], calls[winner]
            peer.send(user_answer(stream, "again", ask.action_hash))
            is_refusal(peer.error(stream=stream), "ABORTED", "already_answered")
            assert item_text(feed.of_kind("item_completed")[-1].item_completed.item).startswith("The tool said: ")
            for each in (asker, other):
                each.call("Thread.Unsubscribe", thread=thread)
                each.inbox.clear()
    attack.note(f"{wins[0]} to {wins[1]}")


@row("S10★")
def s10(attack: Attack):
    """client sends a server-only message (a fake event) → wrong_direction, X; calls of the server's own methods too"""
    fake = event_pb2.SubscriptionEvent(event={"sequence": 1, "name_changed": {"name": f"forged {CANARY}"}})
    for stream in (0, 1, 2):
        peer = attack.connect()
        peer.send(Frame(EVENT, METHODS["Thread.Subscribe"].number, stream, fake.SerializeToString()).encode())
        expect_goaway(peer, "INVALID_ARGUMENT", "wrong_direction")
    peer = attack.connect()
    thread = attack.thread(peer)
    for name in ("Client.CallTool", "Client.RequestUserInput"):
        is_refusal(peer.refusal(name, thread=thread, turn=thread), "INVALID_ARGUMENT", "wrong_direction")
    expect_kept(peer)


@row("S11★")
def s11(attack: Attack):
    """subscribes twice to one thread → subscribed; no event doubled, K"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    for _ in range(3):
        is_refusal(peer.refusal("Thread.Subscribe", thread=thread, after=0), "ALREADY_EXISTS", "subscribed")
    peer.call("Thread.SetName", thread=thread, name="once")
    feed.until_event("name_changed", name="once")
    expect_kept(peer)
    assert not [frame for frame in peer.inbox if frame.kind == EVENT and frame.stream not in (0, feed.stream)]
    two = attack.connect()
    streams = [two.request_frame("Thread.Subscribe", thread=thread, after=0) for _ in range(2)]
    two.send(b"".join(frame.encode() for frame in streams))
    two.answer(streams[0].stream, "Thread.Subscribe")
    is_refusal(two.error(stream=streams[1].stream), "ALREADY_EXISTS", "subscribed")
    expect_kept(two)


@row("S12")
def s12(attack: Attack):
    """unsubscribe unknown → OK, K"""
    peer = attack.connect()
    assert peer.call("Thread.Unsubscribe", thread=b"0123456789abcdef").was_subscribed is False
    assert peer.call("Thread.Unsubscribe").was_subscribed is False


@row("S13")
def s13(attack: Attack):
    """hello with 100,000 capabilities, 1 MiB client name → frame_too_large, X"""
    hello = frame_pb2.ClientHello(features=["x"] * 100_000)
    for frame in (Frame(HELLO, payload=hello.SerializeToString()), Connection.hello_frame(client_name="n" * (1 << 20)),
                  Frame(HELLO, payload=padded(b"", BEFORE_HELLO_BYTES + 1))):
        peer = attack.connect(hello=False)
        try:
            peer.send(frame.encode())
        except (BrokenPipeError, ConnectionResetError):
            pass  # closed while it was sent
        expect_goaway(peer, "RESOURCE_EXHAUSTED", "frame_too_large")
    most = attack.connect(hello=False)
    most.hello(features=["x"] * 500, quiet=True)
    expect_kept(most)


@row("S14")
def s14(attack: Attack):
    """ping payload > 64 B → INVALID_ARGUMENT, X; pong unasked → ignored, glitch, K"""
    for size, fits in ((64, True), (65, False), (16_000, False), (1 << 20, False)):
        peer = attack.connect()
        peer.send(Frame(PING, payload=frame_pb2.Ping(opaque=b"p" * size).SerializeToString()).encode())
        if fits:
            pong = frame_pb2.Pong.FromString(peer.wait_for(lambda frame: frame.kind == PONG).body)
            assert pong.opaque == b"p" * size
        else:
            expect_goaway(peer, "INVALID_ARGUMENT", "out_of_range")
    peer = attack.connect()
    pong = Frame(PONG, payload=frame_pb2.Pong(opaque=b"?").SerializeToString()).encode()
    peer.send(pong)
    expect_kept(peer)
    peer.send(pong * (peer.server_hello.limits.glitches + 1))
    expect_goaway(peer, "RESOURCE_EXHAUSTED", "enhance_your_calm")


@row("S15★")
def s15(attack: Attack):
    """257th request in flight → too_many_in_flight for it alone, K"""
    peer, other = attack.connect(timeout=60), attack.connect()
    thread = attack.thread(peer)
    limit, seen = peer.server_hello.limits.requests_in_flight, 0
    for _ in range(5):
        # Each waits for the disk; how many do at once is the server's doing, so: each is served or refused for that.
        frames = [peer.request_frame("Thread.SetName", thread=thread, name=f"name {number}")
                  for number in range(limit + 100)]
        peer.send(b"".join(frame.encode() for frame in frames))
        served = 0
        for frame in frames:
            end = peer.terminal(frame.stream)
            if end.kind == ERROR:
                refused = HeddleError(frame_pb2.Error.FromString(end.body))
                is_refusal(refused, "RESOURCE_EXHAUSTED", "too_many_in_flight")
                assert refused.details["limit"] == str(limit)
                seen += 1
            else:
                served += 1
        assert served >= limit, f"{served} served, {limit} may be in flight"
        expect_kept(other)
        if seen:
            break
        peer = attack.connect(timeout=60)
    assert seen, "the limit was never met"
    expect_kept(peer)
    attack.note(f"{seen} refused")


@row("S16")
def s16(attack: Attack):
    """FIN with turns running → turns run on; result in the log; resume shows it"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    turn = attack.turn(peer, thread, "!say the end", "!chunks 10", "!delay 30")
    feed.until_kind("delta", "snapshot")
    peer.finish()
    while peer.receive() is not None:
        pass
    looking = attack.connect()
    stream = looking.open("Thread.Resume", thread=thread)
    resumed = looking.answer(stream, "Thread.Resume").thread
    if resumed.HasField("running_turn"):
        assert turn_status(Follower(looking, stream, resumed.sequence).until_ended(turn).status) == "COMPLETED"
    said = [item_text(event.item_completed.item) for event in history(attack, thread)
            if event.WhichOneof("kind") == "item_completed"]
    assert said[-1] == "the end", said


@row("S17")
def s17(attack: Attack):
    """sends its own GOAWAY and goes on → what was accepted before is answered, the rest ignored, then closed"""
    peer = attack.connect()
    thread = attack.thread(peer)
    before = [peer.request_frame("Thread.SetName", thread=thread, name=f"name {number}") for number in range(20)]
    peer.send(b"".join(frame.encode() for frame in before)
              + Frame(GOAWAY, payload=frame_pb2.GoAway(last_stream=0).SerializeToString()).encode()
              + Frame(REQUEST, METHODS["Thread.SetName"].number, 4_001, METHODS["Thread.SetName"].request(
                  thread=thread, name="behind it").SerializeToString()).encode())
    replies = []
    while (frame := peer.receive()) is not None:
        if frame.kind in (RESPONSE, ERROR):
            replies.append(frame.stream)
    assert replies == [frame.stream for frame in before], replies
    assert attack.connect().call("Thread.Read", thread=thread).thread.name == "name 19"


@row("S18", on=SLOW)
def s18(attack: Attack):
    """half a frame, then silence, before hello → closed at 5 s, Z"""
    hello = Connection.hello_frame(quiet=True).encode()
    peers = []
    for data in (hello[:1], hello[:15], hello[:-1], Frame(HELLO).encode(length=BEFORE_HELLO_BYTES) + bytes(10), b"GE"):
        peer = attack.connect(hello=False)
        peer.send(data)
        peers.append(peer)
    began, late = time.monotonic(), 0
    for peer in peers:
        try:
            expect_silence(peer, timeout=max(0.1, HELLO_SECONDS + LATE_SECONDS - (time.monotonic() - began)))
        except TimeoutError:
            late += 1
    assert not late, f"{late} of {len(peers)} are still open after {HELLO_SECONDS + LATE_SECONDS} s"
    # One byte at a time is no way to stay.
    dripping = attack.connect(hello=False)
    began = time.monotonic()
    try:
        for byte in hello:
            dripping.send(bytes([byte]))
            time.sleep(0.5)  # the pause is the attack
    except OSError:
        pass
    assert time.monotonic() - began <= HELLO_SECONDS + LATE_SECONDS


@row("S19")
def s19(attack: Attack):
    """RESPONSE or ERROR for a stream of the client's own → unknown_server_request on stream 0; no request touched, K"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    for kind, message in ((RESPONSE, client_pb2.CallToolResponse(success=True)), (ERROR, frame_pb2.Error(code=1))):
        for stream in (feed.stream, 0, 0xFFFFFFFF):
            peer.send(Frame(kind, METHODS["Client.CallTool"].number, stream, message.SerializeToString()).encode())
            is_refusal(peer.error(), "FAILED_PRECONDITION", "unknown_server_request")
    peer.call("Thread.SetName", thread=thread, name="still followed")
    feed.until_event("name_changed", name="still followed")
    expect_kept(peer)

