"""rules.md A2, A3, attacks.md T5: the gate of a tree under 1,000 spawns at once, from models that ask for many in one
step and from several connections. How many were open or running is taken from the events of all agents of a tree, how
many asked for a place from the answers that their models got."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents import STALL, V1, Call, Team, agents_server, calls_of, limits, script, spawn, spawn_v1, tool
from recorded import quiet

SPAWNS = 1_000
GATE_SECONDS = 180


def most_at_once(intervals: list[tuple]) -> int:
    """The largest number of (begin, end) that overlap. What ends in the millisecond in which another begins makes room
    for it."""
    edges = sorted((at, change) for begin, end in intervals for at, change in ((begin, 1), (end, -1)))
    return max(itertools.accumulate(change for _, change in edges), default=0)


def running(events: list) -> list[tuple]:
    """When turns of a thread ran."""
    begun = {event.turn_started.turn: event.at for event in events if event.WhichOneof("kind") == "turn_started"}
    ended = {event.turn_ended.turn: event.at for event in events if event.WhichOneof("kind") == "turn_ended"}
    assert ended.keys() <= begun.keys()
    return [(at, ended.get(turn, float("inf"))) for turn, at in begun.items()]


def open_times(events: list) -> list[tuple]:
    """When a V1 agent was open."""
    found, since = [], None
    for event in events:
        match event.WhichOneof("kind"):
            case "thread_created" | "agent_reopened":
                since = event.at
            case "agent_closed":
                found.append((since, event.at))
                since = None
    return found if since is None else [*found, (since, float("inf"))]


def spawned(calls: list[Call], bound: int) -> int:
    """How many spawns were served; the others got the text that says the limit and the way out."""
    served = 0
    for call in calls:
        if call.name == "spawn_agent":
            if call.success is False:
                assert call.reason == "tool_refused" and str(bound) in call.text and "no more may" in call.text, call
            else:
                served += 1
    return served


class Watch:
    """Asks for the trees again and again, from another connection, while the gate is under pressure."""

    def __init__(self, server, roots: list[bytes], taken, places: int):
        self.server, self.roots, self.taken, self.places = server, roots, taken, places
        self.most, self.failure, self.stopping = 0, None, threading.Event()
        self.looked = threading.Condition()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self):
        try:
            with quiet(self.server) as connection:
                while not self.stopping.wait(0.002):
                    for root in self.roots:
                        tree = connection.call("Agent.ListTree", thread=root)
                        taken = sum(self.taken(agent) for agent in tree.agents if agent.thread != root)
                        assert taken + tree.free_slots <= self.places, (taken, tree.free_slots)
                        with self.looked:
                            self.most = max(self.most, taken)
                            self.looked.notify_all()
        except Exception as failure:  # whatever it is, the test must hear of it
            self.failure = failure

    def until(self, count: int):
        """Waits until so many were seen at once."""
        with self.looked:
            assert self.looked.wait_for(lambda: self.most >= count, GATE_SECONDS), f"{self.most} at once, not {count}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join(60)
        assert self.failure is None, f"the watch failed: {self.failure!r}"


def is_active(agent) -> bool:
    return agent.status.state == 3


def settled(team: Team):
    """Waits until no agent of the tree runs any more."""
    while any(is_active(agent) for agent in team.agents()):
        for agent in team.agents():
            if is_active(agent):
                team.follow(agent.thread).until_event("turn_ended", GATE_SECONDS)


def interrupted(team: Team):
    """Ends what the agents do that run, each in the middle of its work."""
    for agent in team.agents():
        if is_active(agent):
            team.until_started(agent.thread)
            team.connection.call("Agent.Interrupt", thread=agent.thread)


def histories_of(server, team: Team) -> dict[bytes, list]:
    """All events of all agents of a tree, as a client that comes now reads them."""
    with quiet(server) as connection:
        return {agent.thread: connection.history(agent.thread) for agent in team.agents()}


def test_a3_a_thousand_spawns_in_one_step(tmp_path):
    """A2, A3: a model that asks for 1,000 agents in one step gets three; the other calls are each told why; the three
    run at once and no more; when they have ended there is room again, for three."""
    with agents_server(tmp_path, **limits(tool_calls=SPAWNS, agents_per_tree=5_000)) as (server, connection):
        team = Team.start(server, connection)
        calls = team.run([spawn(f"a{number}", STALL) for number in range(SPAWNS)], timeout=GATE_SECONDS)
        assert (len(calls), spawned(calls, 4)) == (SPAWNS, 3)
        assert len(team.agents()) == 3 and team.listed().free_slots == 0
        interrupted(team)
        assert team.listed().free_slots == 3
        # They stay until the step is over: one that ended in its middle would make room for a fourth.
        calls = team.run([spawn(f"b{number}", STALL) for number in range(SPAWNS)], timeout=GATE_SECONDS)
        assert spawned(calls, 4) == 3
        interrupted(team)
        found = [interval for events in histories_of(server, team).values() for interval in running(events)]
        assert len(found) == 6 and most_at_once(found) == 3


def workers(width: int, rounds: int) -> str:
    """A task that asks for agents again and again, so that some are refused and some find a place that became free."""
    return script(*([spawn(f"r{turn}_{number}", "!delay 10\n!say x") for number in range(width)]
                    for turn in range(rounds)), "!say done")


@pytest.mark.parametrize("running_limit", [4, 8])
def test_a3_agents_of_four_trees_spawn_at_once(tmp_path, running_limit):
    """A2, A3: 1,000 spawns by many agents of four trees, each begun on a connection of its own: never more than the
    limit of a tree run, by its events and by ListTree; what was served is there, what was refused is not."""
    trees, rounds = 4, 8
    spawners = running_limit // 2
    width = SPAWNS // (trees * spawners * rounds)
    bounds = limits(agents_running_v2=running_limit, agents_per_tree=5_000)
    with agents_server(tmp_path, **bounds) as (server, first):
        connections = [first, *(quiet(server) for _ in range(trees - 1))]
        teams = [Team.start(server, connection) for connection in connections]
        task = workers(width, rounds)

        def storm(team: Team):
            team.run([spawn(f"w{number}", task) for number in range(spawners - 1)], timeout=GATE_SECONDS)
            team.run(task, timeout=GATE_SECONDS)
            settled(team)
            # All places taken at once, and for as long as it takes the watch to see it.
            team.run([spawn(f"s{number}", STALL) for number in range(running_limit)], timeout=GATE_SECONDS)

        roots = [team.id for team in teams]
        with ThreadPoolExecutor(trees) as pool, Watch(server, roots, is_active, running_limit - 1) as watch:
            list(pool.map(storm, teams))
            watch.until(running_limit - 1)
            for team in teams:
                interrupted(team)
        asked = 0
        for team in teams:
            histories = histories_of(server, team)
            calls = [call for events in (team.follower.events, *histories.values()) for call in calls_of(events)]
            asked += len(calls)
            assert spawned(calls, running_limit) == len(histories) > running_limit
            found = [interval for events in histories.values() for interval in running(events)]
            assert len(found) == len(histories) and most_at_once(found) == running_limit - 1
            assert team.listed().free_slots == running_limit - 1
            assert team.run(spawn("after"))[0].success is not False
        assert asked >= SPAWNS * 0.9 and watch.most == running_limit - 1
        for connection in connections[1:]:
            connection.close()


def test_a3_tasks_for_idle_agents_meet_the_same_gate(tmp_path):
    """A2, A3: 200 tasks at once for idle agents: three begin, the others are refused and no mail is left of them."""
    with agents_server(tmp_path, **limits(tool_calls=300, agents_running_v2=21)) as (server, connection):
        team = Team.start(server, connection)
        team.run([spawn(f"a{number}") for number in range(20)])
        team.until_mail(20)
        for path in team.tree():
            if path != "/root":
                team.until_turns(path, 1)
    with agents_server(tmp_path, **limits(tool_calls=300)) as (server, connection):
        team = Team.resume(server, connection, team.id)
        # They stay until the step is over: one that ended in its middle would make room for a fourth.
        calls = team.run([tool("followup_task", target=f"a{number % 20}", message=STALL) for number in range(200)],
                         timeout=GATE_SECONDS)
        served = [call for call in calls if call.success is not False]
        refused = [call for call in calls if call.success is False]
        assert all("no more may" in call.text and call.reason == "tool_refused" for call in refused)
        deadline = time.monotonic() + GATE_SECONDS
        # A waiting message starts a further turn, which stalls too.
        while waiting := [agent.path for agent in team.agents() if is_active(agent) or agent.waiting_messages]:
            assert time.monotonic() < deadline, f"left with {waiting}"
            interrupted(team)
        histories, names = histories_of(server, team), {agent.thread: agent.path for agent in team.agents()}
        tasks = {names[thread]: sum(event.WhichOneof("kind") == "mail_received" for event in events) - 1
                 for thread, events in histories.items()}
        assert sum(tasks.values()) == len(served) and {path for path, count in tasks.items() if count} == {
            "/root/a0", "/root/a1", "/root/a2"}
        again = [interval for events in histories.values() for interval in running(events)[1:]]
        assert most_at_once(again) == 3 and team.listed().free_slots == 3
        assert all(agent.waiting_messages == 0 for agent in team.agents())


def test_a3_clients_of_one_tree_spawn_and_close_at_once(tmp_path):
    """A2, A3: 1,000 spawns in one V1 tree by eight clients that write to five of its threads: never more than six are
    open, ended ones counted; closing frees a place for the next request."""
    clients, turns, width = 8, 5, SPAWNS // 40
    with agents_server(tmp_path, **limits(agent_depth_v1=2, agents_per_tree=5_000)) as (server, connection):
        connection.timeout = GATE_SECONDS  # the gate is measured here, not how long a busy machine takes
        team = Team.start(server, connection, V1)
        team.run([spawn_v1("!say ready") for _ in range(4)])
        team.until_mail(4)
        threads = [team.id, *(agent.thread for agent in team.agents())]
        closing = [tool("close_agent", target=f"{{agent:{number}}}") for number in range(1, 200)]

        def storm(number: int):
            thread = threads[number % len(threads)]
            with quiet(server) as client:
                follower = client.follow(thread, 0)
                # The four that everybody works in stay open, so the root leaves its own first four alone.
                mine = closing[4:100] if thread == team.id else closing[:100]
                for _ in range(turns):
                    text = script([spawn_v1("!say x") for _ in range(width)], mine)
                    follower.until_ended(client.start_turn(thread, text).turn, GATE_SECONDS)

        with ThreadPoolExecutor(clients) as pool, Watch(
                server, [team.id], lambda agent: not agent.closed, 6) as watch:
            list(pool.map(storm, range(clients)))
        agents = team.agents()
        histories = histories_of(server, team)
        with quiet(server) as reading:
            calls = [call for events in (reading.history(team.id), *histories.values()) for call in calls_of(events)]
        assert sum(call.name == "spawn_agent" for call in calls) == SPAWNS + 4
        assert spawned(calls, 6) == len(agents) > 6
        assert most_at_once([interval for events in histories.values() for interval in open_times(events)]) == 6
        assert watch.most <= 6 and team.listed().free_slots == 6 - sum(not agent.closed for agent in agents)
