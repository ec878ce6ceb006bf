"""rules.md A5, A6, U4, durability.md D1, D2, D5: a story of agents, told as often as it has events, with a kill -9 when
the first, the second, … event of the whole tree was seen. After each: what was seen is stored as it was seen, the tree
is whole, each message has arrived once or is still on its way, nothing runs that nobody drives, the next turn works.

HEDDLE_CRASH_STRIDE: 1 kills at every event; the default leaves some out, others each time."""

import collections
import os
import random
import time

import pytest

from agents import (
    FINAL_ANSWER, MESSAGE, NEW_TASK, STALL, V1, V2, agents_server, kind_name, script, spawn, spawn_v1, tool)
from harness.messages import event_bytes, event_pb2, item_text, turn_status, version_name
from harness.wire import EVENT, Closed
from recorded import quiet

STRIDE = int(os.environ.get("HEDDLE_CRASH_STRIDE", "4"))
SETTLE_SECONDS, STORY_SECONDS = 60.0, 120.0
SPAWNED, MESSAGED = 1, 2
WAIT = tool("wait_agent", timeout_ms=3_000)


class Killed(Exception):
    """The story ends here."""


class Eyes:
    """Everything that one client sees of a tree: the root, and each agent from the moment it is heard of."""

    def __init__(self, server, connection, model: str, kill_at: int | None):
        self.server, self.connection, self.kill_at = server, connection, kill_at
        self.deadline = time.monotonic() + STORY_SECONDS
        self.threads: dict[int, bytes] = {}
        self.seen: dict[bytes, list] = {}
        self.acknowledged: list[tuple[bytes, int]] = []
        self.root = connection.new_thread(settings={"model": model}).id
        self.watch(self.root)

    @property
    def count(self) -> int:
        return sum(len(events) for events in self.seen.values())

    def watch(self, thread: bytes):
        stream = self.connection.open("Thread.Subscribe", thread=thread, after=0)
        self.threads[stream], self.seen[thread] = thread, []
        self.connection.answer(stream, "Thread.Subscribe")

    def look(self):
        """The next event of the tree; the last one is followed by the kill."""
        while True:
            try:
                frame = self.connection.wait_for(lambda frame: frame.kind == EVENT and frame.stream in self.threads,
                                                 self.deadline - time.monotonic())
            except Closed:
                raise AssertionError(f"the server hung up: {self.server.log_text()[-2000:]}") from None
            event = event_pb2.SubscriptionEvent.FromString(frame.body).event
            if not event.sequence:
                continue
            events = self.seen[self.threads[frame.stream]]
            assert event.sequence == len(events) + 1, "a gap, or doubled, or back"
            events.append(event)
            if self.count == self.kill_at:
                self.server.kill()
                raise Killed
            activity = event.agent_activity
            if activity.kind == SPAWNED:
                self.watch(activity.agent)
            return event

    def turn(self, *steps):
        """A turn of the root, to its end."""
        answer = self.connection.start_turn(self.root, script(*steps))
        self.acknowledged.append((answer.turn, answer.sequence))
        while self.look().turn_ended.turn != answer.turn:
            pass

    def until(self, holds):
        """Looks on until something holds of what was seen."""
        while not holds(self.seen):
            self.look()


def received(events: list) -> list:
    return [event.mail_received.mail for event in events if event.WhichOneof("kind") == "mail_received"]


def ended(events: list) -> int:
    return sum(event.WhichOneof("kind") == "turn_ended" for event in events)


def story_v2(eyes: Eyes):
    """Three agents, messages, an interruption, further tasks, waits and final answers."""
    eyes.turn([spawn("a", "!say answer of a"), spawn("b", "!chunks 3\n!delay 15\n!say answer of b"), spawn("c", STALL)],
              [tool("send_message", target="a", message="to a"), tool("send_message", target="c", message="to c")],
              WAIT, [tool("interrupt_agent", target="c"), tool("followup_task", target="a", message="!say more of a")],
              WAIT, "!say first turn over")
    eyes.until(lambda seen: len(received(seen[eyes.root])) == 3)
    eyes.turn(tool("followup_task", target="c", message=script(spawn("leaf", "!say answer of leaf"), WAIT,
                                                               "!say answer of c")), WAIT, "!say second turn over")
    eyes.until(lambda seen: len(received(seen[eyes.root])) == 4)
    eyes.turn("!say the end")


def story_v1(eyes: Eyes):
    """Three agents, waits, further input, an interruption, closing, opening and notices."""
    def to(name: str, number: int, **more) -> str:
        return tool(name, target=f"{{agent:{number}}}", **more)

    def wait(*numbers: int) -> str:
        return tool("wait_agent", targets=[f"{{agent:{number}}}" for number in numbers], timeout_ms=3_000)
    eyes.turn([spawn_v1("!say answer of a"), spawn_v1("!chunks 3\n!delay 15\n!say answer of b"), spawn_v1(STALL)],
              wait(1, 2), [to("send_input", 1, message="!say more of a"),
                           to("send_input", 3, message="!say answer of c", interrupt=True)],
              wait(3), wait(2), [to("close_agent", 1), to("close_agent", 2)], tool("resume_agent", id="{agent:1}"),
              to("send_input", 1, message="!say again of a"), wait(1), "!say first turn over")
    eyes.until(lambda seen: len(received(seen[eyes.root])) == 4)
    eyes.turn("!say the end")


# Invariants after a crash


def histories(connection, tree) -> dict[bytes, list]:
    return {agent.thread: connection.history(agent.thread) for agent in tree.agents}


def settle(connection, root: bytes) -> tuple:
    """Waits until the agents have done what was left to do for them; the tree and all its events."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        tree = connection.call("Agent.ListTree", thread=root)
        events = histories(connection, tree)
        if not any(is_unsettled(agent, events[agent.thread]) for agent in tree.agents):
            # One log was read after the other, so what is of two of them is compared as it is now.
            tree = connection.call("Agent.ListTree", thread=root)
            return tree, histories(connection, tree)
        assert time.monotonic() < deadline, f"not settled: {tree}"
        time.sleep(0.02)  # any of several threads may be the last


def is_unsettled(agent, events: list) -> bool:
    """A turn runs, or a message has not left, or one that asks for a turn waits for it."""
    kinds = collections.Counter(event.WhichOneof("kind") for event in events)
    given = given_ids(events)
    wants = not agent.closed and any(mail.trigger_turn and mail.id not in given for mail in received(events))
    return agent.status.state == 3 or kinds["mail_queued"] > kinds["mail_delivered"] or wants


def given_ids(events: list) -> list[bytes]:
    return [event.item_completed.item.id for event in events if event.WhichOneof("kind") == "item_completed"]


def check_seen(eyes: Eyes, events: dict[bytes, list]):
    """D1, D2: every event that anybody saw is stored as it was, every acknowledged turn is there."""
    for thread, seen in eyes.seen.items():
        if seen:
            assert event_bytes(seen) == event_bytes(events[thread][:len(seen)])
    turns = {event.sequence: event for event in events[eyes.root]}
    for turn, sequence in eyes.acknowledged:
        assert sequence in turns
        assert any(event.turn_started.turn == turn for event in events[eyes.root])


def check_tree(tree, events: dict[bytes, list], version: str):
    """A6: every agent has its parent, its path and its version, and its parent knows it, once; no turn runs or ended
    twice (U4); what ListTree says is what the logs say."""
    agents = {agent.thread: agent for agent in tree.agents}
    spawns = collections.Counter(event.agent_activity.agent for log in events.values() for event in log
                                 if event.agent_activity.kind == SPAWNED)
    assert spawns == {thread: 1 for thread, agent in agents.items() if agent.parent}
    for thread, agent in agents.items():
        log = events[thread]
        created = log[0].thread_created
        assert [event.sequence for event in log] == list(range(1, len(log) + 1)) and created.thread == thread
        if agent.parent:
            parent = agents[agent.parent]
            assert agent.path.rpartition("/")[0] == parent.path and agent.depth == parent.depth + 1
            assert created.lineage.agent_path == agent.path and created.lineage.parent == parent.thread
        pins = [version_name(event.version_pinned.version) for event in log
                if event.WhichOneof("kind") == "version_pinned"]
        assert pins == ([] if len(log) == 1 else [version]), (agent.path, pins)
        started = [event.turn_started.turn for event in log if event.WhichOneof("kind") == "turn_started"]
        ends = [event.turn_ended for event in log if event.WhichOneof("kind") == "turn_ended"]
        assert [end.turn for end in ends] == started and len(set(started)) == len(started), agent.path
        if agent.parent:
            assert agent.last_turn == (ends[-1].status if ends else 0), agent
        closings = [event.WhichOneof("kind") == "agent_closed" for event in log
                    if event.WhichOneof("kind") in ("agent_closed", "agent_reopened")]
        assert agent.closed == (closings[-1] if closings else False)
        calls = [event.item_completed.item for event in log if event.WhichOneof("kind") == "item_completed"]
        assert collections.Counter(item.tool_call.call_id for item in calls if item.HasField("tool_call")) == \
            collections.Counter(item.tool_output.call_id for item in calls if item.HasField("tool_output"))


def check_mail(tree, events: dict[bytes, list]):
    """A5: what was queued was delivered, and received, once; what was sent by a call was received once; what was
    received was given to the model once, or waits."""
    queued = [event.mail_queued.mail.id for log in events.values() for event in log
              if event.WhichOneof("kind") == "mail_queued"]
    delivered = [event.mail_delivered.mail for log in events.values() for event in log
                 if event.WhichOneof("kind") == "mail_delivered"]
    arrived = {thread: received(log) for thread, log in events.items()}
    reports = [mail.id for mails in arrived.values() for mail in mails
               if kind_name(mail.kind) in (FINAL_ANSWER, "NOTIFICATION")]
    assert len(set(queued)) == len(queued)
    assert sorted(queued) == sorted(delivered) == sorted(reports)
    sent = collections.Counter(
        (thread, event.agent_activity.agent) for thread, log in events.items() for event in log
        if event.agent_activity.kind in (SPAWNED, MESSAGED))
    tasks = collections.Counter((getattr(mail, "from"), thread) for thread, mails in arrived.items()
                                for mail in mails if kind_name(mail.kind) in (NEW_TASK, MESSAGE))
    if version_name(tree.agents[0].version) == "V2":
        assert tasks == sent
    for agent in tree.agents:
        given = collections.Counter(given_ids(events[agent.thread]))
        assert all(given[mail.id] <= 1 for mail in arrived[agent.thread])
        waiting = [mail for mail in arrived[agent.thread] if not given[mail.id]]
        assert agent.waiting_messages == len(waiting)


def check_next_turn(server, connection, root: bytes, events: list):
    """The root works on, is given what waited, once, and is told of an interruption as often as there was one."""
    follower = connection.follow(root, 0)
    turn = follower.run("!say and on", thread=root)
    request = server.request_of(turn)
    texts = [text for text in request.texts if text]
    for mail in received(follower.events):
        text = "".join(part.text for part in mail.content)
        assert texts.count(text) == sum("".join(part.text for part in other.content) == text
                                        for other in received(follower.events)), text
    cut = sum(turn_status(event.turn_ended.status) == "INTERRUPTED" for event in events
              if event.WhichOneof("kind") == "turn_ended")
    assert len(request.markers) == cut <= 1
    said = [item_text(event.item_completed.item) for event in follower.events
            if event.item_completed.item.message.role == 4]
    assert said[-1] == "and on"


def crash(server, model: str, story, kill_at: int | None) -> int:
    """The story up to the kill, and everything that must hold after it; how many events were seen."""
    with quiet(server) as connection:
        eyes = Eyes(server, connection, model, kill_at)
        try:
            story(eyes)
            count = eyes.count
            server.kill()
        except Killed:
            count = eyes.count
    server.start()
    version = "V2" if model == V2 else "V1"
    with quiet(server) as connection:
        tree, events = settle(connection, eyes.root)
        check_seen(eyes, events)
        check_tree(tree, events, version)
        check_mail(tree, events)
    server.restart()
    with quiet(server) as connection:
        again = histories(connection, connection.call("Agent.ListTree", thread=eyes.root))
        assert again.keys() == events.keys()
        for thread, log in again.items():
            assert event_bytes(log) == event_bytes(events[thread]), "a restart with nothing left to do did something"
        check_next_turn(server, connection, eyes.root, events[eyes.root])
    return count


@pytest.mark.parametrize("model,story", [(V2, story_v2), (V1, story_v1)], ids=["v2", "v1"])
def test_a5_a6_u4_a_crash_at_every_step_of_a_story(tmp_path, model, story):
    """A5, A6, U4; D1, D2, D5: kill -9 at the first, the second, … event of a story of agents."""
    seed = int(os.environ.get("HEDDLE_SEED", random.randrange(1 << 32)))
    print(f"seed {seed}")
    first = random.Random(seed).randrange(1, STRIDE + 1)
    with agents_server(tmp_path) as (server, connection):
        connection.close()
        total = crash(server, model, story, None)
        for kill_at in range(first, total + 1, STRIDE):
            print(f"killed at event {kill_at} of {total}")
            crash(server, model, story, kill_at)
    assert total > 60, f"the story has {total} events"
