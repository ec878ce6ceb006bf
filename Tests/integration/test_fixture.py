"""`heddle fixture`: a recording answers clients as the recorded server did, without a server."""

import contextlib
import json
import signal
import subprocess
import uuid

import pytest

from harness.connection import PATIENCE_SECONDS
from harness.recording import TOOL, connect, conversation, record, tool
from harness.server import Server
from harness.wire import RESPONSE
from test_client_tools import LOOKUP, TOOLS, asked


class Fixture:
    """The command as a process."""

    def __init__(self, file):
        self.process = subprocess.Popen([TOOL, "fixture", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["listen"]

    def stop(self, code: int = 0) -> dict:
        self.process.send_signal(signal.SIGTERM)
        out, self.errors = self.process.communicate(timeout=PATIENCE_SECONDS)
        assert self.process.returncode == code, (out, self.errors)
        return json.loads(out)


@contextlib.contextmanager
def playing(file):
    fixture = Fixture(file)
    try:
        yield fixture
    finally:
        if fixture.process.poll() is None:
            fixture.process.kill()
            fixture.process.communicate()


def recorded(folder, story, *arguments):
    with Server(folder / "data") as server:
        record(server, folder / "session.pcap", *arguments, story=story)
    return folder / "session.pcap"


@pytest.mark.parametrize("arguments", [["--keep-text"], []], ids=["with text", "without text"])
def test_a_conversation_goes_as_it_was_recorded_and_again(tmp_path, arguments):
    file = recorded(tmp_path, conversation, *arguments)
    with playing(file) as fixture:
        conversation(fixture.address)
        conversation(fixture.address)
        counts = fixture.stop()
    assert counts["connections"] == 4 and counts["not_recorded"] == 0 and counts["answered"] >= 30


def test_events_wait_for_the_change_that_they_followed(tmp_path):
    def story(address, token=""):
        with connect(address) as connection:
            thread = connection.call("Thread.Start", subscribe=False).thread.id
            follower = connection.follow(thread, after=0)
            connection.call("Server.Status")
            assert not [event for event in follower.events if event.WhichOneof("kind") == "turn_started"]
            follower.until_ended(connection.start_turn(thread, "Hello").turn)

    file = recorded(tmp_path, story, "--keep-text")
    with playing(file) as fixture:
        story(fixture.address)
        fixture.stop()


def test_a_subscription_goes_on_behind_the_event_that_it_names(tmp_path):
    ids = {}

    def story(address, token=""):
        with connect(address) as connection:
            ids["thread"] = connection.call("Thread.Start", subscribe=False).thread.id
            follower = connection.follow(ids["thread"], after=0)
            follower.until_ended(connection.start_turn(ids["thread"], "Hello").turn)
            ids["epoch"] = follower.subscribed.epoch
            ids["sequences"] = [event.sequence for event in follower.events]

    file = recorded(tmp_path, story, "--keep-text")
    with playing(file) as fixture:
        with connect(fixture.address) as connection:
            follower = connection.follow(ids["thread"], after=3, epoch=ids["epoch"])
            follower.until(lambda message: message.event.sequence == ids["sequences"][-1])
            assert [event.sequence for event in follower.events] == [n for n in ids["sequences"] if n > 3]
        fixture.stop()


def test_a_tool_is_called_and_its_answer_awaited(tmp_path):
    def story(address, token=""):
        with connect(address, features=["call_tool"]) as connection:
            thread = connection.call("Thread.Start", subscribe=False, tools=TOOLS).thread.id
            follower = connection.follow(thread, after=0)
            turn = connection.start_turn(thread, LOOKUP).turn
            call = asked(connection)
            assert call.method == "Client.CallTool" and call.message.name == "lookup"
            call.answer("found")
            follower.until_ended(turn)

    file = recorded(tmp_path, story, "--keep-text")
    with playing(file) as fixture:
        story(fixture.address)
        story(fixture.address)
        fixture.stop()


def test_a_repeated_key_gets_the_answer_that_it_got(tmp_path):
    def story(address, token=""):
        with connect(address) as connection:
            for _ in range(2):
                connection.call("Thread.Start", key=uuid.uuid4().bytes, subscribe=False)

    file = recorded(tmp_path, story, "--keep-text")
    with playing(file) as fixture:
        with connect(fixture.address) as connection:
            keys = [uuid.uuid4().bytes for _ in range(2)]
            ids = [connection.call("Thread.Start", key=key, subscribe=False).thread.id for key in [*keys, keys[0]]]
            assert ids[0] != ids[1] and ids[2] == ids[0]
        fixture.stop()


def test_a_request_that_was_not_recorded_is_named(tmp_path):
    def story(address, token=""):
        with connect(address) as connection:
            connection.call("Thread.Start", subscribe=False, name="recorded")

    file = recorded(tmp_path, story, "--keep-text")
    with playing(file) as fixture:
        with connect(fixture.address) as connection:
            error = connection.refusal("Thread.Start", subscribe=False, name="another")
            assert error.reason == "not_recorded" and 'differs in name: "recorded" there, "another" here' in str(error)
            assert "has no Server" in str(connection.refusal("Server.Status"))
            assert connection.call("Thread.Start", subscribe=False, name="recorded").thread.name == "recorded"
        counts = fixture.stop(1)
    assert counts["not_recorded"] == 2 and counts["answered"] == 1
    assert fixture.errors.count("the recording has no") == 2


@pytest.mark.parametrize(("content", "words"), [(b"", "no pcap file"), (b"x" * 4096, "no pcap file"), (None, "cannot be read")])
def test_files_that_are_no_recording(tmp_path, content, words):
    file = tmp_path / "session.pcap"
    if content is not None:
        file.write_bytes(content)
    ended = tool("fixture", file)
    assert ended.returncode == 1 and words in ended.stderr


def test_rubbish_ends_a_connection_and_not_the_fixture(tmp_path):
    file = recorded(tmp_path, conversation, "--keep-text")
    with playing(file) as fixture:
        for rubbish in (b"GET / HTTP/1.1\r\n\r\n", b"\xfa" * 64, bytes(64)):
            with contextlib.suppress(OSError), connect_raw(fixture.address) as sock:
                sock.sendall(rubbish)
                assert sock.recv(1) == b""
        with connect(fixture.address) as connection:
            assert connection.call("Thread.Read", thread=connection.call("Thread.Start", name="recorded", subscribe=False).thread.id)
        fixture.stop()


def connect_raw(address):
    import socket

    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS)
