"""rules.md T and E2, attacks.md M3, M6, M15 to M17: threads from their start to their deletion, lists, retries."""

import time

import pytest

from harness.ends import expect_kept
from harness.messages import METHODS, item_text, turn_status, words
from harness.wire import HeddleError

UNKNOWN = b"0123456789abcdef"
ASSISTANT = 4
# Two pieces are to come when the first was seen: time enough on a machine that stands still now and then.
SLOW = "!chunks 3\n!delay 1500\n"


def read(connection, thread: bytes):
    return connection.call("Thread.Read", thread=thread).thread


def answers(connection, thread: bytes) -> list[str]:
    """The model's answers, oldest first."""
    listed = connection.call("Thread.ListItems", thread=thread, page_size=200).items
    return [item_text(row.item) for row in listed if row.item.message.role == ASSISTANT]


def turns(connection, thread: bytes) -> list:
    return list(connection.call("Thread.ListTurns", thread=thread, page_size=200, order=2).turns)


# T2: from the start


def test_t2_a_thread_exists_from_its_start_on(fresh):
    """T2 [beyond] listed, read, resumed, forked and renamed before its first turn, after kill -9 too."""
    with fresh.connect() as connection:
        thread = connection.new_thread(name="young").id
    for _ in range(2):
        with fresh.connect() as connection:
            assert [row.id for row in connection.call("Thread.List").threads if row.id == thread] == [thread]
            found = read(connection, thread)
            assert (found.name, found.turn_count) == ("young", 0)
            assert connection.call("Thread.Resume", thread=thread, subscribe=False).thread.id == thread
            assert connection.call("Thread.ListTurns", thread=thread).turns == []
        fresh.restart()
    with fresh.connect() as connection:
        fork = connection.call("Thread.Fork", thread=thread, subscribe=False).thread
        assert fork.lineage.forked_from == thread
        connection.call("Thread.SetName", thread=thread, name="renamed")
        _, follower = connection.resume_followed(fork.id)
        follower.run("works", thread=fork.id)


def test_t1_the_answer_of_start_is_complete(connection):
    """T1 start reports the settings, selection and version; ids are UUIDs of version 7."""
    thread, follower = connection.start_followed(name="complete")
    assert (thread.name, thread.settings.model, thread.settings.model_provider) == ("complete", "scripted", "scripted")
    assert (thread.id[6] >> 4, thread.id[8] >> 6) == (7, 2)
    assert (thread.lineage.source, thread.lineage.root, thread.lineage.depth) == (1, thread.id, 0)
    assert thread.status.state == 2 and thread.epoch and thread.sequence >= 1 and not thread.archived
    assert abs(thread.created_at / 1000 - time.time()) < 60
    assert read(connection, thread.id) == thread


def test_a_thread_kept_in_memory_is_gone_with_the_server(fresh):
    """thread.proto, ephemeral: it works while it lives."""
    with fresh.connect() as connection:
        thread, follower = connection.start_followed(ephemeral=True)
        assert thread.ephemeral
        follower.run("hello", thread=thread.id)
        assert answers(connection, thread.id) == ["You said: hello"]
        error = connection.refusal("Thread.Fork", thread=thread.id, subscribe=False)
        assert (error.code, error.reason) == ("FAILED_PRECONDITION", "not_ephemeral")
    fresh.restart()
    with fresh.connect() as connection:
        assert connection.refusal("Thread.Read", thread=thread.id).reason == "thread"


# T3: forks


def test_t3_a_fork_shares_history_and_is_independent(connection):
    """T3 a fork gets a new id, says where it came from, shares the history; neither notices what the other does next."""
    source, follower = connection.start_followed(name="source", settings={"working_folder": "/w"})
    follower.run("one", thread=source.id)
    head = read(connection, source.id).sequence
    fork = connection.call("Thread.Fork", thread=source.id, subscribe=False).thread
    assert fork.id != source.id and (fork.lineage.forked_from, fork.lineage.forked_at) == (source.id, head)
    assert fork.settings == read(connection, source.id).settings and fork.turn_count == 1
    _, forked = connection.resume_followed(fork.id)
    forked.run("only in the fork", thread=fork.id)
    follower.run("only in the source", thread=source.id)
    assert answers(connection, fork.id) == ["You said: one", "You said: only in the fork"]
    assert answers(connection, source.id) == ["You said: one", "You said: only in the source"]
    assert [turn.ordinal for turn in turns(connection, fork.id)] == [1, 2]


def test_t3_a_fork_up_to_a_turn(connection):
    """T3 copies history up to a given turn; a turn that is not the thread's → NOT_FOUND turn."""
    source, follower = connection.start_followed()
    first = follower.run("one", thread=source.id)
    follower.run("two", thread=source.id)
    fork = connection.call("Thread.Fork", thread=source.id, last_turn=first, subscribe=False).thread
    assert answers(connection, fork.id) == ["You said: one"]
    error = connection.refusal("Thread.Fork", thread=source.id, last_turn=UNKNOWN, subscribe=False)
    assert (error.code, error.reason) == ("NOT_FOUND", "turn")


def test_t3_m8_a_fork_of_a_running_turn_ends_in_an_interruption(connection):
    """T3, M8★ fork of a running turn → fork ends at the last durable event with `interrupted`; the source does not
    notice, K."""
    source, follower = connection.start_followed()
    turn = connection.start_turn(source.id, SLOW + "a long story").turn
    follower.until_text()
    fork = connection.call("Thread.Fork", thread=source.id, subscribe=False).thread
    assert not fork.HasField("running_turn")
    assert [turn_status(row.status) for row in turns(connection, fork.id)] == ["INTERRUPTED"]
    assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
    assert answers(connection, source.id) == ["You said: a long story"]
    _, forked = connection.resume_followed(fork.id)
    forked.run("go on", thread=fork.id)
    assert answers(connection, fork.id)[-1] == "You said: go on"


def test_a_forks_events_are_numbered_from_one(fresh):
    """event.proto: a fork's events begin with its own ThreadCreated; E1 holds for it, after kill -9 too."""
    with fresh.connect() as connection:
        source, follower = connection.start_followed()
        follower.run("one", thread=source.id)
        fork = connection.call("Thread.Fork", thread=source.id, subscribe=False).thread
        before = connection.history(fork.id)
    assert before[0].sequence == 1 and before[-1].sequence == fork.sequence
    fresh.restart()
    with fresh.connect() as connection:
        assert connection.history(fork.id) == before
        assert answers(connection, fork.id) == ["You said: one"]


# T6: archive and delete


def test_m3_m15_t6_an_archived_thread_is_read_and_not_run(connection):
    """M3★ turn on an archived thread → FAILED_PRECONDITION archived; M15 archive, unarchive, rename twice → OK, no second
    event; T6 it can be read, K."""
    thread = connection.new_thread().id
    archived = [connection.call("Thread.Archive", thread=thread).sequence for _ in range(2)]
    error = connection.refusal("Turn.Start", thread=thread, input=words("x"))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "archived")
    assert read(connection, thread).archived
    listed = [row.id for row in connection.call("Thread.List", archived=True, page_size=200).threads]
    assert thread in listed
    assert thread not in [row.id for row in connection.call("Thread.List", page_size=200).threads]
    back = [connection.call("Thread.Unarchive", thread=thread).sequence for _ in range(2)]
    named = [connection.call("Thread.SetName", thread=thread, name="same").sequence for _ in range(2)]
    assert archived[0] == archived[1] == back[0] - 1 and back[0] == back[1] == named[0] - 1 and named[0] == named[1]
    _, follower = connection.resume_followed(thread)
    follower.run("again", thread=thread)


def test_t6_delete_is_for_good_and_a_late_retry_does_not_bring_it_back(fresh):
    """T6 delete leaves a tombstone, so that a late retry cannot bring the thread back; after kill -9 too."""
    start_key, name_key, delete_key = b"key-of-the-start", b"key-of-the-name!", b"key-of-the-end!!"
    with fresh.connect() as connection:
        thread = connection.new_thread(key=start_key, name="short-lived").id
        connection.call("Thread.SetName", key=name_key, thread=thread, name="late")
        assert connection.call("Thread.Delete", key=delete_key, thread=thread).deleted == 1
    for _ in range(2):
        with fresh.connect() as connection:
            retry_refused_or_replayed(connection, start_key, name_key, thread)
            for name in ("Thread.Read", "Thread.Resume", "Thread.Subscribe", "Thread.Unarchive"):
                assert connection.refusal(name, thread=thread).reason == "thread"
            assert connection.call("Thread.List", page_size=200).threads == []
            assert connection.call("Thread.List", page_size=200, archived=True).threads == []
        fresh.restart()


def retry_refused_or_replayed(connection, start_key: bytes, name_key: bytes, thread: bytes):
    """A late retry of a start or a rename finds its first result or no thread; never does it do anything."""
    for key, name, fields in ((start_key, "Thread.Start", {"name": "short-lived", "subscribe": False}),
                              (name_key, "Thread.SetName", {"thread": thread, "name": "late"})):
        try:
            assert connection.call(name, key=key, **fields).replayed
        except HeddleError as error:
            assert error.reason == "thread"


def test_t6_a_fork_keeps_what_it_shares_with_a_deleted_thread(fresh):
    """T6 forks of it keep what they share."""
    with fresh.connect() as connection:
        source, follower = connection.start_followed()
        follower.run("shared", thread=source.id)
        fork = connection.call("Thread.Fork", thread=source.id, subscribe=False).thread.id
        connection.call("Thread.Unsubscribe", thread=source.id)
        before = connection.history(fork)
        connection.call("Thread.Delete", thread=source.id)
        assert answers(connection, fork) == ["You said: shared"]
    for _ in range(2):
        fresh.restart()
        with fresh.connect() as connection:
            assert answers(connection, fork) == ["You said: shared"]
            assert connection.history(fork)[:len(before)] == before
            _, follower = connection.resume_followed(fork)
            follower.run("and on", thread=fork)
            connection.call("Thread.Rollback", thread=fork, turns=1)


def test_t6_the_text_of_a_deleted_thread_is_gone_from_the_disk(fresh):
    """T6 delete removes the thread's text for good, whatever the client gave it: input, name, working folder,
    instructions, metadata, tools. None of it is in the data folder once the server has ended, tombstone included."""
    canary = "canary-8c1f0b5e-of-the-deleted-thread"
    settings = {name: f"{canary} {name}" for name in (
        "base_instructions", "developer_instructions", "reasoning_effort", "reasoning_summary", "service_tier")}
    settings |= {"working_folder": f"/{canary}", "metadata": [{"name": canary, "value": canary}]}
    tools = [{"name": canary, "description": canary, "schema": f'{{"title": "{canary}"}}'}]
    with fresh.connect() as connection:
        thread, follower = connection.start_followed(name=canary, settings=settings, tools=tools)
        follower.run(canary, thread=thread.id)
        connection.call("Thread.SetName", key=b"key-of-a-canary!", thread=thread.id, name=f"again {canary}")
        [listed] = connection.call("Thread.List").threads
        assert listed.settings.working_folder == f"/{canary}" and canary in listed.name
        connection.call("Thread.Unsubscribe", thread=thread.id)
        connection.call("Thread.Delete", thread=thread.id)
    fresh.terminate()
    assert fresh.wait() == 0
    holding = [file for file in fresh.data.rglob("*") if file.is_file() and canary.encode() in file.read_bytes()]
    assert holding == []


# T7: rollback


def test_t7_a_rollback_takes_turns_out_of_the_list_and_the_log_keeps_them(connection):
    """T7 roll back the last N turns: they leave the turn list, the log keeps them; more than there are means all."""
    thread, follower = connection.start_followed()
    for text in ("one", "two", "three"):
        follower.run(text, thread=thread.id)
    before = read(connection, thread.id).sequence
    assert connection.call("Thread.Rollback", thread=thread.id, turns=2).rolled_back == 2
    assert [turn.ordinal for turn in turns(connection, thread.id)] == [1]
    assert answers(connection, thread.id) == ["You said: one"] and read(connection, thread.id).turn_count == 1
    rolled = follower.until_event("turns_rolled_back").turns_rolled_back
    assert (rolled.count, rolled.first_ordinal, rolled.last_ordinal) == (2, 2, 3)
    follower.run("four", thread=thread.id)
    assert [turn.ordinal for turn in turns(connection, thread.id)] == [1, 4]
    assert answers(connection, thread.id) == ["You said: one", "You said: four"]
    connection.call("Thread.Unsubscribe", thread=thread.id)
    kept = connection.history(thread.id)
    assert len([event for event in kept[:before] if event.WhichOneof("kind") == "turn_ended"]) == 3
    assert connection.call("Thread.Rollback", thread=thread.id, turns=99).rolled_back == 2
    assert turns(connection, thread.id) == []


def test_t7_a_rollback_in_a_fork_leaves_its_source_alone(connection):
    """T7, T3: turns that a fork shares can be rolled back in the fork, and in the source, each by itself."""
    source, follower = connection.start_followed()
    for text in ("one", "two"):
        follower.run(text, thread=source.id)
    fork = connection.call("Thread.Fork", thread=source.id, subscribe=False).thread.id
    _, forked = connection.resume_followed(fork)
    forked.run("three", thread=fork)
    assert connection.call("Thread.Rollback", thread=fork, turns=2).rolled_back == 2
    assert answers(connection, fork) == ["You said: one"]
    assert answers(connection, source.id) == ["You said: one", "You said: two"]
    assert connection.call("Thread.Rollback", thread=source.id, turns=2).rolled_back == 2
    assert (answers(connection, fork), answers(connection, source.id)) == (["You said: one"], [])
    again = connection.call("Thread.Fork", thread=fork, subscribe=False).thread.id
    assert answers(connection, again) == ["You said: one"]


# E2: retries


def mutations(thread: bytes) -> dict:
    """Name, a request, and another request, for each mutation of a thread."""
    return {
        "Thread.SetName": ({"thread": thread, "name": "a"}, {"thread": thread, "name": "b"}),
        "Settings.Update": ({"thread": thread, "change": {"service_tier": "a"}},
                            {"thread": thread, "change": {"service_tier": "b"}}),
        "Turn.Start": ({"thread": thread, "input": words("a")}, {"thread": thread, "input": words("b")}),
        "Thread.Fork": ({"thread": thread, "subscribe": False, "name": "a"},
                        {"thread": thread, "subscribe": False, "name": "b"}),
        "Thread.Start": ({"name": "a", "subscribe": False}, {"name": "b", "subscribe": False}),
        "Thread.Archive": ({"thread": thread}, {"thread": UNKNOWN}),
        "Thread.Unarchive": ({"thread": thread}, {"thread": UNKNOWN}),
    }


def test_e2_m6_d15_a_retry_with_its_key_finds_the_first_result(fresh):
    """E2, D15 same key, same request → the stored reply, `replayed`, nothing appended; M6★ key reused with another body →
    ALREADY_EXISTS idempotency_mismatch; both after kill -9 too, for every mutation, K."""
    with fresh.connect() as connection:
        thread = connection.new_thread().id
        first, keys = {}, {}
        follower = connection.follow(thread)
        for number, (name, (request, _)) in enumerate(mutations(thread).items()):
            keys[name] = b"key-of-request%02d" % number
            first[name] = connection.call(name, key=keys[name], **request)
            assert not first[name].replayed
            if name == "Turn.Start":  # a thread at work is not archived
                follower.until_ended(first[name].turn)
        head = read(connection, thread).sequence
    for _ in range(2):
        with fresh.connect() as connection:
            for name, (request, other) in mutations(thread).items():
                again = connection.call(name, key=keys[name], **request)
                assert again.replayed, name
                again.replayed = False
                assert again == first[name], name
                error = connection.refusal(name, key=keys[name], **other)
                assert (name, error.code, error.reason) == (name, "ALREADY_EXISTS", "idempotency_mismatch")
            assert read(connection, thread).sequence == head
            assert len(connection.call("Thread.List", page_size=200).threads) == 3
        fresh.restart()


def test_e2_a_key_belongs_to_one_request_whatever_its_method(connection):
    """M6★ the same key under another method is another request."""
    thread, key = connection.new_thread().id, b"key-two-methods!"
    connection.call("Thread.SetName", key=key, thread=thread, name="a")
    error = connection.refusal("Thread.Archive", key=key, thread=thread)
    assert (error.code, error.reason) == ("ALREADY_EXISTS", "idempotency_mismatch")


def test_e2_a_request_that_was_refused_is_not_remembered(connection):
    """durability.md: validation errors are not remembered; the retry may succeed."""
    key = b"key-of-a-refusal"
    thread = connection.new_thread().id
    connection.call("Thread.Archive", thread=thread)
    assert connection.refusal("Turn.Start", key=key, thread=thread, input=words("x")).reason == "archived"
    connection.call("Thread.Unarchive", thread=thread)
    assert not connection.call("Turn.Start", key=key, thread=thread, input=words("x")).replayed


# T8: lists


def pages(connection, name: str, rows: str, size: int, between=None, **fields) -> list:
    """All rows of a list, page by page."""
    found, cursor = [], ""
    for _ in range(1000):
        answer = connection.call(name, page_size=size, cursor=cursor, **fields)
        page = getattr(answer, rows)
        assert len(page) <= size
        found += page
        cursor = answer.next_cursor
        if not cursor:
            return found
        if between:
            between()
    raise AssertionError("a list without an end")


def test_t8_a_list_has_no_thread_twice_and_none_missing_while_it_changes(fresh):
    """T8, M16★ (small) pages over a stable snapshot: each old thread once, while others are made and archived."""
    with fresh.connect() as connection:
        threads = [connection.new_thread(name=f"thread {n}").id for n in range(30)]
        def disturb():
            connection.new_thread(name="new")
            connection.call("Thread.SetName", thread=threads[3], name="renamed")
        for order in (1, 2):
            listed = [row.id for row in pages(connection, "Thread.List", "threads", 7, disturb, order=order)]
            assert len(set(listed)) == len(listed)
            old = [thread for thread in listed if thread in threads]
            assert old == (threads[::-1] if order == 1 else threads)


def test_t8_filters(fresh):
    """T8 filters: archived, source, fork, provider, name or text, working folder, time."""
    with fresh.connect() as connection:
        first = connection.new_thread(name="Alpha", settings={"working_folder": "/a"})
        second, follower = connection.start_followed(settings={"working_folder": "/b"})
        follower.run("find the NEEDLE here\n!chunks 2\n!delay 20\n!say ok", thread=second.id)
        fork = connection.call("Thread.Fork", thread=second.id, subscribe=False, name="fork").thread
        archived = connection.new_thread(name="old")
        connection.call("Thread.Archive", thread=archived.id)
        def ids(**filters):
            return {row.id for row in connection.call("Thread.List", page_size=200, **filters).threads}
        everything = {first.id, second.id, fork.id}
        assert ids() == ids(archived=False) == ids(model_provider="scripted") == everything
        assert ids(archived=True) == {archived.id}
        assert (ids(source=2), ids(source=1)) == ({fork.id}, {first.id, second.id})
        assert ids(forked_from=second.id) == {fork.id} and ids(parent=second.id) == set()
        assert (ids(text="alpha"), ids(text="no such text")) == ({first.id}, set())
        assert second.id in ids(text="needle") and first.id not in ids(text="needle")
        assert ids(working_folder="/a") == {first.id} and ids(model_provider="other") == set()
        assert ids(created_after=first.created_at) == everything and ids(created_before=first.created_at) == set()
        # The fork came behind a whole turn, so its time is a later one.
        assert first.created_at < second.created_at + 1 <= fork.created_at
        assert (ids(created_after=fork.created_at), ids(created_before=fork.created_at)) == (
            {fork.id}, {first.id, second.id})
        far = fork.created_at + 3_600_000
        assert (ids(created_after=0), ids(created_before=far)) == (everything, everything)
        assert ids(created_after=far) == ids(created_before=0) == set()
        assert ids(text="%") == ids(text="_") == set(), "a search text is text"


@pytest.mark.parametrize("field,limit", [("text", 1_024), ("model_provider", 1_024), ("working_folder", 4_096)])
def test_t8_r20_a_filter_is_as_long_as_what_it_could_find(connection, field, limit):
    """T8, R20 a term of 1 MiB → INVALID_ARGUMENT text_too_long, K; the longest that there may be is served."""
    connection.call("Thread.List", **{field: "f" * limit})
    for length in (limit + 1, 1 << 20):
        error = connection.refusal("Thread.List", **{field: "f" * length})
        assert (error.code, error.reason) == ("INVALID_ARGUMENT", "text_too_long")
        assert error.details == {"field": field, "limit": str(limit)}


def test_t8_a_page_that_finds_little_among_many_is_short_and_goes_on(fresh):
    """T8 a page looks at 4,096 threads at most; one that passes none of them is empty and not the last."""
    with fresh.connect() as connection:
        for _ in range(20):
            streams = [connection.open("Thread.Start", name="hay", subscribe=False) for _ in range(205)]
            started = [connection.answer(stream, "Thread.Start").thread.id for stream in streams]
        connection.call("Thread.SetName", thread=started[-1], name="needle")
        first = connection.call("Thread.List", text="needle", order=2)
        assert list(first.threads) == [] and first.next_cursor
        last = connection.call("Thread.List", text="needle", order=2, cursor=first.next_cursor)
        assert [row.id for row in last.threads] == [started[-1]] and not last.next_cursor


def test_lists_of_turns_and_items_are_paged_too(connection):
    """T8 for turns and items, both ways."""
    thread, follower = connection.start_followed()
    ran = [follower.run(f"turn {n}", thread=thread.id) for n in range(5)]
    assert [turn.id for turn in pages(connection, "Thread.ListTurns", "turns", 2, thread=thread.id)] == ran[::-1]
    assert [turn.id for turn in pages(connection, "Thread.ListTurns", "turns", 2, thread=thread.id, order=2)] == ran
    items = pages(connection, "Thread.ListItems", "items", 3, thread=thread.id)
    assert [row.sequence for row in items] == sorted({row.sequence for row in items})
    assert pages(connection, "Thread.ListItems", "items", 3, thread=thread.id, order=1) == items[::-1]
    of_turn = pages(connection, "Thread.ListItems", "items", 3, thread=thread.id, turn=ran[2])
    assert of_turn == [row for row in items if row.turn == ran[2]] and of_turn


def test_list_loaded_names_the_threads_that_are_live(fresh):
    """ListLoaded: live threads of this node, none after a restart until one is resumed."""
    with fresh.connect() as connection:
        threads = {connection.new_thread().id for _ in range(5)}
        assert set(pages(connection, "Thread.ListLoaded", "threads", 2)) == threads
    fresh.restart()
    with fresh.connect() as connection:
        assert pages(connection, "Thread.ListLoaded", "threads", 2) == []
        one = threads.pop()
        assert read(connection, one).status.state == 1, "reading does not load"
        connection.call("Thread.Resume", thread=one, subscribe=False)
        assert pages(connection, "Thread.ListLoaded", "threads", 2) == [one]


def test_m17_t8_a_cursor_of_turns_or_items_is_of_its_thread_and_order(connection):
    """M17★, T8: a cursor of a thread's turns or items, with another thread, in the other order, for one turn only or
    for the other list → INVALID_ARGUMENT bad_cursor, alike: it would skip entries without a word. With its own query
    it goes on."""
    threads = []
    for _ in range(2):
        thread, follower = connection.start_followed()
        ran = [follower.run(f"turn {number}", thread=thread.id) for number in range(3)]
        threads.append(thread.id)
    other, own = threads
    turns_cursor = connection.call("Thread.ListTurns", thread=own, page_size=1).next_cursor
    items_cursor = connection.call("Thread.ListItems", thread=own, page_size=1).next_cursor
    of_turns, of_items = {"thread": own, "cursor": turns_cursor}, {"thread": own, "cursor": items_cursor}
    errors = [connection.refusal(name, page_size=1, **{**fields, **changed}) for name, fields, changed in (
        ("Thread.ListTurns", of_turns, {"thread": other}), ("Thread.ListTurns", of_turns, {"order": 2}),
        ("Thread.ListTurns", of_items, {}), ("Thread.ListItems", of_items, {"thread": other}),
        ("Thread.ListItems", of_items, {"order": 1}), ("Thread.ListItems", of_items, {"turn": ran[1]}),
        ("Thread.ListItems", of_turns, {}))]
    assert [(error.code, error.reason) for error in errors] == [("INVALID_ARGUMENT", "bad_cursor")] * 7
    assert len({error.error.SerializeToString() for error in errors}) == 1
    assert [turn.id for turn in connection.call("Thread.ListTurns", page_size=1, **of_turns).turns] == [ran[1]]
    assert [row.turn for row in connection.call("Thread.ListItems", page_size=1, **of_items).items] == [ran[0]]


def test_m17_t8_a_cursor_is_good_after_a_restart(fresh):
    """T8, M17★, protocol.md: a cursor of each list that is on disk continues where it was, after kill -9 and after
    SIGTERM; a changed one is bad_cursor still."""
    with fresh.connect() as connection:
        threads = [connection.new_thread().id for _ in range(3)]
        thread, follower = connection.start_followed()
        ran = [follower.run(f"turn {number}", thread=thread.id) for number in range(3)]
        of_it = {"thread": thread.id}
        lists = {"Thread.List": {}, "Thread.ListTurns": of_it, "Thread.ListItems": of_it}
        cursors = {name: connection.call(name, page_size=1, **fields).next_cursor for name, fields in lists.items()}
    for end in ("kill -9", "SIGTERM"):
        if end == "SIGTERM":
            fresh.terminate()
            assert fresh.wait() == 0
            fresh.start()
        else:
            fresh.restart()
        with fresh.connect() as connection:
            found = {name: connection.call(name, page_size=1, cursor=cursors[name], **fields)
                     for name, fields in lists.items()}
            assert [row.id for row in found["Thread.List"].threads] == threads[-1:]
            assert [turn.id for turn in found["Thread.ListTurns"].turns] == [ran[1]]
            assert [row.turn for row in found["Thread.ListItems"].items] == [ran[0]]
            error = connection.refusal("Thread.List", page_size=1, cursor=cursors["Thread.ListTurns"])
            assert error.reason == "bad_cursor"


@pytest.mark.parametrize("length,served", [(1024, True), (1025, False)])
def test_a_name_has_1024_bytes_at_most(connection, length, served):
    """thread.proto: 1,024 bytes at most → INVALID_ARGUMENT text_too_long, K."""
    thread = connection.new_thread().id
    if served:
        assert connection.call("Thread.SetName", thread=thread, name="n" * length).sequence
    else:
        error = connection.refusal("Thread.SetName", thread=thread, name="n" * length)
        assert (error.code, error.reason) == ("INVALID_ARGUMENT", "text_too_long")


def test_t3_t7_a_turn_that_was_rolled_back_is_no_place_to_cut(connection):
    """T3, T7 what was taken back does not come back by a fork → NOT_FOUND turn; the turn in front of it does."""
    source, follower = connection.start_followed()
    first, second = [follower.run(text, thread=source.id) for text in ("one", "two")]
    connection.call("Thread.Rollback", thread=source.id, turns=1)
    follower.run("three", thread=source.id)
    error = connection.refusal("Thread.Fork", thread=source.id, last_turn=second, subscribe=False)
    assert (error.code, error.reason) == ("NOT_FOUND", "turn")
    fork = connection.call("Thread.Fork", thread=source.id, last_turn=first, subscribe=False).thread
    assert answers(connection, fork.id) == ["You said: one"]


def test_e2_m6_a_key_belongs_to_its_request_while_that_is_on_its_way(connection):
    """M6★ two requests with one key in one segment: the first is served, the second, for something else, is refused
    although nothing of the first is stored yet, K."""
    thread, key = connection.new_thread().id, b"key-on-its-way!!"
    frames = [connection.request_frame("Thread.SetName", METHODS["Thread.SetName"].request(thread=thread, name=name),
                                       key=key) for name in ("first", "second")]
    connection.send(b"".join(frame.encode() for frame in frames))
    assert connection.answer(frames[0].stream, "Thread.SetName").replayed is False
    with pytest.raises(HeddleError) as refused:
        connection.answer(frames[1].stream, "Thread.SetName")
    assert (refused.value.code, refused.value.reason) == ("ALREADY_EXISTS", "idempotency_mismatch")
    assert read(connection, thread).name == "first"
    expect_kept(connection)


def test_e2_a_key_has_no_effect_on_what_changes_nothing(connection):
    """E2, protocol.md, Metadata: beside a method that is not durable a key is nothing: it is not taken by it, nor does
    one that a change has taken stand in its way; a read is always answered anew."""
    threads, key = [connection.new_thread(name=name).id for name in ("one", "two")], b"key-beside-reads"
    for _ in range(2):
        for _ in range(2):
            names = [connection.call("Thread.Read", key=key, thread=thread).thread.name for thread in threads]
            assert names == ["one", "two"]
            assert connection.call("Server.Status", key=key).durability == "synced"
            assert connection.call("Settings.Read", key=key, thread=threads[0]).settings.model == "scripted"
        connection.call("Thread.Archive", key=key, thread=threads[0])
    assert read(connection, threads[0]).archived


@pytest.mark.parametrize("name", ["Thread.Start", "Thread.Fork"])
def test_a_thread_does_not_begin_with_a_longer_name(connection, name):
    """thread.proto: 1,024 bytes at most, by whatever request the name comes → INVALID_ARGUMENT text_too_long, K."""
    fields = {"subscribe": False}
    if name == "Thread.Fork":
        fields["thread"] = connection.new_thread().id
    assert connection.call(name, name="n" * 1024, **fields).thread.name == "n" * 1024
    error = connection.refusal(name, name="n" * 1025, **fields)
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "text_too_long")


def test_e2_m6_the_same_fields_under_another_method_are_another_request(fresh):
    """M6★, E2: Archive, Unarchive, Compact and Delete of one thread have equal bytes; a key of the one finds nothing for
    the others, after kill -9 neither."""
    key = b"key-equal-bytes!"
    with fresh.connect() as connection:
        thread = connection.new_thread().id
        connection.call("Thread.Archive", key=key, thread=thread)
    for _ in range(2):
        with fresh.connect() as connection:
            for name in ("Thread.Unarchive", "Thread.Delete", "Thread.Compact"):
                error = connection.refusal(name, key=key, thread=thread)
                assert (name, error.code, error.reason) == (name, "ALREADY_EXISTS", "idempotency_mismatch")
            assert connection.call("Thread.Archive", key=key, thread=thread).replayed
            assert read(connection, thread).archived
        fresh.restart()


def test_t8_pages_are_of_25_and_of_200_for_what_is_loaded(fresh):
    """protocol.md: `page_size` is 25 if absent, 200 for ListLoaded."""
    with fresh.connect() as connection:
        streams = [connection.open("Thread.Start", subscribe=False) for _ in range(201)]
        for stream in streams:
            thread = connection.answer(stream, "Thread.Start").thread.id
        found = connection.call("Thread.List")
        assert len(found.threads) == 25 and found.next_cursor
        found = connection.call("Thread.ListLoaded")
        assert len(found.threads) == 200 and found.next_cursor
        _, follower = connection.resume_followed(thread)
        for number in range(26):
            follower.run(f"turn {number}", thread=thread)
        for name, rows in (("Thread.ListTurns", "turns"), ("Thread.ListItems", "items")):
            found = connection.call(name, thread=thread)
            assert len(getattr(found, rows)) == 25 and found.next_cursor


def test_t4_a_list_says_what_each_thread_does(fresh):
    """T4: not loaded, idle and active, in lists as in reads."""
    with fresh.connect() as connection:
        resting, working = connection.new_thread().id, connection.new_thread().id
        turn = connection.start_turn(working, "!stall").turn

        def states() -> dict:
            return {row.id: row.status.state for row in connection.call("Thread.List").threads}

        assert states() == {resting: 2, working: 3} == {
            thread: read(connection, thread).status.state for thread in (resting, working)}
        connection.call("Turn.Interrupt", thread=working, turn=turn)
        connection.follow(working).until_ended(turn)
        assert states()[working] == 2
    fresh.restart()
    with fresh.connect() as connection:
        assert {row.status.state for row in connection.call("Thread.List").threads} == {1}
