"""Trees of agents as a client sees them: tasks as scripts for the model, calls with their outputs, and who is there."""

import contextlib
import dataclasses
import json
import time

from harness.connection import PATIENCE_SECONDS
from harness.messages import event_pb2, item_pb2, turn_status
from provided import answer_call
from recorded import RecordedServer, quiet

COMPLETED, INTERRUPTED, FAILED = "COMPLETED", "INTERRUPTED", "FAILED"
NEW_TASK, MESSAGE, FINAL_ANSWER = "NEW_TASK", "MESSAGE", "FINAL_ANSWER"
STALL = "!stall\nfor ever"
GATE = {"name": "gate", "description": "Waits for the client.", "schema": "{}"}
V1, V2 = "scripted-v1", "scripted-v2"
V1_TOOLS = ["spawn_agent", "send_input", "wait_agent", "close_agent", "resume_agent"]
V2_TOOLS = ["spawn_agent", "send_message", "followup_task", "wait_agent", "interrupt_agent", "list_agents"]


# Scripts


def tool(name: str, /, **arguments) -> str:
    """A line that has the model call a tool."""
    return f"!tool {name} {json.dumps(arguments)}"


def spawn(name: str, message: str = "!say done", fork_turns: str = "none", **more) -> str:
    """V2: an agent of this name, with a task that is a script too."""
    return tool("spawn_agent", task_name=name, message=message, fork_turns=fork_turns, **more)


def spawn_v1(message: str = "!say done", **more) -> str:
    return tool("spawn_agent", message=message, **more)


def script(*steps) -> str:
    """Steps of a turn: each a line, or a list of lines that are carried out at once."""
    return "\n!then\n".join(step if isinstance(step, str) else "\n".join(step) for step in steps)


def held(*steps, tool_name: str = "gate") -> str:
    """A task that begins when the client lets it: what comes after something else must not be left to time."""
    return script(tool(tool_name), *steps)


def limits(**values: int) -> dict:
    """Limits of the server as its environment takes them."""
    return {f"HEDDLE_LIMITS_{name.upper()}": str(value) for name, value in values.items()}


# Results


def waited(team: "Team") -> int:
    """Milliseconds from the last call of wait_agent in the root's log to its output."""
    items = [(event.at, event.item_completed.item) for event in team.follower.of_kind("item_completed")]
    began, call = [(at, item.tool_call) for at, item in items if item.tool_call.name == "wait_agent"][-1]
    return next(at for at, item in items if item.tool_output.call_id == call.call_id) - began


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a tool and its output."""

    name: str
    text: str
    reason: str
    success: bool | None

    @property
    def json(self):
        return json.loads(self.text)


def calls_of(events: list, turn: bytes | None = None) -> list[Call]:
    """The calls of a turn, or of all, in their order. A call without an output, or with two, is an error."""
    calls, outputs = {}, {}
    for event in events:
        item = event.item_completed.item
        if turn is not None and event.turn != turn:
            continue
        if item.HasField("tool_call"):
            calls[item.tool_call.call_id] = item.tool_call.name
        if item.HasField("tool_output"):
            output = item.tool_output
            assert output.call_id in calls and output.call_id not in outputs, f"an output without a call: {output}"
            outputs[output.call_id] = output
    assert calls.keys() == outputs.keys(), f"calls without an output: {calls.keys() - outputs.keys()}"
    return [Call(name, "".join(part.text for part in outputs[id].content), outputs[id].reason,
                 outputs[id].success if outputs[id].HasField("success") else None) for id, name in calls.items()]


def mail_of(event) -> tuple[str, str, str]:
    """Kind, author and text of a message that arrived."""
    mail = event.mail_received.mail
    return kind_name(mail.kind), mail.author, "".join(part.text for part in mail.content)


def kind_name(value: int) -> str:
    return item_pb2.AgentMessageKind.Name(value).removeprefix("AGENT_MESSAGE_KIND_")


def state_name(status) -> str:
    return event_pb2.ThreadState.Name(status.state).removeprefix("THREAD_STATE_")


class Team:
    """A root that a connection follows, and the agents below it."""

    def __init__(self, server, connection, thread, follower):
        self.server, self.connection, self.state, self.follower = server, connection, thread, follower
        self.id = thread.id
        self.followers = {self.id: follower}

    @staticmethod
    def start(server, connection, model: str = V2, settings: dict | None = None, **fields) -> "Team":
        settings = {"model": model, **(settings or {})}
        return Team(server, connection, *connection.start_followed(settings=settings, **fields))

    @staticmethod
    def resume(server, connection, thread: bytes) -> "Team":
        return Team(server, connection, *connection.resume_followed(thread))

    def begin(self, *steps, **fields) -> bytes:
        """A turn of the root, which runs."""
        return self.connection.start_turn(self.id, script(*steps), **fields).turn

    def run(self, *steps, timeout: float = PATIENCE_SECONDS, **fields) -> list[Call]:
        """One whole turn of the root; its calls."""
        turn = self.begin(*steps, **fields)
        ended = self.follower.until_ended(turn, timeout)
        assert turn_status(ended.status) == COMPLETED, ended
        return calls_of(self.follower.events, turn)

    def one(self, line: str, **fields) -> Call:
        """The only call of a turn."""
        [call] = self.run(line, **fields)
        return call

    # Members

    def listed(self, thread: bytes | None = None):
        return self.connection.call("Agent.ListTree", thread=thread or self.id)

    def tree(self) -> dict:
        """Agents by path."""
        return {agent.path: agent for agent in self.listed().agents}

    def thread(self, path: str) -> bytes:
        return self.tree()[path].thread

    def agents(self) -> list:
        """All but the root, in the order in which they were made."""
        return [agent for agent in self.listed().agents if agent.thread != self.id]

    # Requests

    def follow(self, thread: bytes | str):
        """The events of an agent from its first on. A followed agent is not unloaded."""
        thread = self.thread(thread) if isinstance(thread, str) else thread
        if thread not in self.followers:
            self.followers[thread] = self.connection.follow(thread, 0)
        return self.followers[thread]

    def history(self, thread: bytes | str) -> list:
        """All events of an agent, without following it."""
        return self.connection.history(self.thread(thread) if isinstance(thread, str) else thread)

    def until_turns(self, thread: bytes | str, count: int, timeout: float = PATIENCE_SECONDS) -> list[str]:
        """Waits until an agent has ended `count` turns; how they ended."""
        follower = self.follow(thread)
        deadline = time.monotonic() + timeout
        while len(follower.of_kind("turn_ended")) < count:
            follower.until_event("turn_ended", max(0.001, deadline - time.monotonic()))
        return [turn_status(event.turn_ended.status) for event in follower.of_kind("turn_ended")]

    def until_spawned(self, path: str) -> bytes:
        """Waits until an agent is there; its thread. Its parent is."""
        follower = self.follow(path.rpartition("/")[0])
        def spawned(events) -> list[bytes]:
            return [event.agent_activity.agent for event in events
                    if (event.agent_activity.kind, event.agent_activity.path) == (1, path)]
        if not spawned(follower.events):
            follower.until(lambda message: spawned([message.event]))
        return spawned(follower.events)[0]

    def until_started(self, thread: bytes | str):
        """Waits until a turn of the agent has begun."""
        follower = self.follow(thread)
        return next(iter(follower.of_kind("turn_started")), None) or follower.until_event("turn_started")

    def until_asked(self, thread: bytes):
        """Waits until the model of an agent was asked for the first time."""
        self.server.request_of(self.until_started(thread).turn_started.turn)

    def let_go(self, agent: str | bytes):
        """Has an agent begin whose task is `held`."""
        self.follow(self.until_spawned(agent) if isinstance(agent, str) else agent)
        answer_call(self.connection, "now")

    def until_mail(self, count: int, timeout: float = PATIENCE_SECONDS) -> list[tuple[str, str, str]]:
        """Waits until the root has got so many messages; all that it has got."""
        deadline = time.monotonic() + timeout
        while len(self.follower.of_kind("mail_received")) < count:
            self.follower.until_event("mail_received", max(0.001, deadline - time.monotonic()))
        return self.mail()

    def mail(self) -> list[tuple[str, str, str]]:
        return [mail_of(event) for event in self.follower.of_kind("mail_received")]

    # Input of the model

    def requests(self, thread: bytes | str | None = None) -> list:
        thread = self.thread(thread) if isinstance(thread, str) else thread or self.id
        return self.server.requests(thread)


@contextlib.contextmanager
def agents_server(folder, *arguments: str, **variables: str):
    """A recorded server on which short waits are allowed, and a connection to it."""
    variables = {**limits(agent_wait_minimum_milliseconds=1), **variables}
    with RecordedServer(folder / "data", *arguments, **variables) as server, quiet(server) as connection:
        yield server, connection
