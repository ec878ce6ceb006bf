"""The proxy as a process, and the conversation that is recorded through it: what `make demo` shows, but the kill."""

import json
import os
import pathlib
import selectors
import signal
import subprocess
import uuid

from harness.connection import PATIENCE_SECONDS, Connection
from harness.server import BINARY, Server

# The tool may be another build than the server that it is tried on.
TOOL = pathlib.Path(os.environ.get("HEDDLE_TOOL", BINARY))
SECRET = "a bear in Grenoble"
TOKEN = "t" * 40


def tool(*arguments, timeout: float = 2 * PATIENCE_SECONDS, **options) -> subprocess.CompletedProcess:
    """Runs the tool to its end."""
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, **options)


class Proxy:
    """`heddle capture` between clients and a server."""

    def __init__(self, upstream: str, output: pathlib.Path, *arguments: str):
        command = [TOOL, "capture", "--upstream", upstream, "--output", output, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.address = json.loads(self._line())["listen"]

    def _line(self) -> bytes:
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            assert selector.select(PATIENCE_SECONDS), "the proxy says nothing"
            return self.process.stdout.readline()

    def stop(self) -> dict:
        """Ends it as a person would; what it says of the file."""
        self.process.send_signal(signal.SIGTERM)
        said = json.loads(self._line())
        assert self.process.wait(PATIENCE_SECONDS) == 0
        self.process.stdout.close()
        return said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE_SECONDS)
            self.process.stdout.close()


def connect(address: str, token: str = "", **fields) -> Connection:
    connection = Connection(address)
    connection.hello(token, **fields)
    return connection


def conversation(address: str, token: str = ""):
    """Threads, settings, turns, a queue, an interruption, lists, a retry and a refusal, over two connections."""
    with connect(address, token) as first:
        thread = first.call("Thread.Start", key=uuid.uuid4().bytes, name="recorded", subscribe=False).thread.id
        follower = first.follow(thread, after=0)
        mode = {"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}}
        first.call("Settings.Update", key=uuid.uuid4().bytes, thread=thread, change=mode)
        turn = first.start_turn(thread, f"Tell me of {SECRET}!", key=uuid.uuid4().bytes).turn
        follower.until_ended(turn)
        first.call("Thread.Read", thread=thread)
        fork = first.call("Thread.Fork", thread=thread, subscribe=False, name="a fork").thread.id
        slow = first.start_turn(thread, "!chunks 8\n!delay 2000\nThis answer comes slowly.").turn
        waiting = first.start_turn(thread, "And then?").turn
        follower.until_text()
        with connect(address, token) as second:
            key = uuid.uuid4().bytes
            named = second.call("Thread.SetName", key=key, thread=fork, name="named by another")
            again = second.call("Thread.SetName", key=key, thread=fork, name="named by another")
            assert again.replayed and again.sequence == named.sequence
            second.call("Turn.Interrupt", thread=thread, turn=slow)
            follower.until_ended(waiting)
            lists(second)
        first.refusal("Thread.Read", thread=uuid.UUID(int=1).bytes)
        first.call("Thread.ListTurns", thread=thread)
        first.call("Thread.ListItems", thread=thread)
        first.call("Thread.Unsubscribe", thread=thread)


def lists(connection: Connection):
    """Two pages: the second one's cursor is the server's."""
    page = connection.call("Thread.List", page_size=1)
    assert page.next_cursor
    connection.call("Thread.List", page_size=1, cursor=page.next_cursor)


def record(server: Server, output: pathlib.Path, *arguments: str, story=conversation, token: str = "") -> dict:
    """Records a story at a server."""
    with Proxy(server.address, output, *arguments) as proxy:
        story(proxy.address, token)
        return proxy.stop()


def shown(file: pathlib.Path, *arguments: str) -> list[dict]:
    """The frames of a capture."""
    ended = tool("show", file, "--json", *arguments)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]
