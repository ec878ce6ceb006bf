"""durability.md D1, D5: a record that was acknowledged can be read again, whatever its shape: many short inputs, many
parts."""

import json
import uuid

import pytest

from harness.connection import Connection
from harness.messages import item_pb2, turn_pb2, turn_status, words
from harness.server import Server, heddle

# The most parts of short texts that the decoder of requests lets through in one input.
MOST_PARTS = 496
SHORT_INPUTS, QUEUED, PARTS_QUEUED = 400, 16, 40
# Events after which a snapshot is certain to have been written (one is written every 64 events).
RENAMES = 80
# Bytes of the user's words that stay beside a summary (Limits.keptInputBytes).
KEPT_BYTES = 64 * 1024
STEER = turn_pb2.WhenBusy.Value("WHEN_BUSY_STEER")


def parts(count: int):
    return words(*["x"] * count)


def part_counts(connection: Connection, thread: bytes) -> list[int]:
    """How many parts each message of the user has, in the order of the thread's items."""
    counts, cursor = [], ""
    while True:
        page = connection.call("Thread.ListItems", thread=thread, page_size=200, cursor=cursor)
        messages = [entry.item.message for entry in page.items if entry.item.WhichOneof("kind") == "message"]
        counts += [len(message.content) for message in messages if message.role == item_pb2.ROLE_USER]
        cursor = page.next_cursor
        if not cursor:
            return counts


def checked(server):
    """The server is killed; `heddle check` finds nothing wrong with what it left."""
    server.kill()
    result = heddle("check", server.data)
    assert result.returncode == 0, result.stdout + result.stderr


def test_d1_d5_a_compaction_of_many_short_inputs_can_be_read(fresh):
    """D1, D5: the record of a compaction that keeps 400 inputs of two bytes is read at once and after a kill."""
    with fresh.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        for number in range(SHORT_INPUTS):
            follower.until_ended(connection.start_turn(thread.id, f"{number % 100:02}").turn)
        turn = connection.call("Thread.Compact", thread=thread.id).turn
        assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
        assert part_counts(connection, thread.id) == [1] * SHORT_INPUTS
    fresh.restart()
    with fresh.connect(timeout=60) as connection:
        assert connection.call("Thread.Resume", thread=thread.id, subscribe=False).thread.id == thread.id
        assert part_counts(connection, thread.id) == [1] * SHORT_INPUTS
        assert connection.call("Thread.ListTurns", thread=thread.id, page_size=200).turns
        _, follower = connection.resume_followed(thread.id)
        turn = connection.start_turn(thread.id, "goes on").turn
        assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
    checked(fresh)


def test_d1_d5_a_snapshot_with_a_full_queue_of_many_parts_can_be_read(fresh):
    """D1, D5: the snapshot of a thread in which 16 turns of 40 parts wait is read after a kill, and all of them run."""
    with fresh.connect(timeout=60) as connection:
        thread = connection.new_thread().id
        connection.start_turn(thread, "!stall")
        waiting = [connection.call("Turn.Start", thread=thread, input=parts(PARTS_QUEUED)).turn for _ in range(QUEUED)]
        for number in range(RENAMES):
            connection.call("Thread.SetName", thread=thread, name=f"name {number}")
    fresh.restart()
    with fresh.connect(timeout=60) as connection:
        connection.call("Thread.Resume", thread=thread, subscribe=False)
        follower = connection.follow(thread, after=0)
        for turn in waiting:
            assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
        assert part_counts(connection, thread)[-QUEUED:] == [PARTS_QUEUED] * QUEUED
    checked(fresh)


@pytest.mark.parametrize("how", ["start", "steer", "queue"])
def test_d1_d5_an_input_of_the_most_parts_can_be_read(fresh, how):
    """D1, D5: an input of as many parts as a request can bring is read after a kill, as the start of a turn, steered
    into one and from the queue."""
    with fresh.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        if how != "start":
            connection.start_turn(thread.id, "!stall")
        fields = {"when_busy": STEER} if how == "steer" else {}
        turn = connection.call("Turn.Start", thread=thread.id, input=parts(MOST_PARTS), **fields).turn
        if how == "start":
            follower.until_ended(turn)
    fresh.restart()
    with fresh.connect(timeout=60) as connection:
        _, follower = connection.resume_followed(thread.id)
        turn = connection.start_turn(thread.id, "the last").turn
        follower.until_ended(turn)
        assert part_counts(connection, thread.id)[-2:] == [MOST_PARTS, 1]
    checked(fresh)


def test_d1_what_an_import_stored_can_be_shown(tmp_path):
    """D1: a message of more parts than a client may send, from an imported history, is printed by `call` and
    `subscribe`."""
    parts, thread, at = 70_000, str(uuid.uuid4()), "2026-11-21T22:44:06.000Z"
    content = [{"type": "input_text", "text": "x"}] * parts
    lines = [("session_meta", {"id": thread, "timestamp": at}),
             ("response_item", {"type": "message", "role": "user", "content": content})]
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps({"timestamp": at, "type": kind, "payload": payload}) + "\n"
                            for kind, payload in lines))
    assert heddle("import", file, "--data", tmp_path / "data").returncode == 0
    with Server(tmp_path / "data") as server:
        listed = heddle("call", "--server", server.address, "ThreadService/ListItems", json.dumps({"thread": thread}))
        followed = heddle("subscribe", "--server", server.address, thread, "--after", "0", "--stored")
    assert listed.returncode == followed.returncode == 0, listed.stderr + followed.stderr
    items = [row["item"] for row in json.loads(listed.stdout)["items"]]
    assert [len(item["message"]["content"]) for item in items] == [parts]
    assert followed.stdout.count('{"text":"x"}') == parts


def test_d1_t7_a_compaction_is_bounded_whatever_its_inputs_look_like(fresh):
    """D1, T7: a part without text counts as one byte towards what stays beside a summary, so the record of a compaction
    cannot grow with the thread."""
    most = KEPT_BYTES // MOST_PARTS
    with fresh.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        for _ in range(most + 5):
            turn = connection.call("Turn.Start", thread=thread.id, input=words("x", *[""] * (MOST_PARTS - 1))).turn
            follower.until_ended(turn)
        turn = connection.call("Thread.Compact", thread=thread.id).turn
        assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
        event = follower.of_kind("context_compacted")[-1]
        kept = [len(message.content) for message in event.context_compacted.compaction.replacement]
        assert kept.count(MOST_PARTS) == most
