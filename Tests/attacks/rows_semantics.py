"""docs/attacks.md, Semantics: M1 to M25."""

import json
import os
import random
import statistics
import threading
import time

import provider
from attack import Attack, history
from harness.connection import Connection, Follower
from harness.ends import is_refusal, refused_and_kept
from harness.messages import ON_A_THREAD, fields_for, item_text, turn_pb2, turn_status, words
from rows import OWN
from rows import TOKENS as WITH_TOKENS
from rows import row
from world import CANARY, TOKENS

UNKNOWN = b"0123456789abcdef"
INVALID, PRECONDITION = "INVALID_ARGUMENT", "FAILED_PRECONDITION"
REFUSE = turn_pb2.WHEN_BUSY_REFUSE


@row("M1★")
def m1(attack: Attack):
    """unknown thread, in every method → NOT_FOUND thread, K"""
    peer = attack.connect()
    for name in ON_A_THREAD:
        if name == "Thread.Unsubscribe":  # S12: it asks for nothing that would have to be there
            continue
        refused_and_kept(peer, name, None, "NOT_FOUND", "thread", **fields_for(name, UNKNOWN))


@row("M2★", on=OWN)
def m2(attack: Attack):
    """another tenant's thread, in every method → byte-identical to M1; medians of timings alike"""
    server = attack.start(tokens=True, HEDDLE_LIMITS_REQUESTS_PER_SECOND=0, HEDDLE_LIMITS_GLITCHES=1_000_000)
    alice, bob = attack.connect("alice"), attack.connect("bob")
    loaded, _ = attack.follow_new(alice)
    quiet = attack.thread(alice)
    for thread in (loaded, quiet):
        before = alice.call("Thread.Read", thread=thread).thread
        for name in ON_A_THREAD:
            foreign, unknown = bob.told(name, thread), bob.told(name, UNKNOWN)
            assert foreign == unknown, f"{name}: {foreign!r} is not {unknown!r}"
        assert alice.call("Thread.Read", thread=thread).thread == before
    names = [name for name in ON_A_THREAD if name != "Thread.Unsubscribe"]
    if not attack.full:
        names = ["Thread.Read", "Thread.SetName", "Thread.Subscribe", "Turn.Start", "Turn.Interrupt", "Agent.ListTree"]
    count, bound = attack.size((300, 1.35), (10_000, 1.05))
    worst = max(ratio(attack, bob, name, loaded, count, bound) for name in names)
    attack.note(f"{len(names)} methods, ratio of the medians at most {worst:.3f}")
    assert server.alive


def ratio(attack: Attack, peer: Connection, name: str, foreign: bytes, count: int, bound: float) -> float:
    """The medians of both kinds, asked in random order so that a busy moment meets both; a ratio beyond the bound must
    show itself three times, so that a neighbour's burst is not taken for a leak."""
    for attempt in range(3):
        times: dict[bool, list[float]] = {True: [], False: []}
        order = [True, False] * count
        random.shuffle(order)
        for is_foreign in order:
            # An id that does not exist, a new one each time; as old, and on the same event loop, which its last
            # two bytes choose: a hop between loops would say nothing about existence.
            unknown = foreign[:8] + os.urandom(6) + foreign[14:]
            frame = peer.request_frame(name, **fields_for(name, foreign if is_foreign else unknown))
            begin = time.perf_counter()
            peer.raw_answer(frame)
            times[is_foreign].append(time.perf_counter() - begin)
            peer.asked.clear()
        a, b = (statistics.median(times[kind]) for kind in (True, False))
        found = max(a, b) / min(a, b)
        if found <= bound:
            return found
    raise AssertionError(f"{name}: foreign {a * 1e6:.0f} µs, unknown {b * 1e6:.0f} µs, ratio {found:.2f} > {bound}")


@row("M3★")
def m3(attack: Attack):
    """turn on an archived thread → archived, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    peer.call("Thread.Archive", thread=thread)
    before = peer.call("Thread.Read", thread=thread).thread.sequence
    for fields in ({}, {"when_busy": REFUSE}, {"key": b"archived-16bytes"}):
        refused_and_kept(peer, "Turn.Start", None, PRECONDITION, "archived", thread=thread, input=words("x"), **fields)
    assert peer.call("Thread.Read", thread=thread).thread.sequence == before


@row("M4★")
def m4(attack: Attack):
    """two turn/start at once (20 races, 1,000 by hand; 2 to 16 clients) → one OK, others turn_in_progress{turn}"""
    peers = [attack.connect(timeout=60) for _ in range(16)]
    for number in range(attack.size(20, 1_000)):
        thread, feed = attack.follow_new(peers[0])
        racing = peers[:2 + number % 15]

        def begin(peer: Connection, thread=thread):
            # It runs until the last of them has asked, however slow the machine is.
            return peer.call("Turn.Start", thread=thread, input=words("!stall", CANARY), when_busy=REFUSE)
        results = attack.race([lambda peer=peer: begin(peer) for peer in racing])
        won = [result for result in results if not isinstance(result, Exception)]
        assert len(won) == 1, results
        for refused in results:
            if refused is not won[0]:
                is_refusal(refused, PRECONDITION, "turn_in_progress")
                assert refused.details["turn"].replace("-", "") == won[0].turn.hex(), refused.details
        peers[0].call("Turn.Interrupt", thread=thread, turn=won[0].turn)
        feed.until_ended(won[0].turn)
        assert len(feed.of_kind("turn_started")) == 1 and not feed.of_kind("turn_queued")
        peers[0].call("Thread.Unsubscribe", thread=thread)
        peers[0].inbox.clear()


@row("M5★")
def m5(attack: Attack):
    """M4 with one shared key → all get the same turn id"""
    peers = [attack.connect(timeout=60) for _ in range(16)]
    for number in range(attack.size(20, 1_000)):
        thread, feed = attack.follow_new(peers[0])
        key = b"shared-key" + number.to_bytes(6, "big")

        def begin(peer: Connection, thread=thread, key=key):
            return peer.call("Turn.Start", thread=thread, input=words("one and the same"), key=key)
        results = attack.race([lambda peer=peer: begin(peer) for peer in peers[:2 + number % 15]])
        assert all(not isinstance(result, Exception) for result in results), results
        assert len({result.turn for result in results}) == 1, results
        assert sum(not result.replayed for result in results) == 1, "more than one was the first"
        feed.until_completed(results[0].turn)
        assert len(feed.of_kind("turn_started")) == 1
        peers[0].call("Thread.Unsubscribe", thread=thread)
        peers[0].inbox.clear()


@row("M6★")
def m6(attack: Attack):
    """key reused with another body, method or thread → idempotency_mismatch, K"""
    peer = attack.connect()
    thread, other, key = attack.thread(peer), attack.thread(peer), os.urandom(16)
    first = peer.call("Thread.SetName", thread=thread, name="first", key=key)
    for name, fields in (("Thread.SetName", {"thread": thread, "name": "second"}),
                         ("Thread.SetName", {"thread": other, "name": "first"}),
                         ("Thread.Archive", {"thread": thread}),
                         ("Turn.Start", {"thread": thread, "input": words("first")}),
                         ("Thread.Start", {"name": "first"})):
        refused_and_kept(peer, name, None, "ALREADY_EXISTS", "idempotency_mismatch", key=key, **fields)
    again = peer.call("Thread.SetName", thread=thread, name="first", key=key)
    assert again.replayed and again.sequence == first.sequence
    assert peer.call("Thread.Read", thread=thread).thread.name == "first"


class Text:
    """The text of an item as a late joiner puts it together: a snapshot, then deltas from its end."""

    def __init__(self):
        self.bytes = b""

    def take(self, message):
        kind = message.WhichOneof("kind")
        if kind == "snapshot":
            self.bytes = message.snapshot.text.encode()
        elif kind == "delta":
            assert message.delta.offset == len(self.bytes), f"offset {message.delta.offset}, have {len(self.bytes)}"
            self.bytes += message.delta.text.encode()


@row("M7★")
def m7(attack: Attack):
    """resume while running → snapshot + live; text equals the final item"""
    peer, said = attack.connect(), " ".join(f"wörd{number}" for number in range(120))
    thread, feed = attack.follow_new(peer)
    turn = attack.turn(peer, thread, f"!say {said}", "!chunks 120", "!delay 40")
    feed.until_kind("delta", "snapshot")

    def join(after_seconds: float):
        time.sleep(after_seconds)  # each joins at another moment
        late, text = attack.connect(timeout=60), Text()
        stream = late.open("Thread.Resume", thread=thread)
        other = Follower(late, stream, late.answer(stream, "Thread.Resume").thread.sequence)

        def seen(message):
            text.take(message)
            return message.event.WhichOneof("kind") == "item_completed"
        whole = item_text(other.until(seen).event.item_completed.item)
        assert text.bytes.decode() == whole == said, f"{len(text.bytes)} bytes of {len(said.encode())}"
        other.until_ended(turn)
    for result in attack.race([lambda after=number * 0.05: join(after) for number in range(attack.size(8, 16))]):
        if isinstance(result, Exception):
            raise result
    feed.until_completed(turn)


# Milliseconds between the pieces of a turn that is disturbed in its middle: if a machine pauses for so long that the
# turn ends first, the test tries again with a slower turn.
PAUSES = (15, 100, 500)


@row("M8★")
def m8(attack: Attack):
    """fork of a running turn → it ends at the last durable event with `interrupted`; the source does not notice"""
    peer, other = attack.connect(), attack.connect()
    for milliseconds in PAUSES:
        thread, feed = attack.follow_new(peer)
        turn = attack.turn(peer, thread, "!repeat 40", "!say words of a long answer", "!chunks 60",
                           f"!delay {milliseconds}")
        feed.until_kind("delta", "snapshot")
        forks = [other.call("Thread.Fork", thread=thread, subscribe=False).thread for _ in range(3)]
        was_running = other.call("Thread.Read", thread=thread).thread.running_turn == turn
        feed.until_completed(turn)
        if was_running:
            break
    assert was_running, "the turn was over before it was forked"
    for fork in forks:
        events = history(attack, fork.id)
        ends = [event.turn_ended for event in events if event.WhichOneof("kind") == "turn_ended"]
        assert [turn_status(end.status) for end in ends] == ["INTERRUPTED"], ends
        assert fork.lineage.forked_from == thread
        turns = other.call("Thread.ListTurns", thread=fork.id).turns
        assert [turn_status(one.status) for one in turns] == ["INTERRUPTED"]


@row("M9★")
def m9(attack: Attack):
    """settings update mid-turn → event now, effect from the next turn; the running turn keeps what it started with"""
    peer, other = attack.connect(), attack.connect()
    for milliseconds in PAUSES:
        thread, feed = attack.follow_new(peer, settings={"reasoning_effort": "low"})
        turn = attack.turn(peer, thread, "!chunks 20", f"!delay {milliseconds}",
                           "!say words that take their time to come")
        feed.until_event("turn_started", turn=turn)
        revision = other.call("Settings.Update", thread=thread, change={"reasoning_effort": "high"}).revision
        updated = feed.until_event("settings_updated").settings_updated
        assert (updated.revision, updated.settings.reasoning_effort) == (revision, "high")
        if was_running := not feed.of_kind("turn_ended"):
            feed.until_completed(turn)
            break
    assert was_running, "the event waited for the turn"
    feed.until_completed(attack.turn(peer, thread, "next"))
    contexts = [event.turn_started.context for event in feed.of_kind("turn_started")]
    assert [context.settings.reasoning_effort for context in contexts] == ["low", "high"]
    assert contexts[1].revision == revision > contexts[0].revision


@row("M10★")
def m10(attack: Attack):
    """unknown model, by start, update and turn → unknown_model; nothing appended, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    before = peer.call("Thread.Read", thread=thread).thread
    threads = len(peer.call("Thread.List", page_size=200, text="unknown model").threads)
    changes = [{"model": model} for model in (
        "gpt-nothing", "../scripted", "scripted ", "SCRIPTED", "'; DROP TABLE threads; --")]
    for change in (*changes, {"model_provider": "no such provider"}):
        for name, fields in (("Thread.Start", {"settings": change, "name": "unknown model"}),
                             ("Settings.Update", {"thread": thread, "change": change}),
                             ("Thread.Fork", {"thread": thread, "settings": change, "name": "unknown model"}),
                             ("Turn.Start", {"thread": thread, "input": words("x"), "settings": change})):
            refused_and_kept(peer, name, None, INVALID, "unknown_model", **fields)
    assert peer.call("Thread.Read", thread=thread).thread == before
    assert len(peer.call("Thread.List", page_size=200, text="unknown model").threads) == threads


@row("M11★")
def m11(attack: Attack):
    """input 1 MiB + 1 → input_too_large{limit}; empty input → empty_input, K"""
    peer = attack.connect(timeout=60)
    thread, feed = attack.follow_new(peer)
    limit = 1 << 20
    for texts in (("x" * (limit + 1),), ("x" * limit, "y"), ("ä" * (limit // 2 + 1),)):
        refused = refused_and_kept(peer, "Turn.Start", None, INVALID, "input_too_large", thread=thread,
                                   input=words(*texts))
        assert refused.details["limit"] == str(limit)
    for given in (words(), words(""), words("", "")):
        refused_and_kept(peer, "Turn.Start", None, INVALID, "empty_input", thread=thread, input=given)
    refused_and_kept(peer, "Turn.Start", None, INVALID, "empty_input", thread=thread)
    assert not peer.call("Thread.ListTurns", thread=thread).turns
    script = "!say fits\n"
    feed.until_completed(peer.call("Turn.Start", thread=thread, input=words(script + "x" * (limit - len(script)))).turn)
    assert item_text(feed.of_kind("item_completed")[-1].item_completed.item) == "fits"
    # Nor is a turn that runs steered by nothing, and nothing is appended.
    thread, feed = attack.follow_new(peer)
    turn = attack.stall(peer, thread)
    feed.until_event("turn_started", turn=turn)
    feed.until_event("item_completed")
    before = peer.call("Thread.Read", thread=thread).thread.sequence
    for given in (words(), words("")):
        refused_and_kept(peer, "Turn.Steer", None, INVALID, "empty_input", thread=thread, turn=turn, input=given)
    refused_and_kept(peer, "Turn.Steer", None, INVALID, "empty_input", thread=thread, turn=turn)
    for fields in ({}, {"input": words()}, {"input": words("")}):
        refused_and_kept(peer, "Turn.Start", None, INVALID, "empty_input", thread=thread, **fields)
    assert peer.call("Thread.Read", thread=thread).thread.sequence == before


@row("M12")
def m12(attack: Attack):
    """interrupt of a finished turn → OK already; of another turn → turn_mismatch, K"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    finished = attack.turn(peer, thread, "done")
    feed.until_completed(finished)
    assert peer.call("Turn.Interrupt", thread=thread, turn=finished).already
    running = attack.stall(peer, thread)
    refused_and_kept(peer, "Turn.Interrupt", None, PRECONDITION, "turn_mismatch", thread=thread, turn=UNKNOWN)
    assert peer.call("Turn.Interrupt", thread=thread, turn=finished).already
    assert peer.call("Thread.Read", thread=thread).thread.running_turn == running
    racing = [attack.connect() for _ in range(8)]
    first = attack.race([lambda one=one: one.call("Turn.Interrupt", thread=thread, turn=running) for one in racing])
    assert all(not isinstance(one, Exception) for one in first), first
    assert sum(not one.already for one in first) == 1, first
    assert turn_status(feed.until_ended(running).status) == "INTERRUPTED"


@row("M13")
def m13(attack: Attack):
    """steer with no turn running → no_turn, K"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    refused_and_kept(peer, "Turn.Steer", None, PRECONDITION, "no_turn", thread=thread, turn=UNKNOWN, input=words("x"))
    turn = attack.turn(peer, thread, "done")
    feed.until_completed(turn)
    refused_and_kept(peer, "Turn.Steer", None, PRECONDITION, "no_turn", thread=thread, turn=turn, input=words("x"))


@row("M14")
def m14(attack: Attack):
    """archive while running → turn_in_progress, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    attack.stall(peer, thread)
    refused_and_kept(peer, "Thread.Archive", None, PRECONDITION, "turn_in_progress", thread=thread)
    refused_and_kept(peer, "Thread.Rollback", None, PRECONDITION, "turn_in_progress", thread=thread, turns=1)
    assert not peer.call("Thread.Read", thread=thread).thread.archived


@row("M15")
def m15(attack: Attack):
    """archive, unarchive, rename twice → OK, no second event"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    for name, fields in (("Thread.SetName", {"name": "the same"}), ("Thread.Archive", {}), ("Thread.Unarchive", {})):
        first = peer.call(name, thread=thread, **fields)
        again = peer.call(name, thread=thread, **fields)
        assert again.sequence == first.sequence, f"{name} appended a second event"
    kinds = [event.WhichOneof("kind") for event in history(attack, thread)]
    assert [kinds.count(kind) for kind in ("name_changed", "thread_archived", "thread_unarchived")] == [1, 1, 1], kinds


@row("M16★", on=OWN)
def m16(attack: Attack):
    """walk 2,000 threads (10⁶ by hand) while others are made and archived → each old one once; p99; RSS flat"""
    server = attack.start()
    count = attack.size(2_000, 1_000_000)
    makers = [attack.connect(timeout=60) for _ in range(4)]
    made = attack.race([lambda peer=peer: make(peer, count // 4) for peer in makers])
    old = [thread for some in made for thread in some]
    stopping, disturbed = threading.Event(), []

    def disturb():
        peer = makers[0]
        while not stopping.wait(0.004):
            thread = peer.call("Thread.Start", subscribe=False).thread.id
            peer.call("Thread.Archive", thread=thread)
            peer.asked.clear()
            disturbed.append(thread)
    disturbing = threading.Thread(target=disturb, daemon=True)
    disturbing.start()
    walking, quiet = attack.connect(timeout=60), server.resident_bytes()
    try:
        for order in (1, 2):
            seen, pages = walk(attack, walking, order)
            assert len(seen) == len(set(seen)), "a thread twice"
            missed = set(old) - set(seen)
            assert not missed, f"{len(missed)} threads missed"
            pages.sort()
            p99 = pages[max(0, int(len(pages) * 0.99) - 1)]
            first = [page(attack, walking, order, "")[1] for _ in range(20)]
            attack.note(f"{len(pages)} pages, p99 {p99 * 1000:.0f} ms, first page {max(first) * 1000:.0f} ms")
            assert p99 < 0.05 and sorted(first)[-2] < 0.05, f"p99 {p99 * 1000:.0f} ms, first {max(first) * 1000:.0f} ms"
    finally:
        stopping.set()
        disturbing.join(60)
    grown = server.resident_bytes() - quiet
    assert grown < 32 << 20, f"memory grew by {grown >> 20} MiB while walking"
    attack.note(f"{len(disturbed)} made and archived meanwhile")


def make(peer: Connection, count: int) -> list[bytes]:
    """Threads, many at a time."""
    made = []
    for begin in range(0, count, 100):
        frames = [peer.request_frame("Thread.Start", name=f"{begin + number}", subscribe=False)
                  for number in range(min(100, count - begin))]
        peer.send(b"".join(frame.encode() for frame in frames))
        made += [peer.answer(frame.stream, "Thread.Start").thread.id for frame in frames]
        peer.asked.clear()
    return made


def page(attack: Attack, peer: Connection, order: int, cursor: str):
    clock = attack.clock()
    answer = peer.call("Thread.List", page_size=25, order=order, cursor=cursor)
    peer.asked.clear()
    return answer, clock.seconds()


def walk(attack: Attack, peer: Connection, order: int) -> tuple[list[bytes], list[float]]:
    seen, times, cursor = [], [], ""
    while True:
        answer, seconds = page(attack, peer, order, cursor)
        seen += [thread.id for thread in answer.threads]
        times.append(seconds)
        cursor = answer.next_cursor
        if not cursor or len(times) > 100_000:
            return seen, times


@row("M17★", on=WITH_TOKENS)
def m17(attack: Attack):
    """cursor changed, of another tenant, of another query → bad_cursor, all three alike, K"""
    alice, bob = attack.connect("alice"), attack.connect("bob")
    for peer in (alice, bob):
        for _ in range(3):
            attack.thread(peer)
    cursor = alice.call("Thread.List", page_size=1).next_cursor
    changed, *others = (cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1:]
                        for at in (len(cursor) - 2, len(cursor) // 2))
    answers = set()

    def bad(peer: Connection, name: str, **fields):
        refused = refused_and_kept(peer, name, None, INVALID, "bad_cursor", page_size=1, **fields)
        answers.add(refused.error.SerializeToString())
    bad(bob, "Thread.List", cursor=cursor)
    thread = attack.thread(alice)
    for value in (changed, *others, cursor[:-1], cursor + "A", "A" * 300, "garbage", "=", "ä", cursor.lower(), "\n" + cursor):
        bad(alice, "Thread.List", cursor=value)
    for query in ({"order": 2}, {"archived": True}, {"text": "x"}, {"model_provider": "scripted"}, {"parent": thread}):
        bad(alice, "Thread.List", cursor=cursor, **query)
    bad(alice, "Thread.ListLoaded", cursor=cursor)
    bad(alice, "Thread.ListTurns", cursor=cursor, thread=thread)
    bad(alice, "Thread.ListItems", cursor=cursor, thread=thread)
    assert len(answers) == 1, answers
    assert alice.call("Thread.List", page_size=200, cursor=cursor).threads


@row("M18")
def m18(attack: Attack):
    """page size 0, −1, 10⁹ → out_of_range, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    for size in (0, -1, 10**9):
        for name in ("Thread.List", "Thread.ListLoaded", "Thread.ListTurns", "Thread.ListItems"):
            fields = {"thread": thread} if name in ("Thread.ListTurns", "Thread.ListItems") else {}
            refused_and_kept(peer, name, None, INVALID, "out_of_range", "page_size", page_size=size, **fields)


@row("M19★")
def m19(attack: Attack):
    """`after` beyond the head → future_seq, wrong epoch → epoch_mismatch, K; oldest is always 1"""
    peer = attack.connect()
    read = peer.call("Thread.Read", thread=attack.thread(peer)).thread
    head, epoch = read.sequence, read.epoch
    for after in (head + 1, head + 1000, (1 << 64) - 1):
        refused = refused_and_kept(peer, "Thread.Subscribe", None, "OUT_OF_RANGE", "future_seq", thread=read.id,
                                   after=after)
        assert refused.details == {"head": str(head)}, refused
    for wrong in (0, 12345, epoch ^ 1, (1 << 64) - 1):
        refused = refused_and_kept(peer, "Thread.Subscribe", None, PRECONDITION, "epoch_mismatch", thread=read.id,
                                   epoch=wrong, after=0)
        assert refused.details == {"epoch": str(epoch)}, refused
    feed = peer.follow(read.id, after=head, epoch=epoch)
    feed.until_kind("live")
    attack.note("nothing is ever taken off the log, so `compacted` cannot come")


@row("M20★")
def m20(attack: Attack):
    """two settings updates from one revision → second revision_mismatch{now}, K"""
    peer = attack.connect()
    for _ in range(attack.size(10, 200)):
        thread = attack.thread(peer)
        revision = peer.call("Settings.Read", thread=thread).revision

        def update(effort: str, thread=thread, revision=revision):
            return attack.connect().call("Settings.Update", thread=thread, expected_revision=revision,
                                         change={"reasoning_effort": effort})
        results = attack.race([lambda effort=effort: update(effort) for effort in ("low", "high", "medium")])
        won = [result for result in results if not isinstance(result, Exception)]
        assert len(won) == 1, results
        for refused in results:
            if refused is not won[0]:
                is_refusal(refused, "ABORTED", "revision_mismatch")
                assert refused.details["now"] == str(won[0].revision)
        now = peer.call("Settings.Read", thread=thread)
        assert (now.revision, now.settings.reasoning_effort) == (won[0].revision, won[0].settings.reasoning_effort)


STRANGE = ["\u202egnp.exe", "a\u200bb\ufeff", "👩‍👩‍👧‍👦 🏴‍☠️", "e\u0301 \u00e9", "\u2028\u2029\x85",
           "\x01\x1b[31m\x7f", "ﷺ", "\U0010ffff", "İıſK"]


@row("M21")
def m21(attack: Attack):
    """bidi, zero-width, 4-byte, unnormalised text → stored byte for byte; ids are bytes"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    for text in STRANGE:
        peer.call("Thread.SetName", thread=thread, name=text)
        assert peer.call("Thread.Read", thread=thread).thread.name == text, repr(text)
        assert thread in {found.id for found in peer.call("Thread.List", text=text, page_size=200).threads}, repr(text)
        feed.until_completed(peer.call("Turn.Start", thread=thread, input=words(f"!say {text}")).turn)
        said = item_text(feed.of_kind("item_completed")[-1].item_completed.item)
        assert said == text, f"{said!r} is not {text!r}"
    assert [event.name_changed.name for event in feed.of_kind("name_changed")] == STRANGE


# Hostile models


def hostile(attack: Attack, tokens: bool = False, idle: int = 20_000, **environment) -> tuple:
    """A server with a hostile model provider. `idle` is long unless the provider stalls, so that it does not run out because
    a busy machine delays the provider."""
    harming = provider.HostileProvider()
    attack.defer(harming.close)
    catalog = attack.folder / "catalog.json"
    catalog.write_text(json.dumps({"models": [{"id": "hostile", "provider": "hostile", "is_default": True},
                                              {"id": "scripted", "provider": "scripted"}]}))
    config = attack.folder / "config.json"
    key = TOKENS["root"]  # a secret like any other: the log is looked through for it
    config.write_text(json.dumps({"catalog": str(catalog), "providers": {"names": ["hostile"], "hostile": {
        "kind": "chat", "baseURL": harming.url, "key": key, "retries": 3, "retryMilliseconds": 20,
        "retryMaximumMilliseconds": 100, "idleMilliseconds": idle, "firstByteMilliseconds": 20_000}}}))
    server = attack.start("--config", config, "--log-level", "debug", tokens=tokens, **environment)
    return harming, server


def ends_badly(feed: Follower, turn: bytes, *reasons: str, timeout: float = 60.0):
    ended = feed.until_ended(turn, timeout)
    is_as_wanted = turn_status(ended.status) == "FAILED" and ended.error.reason in reasons
    assert is_as_wanted, f"wanted {reasons}: {str(ended)[:300]}"


@row("M22★", on=OWN)
def m22(attack: Attack):
    """model stream stalls for ever → turn ends `model_timeout`; slot freed; the next turn runs"""
    harming, server = hostile(attack, idle=1_500, HEDDLE_LIMITS_MODEL_IDLE_MILLISECONDS=2_000)
    peer = attack.connect(timeout=60)
    for model, order in (("scripted", "!stall"), ("hostile", "HOSTILE stall")):
        thread, feed = attack.follow_new(peer, settings={"model": model})
        ends_badly(feed, attack.turn(peer, thread, order), "model_timeout")
        assert peer.call("Server.Status").running_turns == 0
        feed.until_completed(attack.turn(peer, thread, "go on"))


@row("M23★", on=OWN)
def m23(attack: Attack):
    """model stream: 100,000 deltas, one of 100 MiB, no UTF-8, an endless tool call → cut; turn ends; nobody notices"""
    harming, server = hostile(attack)
    peer = attack.connect(timeout=120)
    thread, feed = attack.follow_new(peer)
    ends_badly(feed, attack.turn(peer, thread, "HOSTILE flood"), "model_output_too_large", "model_output_invalid")
    ends_badly(feed, attack.turn(peer, thread, "HOSTILE tool"), "model_output_too_large")
    ends_badly(feed, attack.turn(peer, thread, "HOSTILE garbage"), "model_output_invalid", "model_failed")
    turn = attack.turn(peer, thread, "HOSTILE utf8")
    ended = feed.until_ended(turn, 60)
    if turn_status(ended.status) == "FAILED":
        assert ended.error.reason in ("model_output_invalid", "model_failed"), ended
    for event in feed.of_kind("item_completed"):
        item_text(event.item_completed.item).encode()
    deltas = attack.size(20_000, 100_000)
    begin = time.monotonic()
    feed.until_completed(attack.turn(peer, thread, f"HOSTILE deltas {deltas}"), timeout=110)
    attack.note(f"{deltas} deltas in {time.monotonic() - begin:.1f} s")
    said = item_text(feed.of_kind("item_completed")[-1].item_completed.item)
    assert said == "a " * deltas + "done", f"{len(said)} characters"
    scripted, other = attack.follow_new(peer, settings={"model": "scripted"})
    ends_badly(other, attack.turn(peer, scripted, "!flood 104857600"), "model_output_too_large")
    other.until_completed(attack.turn(peer, scripted, "go on"))


@row("M24", on=OWN)
def m24(attack: Attack):
    """provider gives 429, 500, resets midway → bounded retries, visible as events; then `failed`"""
    harming, server = hostile(attack)
    peer = attack.connect(timeout=60)
    thread, feed = attack.follow_new(peer)
    for order, reasons, tries in (
            ("status 429", ("model_rate_limited",), 4), ("status 500", ("model_failed",), 4),
            ("status 503", ("model_failed",), 4), ("reset 99", ("model_failed", "model_output_invalid"), 4),
            ("status 401", ("model_unauthorized",), 1), ("status 400", ("model_failed",), 1)):
        asked = len(harming.requests)
        before = len(feed.of_kind("model_retried"))
        ends_badly(feed, attack.turn(peer, thread, f"HOSTILE {order}"), *reasons)
        assert len(harming.requests) - asked == tries, f"{order}: asked {len(harming.requests) - asked} times"
        retried = feed.of_kind("model_retried")[before:]
        assert [event.model_retried.attempt for event in retried] == list(range(1, tries)), order
        assert all(event.model_retried.wait_ms <= 100 for event in retried), retried
    asked = len(harming.requests)
    feed.until_completed(attack.turn(peer, thread, "HOSTILE reset 2"))
    assert len(harming.requests) - asked == 3
    said = [item_text(event.item_completed.item) for event in feed.of_kind("item_completed")]
    assert said[-1] == "done", said[-1]


@row("M26", on=OWN)
def m26(attack: Attack):
    """model stream of comments and empty events for ever → turn ends `model_timeout`; slot freed; the next turn runs"""
    harming, server = hostile(attack, HEDDLE_LIMITS_MODEL_CONTENT_MILLISECONDS=2_000)
    peer = attack.connect(timeout=60)
    thread, feed = attack.follow_new(peer)
    ends_badly(feed, attack.turn(peer, thread, "HOSTILE pings"), "model_timeout")
    assert len(harming.requests) == 1, "it was asked again"
    assert peer.call("Server.Status").running_turns == 0
    feed.until_completed(attack.turn(peer, thread, "go on"))


@row("M25", on=OWN)
def m25(attack: Attack):
    """server killed at each step of a turn → one `interrupted`; a retry with its key gets the same turn"""
    server = attack.start(watched=False)
    generator = random.Random(25)
    for number in range(attack.size(8, 100)):
        key = os.urandom(16)
        peer = attack.connect()
        thread, feed = attack.follow_new(peer)
        script = "!think first\n!chunks 10\n!delay 10\na long answer"
        body = turn_pb2.StartTurnRequest(thread=thread, input=words(script))
        turn = peer.call("Turn.Start", body, key=key).turn
        time.sleep(generator.random() * 0.2)  # each dies at another moment of its turn
        peer.close()
        server.restart()
        peer = attack.connect()
        again = peer.call("Turn.Start", body, key=key)
        assert again.replayed and again.turn == turn, again
        events = history(attack, thread)
        ends = [event.turn_ended for event in events if event.WhichOneof("kind") == "turn_ended"]
        assert len(ends) == 1 and ends[0].turn == turn, ends
        assert turn_status(ends[0].status) in ("INTERRUPTED", "COMPLETED")
        assert len([event for event in events if event.WhichOneof("kind") == "turn_started"]) == 1
        markers = [event for event in events if event.item_completed.item.WhichOneof("kind") == "marker"]
        assert len(markers) == (turn_status(ends[0].status) == "INTERRUPTED"), markers
        peer.close()

