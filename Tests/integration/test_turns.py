"""rules.md U, attacks.md M12 to M14 and M21 to M25, durability.md D5: turns that run, wait, are steered, end and crash."""

import uuid

import pytest

from harness.ends import expect_kept
from harness.messages import item_text, turn_pb2, turn_status, version_name, words

STALL = "!stall\nfor ever"
# Two pieces are to come when the first was seen: time enough on a machine that stands still now and then.
SLOW = "!chunks 3\n!delay 1500\n"
# Nobody waits for its end.
ENDLESS = "!chunks 100\n!delay 1500\n"
QUEUE, REFUSE, STEER = (turn_pb2.WhenBusy.Value(f"WHEN_BUSY_{name}") for name in ("QUEUE", "REFUSE", "STEER"))
INPUT_MAXIMUM = 1 << 20
USER, DEVELOPER, ASSISTANT = 1, 2, 4


def items(connection, thread: bytes) -> list:
    return [listed.item for listed in connection.call("Thread.ListItems", thread=thread, page_size=200).items]


def said(connection, thread: bytes, role: int) -> list[str]:
    return [item_text(item) for item in items(connection, thread)
            if item.HasField("message") and item.message.role == role]


def stalled(connection) -> tuple:
    """A thread whose turn runs until a client ends it."""
    thread, follower = connection.start_followed()
    turn = connection.start_turn(thread.id, STALL).turn
    follower.until_event("turn_started", turn=turn)
    return thread.id, follower, turn


def ends_of(events: list, turn: bytes) -> list[str]:
    return [turn_status(event.turn_ended.status) for event in events
            if event.WhichOneof("kind") == "turn_ended" and event.turn_ended.turn == turn]


# U1: one runs, others wait


def test_u1_a_second_turn_waits_with_its_real_id_and_its_place(connection):
    """U1 starting another turn while one runs queues it: real id, place, input kept; the default is queue."""
    thread, follower, running = stalled(connection)
    second = connection.start_turn(thread, "second")
    third = connection.start_turn(thread, "third", when_busy=QUEUE)
    assert [(turn_status(turn.status), turn.place) for turn in (second, third)] == [("QUEUED", 1), ("QUEUED", 2)]
    queue = connection.call("Turn.ListQueue", thread=thread)
    assert queue.running == running
    assert [(turn.id, turn.input.content[0].text) for turn in queue.turns] == [
        (second.turn, "second"), (third.turn, "third")]
    assert connection.call("Thread.Read", thread=thread).thread.queued_turns == 2
    connection.call("Turn.Interrupt", thread=thread, turn=running)
    for turn in (second.turn, third.turn):
        assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
    assert [event.turn_started.turn for event in follower.of_kind("turn_started")] == [running, second.turn, third.turn]
    assert said(connection, thread, ASSISTANT)[-2:] == ["You said: second", "You said: third"]


def test_u1_t7_what_a_turn_said_is_its_own_when_another_waited(connection):
    """U1, T7 a turn that ends while another waits ends in the same step in which that one starts: its last items are
    its own all the same, in the list and in what a rollback of the other leaves."""
    thread, follower = connection.start_followed()
    first = connection.start_turn(thread.id, SLOW + "first").turn
    follower.until_event("turn_started", turn=first)
    second = connection.start_turn(thread.id, "second").turn
    follower.until_ended(second)
    for turn, text in ((first, "first"), (second, "second")):
        listed = connection.call("Thread.ListItems", thread=thread.id, turn=turn, page_size=200).items
        assert [item_text(entry.item) for entry in listed][-1] == f"You said: {text}"
        assert all(entry.turn == turn for entry in listed)
    connection.call("Thread.Rollback", thread=thread.id, turns=1)
    assert said(connection, thread.id, ASSISTANT) == ["You said: first"]


def test_u1_a_waiting_turn_can_be_cancelled_once(connection):
    """U1 a queued turn either runs or is reported cancelled; a second cancel is answered `already`."""
    thread, follower, running = stalled(connection)
    waiting = connection.start_turn(thread, "never").turn
    assert connection.call("Turn.CancelQueued", thread=thread, turn=waiting).already is False
    assert connection.call("Turn.CancelQueued", thread=thread, turn=waiting).already is True
    connection.call("Turn.Interrupt", thread=thread, turn=running)
    follower.until_ended(running)
    last = connection.start_turn(thread, "last").turn
    follower.until_ended(last)
    assert [event.queued_turn_cancelled.turn for event in follower.of_kind("queued_turn_cancelled")] == [waiting]
    assert waiting not in [event.turn_started.turn for event in follower.of_kind("turn_started")]


def known_however_long_ago(connection, thread, follower):
    """A turn that ran is not said to be cancelled, and is interrupted `already`: just now, and when it is no longer among
    the last ones that the thread remembers."""
    first = follower.run("first", thread=thread.id)
    for more in (0, 17):
        for number in range(more):
            follower.run(f"{number}", thread=thread.id)
        error = connection.refusal("Turn.CancelQueued", thread=thread.id, turn=first)
        assert (error.code, error.reason) == ("FAILED_PRECONDITION", "turn_mismatch")
        assert connection.call("Turn.Interrupt", thread=thread.id, turn=first).already is True


def test_u1_u3_m12_a_turn_that_has_run_is_known_however_long_ago(connection):
    """U1, U3, M12: of a stored thread."""
    known_however_long_ago(connection, *connection.start_followed())


def test_u1_the_queue_has_sixteen_places(connection):
    """U1 bounded, 16 → RESOURCE_EXHAUSTED queue_full, K."""
    thread, _, running = stalled(connection)
    places = [connection.start_turn(thread, f"{n}").place for n in range(16)]
    error = connection.refusal("Turn.Start", thread=thread, input=words("one too many"))
    assert (places, error.code, error.reason) == (list(range(1, 17)), "RESOURCE_EXHAUSTED", "queue_full")
    expect_kept(connection)


def test_u1_a_turn_is_refused_when_it_asks_for_that(connection):
    """U1, M4★ → FAILED_PRECONDITION turn_in_progress{turn}, nothing appended, K."""
    thread, _, running = stalled(connection)
    before = connection.call("Thread.Read", thread=thread).thread.sequence
    error = connection.refusal("Turn.Start", thread=thread, input=words("x"), when_busy=REFUSE)
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "turn_in_progress")
    assert uuid.UUID(error.details["turn"]).bytes == running
    assert connection.call("Thread.Read", thread=thread).thread.sequence == before


def test_u1_u2_a_turn_is_steered_into_the_running_one_when_it_asks_for_that(connection):
    """U1, U2: the answer names the running turn, and the text is in the history."""
    thread, follower = connection.start_followed()
    turn = connection.start_turn(thread.id, SLOW + "first").turn
    follower.until_text()
    answer = connection.start_turn(thread.id, "steered by start", when_busy=STEER)
    assert (answer.turn, answer.steered) == (turn, True)
    follower.until_ended(turn)
    assert "steered by start" in said(connection, thread.id, USER)


# U2: steering


def test_u2_steered_text_reaches_the_model(connection):
    """U2 steering adds input to the running turn at its next sampling step; accepted text is never lost."""
    thread, follower = connection.start_followed()
    turn = connection.start_turn(thread.id, SLOW + "first").turn
    follower.until_text()
    answer = connection.call("Turn.Steer", thread=thread.id, turn=turn, input=words("and this"))
    assert answer.turn == turn
    follower.until_ended(turn)
    steered = follower.of_kind("input_steered")
    assert [event.sequence for event in steered] == [answer.sequence]
    user = [item for item in items(connection, thread.id) if item.message.role == USER and item_text(item) == "and this"]
    assert [item.id for item in user] == [steered[0].input_steered.item]
    assert "You said: and this" in said(connection, thread.id, ASSISTANT)


def test_m13_steering_where_nothing_runs(connection):
    """M13 → FAILED_PRECONDITION no_turn, K; U2 another turn than the running one → turn_mismatch."""
    thread, follower = connection.start_followed()
    finished = follower.run("done", thread=thread.id)
    error = connection.refusal("Turn.Steer", thread=thread.id, turn=finished, input=words("late"))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "no_turn")
    connection.start_turn(thread.id, STALL)
    error = connection.refusal("Turn.Steer", thread=thread.id, turn=finished, input=words("late"))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "turn_mismatch")


def test_u2_steered_text_survives_an_interruption(connection):
    """U2 accepted text is never lost: steered into a turn that stalls and is interrupted, it is in the history and the
    next model request."""
    thread, follower, turn = stalled(connection)
    connection.call("Turn.Steer", thread=thread, turn=turn, input=words("do not lose me"))
    connection.call("Turn.Interrupt", thread=thread, turn=turn)
    follower.until_ended(turn)
    follower.run("next", thread=thread)
    assert said(connection, thread, USER).count("do not lose me") == 1


# U3: interruption


def test_u3_interrupt_ends_the_turn_once_and_leaves_a_marker(connection):
    """U3 once; repeating it is answered at once with `already` (M12); the marker is in the history, role user for V1."""
    thread, follower, turn = stalled(connection)
    first = connection.call("Turn.Interrupt", thread=thread, turn=turn)
    again = connection.call("Turn.Interrupt", thread=thread, turn=turn)
    assert (first.already, again.already) == (False, True)
    assert turn_status(follower.until_ended(turn).status) == "INTERRUPTED"
    follower.run("next", thread=thread)
    assert ends_of(follower.events, turn) == ["INTERRUPTED"]
    markers = [item.marker for item in items(connection, thread) if item.HasField("marker")]
    assert [(marker.kind, marker.role) for marker in markers] == [(1, USER)] and markers[0].text


def test_u3_the_marker_of_a_v2_thread_is_the_developers(fresh):
    """U3 role developer for V2."""
    with fresh.connect() as connection:
        thread, follower = connection.start_followed(settings={"model": "scripted-v2"})
        turn = connection.start_turn(thread.id, STALL).turn
        follower.until_event("turn_started", turn=turn)
        connection.call("Turn.Interrupt", thread=thread.id, turn=turn)
        follower.until_ended(turn)
        markers = [item.marker for item in items(connection, thread.id) if item.HasField("marker")]
        assert [marker.role for marker in markers] == [DEVELOPER]


def test_u3_an_interrupted_item_keeps_the_text_that_was_safe(connection):
    """D3: the unfinished item ends with status interrupted, at a prefix of what was streamed."""
    thread, follower = connection.start_followed()
    turn = connection.start_turn(thread.id, "!chunks 40\n!delay 500\nabcdefghijklmnopqrstuvwxyz" * 2).turn
    follower.until_text()
    connection.call("Turn.Interrupt", thread=thread.id, turn=turn)
    follower.until_ended(turn)
    cut = [item for item in items(connection, thread.id) if item.message.role == ASSISTANT]
    assert [item.status for item in cut] in ([], [2])
    for item in cut:
        assert "You said: abcdefghijklmnopqrstuvwxyz".startswith(item_text(item)[:36])


def test_m12_interrupting_another_turn(connection):
    """M12 other turn id → FAILED_PRECONDITION turn_mismatch, K; the running turn runs on."""
    thread, _, turn = stalled(connection)
    error = connection.refusal("Turn.Interrupt", thread=thread, turn=b"no turn has this")
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "turn_mismatch")
    assert connection.call("Thread.Read", thread=thread).thread.running_turn == turn


def test_m14_archive_while_running(connection):
    """M14, T6 → FAILED_PRECONDITION turn_in_progress, K; T7 so does a rollback."""
    thread, _, _ = stalled(connection)
    for name, fields in (("Thread.Archive", {}), ("Thread.Rollback", {"turns": 1})):
        error = connection.refusal(name, thread=thread, **fields)
        assert (error.code, error.reason) == ("FAILED_PRECONDITION", "turn_in_progress")


def test_s16_a_turn_runs_on_without_its_client(server, connection):
    """S16 FIN with turns running → turns run on; result in the log; resume shows it."""
    with server.connect() as leaving:
        thread, follower = leaving.start_followed()
        turn = leaving.start_turn(thread.id, SLOW + "alone").turn
        follower.until_text()
    connection.follow(thread.id, 0).until_ended(turn)
    assert said(connection, thread.id, ASSISTANT) == ["You said: alone"]


# Input


def test_m21_text_is_kept_byte_for_byte(connection):
    """M21 bidi, zero-width, 4-byte, unnormalised text → stored byte for byte; L7 SQL is text."""
    thread, follower = connection.start_followed()
    for text in ("\u202eevil\u202c \u200b\u2066x\u2069", "e\u0301 \u00e9 \U0001f9f5", "'; DROP TABLE events; --", "\r\n\x1b[31m"):
        connection.call("Thread.SetName", thread=thread.id, name=text)
        assert connection.call("Thread.Read", thread=thread.id).thread.name == text
        follower.run("!say ok\n" + text, thread=thread.id)
        assert said(connection, thread.id, USER)[-1].endswith(text)


# A model that misbehaves


@pytest.mark.parametrize("script,reason", [("!fail", "model_failed"), ("!rubbish", "model_output_invalid")])
def test_m23_m24_a_model_that_fails_ends_the_turn_with_a_typed_error(connection, script, reason):
    """M24 a failing provider, M23★ an invalid stream → bounded retries, visible as events; then `failed`, K; the thread
    takes the next turn."""
    thread, follower = connection.start_followed()
    turn = connection.start_turn(thread.id, f"{script}\nx").turn
    ended = follower.until_ended(turn, timeout=60)
    assert (turn_status(ended.status), ended.error.reason) == ("FAILED", reason)
    assert ended.error.message and len(follower.of_kind("model_retried")) <= 10
    follower.run("and on", thread=thread.id)


def test_m23_a_flood_of_text_is_cut(server, witness, unharmed, connection):
    """M23★ one delta of 100 MiB → cut at the limit; turn ends; the rest of the server does not notice, K."""
    thread, follower = connection.start_followed()
    turn = connection.start_turn(thread.id, "!flood 104857600\nx").turn
    ended = follower.until_ended(turn, timeout=90)
    assert (turn_status(ended.status), ended.error.reason) == ("FAILED", "model_output_too_large")
    assert sum(len(text) for text in said(connection, thread.id, ASSISTANT)) <= 16 << 20
    follower.run("and on", thread=thread.id)


def test_a_tool_that_nobody_has_fails_in_words(connection):
    """A9 a tool call is recorded with its output, and the turn continues to its answer."""
    thread, follower = connection.start_followed()
    follower.run('!tool no_such_tool {"a":1}\n!say after the tool', thread=thread.id, timeout=60)
    history = items(connection, thread.id)
    calls = [item.tool_call for item in history if item.HasField("tool_call")]
    outputs = [item.tool_output for item in history if item.HasField("tool_output")]
    assert [(call.name, call.arguments) for call in calls] == [("no_such_tool", '{"a":1}')]
    assert [output.call_id for output in outputs] == [calls[0].call_id] and outputs[0].success is False
    assert said(connection, thread.id, ASSISTANT)[-1] == "after the tool"


# Crashes


def test_d5_u4_kill_9_in_the_middle_of_a_turn_is_one_interruption(fresh):
    """D5, U4, M25: restart finds the running turn and appends exactly one interrupted event (twice started = still one);
    the model is told by the marker; the turn's key still finds the turn."""
    key = b"key-of-the-turn!"
    with fresh.connect() as connection:
        thread, follower = connection.start_followed()
        turn = connection.start_turn(thread.id, ENDLESS + "x" * 100 + "the middle", key=key).turn
        follower.until_text()
        seen = list(follower.events)
    for _ in range(2):
        fresh.restart()
        with fresh.connect() as connection:
            history = connection.history(thread.id)
            assert ends_of(history, turn) == ["INTERRUPTED"]
            assert [event.sequence for event in history] == list(range(1, len(history) + 1))
            assert history[seen[-1].sequence - 1] == seen[-1]
            again = connection.start_turn(thread.id, ENDLESS + "x" * 100 + "the middle", key=key)
            assert (again.turn, again.replayed) == (turn, True)
            markers = [item for item in items(connection, thread.id) if item.HasField("marker")]
            assert len(markers) == 1
            read = connection.call("Thread.Read", thread=thread.id).thread
            assert not read.HasField("running_turn")
    with fresh.connect() as connection:
        _, follower = connection.resume_followed(thread.id)
        follower.run("and on", thread=thread.id)


def test_u1_a_waiting_turn_is_not_lost_by_kill_9(fresh):
    """U1 a queued turn either runs or is reported cancelled; its input is never lost: through a kill -9 too."""
    with fresh.connect() as connection:
        thread, _, running = stalled(connection)
        waiting = connection.start_turn(thread, "after the crash").turn
    fresh.restart()
    with fresh.connect() as connection:
        connection.resume_followed(thread)
        connection.call("Thread.Unsubscribe", thread=thread)
        follower = connection.follow(thread, 0)
        def decided(message):
            event = message.event
            return waiting in (event.turn_ended.turn, event.queued_turn_cancelled.turn)
        event = follower.until(decided).event
        assert ends_of(follower.events, running) == ["INTERRUPTED"]
        if event.WhichOneof("kind") == "turn_ended":
            assert turn_status(event.turn_ended.status) == "COMPLETED"
            assert "You said: after the crash" in said(connection, thread, ASSISTANT)


def test_d5_the_version_pinned_by_a_turn_that_crashed_is_there(fresh):
    """V8 a root's pin survives a crash before the first turn ends."""
    with fresh.connect() as connection:
        thread, follower = connection.start_followed(settings={"model": "scripted-v2"})
        connection.start_turn(thread.id, STALL)
        follower.until_event("version_pinned")
    fresh.restart()
    with fresh.connect() as connection:
        read = connection.call("Thread.Read", thread=thread.id).thread
        assert version_name(read.version) == "V2"
