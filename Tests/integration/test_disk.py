"""Disks that fail, fill up and come back; descriptors that run out; threads that are unloaded (durability.md D8, D9, D12)."""

import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

from harness.ends import eventually
from harness.messages import settings_pb2, words
from harness.server import BINARY, LOADING_SECONDS, Server, heddle_timed
from harness.wire import Closed, HeddleError

STALL = "!stall"


def start_until_it_fails(connection, count: int) -> list:
    """Ids of the threads whose start was acknowledged before the server refused one."""
    acknowledged = []
    for _ in range(count):
        try:
            acknowledged.append(connection.new_thread().id)
        except (HeddleError, Closed, ConnectionError, OSError):
            break
    return acknowledged


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to make fdatasync fail")
@pytest.mark.parametrize("when", [12, 17, 23])
def test_d8_a_failed_sync_ends_the_server_and_loses_nothing(tmp_path, when):
    """D8: a sync that fails is not tried again: GOAWAY storage_failed, exit 75; what was acknowledged is there."""
    trace = ("strace", "-f", "-o", str(tmp_path / "strace.log"), "-e", "trace=fdatasync,fsync", "-e",
             f"inject=fdatasync,fsync:error=EIO:when={when}")
    server = Server(tmp_path / "data", under=trace).start()
    with server.connect(unwanted_notifications=["thread_started"]) as connection:
        acknowledged = start_until_it_fails(connection, 40)
        assert 0 < len(acknowledged) < 40
    assert server.process.wait(60) == 75
    with Server(tmp_path / "data") as again, again.connect() as connection:
        for thread in acknowledged:
            assert connection.call("Thread.Read", thread=thread).thread.id == thread


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 26 MiB, 16 of which the server holds back."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=26m", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"needs the right to mount a small disk: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(connection, thread: bytes) -> int:
    """Acknowledged changes until the disk is full."""
    for count in range(1, 2000):
        change = settings_pb2.SettingsChange(base_instructions="x" * 200_000 + str(count))
        try:
            connection.call("Settings.Update", thread=thread, change=change)
        except HeddleError as refused:
            assert (refused.code, refused.reason) == ("RESOURCE_EXHAUSTED", "disk_full")
            return count - 1
    raise AssertionError("the disk never filled up")


def test_d9_a_full_disk_is_read_only_and_not_dead(small_disk, tmp_path):
    """D9: mutations get disk_full, reads go on, running turns end interrupted; space back → writes without a restart."""
    data = small_disk / "data"
    with Server(data) as server, server.connect() as connection:
        server_log = server
        full, running = connection.new_thread().id, connection.new_thread().id
        connection.call("Turn.Start", thread=running, input=words(STALL))
        waiting = connection.call("Turn.Start", thread=running, input=words("waits for space")).turn
        acknowledged = fill(connection, full)
        assert connection.call("Thread.Read", thread=full).thread.revision == acknowledged + 1
        eventually(lambda: not connection.call("Thread.Read", thread=running).thread.HasField("running_turn"))
        assert connection.call("Server.Status").serving == 2, "READ_ONLY"
        # More often than a connection may make mistakes: a full disk is none of the client's.
        for _ in range(connection.server_hello.limits.glitches + 1):
            refused = connection.refusal("Thread.SetName", thread=running, name="no")
            assert (refused.reason, refused.error.retry_after_ms) == ("disk_full", 1_000)
        assert connection.ping().status == 2
        time.sleep(2.5)  # space is looked for once a second: it must be looked for again when there was none
        assert connection.call("Server.Status").serving == 2, "there is no space"
        subprocess.run(["mount", "-o", "remount,size=90m", small_disk], check=True)
        eventually(lambda: connection.call("Server.Status").serving == 1)
        connection.call("Thread.SetName", thread=running, name="yes")
        eventually(lambda: connection.call("Thread.ListTurns", thread=running).turns[0].id == waiting)
        ended = [event.turn_ended.status for event in connection.history(running) if event.HasField("turn_ended")]
        assert ended[0] == 4, "INTERRUPTED"
        assert server_log.alive
    checked = subprocess.run([BINARY, "check", data], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_d9_u1_on_a_full_disk_no_turn_begins_in_a_thread_that_is_read_anew(small_disk):
    """D9, U1: the thread whose own write is refused is read anew, which ends its turn; those that wait there wait on
    until there is space, and do not spend the reserve."""
    with Server(small_disk / "data") as server, server.connect() as connection:
        def read():
            return connection.call("Thread.Read", thread=thread).thread

        thread = connection.new_thread().id
        turns = [connection.start_turn(thread, text).turn for text in (STALL, "waits for space")]
        fill(connection, thread)
        eventually(lambda: not read().HasField("running_turn"))
        assert connection.call("Server.Status").serving == 2, "READ_ONLY"
        assert read().queued_turns == 1
        subprocess.run(["mount", "-o", "remount,size=90m", small_disk], check=True)
        eventually(lambda: not read().queued_turns and not read().HasField("running_turn"))
        ends = [(event.turn, event.turn_ended.status) for event in connection.history(thread)
                if event.HasField("turn_ended")]
        assert ends == [(turns[0], 4), (turns[1], 3)], "INTERRUPTED, COMPLETED"


def test_d12_descriptors_run_out_and_the_log_does_not_notice(tmp_path):
    """D12: 64 descriptors are held back; at the limit newcomers are refused, others continue, mutations are durable."""
    with Server(tmp_path / "data", under=("prlimit", "--nofile=200:200")) as server:
        with server.connect() as connection:
            others = [socket.create_connection(server.address.rsplit(":", 1)) for _ in range(250)]
            try:
                for _ in range(20):
                    connection.new_thread()
                assert connection.call("Server.Status").connections <= 200 - 32 + 1
            finally:
                for other in others:
                    other.close()
            eventually(lambda: connection.call("Server.Status").connections < 10)
            with server.connect() as newcomer:
                assert newcomer.new_thread().id


def test_t5_a_quiet_thread_is_unloaded_and_nothing_is_lost(tmp_path):
    """T5: a thread without subscribers and activity is unloaded; reading and resuming it gives what was there."""
    with Server(tmp_path / "data", environment={"HEDDLE_LIMITS_UNLOAD_MILLISECONDS": "300"}) as server:
        with server.connect() as connection:
            thread = connection.new_thread(name="quiet").id
            connection.call("Turn.Start", thread=thread, input=words("hello"))
            eventually(lambda: connection.call("Server.Status").loaded_threads == 0)
            before = connection.call("Thread.Read", thread=thread).thread
            assert before.status.state == 1, "NOT_LOADED"
            resumed = connection.call("Thread.Resume", thread=thread, subscribe=False).thread
            assert (resumed.sequence, resumed.turn_count, resumed.name) == (before.sequence, 1, "quiet")


def test_t5_t3_a_thread_that_was_forked_behind_a_turn_is_unloaded(tmp_path):
    """T5, T3: a thread is kept loaded while a fork looks for the turn that it is to end with, and no longer."""
    with Server(tmp_path / "data", environment={"HEDDLE_LIMITS_UNLOAD_MILLISECONDS": "300"}) as server:
        with server.connect() as connection:
            thread, follower = connection.start_followed()
            turn = follower.run("hello", thread=thread.id)
            connection.call("Thread.Unsubscribe", thread=thread.id)
            fork = connection.call("Thread.Fork", thread=thread.id, last_turn=turn, subscribe=False).thread.id
            assert connection.refusal("Thread.Fork", thread=thread.id, last_turn=b"no turn has this").reason == "turn"
            eventually(lambda: connection.call("Server.Status").loaded_threads == 0)
            assert connection.call("Thread.Read", thread=fork).thread.turn_count == 1


def test_d13_the_lock_names_its_owner(tmp_path):
    """D13: a second server on the folder exits 75 within a second and says who has it."""
    with Server(tmp_path / "data") as server:
        second, seconds = heddle_timed("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0")
        assert second.returncode == 75 and str(server.pid) in second.stderr
        assert seconds < 1 + LOADING_SECONDS
        assert pathlib.Path(tmp_path / "data" / "LOCK").exists() and os.path.exists(f"/proc/{server.pid}")
