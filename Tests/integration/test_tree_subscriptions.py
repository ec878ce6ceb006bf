"""rules.md A12 and A13: one stream that brings what all agents of a tree do, each with its thread, and whoever follows
the root is asked for the calls of its descendants."""

import collections

import pytest

from agents import GATE, V1, V2, Team, held, script, spawn, spawn_v1, tool
from harness.connection import PATIENCE_SECONDS, Follower
from harness.messages import event_pb2, frame_pb2, turn_status
from harness.server import Server
from harness.wire import CREDIT, ERROR, EVENT, Frame, HeddleError
from recorded import quiet
from test_client_tools import asked, unasked

LOOKUP = tool("lookup", word="heddle")
TOOLS = [GATE, {"name": "lookup", "description": "Looks something up.", "schema": '{"type":"object"}'}]


class TreeFollower(Follower):
    """The same for a tree: every agent's events have to come as begin + 1, begin + 2, … too."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.heads: dict[bytes, int] = {}
        self.agents: dict[bytes, list] = collections.defaultdict(list)
        self.marked: dict[bytes, list] = collections.defaultdict(list)

    def next(self, timeout: float | None = None):
        frame = self.connection.wait_for(lambda frame: frame.stream == self.stream, timeout)
        if frame.kind == ERROR:
            raise HeddleError(frame_pb2.Error.FromString(frame.body))
        assert frame.kind == EVENT, f"not an event: {frame}"
        message = event_pb2.SubscriptionEvent.FromString(frame.body)
        if not message.thread:
            self.connection.inbox.appendleft(frame)
            return super().next(timeout)
        self.messages.append(message)
        kind, agent = message.WhichOneof("kind"), message.thread
        self.marked[agent].append(kind)
        if kind == "subscribed":
            assert agent not in self.heads or message.subscribed.head == self.last_of(agent), message
            self.heads.setdefault(agent, message.subscribed.head)
        elif kind == "event":
            assert message.event.sequence == self.last_of(agent) + 1, f"gap, doubled or back: {message}"
            self.agents[agent].append(message.event)
        return message

    def last_of(self, agent: bytes) -> int:
        return self.heads[agent] + len(self.agents[agent])

    def until_agent_ended(self, agent: bytes, count: int = 1, timeout: float = PATIENCE_SECONDS) -> list[str]:
        """Reads on until the agent has ended `count` turns; how they ended."""
        def ends():
            return [turn_status(event.turn_ended.status) for event in self.agents[agent]
                    if event.WhichOneof("kind") == "turn_ended"]
        while len(ends()) < count:
            self.next(timeout)
        return ends()


def start(connection, model: str = V2, **fields) -> Team:
    """A root whose tree is followed from its start on."""
    stream = connection.open("Thread.Start", settings={"model": model}, tree=True, **fields)
    thread = connection.answer(stream, "Thread.Start").thread
    return Team(None, connection, thread, TreeFollower(connection, stream, thread.sequence))


def follow(connection, thread: bytes, after: int, **fields) -> TreeFollower:
    stream = connection.open("Thread.Subscribe", thread=thread, after=after, tree=True, **fields)
    first = connection.answer(stream, "Thread.Subscribe")
    return TreeFollower(connection, stream, after, first.subscribed)


def same(connection, follower: TreeFollower, agent: bytes):
    """The events that came of an agent are its stored events, from the first that came."""
    stored = connection.history(agent)
    came = follower.agents[agent]
    assert [event.SerializeToString(deterministic=True) for event in came] == [
        event.SerializeToString(deterministic=True) for event in stored[follower.heads[agent]:][:len(came)]]


@pytest.fixture
def connection(server):
    with quiet(server) as connected:
        yield connected


@pytest.mark.parametrize("how", ["Start", "Fork", "Resume", "Subscribe"])
def test_a12_one_stream_brings_all_agents_whole(server, connection, how):
    """A12: whichever request asks for it; agents that begin later are followed from their first event on, with deltas,
    status and the end of their turns, each message with its thread."""
    if how == "Start":
        team = start(connection)
    else:
        thread = connection.new_thread(settings={"model": V2})
        if how == "Subscribe":
            follower = follow(connection, thread.id, 0)
        else:
            stream = connection.open(f"Thread.{how}", thread=thread.id, tree=True)
            thread = connection.answer(stream, f"Thread.{how}").thread
            follower = TreeFollower(connection, stream, thread.sequence)
        team = Team(None, connection, thread, follower)
    team.run([spawn("a", "!say from a"), spawn("b", script(spawn("c", "!say from c"), "!say from b"))])
    team.follower.until_agent_ended(team.thread("/root/b"))
    threads = {agent.path: agent.thread for agent in team.agents()}
    assert threads.keys() == {"/root/a", "/root/b", "/root/b/c"}
    for path, thread in threads.items():
        assert team.follower.until_agent_ended(thread) == ["COMPLETED"]
        assert team.follower.heads[thread] == 0
        marked = team.follower.marked[thread]
        assert marked[0] == "subscribed" and {"event", "delta", "live"} <= set(marked), path
        same(connection, team.follower, thread)


def test_a12_agents_of_the_first_runtime_too(connection):
    """A12: V1 has no paths; its agents belong to the tree all the same, and go on after they were told more."""
    team = start(connection, V1)
    team.run(spawn_v1("!say first"), tool("wait_agent", targets=["{agent:1}"], timeout_ms=60_000))
    [agent] = team.agents()
    team.run([tool("send_input", target="{agent:1}", message="!say second")],
             tool("wait_agent", targets=["{agent:1}"], timeout_ms=60_000))
    assert team.follower.until_agent_ended(agent.thread, 2) == ["COMPLETED", "COMPLETED"]
    same(connection, team.follower, agent.thread)


def test_a12_status_and_usage_of_agents(connection):
    """A12: that an agent works, and what it used."""
    team = start(connection)
    team.run(spawn("a", "!usage 11 7\n!say done"))
    [agent] = team.agents()
    team.follower.until_agent_ended(agent.thread)
    [ended] = [event.turn_ended for event in team.follower.agents[agent.thread] if event.HasField("turn_ended")]
    stored = connection.call("Thread.Read", thread=agent.thread).thread
    assert ended.usage == stored.usage and ended.usage.output_tokens > 0
    assert stored.status.state == event_pb2.ThreadState.Value("THREAD_STATE_IDLE")

    def is_idle(message):
        return (message.thread == agent.thread and message.HasField("status")
                and message.status.status.state == stored.status.state)

    # The agent may have ended before its root did: then the status has been read already.
    if not any(map(is_idle, team.follower.messages)):
        team.follower.until(is_idle)


def test_a12_an_agent_that_is_loaded_already_begins_where_it_stands(server, connection):
    """A12: a tree that is followed later: `after` is about the root; agents that are loaded are followed from now on,
    and `subscribed.head` says which events are older."""
    team = start(connection, tools=TOOLS)
    team.begin(spawn("a", held("!say late")))
    child = team.until_spawned("/root/a")
    call = asked(connection)
    with quiet(server) as second:
        follower = follow(second, team.id, 0)
        again = asked(second)
        assert again.message == call.message
        follower.until(lambda message: message.thread == child and message.HasField("subscribed"))
        assert follower.heads[child] > 0
        call.answer("now")
        assert follower.until_agent_ended(child) == ["COMPLETED"]
        same(second, follower, child)
        assert [event.sequence for event in follower.events][:1] == [1]


def test_a12_only_agents_below_an_agent(connection):
    """A12: a tree that begins at an agent is that agent and those below it."""
    team = start(connection, tools=TOOLS)
    team.begin([spawn("a", script(tool("gate"), spawn("c", "!say from c"), "!say from a")), spawn("b", "!say from b")])
    a = team.until_spawned("/root/a")
    call = asked(connection)
    follower = follow(connection, a, 0)
    call.answer("now")
    team.follower.until_agent_ended(a)
    c = team.thread("/root/a/c")
    assert follower.until_agent_ended(c) == ["COMPLETED"]
    if not follower.of_kind("turn_ended"):
        follower.until_event("turn_ended")
    assert set(follower.heads) == {c}


def test_a12_a_slow_reader_loses_nothing_of_any_agent(server, connection):
    """A12, U1: the credit of the stream is for all agents together; what waited comes from each agent's log."""
    thread = connection.new_thread(settings={"model": V2})
    follower = follow(connection, thread.id, 0, credit=600)
    connection.start_turn(thread.id, script([spawn(name, "!say " + name * 300) for name in "abc"], "!say spawned"))
    with quiet(server) as second:
        root = Team(None, second, thread, second.follow(thread.id, 0))
        for name in "abc":
            assert root.until_turns(root.until_spawned(f"/root/{name}"), 1) == ["COMPLETED"]
        agents = [agent.thread for agent in root.agents()]
    waiting = sum(len(frame.body) for frame in connection.inbox if frame.stream == follower.stream)
    assert waiting < 3_000, f"{waiting} bytes came on a credit of 600"
    credit = frame_pb2.Credit(bytes=1 << 20).SerializeToString()
    connection.send(Frame(CREDIT, stream=follower.stream, payload=credit).encode())
    for agent in agents:
        assert follower.until_agent_ended(agent) == ["COMPLETED"]
        same(connection, follower, agent)


def test_a12_is_one_subscription_and_ends_as_one(tmp_path):
    """A12: it counts once, however many agents there are; behind its end nothing comes of any of them."""
    with Server(tmp_path / "data", environment={"HEDDLE_LIMITS_SUBSCRIPTIONS": "1"}) as server, \
            quiet(server) as connection:
        team = start(connection, tools=TOOLS)
        team.begin([spawn(name, held("!say late")) for name in "abc"])
        calls = [asked(connection) for _ in range(3)]
        refused = connection.refusal("Thread.Subscribe", thread=calls[0].message.thread)
        assert refused.reason == "too_many_subscriptions"
        connection.call("Thread.Unsubscribe", thread=team.id)
        with pytest.raises(HeddleError, match="cancelled"):
            while True:
                team.follower.next()
        with quiet(server) as second:
            follower = follow(second, team.id, 0)
            for call in [asked(second) for _ in calls]:
                call.answer("now")
            for thread in {call.message.thread for call in calls}:
                follower.until_agent_ended(thread)
        assert connection.follow(team.id, 0).next().HasField("event")
        assert not [frame for frame in connection.inbox
                    if frame.kind == EVENT and frame.stream == team.follower.stream]


def test_a12_an_agent_that_is_deleted_ends_alone(connection):
    """A12: its end is a notice with its thread; the stream continues."""
    team = start(connection)
    team.run([spawn("a"), spawn("b")])
    a, b = team.thread("/root/a"), team.thread("/root/b")
    for thread in (a, b):
        team.follower.until_agent_ended(thread)
    connection.call("Thread.Delete", thread=a)
    team.follower.until(lambda message: message.thread == a and message.HasField("thread_deleted"))
    team.run(tool("followup_task", target="b", message="!say more"))
    assert len(team.follower.until_agent_ended(b, 2)) == 2


def test_a12_an_agent_that_is_loaded_again_goes_on(tmp_path):
    """A12: agents are unloaded though their tree is followed, and heard of again when they are loaded."""
    with Server(tmp_path / "data", environment={"HEDDLE_LIMITS_UNLOAD_MILLISECONDS": "100"}) as server, \
            quiet(server) as connection:
        team = start(connection)
        team.run(spawn("a", "!say first"))
        [agent] = team.agents()
        team.follower.until_agent_ended(agent.thread)
        unloaded = event_pb2.ThreadState.Value("THREAD_STATE_NOT_LOADED")
        team.follower.until(lambda message: message.thread == agent.thread and message.HasField("status")
                            and message.status.status.state == unloaded)
        team.run(tool("followup_task", target="a", message="!say second"))
        assert len(team.follower.until_agent_ended(agent.thread, 2)) == 2
        same(connection, team.follower, agent.thread)


def test_a12_after_a_kill(tmp_path):
    """A12, D5: followed again after kill -9: the root from where the client was, agents when they are loaded."""
    with Server(tmp_path / "data") as server:
        with quiet(server) as connection:
            team = start(connection)
            team.run(spawn("a", "!say first"))
            [agent] = team.agents()
            team.follower.until_agent_ended(agent.thread)
            last, count = team.follower.last, team.follower.last_of(agent.thread)
        server.restart()
        with quiet(server) as connection:
            team = Team(None, connection, team.state, follow(connection, team.id, last))
            team.run(tool("followup_task", target="a", message="!say second"))
            assert team.follower.until_agent_ended(agent.thread) == ["COMPLETED"]
            assert team.follower.heads[agent.thread] >= count
            same(connection, team.follower, agent.thread)


# A13


@pytest.mark.parametrize("model", [V1, V2])
def test_a13_who_follows_the_root_is_asked_for_its_agents(server, model):
    """A13: without `tree` too; the call says whose it is, and its answer is the agent's."""
    with quiet(server) as connection:
        team = Team.start(None, connection, model, tools=TOOLS)
        team.begin(spawn("a", LOOKUP) if model == V2 else spawn_v1(LOOKUP))
        call = asked(connection)
        assert call.message.thread not in (b"", team.id) and call.message.name == "lookup"
        call.answer("a part of a loom")
        said = "The tool said: a part of a loom"
        assert said in team.until_mail(1)[0][2]
        assert unasked(connection)


def test_a13_nobody_is_asked_twice(server):
    """A13: who follows the root, its tree and the agent is asked once; of several clients the first answer counts."""
    with quiet(server) as connection, quiet(server) as second:
        team = start(connection, tools=TOOLS)
        second.follow(team.id)
        team.begin(spawn("a", script(tool("gate"), LOOKUP)))
        gate, other = asked(connection), asked(second)
        assert gate.message == other.message
        connection.follow(gate.message.thread)
        second.follow(gate.message.thread)
        assert unasked(connection) and unasked(second)
        gate.answer("now")
        other.withdrawn()
        lookups = [asked(connection), asked(second)]
        assert lookups[0].message == lookups[1].message
        lookups[1].answer("done")
        lookups[0].withdrawn()
        assert unasked(connection) and unasked(second)
        team.follower.until_agent_ended(gate.message.thread)


def test_a13_asked_again_after_a_reconnect(server):
    """A13, A9: who comes back to the root is asked what its agents still wait for."""
    with quiet(server) as connection:
        team = Team.start(None, connection, V2, tools=TOOLS)
        team.begin(spawn("a", LOOKUP))
        first = asked(connection).message
    with quiet(server) as connection:
        connection.resume_followed(team.id)
        call = asked(connection)
        assert call.message == first
        call.answer("late")
        assert unasked(connection)


def test_a13_a_client_without_the_feature_is_not_asked(server):
    """A13: as for a thread of its own."""
    with server.connect(unwanted_notifications=["thread_started"]) as unable, quiet(server) as connection:
        team = Team.start(None, connection, V2, tools=TOOLS)
        unable.follow(team.id)
        team.begin(spawn("a", LOOKUP))
        asked(connection).answer("done")
        team.until_mail(1)
        assert unasked(unable)
