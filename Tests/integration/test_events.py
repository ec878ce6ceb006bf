"""rules.md E and U6, durability.md D1 to D5 and its event properties: what subscribers see, across reconnects and kill -9.

The Follower of the harness asserts on every stream of every test that sequences come as after + 1, after + 2, …
"""

import socket

import pytest

from agents import state_name
from harness.connection import Follower
from harness.messages import event_bytes, event_pb2, frame_pb2, item_text, thread_pb2, turn_status, version_name
from harness.server import Server
from harness.wire import CREDIT, ERROR, EVENT, HEADER, REPLAYED, Frame, HeddleError

EVENTS, DELTAS, STATUS = (thread_pb2.SubscriptionKind.Value(f"SUBSCRIPTION_KIND_{name}")
                          for name in ("EVENTS", "DELTAS", "STATUS"))
# Pieces are still to come when the first ones were seen, also on a machine that stands still now and then.
SLOW, ENDLESS = "!chunks 4\n!delay 1500\n", "!chunks 100\n!delay 300\n"


def live(message) -> bool:
    return message.WhichOneof("kind") == "live"


def test_u6_one_turn_in_the_order_that_is_promised(connection):
    """U6 active → turn started → items → usage → turn terminal → idle; T4 the terminal event comes before idle."""
    thread, follower = connection.start_followed()
    turn = follower.run("hello", thread=thread.id)
    follower.until(lambda message: message.status.status.state == 2)
    states = [message.status.status.state for message in follower.messages if message.WhichOneof("kind") == "status"]
    assert states == [3, 2], "active once, idle once"
    kinds = [message.event.WhichOneof("kind") or message.WhichOneof("kind") for message in follower.messages]
    order = [kinds.index("status"), kinds.index("turn_started"), kinds.index("item_completed"),
             kinds.index("usage_reported"), kinds.index("turn_ended"), len(kinds) - 1 - kinds[::-1].index("status")]
    assert order == sorted(order), kinds
    assert max(index for index, kind in enumerate(kinds) if kind.startswith("item_")) < kinds.index("usage_reported")
    assert {event.turn for event in follower.events if event.WhichOneof("kind").startswith("item_")} == {turn}


def test_u5_a_completed_turn_says_what_it_used(connection):
    """U5 one terminal event: completed, with token usage."""
    thread, follower = connection.start_followed()
    follower.run("hello", thread=thread.id)
    assert len(follower.of_kind("turn_ended")) == 1
    ended = follower.events[-1].turn_ended
    assert turn_status(ended.status) == "COMPLETED" and not ended.HasField("error")
    assert ended.usage.input_tokens > 0 and ended.usage.output_tokens > 0


def test_the_answer_of_the_model_is_streamed_and_stored(connection):
    """Deltas of one item carry offsets without a hole, and together they are the final item."""
    thread, follower = connection.start_followed()
    follower.run("!chunks 8\nhello world", thread=thread.id)
    final = [event.item_completed.item for event in follower.of_kind("item_completed")
             if event.item_completed.item.message.role == 4]
    assert [item_text(item) for item in final] == ["You said: hello world"]
    assert assembled(follower, final[0].id) == "You said: hello world"


def assembled(follower, item: bytes) -> str:
    """Snapshot and deltas of an item put together; an offset must be what is there already (Deltas)."""
    text = b""
    for message in follower.messages:
        if message.snapshot.item == item:
            text = message.snapshot.text.encode()
        elif message.delta.item == item:
            assert message.delta.offset == len(text), f"hole or overlap at {message.delta.offset}, have {len(text)}"
            text += message.delta.text.encode()
    return text.decode()


@pytest.mark.parametrize("after", [0, 1, 3])
def test_e1_the_first_event_after_n_is_n_plus_1(connection, after):
    """E1, Resumable: first what is stored after n, then the Live mark, then what happens; no gap, no duplicate."""
    thread, _ = connection.start_followed()
    for name in ("a", "b", "c", "d"):
        connection.call("Thread.SetName", thread=thread.id, name=name)
    connection.call("Thread.Unsubscribe", thread=thread.id)
    head = thread.sequence + 4
    follower = connection.follow(thread.id, after)
    assert (follower.subscribed.head, follower.subscribed.oldest, follower.subscribed.epoch) == (head, 1, thread.epoch)
    mark = follower.until(live)
    assert mark.live.sequence == follower.last == head
    sequence = connection.call("Thread.SetName", thread=thread.id, name="e").sequence
    assert follower.until_event("name_changed", name="e").sequence == sequence == head + 1


def test_e1_without_a_cursor_only_what_happens_from_now_on(connection):
    """E1: `after` absent."""
    thread = connection.new_thread()
    before = connection.call("Thread.SetName", thread=thread.id, name="before").sequence
    stream = connection.open("Thread.Subscribe", thread=thread.id)
    assert connection.answer(stream, "Thread.Subscribe").subscribed.head == before
    after = connection.call("Thread.SetName", thread=thread.id, name="after").sequence
    follower = Follower(connection, stream, before)
    assert follower.until_event("name_changed", name="after").sequence == after == before + 1


def test_own_writes_an_acknowledged_sequence_is_an_event_that_comes(connection):
    """Own writes: a subscriber's own acknowledgement says `sequence`; the event with it comes too, in order."""
    thread, follower = connection.start_followed()
    acknowledged = [connection.call("Thread.SetName", thread=thread.id, name=f"{n}").sequence for n in range(20)]
    follower.until_event("name_changed", name="19")
    assert acknowledged == [event.sequence for event in follower.of_kind("name_changed")]


def test_e1_no_gap_and_no_doubling_across_reconnect_and_kill_9(fresh):
    """E1, Agreement, Durable: a client that comes back after each event it saw, through a kill -9, reads one history,
    and every byte it saw before is what a reader sees at the end (D2)."""
    with fresh.connect() as connection:
        thread, follower = connection.start_followed()
        follower.run("first", thread=thread.id)
        connection.start_turn(thread.id, ENDLESS + "x" * 100)
        follower.until_text()
        seen = list(follower.events)
    with fresh.connect() as connection:
        follower = connection.follow(thread.id, seen[-1].sequence)
        follower.until_text()
        seen += follower.events
    fresh.restart()
    with fresh.connect() as connection:
        follower = connection.follow(thread.id, seen[-1].sequence, epoch=thread.epoch)
        follower.until(live)
        seen += follower.events
    with fresh.connect() as connection:
        stored = connection.history(thread.id)
    assert [event.sequence for event in stored] == list(range(1, len(stored) + 1))
    first_seen = seen[0].sequence
    assert event_bytes(stored[first_seen - 1:]) == event_bytes(seen)


def test_d1_what_was_acknowledged_is_there_after_kill_9(fresh):
    """D1, D5 acknowledged means synced: kill -9 right behind the last acknowledgement."""
    with fresh.connect() as connection:
        threads = [connection.new_thread(name=f"thread {n}").id for n in range(5)]
        acknowledged = {}
        for round_number in range(10):
            for thread in threads:
                answer = connection.call("Thread.SetName", thread=thread, name=f"round {round_number}")
                acknowledged[thread, answer.sequence] = f"round {round_number}"
    fresh.restart()
    with fresh.connect() as connection:
        stored = {(thread, event.sequence): event.name_changed.name
                  for thread in threads for event in connection.history(thread)}
    assert {place: stored.get(place) for place in acknowledged} == acknowledged


def test_m7_a_late_joiner_gets_one_snapshot_and_then_deltas(server, connection):
    """M7★ resume while running → snapshot + live; text equals the final item, K."""
    thread, first = connection.start_followed()
    turn = connection.start_turn(thread.id, SLOW + "the quick brown fox jumps over the lazy dog").turn
    first.until_text()
    with server.connect() as late:
        resumed, follower = late.resume_followed(thread.id)
        assert resumed.running_turn == turn and resumed.status.state == 3
        follower.until_ended(turn)
        item = [event.item_completed.item for event in follower.of_kind("item_completed")][-1]
        assert item_text(item).endswith("over the lazy dog")
        assert assembled(follower, item.id) == item_text(item)
        assert sum(message.WhichOneof("kind") == "snapshot" for message in follower.messages) <= 1


def test_e1_m19_a_fork_has_an_epoch_of_its_own(fresh):
    """E1, M19★, protocol.md "an epoch is made with the thread": a cursor of a thread is none of its fork's, although
    both begin with the same events: the one's epoch is refused by the other with epoch_mismatch, after kill -9 too."""
    with fresh.connect() as connection:
        source, follower = connection.start_followed()
        follower.run("shared", thread=source.id)
        fork = connection.call("Thread.Fork", thread=source.id, subscribe=False).thread
        again = connection.call("Thread.Fork", thread=source.id, subscribe=False).thread
    threads = [source, fork, again]
    assert len({thread.epoch for thread in threads}) == 3 and all(thread.epoch for thread in threads)
    for _ in range(2):
        with fresh.connect() as connection:
            for thread in threads:
                assert connection.call("Thread.Read", thread=thread.id).thread.epoch == thread.epoch
                for other in threads:
                    if other is thread:
                        continue
                    for after in (0, 2):
                        error = connection.refusal("Thread.Subscribe", thread=thread.id, after=after, epoch=other.epoch)
                        assert (error.code, error.reason) == ("FAILED_PRECONDITION", "epoch_mismatch")
                own = connection.follow(thread.id, 2, epoch=thread.epoch)
                assert own.subscribed.epoch == thread.epoch
                own.until(live)
        fresh.restart()


def test_kinds_choose_what_comes(connection):
    """event.proto, SubscriptionKind: only numbered events, on a turn that streams text and changes status."""
    thread = connection.new_thread()
    follower = connection.follow(thread.id, 0, kinds=[EVENTS])
    follower.run("!chunks 5\nhello", thread=thread.id)
    assert {message.WhichOneof("kind") for message in follower.messages} <= {"event", "live", "progress"}


def test_credit_holds_events_back_and_lets_them_go(connection):
    """protocol.md CREDIT: a subscription sends no more bytes than were allowed, and continues where it stopped."""
    thread = connection.new_thread()
    for n in range(50):
        connection.call("Thread.SetName", thread=thread.id, name=f"name {n:04}")
    follower = connection.follow(thread.id, 0, credit=300)
    connection.call("Server.Status")
    waiting = sum(len(frame.payload) for frame in connection.inbox if frame.kind == EVENT)
    assert waiting < 1_000, f"{waiting} bytes came on a credit of 300"
    connection.send_message(CREDIT, frame_pb2.Credit(bytes=1 << 20), stream=follower.stream)
    follower.until(live)
    assert follower.last == thread.sequence + 50


def test_credit_that_comes_in_small_pieces_adds_up(connection):
    """protocol.md CREDIT: bytes beyond those allowed so far: fifty times a little is enough where once is not."""
    thread = connection.new_thread()
    for n in range(50):
        connection.call("Thread.SetName", thread=thread.id, name=f"name {n:04}")
    follower = connection.follow(thread.id, 0, credit=1)
    # All of them at once: none is spent before the next one comes.
    credit = Frame(CREDIT, stream=follower.stream, payload=frame_pb2.Credit(bytes=1_000).SerializeToString())
    connection.send(credit.encode() * 50)
    follower.until(live)
    assert follower.last == thread.sequence + 50
    assert 1_000 < sum(HEADER.size + message.ByteSize() for message in follower.messages) < 50_000


def waiting_bytes(connection, follower) -> list[int]:
    """The size of each message of a subscription that has come and was not asked for yet."""
    return [HEADER.size + len(frame.payload) for frame in connection.inbox if frame.stream == follower.stream]


@pytest.mark.parametrize("kind", [DELTAS, STATUS], ids=["text", "statuses"])
def test_credit_bounds_what_has_no_number(server, connection, kind):
    """protocol.md CREDIT: streamed text and statuses are counted like events: once a message has used up what was
    allowed, none comes until there is more."""
    with server.connect() as working:
        thread, whole = working.start_followed()
        follower = connection.follow(thread.id, 0, kinds=[kind], credit=500)
        follower.until(live)
        for _ in range(10):
            whole.run("!chunks 10\n" + "x" * 500, thread=thread.id)
        connection.call("Server.Status")
        sizes = waiting_bytes(connection, follower)
        assert sizes and sum(sizes[:-1]) < 500, f"on a credit of 500 came {sizes}"
        connection.inbox.clear()
        connection.send_message(CREDIT, frame_pb2.Credit(bytes=1 << 20), stream=follower.stream)
        for _ in range(100):  # it is live again at some time, without a notice
            whole.run("!chunks 10\n" + "x" * 500, thread=thread.id)
            connection.call("Server.Status")
            if waiting_bytes(connection, follower):
                return
        raise AssertionError("nothing comes although there is credit")


def test_who_was_slow_is_told_what_the_thread_does_now(server, connection):
    """protocol.md, A slow reader loses nothing: a status that did not fit is not kept; when there is room again the last
    one is told, once, and not if it was told before."""
    thread, whole = connection.start_followed()
    room = HEADER.size + event_pb2.SubscriptionEvent(live=event_pb2.Live(sequence=whole.last)).ByteSize() + 1
    with server.connect() as slow:
        follower = slow.follow(thread.id, whole.last, kinds=[STATUS], credit=room)
        assert live(follower.next())

        def until_it_is(state: str):
            whole.until(lambda message: message.HasField("status") and state_name(message.status.status) == state)

        turn = connection.start_turn(thread.id, "!stall").turn
        active = follower.next()
        assert state_name(active.status.status) == "ACTIVE"
        connection.call("Turn.Interrupt", thread=thread.id, turn=turn)
        until_it_is("IDLE")
        slow.call("Server.Status")
        assert not waiting_bytes(slow, follower)
        slow.send_message(CREDIT, frame_pb2.Credit(bytes=HEADER.size + active.ByteSize()), stream=follower.stream)
        assert state_name(follower.next().status.status) == "IDLE"
        turn = connection.start_turn(thread.id, "!stall").turn
        connection.call("Turn.Interrupt", thread=thread.id, turn=turn)
        until_it_is("IDLE")
        # The last status that the client got is still true.
        slow.send_message(CREDIT, frame_pb2.Credit(bytes=1 << 20), stream=follower.stream)
        for _ in range(100):  # it is live again at some time, without a notice
            whole.run("hello", thread=thread.id)
            until_it_is("IDLE")
            slow.call("Server.Status")
            if waiting_bytes(slow, follower):
                break
        assert state_name(follower.next().status.status) == "ACTIVE"


def test_credit_is_spent_by_a_snapshot(server, connection):
    """protocol.md CREDIT: the text so far of an item that streams counts too: who had credit for less gets no more."""
    thread, first = connection.start_followed()
    turn = connection.start_turn(thread.id, SLOW + "x" * 4_000).turn
    first.until_text()
    with server.connect() as late:
        follower = late.follow(thread.id, 0, kinds=[DELTAS], credit=500)
        assert live(follower.next())
        first.until_ended(turn)
        late.call("Server.Status")
        frames = [frame for frame in late.inbox if frame.stream == follower.stream]
        # On a machine that stands still the item may have been whole before.
        assert [event_pb2.SubscriptionEvent.FromString(frame.body).WhichOneof("kind") for frame in frames] in (
            ["snapshot"], [])


def test_e3_a_subscriber_that_does_not_read_holds_up_nobody(server):
    """E3 the thread and its other subscribers go on; what is numbered waits in the log, complete and in order; streamed
    text is merged, so the slow one gets fewer pieces than the quick one, and none that does not fit."""
    with server.connect(timeout=60) as slow, server.connect(timeout=60) as quick:
        thread = quick.new_thread()
        late, follower = slow.follow(thread.id, 0), quick.follow(thread.id, 0)
        late.until(live)
        for _ in range(16):  # more than the buffers of both sockets hold
            follower.run("!flood 1000000\n!chunks 500", thread=thread.id, timeout=60)
        last = follower.last
        late.until(lambda message: message.event.sequence == last, timeout=60)
        assert [event.SerializeToString() for event in late.events] == [
            event.SerializeToString() for event in follower.events]
        for event in late.of_kind("item_completed"):
            item = event.item_completed.item
            assert item_text(item).startswith(assembled(late, item.id))

        def pieces(of) -> int:
            return sum(message.WhichOneof("kind") == "delta" for message in of.messages)

        assert pieces(late) < pieces(follower)


def test_e3_t1_the_stream_of_a_start_says_neither_subscribed_nor_live(tmp_path):
    """E3, T1, protocol.md "There is no `subscribed` and no `live`": on the stream of Start, also when its reader was
    slow, has had events from the log, and is live again."""
    little = {"HEDDLE_LIMITS_OUTGOING_BYTES": "65536"}
    with Server(tmp_path / "data", environment=little) as server, server.connect(timeout=60) as quick, \
            server.connect(timeout=60, unwanted_notifications=["thread_started"]) as slow:
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        thread, late = slow.start_followed()
        follower, kinds, replayed = quick.follow(thread.id), set(), []

        def read_up_to(sequence: int):
            while True:
                frame = slow.wait_for(lambda frame: frame.stream == late.stream)
                message = event_pb2.SubscriptionEvent.FromString(frame.body)
                kinds.add(message.WhichOneof("kind"))
                if message.WhichOneof("kind") == "event":
                    replayed.append(bool(frame.flags & REPLAYED))
                    if message.event.sequence == sequence:
                        return

        for _ in range(8):  # more than the buffers of both sockets hold
            follower.run("!flood 1000000", thread=thread.id, timeout=60)
        read_up_to(follower.last)
        assert True in replayed, "it was not slow"
        for number in range(1_000):
            if not replayed[-1]:
                break
            read_up_to(quick.call("Thread.SetName", thread=thread.id, name=f"name {number}").sequence)
        assert not replayed[-1], "it is not live again"
        assert not kinds & {"subscribed", "live"}, kinds


def test_t1_every_connection_of_the_tenant_hears_of_a_new_thread(server):
    """T1 ThreadStarted goes to every connection of the same tenant, unless it does not want it."""
    with server.connect() as listening, server.connect(unwanted_notifications=["thread_started"]) as deaf, \
            server.connect() as starting:
        thread = starting.new_thread()
        fork = starting.call("Thread.Fork", thread=thread.id, subscribe=False).thread
        heard = [event_pb2.SubscriptionEvent.FromString(listening.wait_for(
            lambda frame: (frame.kind, frame.stream) == (EVENT, 0)).body).thread_started for _ in range(2)]
        assert [notice.thread for notice in heard] == [thread.id, fork.id]
        assert heard[1].lineage.forked_from == thread.id
        deaf.call("Server.Status")
        assert not deaf.inbox


def test_lifecycle_notices_of_all_threads(server, connection):
    """protocol.md: a subscription without a thread follows the tenant's lifecycle notifications."""
    with server.connect(unwanted_notifications=["thread_started"]) as listening:
        stream = listening.open("Thread.Subscribe")
        listening.terminal(stream)
        thread = connection.new_thread().id
        connection.call("Thread.SetName", thread=thread, name="named")
        connection.call("Thread.Archive", thread=thread)
        connection.call("Thread.Unarchive", thread=thread)
        connection.call("Thread.Delete", thread=thread)
        kinds = []
        while "thread_deleted" not in kinds:
            frame = listening.wait_for(lambda frame: frame.stream == stream)
            message = event_pb2.SubscriptionEvent.FromString(frame.body)
            if getattr(getattr(message, message.WhichOneof("kind")), "thread", None) == thread:
                kinds.append(message.WhichOneof("kind"))
    assert kinds == ["thread_started", "thread_name", "thread_archive", "thread_archive", "thread_deleted"]


def test_v7_the_version_is_pinned_before_the_first_item_of_the_model(connection):
    """V7 one VersionPinned event, durable before the turn's first model request."""
    thread, follower = connection.start_followed()
    follower.run("one", thread=thread.id)
    follower.run("two", thread=thread.id)
    pins = follower.of_kind("version_pinned")
    assert len(pins) == 1 and version_name(pins[0].version_pinned.version) == "V1"
    said = [event.sequence for event in follower.of_kind("item_completed")
            if event.item_completed.item.message.role == 4]
    assert pins[0].sequence < said[0]


def test_lifecycle_notices_say_what_is_true(server, connection):
    """protocol.md, thread_name and thread_archive: the name, and whether the thread is archived now."""
    with server.connect(unwanted_notifications=["thread_started"]) as listening:
        stream = listening.open("Thread.Subscribe")
        listening.terminal(stream)
        thread = connection.new_thread().id
        connection.call("Thread.SetName", thread=thread, name="named")
        for method in ("Archive", "Unarchive", "Delete"):
            connection.call(f"Thread.{method}", thread=thread)
        said = []
        while "deleted" not in said:
            frame = listening.wait_for(lambda frame: frame.stream == stream)
            message = event_pb2.SubscriptionEvent.FromString(frame.body)
            if message.thread_name.thread == thread:
                said.append(message.thread_name.name)
            if message.thread_archive.thread == thread:
                said.append(message.thread_archive.archived)
            if message.thread_deleted.thread == thread:
                said.append("deleted")
    assert said == ["named", True, False, "deleted"]


def test_t4_who_follows_all_threads_hears_what_each_does(tmp_path):
    """T4, protocol.md, notices: a thread is active, idle again, and not loaded when nobody has used it for its time; a
    follower of all threads is told, without following this one."""
    quick = {"HEDDLE_LIMITS_UNLOAD_MILLISECONDS": "300"}
    with Server(tmp_path / "data", environment=quick) as server, server.connect() as listening, \
            server.connect() as connection:
        stream = listening.open("Thread.Subscribe")
        listening.terminal(stream)
        thread = connection.new_thread().id
        connection.start_turn(thread, "hello")
        states = []
        while states[-2:] != [2, 1]:
            frame = listening.wait_for(lambda frame: frame.stream == stream)
            message = event_pb2.SubscriptionEvent.FromString(frame.body)
            if message.status.thread == thread:
                states.append(message.status.status.state)
        # On a machine that stands still it may have been unloaded before its turn, too.
        assert states[-3:] == [3, 2, 1], states


def test_streamed_text_alone(connection):
    """SubscriptionKind DELTAS: pieces of text that are all of it, and neither events nor statuses."""
    thread = connection.new_thread()
    follower = connection.follow(thread.id, 0, kinds=[DELTAS])
    follower.until(live)
    for text in ("!chunks 5\nthe first", "!chunks 5\nthe second"):
        connection.start_turn(thread.id, text)
        said = "You said: " + text.rpartition("\n")[2]
        follower.until(lambda message, said=said: assembled(follower, message.delta.item) == said)
    # Further messages of the first turn would come before the second one's text.
    kinds = {message.WhichOneof("kind") for message in follower.messages}
    assert "delta" in kinds and kinds <= {"delta", "snapshot", "live", "progress"}


def test_statuses_alone(connection):
    """SubscriptionKind STATUS: active and idle, and neither events nor text."""
    thread = connection.new_thread()
    follower = connection.follow(thread.id, 0, kinds=[STATUS])
    follower.until(live)
    for _ in range(2):
        connection.start_turn(thread.id, "!chunks 5\nhello")
        follower.until(lambda message: message.status.status.state == 3)
        follower.until(lambda message: message.status.status.state == 2)
    assert {message.WhichOneof("kind") for message in follower.messages} <= {"status", "live", "progress"}


def test_who_wants_no_text_gets_no_snapshot_either(server, connection):
    """SubscriptionKind EVENTS: who joins while an item streams is not told its text so far."""
    thread, first = connection.start_followed()
    turn = connection.start_turn(thread.id, "!chunks 4\n!delay 500\nthe quick brown fox jumps over the lazy dog").turn
    first.until_text()
    with server.connect() as late:
        follower = late.follow(thread.id, 0, kinds=[EVENTS, STATUS])
        follower.until(live)
        follower.until_ended(turn)
        kinds = {message.WhichOneof("kind") for message in follower.messages}
        assert kinds <= {"event", "status", "live", "progress"}, kinds


def test_an_event_says_whether_it_was_read_from_the_log(connection):
    """frame.proto, flag 0x80: on stored events in front of the Live mark, and not on what happens."""
    thread = connection.new_thread()
    connection.call("Thread.SetName", thread=thread.id, name="stored")
    stream = connection.open("Thread.Subscribe", thread=thread.id, after=0)
    connection.answer(stream, "Thread.Subscribe")

    def next_event() -> tuple[str, bool]:
        frame = connection.wait_for(lambda frame: (frame.stream, frame.kind) == (stream, EVENT))
        return event_pb2.SubscriptionEvent.FromString(frame.body).WhichOneof("kind"), bool(frame.flags & REPLAYED)

    assert [next_event() for _ in range(3)] == [("event", True), ("event", True), ("live", False)]
    connection.call("Thread.SetName", thread=thread.id, name="new")
    assert next_event() == ("event", False)


def test_lifecycle_notices_end_when_they_are_told_to(server, connection):
    """protocol.md: one subscription to all threads; Unsubscribe of a thread leaves it alone, Unsubscribe without one ends
    it with `cancelled`, and then new threads are told on stream 0 again, which they were not meanwhile."""
    def told(listening, stream: int) -> bytes:
        frame = listening.wait_for(lambda frame: (frame.kind, frame.stream) == (EVENT, stream))
        return event_pb2.SubscriptionEvent.FromString(frame.body).thread_started.thread

    with server.connect() as listening:
        stream = listening.open("Thread.Subscribe")
        listening.terminal(stream)
        error = listening.refusal("Thread.Subscribe")
        assert (error.code, error.reason) == ("ALREADY_EXISTS", "subscribed")
        assert listening.call("Thread.Unsubscribe", thread=b"0123456789abcdef").was_subscribed is False
        thread = connection.new_thread().id
        assert told(listening, stream) == thread
        assert not [frame for frame in listening.inbox if frame.stream == 0], "told twice"
        assert listening.call("Thread.Unsubscribe").was_subscribed is True
        end = listening.wait_for(lambda frame: (frame.stream, frame.kind) == (stream, ERROR))
        assert HeddleError(frame_pb2.Error.FromString(end.body)).reason == "cancelled"
        thread = connection.new_thread().id
        assert told(listening, 0) == thread
        assert not [frame for frame in listening.inbox if frame.stream == stream], "told behind the end"
