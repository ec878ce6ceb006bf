"""Ephemeral threads: what they may hold together, and how they end (D11, rules.md T5)."""

import contextlib

import pytest

from agents import Team, spawn, tool
from harness.ends import eventually
from harness.messages import turn_status
from harness.server import Server
from harness.wire import HeddleError
from test_threads import pages
from test_turns import known_however_long_ago

ALICE, BOB = "alice-" + "a" * 40, "bob-" + "b" * 42
MIB = 1 << 20


@contextlib.contextmanager
def server_with(tmp_path, *arguments, **limits):
    environment = {f"HEDDLE_LIMITS_{name}": str(value) for name, value in limits.items()}
    with Server(tmp_path / "data", *arguments, environment=environment) as server:
        yield server


def fill(connection, share: int) -> list[bytes]:
    """Threads until one is refused."""
    threads = []
    while len(threads) < 10 * share // 8192:
        try:
            threads.append(connection.new_thread(ephemeral=True).id)
        except HeddleError as error:
            assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "ephemeral_full")
            assert error.details["limit"] == str(share)
            return threads
    raise AssertionError("nobody says that it is full")


def gone(connection, thread: bytes) -> bool:
    try:
        connection.call("Thread.Read", thread=thread)
        return False
    except HeddleError as error:
        assert error.reason == "thread", error
        return True


def test_d11_threads_in_memory_hold_so_many_bytes_together(tmp_path):
    """D11: beyond the limit what would add to them is refused; reads, stored threads and ends are served."""
    with server_with(tmp_path, EPHEMERAL_BYTES=MIB) as server, server.connect() as connection:
        threads = fill(connection, MIB)
        assert 64 <= len(threads) <= 128, "each is counted with what it weighs when it is empty"
        low = {"reasoning_effort": "low"}
        for name, fields in (("Settings.Update", {"change": low}), ("Thread.SetName", {"name": "x"})):
            assert connection.refusal(name, thread=threads[0], **fields).reason == "ephemeral_full"
        with pytest.raises(HeddleError, match="ephemeral_full"):
            connection.start_turn(threads[0], "hello")
        assert connection.call("Thread.Read", thread=threads[0]).thread.ephemeral
        assert connection.call("Thread.Resume", thread=threads[0], subscribe=False).thread.sequence == 1
        stored, follower = connection.start_followed()
        follower.run("hello", thread=stored.id)
        for thread in threads[:2]:
            connection.call("Thread.Delete", thread=thread)
        assert connection.call("Settings.Update", thread=threads[2], change={"reasoning_effort": "low"}).revision == 2


def test_d11_large_events_count_as_what_they_are(tmp_path):
    """D11: a few large changes fill it as many small threads do; one of them may pass the limit."""
    with server_with(tmp_path, EPHEMERAL_BYTES=4 * MIB) as server, server.connect() as connection:
        thread, taken = connection.new_thread(ephemeral=True).id, 0
        with pytest.raises(HeddleError, match="ephemeral_full"):
            while taken < 100:
                change = {"base_instructions": f"{taken}" + "x" * 250_000}
                connection.call("Settings.Update", thread=thread, change=change)
                taken += 1
        assert 14 <= taken <= 18
        connection.call("Thread.Delete", thread=thread)
        assert connection.new_thread(ephemeral=True).ephemeral


def test_d11_a_turn_that_would_go_on_without_room_ends(tmp_path):
    """D11: the turn fails with the reason, and says so."""
    with server_with(tmp_path, EPHEMERAL_BYTES=MIB) as server, server.connect(timeout=30) as connection:
        thread, follower = connection.start_followed(ephemeral=True)
        turn = connection.start_turn(thread.id, "!flood 3000000").turn
        ended = follower.until_ended(turn, timeout=30)
        assert (turn_status(ended.status), ended.error.reason) == ("FAILED", "ephemeral_full")
        with pytest.raises(HeddleError, match="ephemeral_full"):
            connection.start_turn(thread.id, "again")


def test_d11_one_tenant_cannot_take_it_all(tmp_path):
    """D11: with tokens each tenant has a share."""
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{ALICE} alice\n{BOB} bob\n")
    limits = {"EPHEMERAL_BYTES": 4 * MIB, "EPHEMERAL_BYTES_PER_TENANT": MIB}
    with server_with(tmp_path, "--token-file", str(tokens), **limits) as server:
        with server.connect(ALICE) as alice, server.connect(BOB) as bob:
            fill(alice, MIB)
            thread, follower = bob.start_followed(ephemeral=True)
            follower.run("hello", thread=thread.id)


def test_t5_a_thread_in_memory_ends_when_nobody_uses_it(tmp_path):
    """T5: what a stored thread is unloaded for is the end of one in memory; who follows it or works keeps it."""
    with server_with(tmp_path, UNLOAD_MILLISECONDS=100) as server:
        with server.connect() as connection, server.connect() as watching:
            lifecycle = watching.open("Thread.Subscribe")
            watching.answer(lifecycle, "Thread.Subscribe")
            followed, follower = connection.start_followed(ephemeral=True)
            # Followed until its turn runs: between the two nobody would use it.
            running = connection.start_followed(ephemeral=True)[0].id
            turn = connection.start_turn(running, "!stall").turn
            connection.call("Thread.Unsubscribe", thread=running)
            idle = connection.new_thread(ephemeral=True).id
            eventually(lambda: idle not in connection.call("Thread.ListLoaded").threads, "it does not end")
            assert gone(connection, idle)
            follower.run("still here", thread=followed.id)
            assert connection.call("Thread.Read", thread=running).thread.running_turn == turn
            connection.call("Turn.Interrupt", thread=running, turn=turn)
            connection.call("Thread.Unsubscribe", thread=followed.id)
            eventually(lambda: not connection.call("Thread.ListLoaded").threads, "they do not end")
            told = set()
            while told != {idle, running, followed.id}:
                frame = watching.wait_for(lambda frame: frame.stream == lifecycle)
                message = type(follower.messages[0]).FromString(frame.body)
                if message.WhichOneof("kind") == "thread_deleted":
                    told.add(message.thread_deleted.thread)


def test_t5_a_tree_in_memory_ends_as_a_whole(tmp_path):
    """T5, A6: as long as one of its threads is used all of them are there; deleting the root takes them along."""
    with server_with(tmp_path, UNLOAD_MILLISECONDS=100) as server, server.connect(timeout=30) as connection:
        team = Team.start(server, connection, ephemeral=True)
        team.run(spawn("a", "!say done"))
        team.until_mail(1)
        agent = team.thread("/root/a")
        other = connection.new_thread(ephemeral=True).id
        # Younger than the agent, and unloaded for the same silence.
        eventually(lambda: other not in connection.call("Thread.ListLoaded").threads, "nothing ends")
        assert not gone(connection, agent)
        connection.call("Thread.Unsubscribe", thread=team.id)
        eventually(lambda: not connection.call("Thread.ListLoaded").threads, "the tree does not end")
        assert gone(connection, agent) and gone(connection, team.id)
        team = Team.start(server, connection, ephemeral=True)
        team.run(spawn("a", "!say done"))
        agent = team.thread("/root/a")
        assert connection.call("Thread.Delete", thread=team.id).deleted == 2
        assert gone(connection, agent) and gone(connection, team.id)


def test_e1_e2_t8_a_thread_in_memory_is_read_like_a_stored_one(tmp_path):
    """E1, E2, T8: its log is followed from any event on, its turns and items are paged both ways, the items of one turn
    are that turn's, what was rolled back is in no list, and a key finds the first answer."""
    with server_with(tmp_path) as server, server.connect() as connection:
        thread, follower = connection.start_followed(ephemeral=True)
        ran = [follower.run(f"turn {number}", thread=thread.id) for number in range(5)]
        connection.call("Thread.Unsubscribe", thread=thread.id)
        whole = connection.history(thread.id)
        for after in (1, 7, len(whole)):
            behind = connection.follow(thread.id, after)
            behind.until(lambda message: message.WhichOneof("kind") == "live")
            assert behind.events == whole[after:]
            connection.call("Thread.Unsubscribe", thread=thread.id)
        listed = {order: [turn.id for turn in pages(connection, "Thread.ListTurns", "turns", 2, thread=thread.id,
                                                    order=order)] for order in (1, 2)}
        assert listed == {1: ran[::-1], 2: ran}
        items = pages(connection, "Thread.ListItems", "items", 3, thread=thread.id, order=2)
        completed = [event.sequence for event in whole if event.HasField("item_completed")]
        assert [row.sequence for row in items] == completed
        assert pages(connection, "Thread.ListItems", "items", 3, thread=thread.id, order=1) == items[::-1]
        of_turn = pages(connection, "Thread.ListItems", "items", 3, thread=thread.id, turn=ran[2], order=2)
        assert of_turn == [row for row in items if row.turn == ran[2]] and len(of_turn) == 2
        connection.call("Thread.Rollback", thread=thread.id, turns=2)
        for order, left in ((1, ran[2::-1]), (2, ran[:3])):
            listed = pages(connection, "Thread.ListTurns", "turns", 2, thread=thread.id, order=order)
            assert [turn.id for turn in listed] == left, "what was taken back is in no list"
        first, again = [connection.start_turn(thread.id, "once", key=b"key-in-memory-16") for _ in range(2)]
        assert (again.turn, first.replayed, again.replayed) == (first.turn, False, True)


def test_d11_input_for_a_turn_that_runs_meets_the_limit_too(tmp_path):
    """D11: what is steered adds as much as what begins a turn; an interruption adds nothing and is served."""
    with server_with(tmp_path, EPHEMERAL_BYTES=MIB) as server, server.connect() as connection:
        running = connection.new_thread(ephemeral=True).id
        turn = connection.start_turn(running, "!stall").turn
        fill(connection, MIB)
        more = {"content": [{"text": "more"}]}
        assert connection.refusal("Turn.Steer", thread=running, turn=turn, input=more).reason == "ephemeral_full"
        assert connection.call("Turn.Interrupt", thread=running, turn=turn).already is False


def test_u1_u3_m12_a_turn_in_memory_that_has_run_is_known_however_long_ago(tmp_path):
    """U1, U3, M12★: as in a stored thread."""
    with server_with(tmp_path) as server, server.connect() as connection:
        known_however_long_ago(connection, *connection.start_followed(ephemeral=True))


def test_t6_a6_an_agent_in_memory_is_deleted_by_itself(tmp_path):
    """T6, A6: only a root takes its tree along, in memory too: an agent goes alone, the root and the others go on."""
    with server_with(tmp_path) as server, server.connect() as connection:
        team = Team.start(server, connection, ephemeral=True)
        team.run([spawn("a", "!say done"), spawn("b", "!say done")])
        team.until_mail(2)
        agent, other = team.thread("/root/a"), team.thread("/root/b")
        assert connection.call("Thread.Delete", thread=agent).deleted == 1
        assert gone(connection, agent) and not gone(connection, other)
        assert set(team.tree()) == {"/root", "/root/b"}
        team.run(tool("followup_task", target="b", message="!say again"))
        assert team.until_mail(3)[2][1:] == ("/root/b", "again")
