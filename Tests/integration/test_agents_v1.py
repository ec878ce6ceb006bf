"""rules.md A1 to A8 and T1 for the first runtime: agents with ids that are open until they are closed, over real
sockets; what a model was given is read from the request record."""

import json
import uuid

import pytest

from agents import (
    COMPLETED, FAILED, INTERRUPTED, STALL, V1, V1_TOOLS, Team, agents_server, calls_of, limits, script, spawn_v1,
    state_name, tool, waited)
from harness.messages import event_pb2, turn_status, version_name, words
from harness.wire import EVENT
from recorded import quiet

OPEN = 6  # A2
NOBODY = str(uuid.UUID(int=1))
MODE = {"mode": {"set": 2}}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """One recorded server for all tests of the file that do not kill it."""
    with agents_server(tmp_path_factory.mktemp("v1")) as pair:
        yield pair[0]


@pytest.fixture
def team(recorded):
    """A V1 root and a connection of its own."""
    with quiet(recorded) as connection:
        yield Team.start(recorded, connection, V1)


def wait(*numbers: int, timeout_ms: int = 60_000) -> str:
    """Waits for agents by their order of spawning; the model fills in their ids."""
    return tool("wait_agent", targets=[f"{{agent:{number}}}" for number in numbers], timeout_ms=timeout_ms)


def to(name: str, number: int = 1, **more) -> str:
    return tool(name, target=f"{{agent:{number}}}", **more)


def text_of(thread: bytes) -> str:
    return str(uuid.UUID(bytes=thread))


def notices(team: Team) -> list[dict]:
    """The notes about agents that the root's model was given, oldest first."""
    open, close = "<agent_notification>", "</agent_notification>"
    found = [item for item in team.requests()[-1].items if (item["text"] or "").startswith(open)]
    assert all((item["kind"], item["role"]) == ("message", "USER") for item in found)
    return [json.loads(item["text"].removeprefix(open).removesuffix(close)) for item in found]


# A1: the tools


def test_a1_v10_the_tools_that_a_model_sees(team):
    """A1, A2, V10: V1 offers exactly its five tools to the root; at depth 1 an agent may spawn nobody and sees none."""
    team.run(spawn_v1(), wait(1))
    assert {tuple(request.tools) for request in team.requests()} == {tuple(V1_TOOLS)}
    [child] = team.agents()
    assert [(request.tools, request.version) for request in team.requests(child.thread)] == [([], "V1")]


def test_a1_unknown_parameters_are_ignored(team):
    """A1, reference 2d: V1 ignores fields that it does not know."""
    call = team.one(tool("spawn_agent", message="!say done", bogus=1, task_name="x"))
    assert call.success is not False and call.json["agent_id"] == text_of(team.agents()[0].thread)


def test_a1_three_agents_from_the_first_task_to_the_end(team):
    """A1, A5, A8: three agents spawned at once, waited for, given more, closed and opened again; results as in
    reference 2d; each end is told to the parent's model once, in the name of the user."""
    calls = team.run([spawn_v1("!say first of a"), spawn_v1("!fail"), spawn_v1(STALL)], wait(1, 2, 3), "!say begun")
    agents = team.agents()
    assert [call.json for call in calls[:3]] == [
        {"agent_id": text_of(agent.thread), "nickname": agent.nickname} for agent in agents]
    assert len({agent.nickname for agent in agents}) == 3 and all(agent.nickname for agent in agents)
    answer = calls[3].json
    assert answer["timed_out"] is False and answer["status"]
    assert set(answer["status"]) <= {text_of(agent.thread) for agent in agents[:2]}
    team.until_mail(2)
    team.run("!say read")
    told = {notice["agent_id"]: notice["status"] for notice in notices(team)}
    assert len(notices(team)) == 2 and told[text_of(agents[0].thread)] == {"completed": "first of a"}
    assert "script says" in told[text_of(agents[1].thread)]["errored"]
    calls = team.run([to("send_input", 1, message="!say second of a"), to("send_input", 3, message="!say free",
                                                                           interrupt=True)], wait(3))
    assert all(uuid.UUID(call.json["submission_id"]) for call in calls[:2])
    assert calls[2].json["status"] == {text_of(agents[2].thread): {"completed": "free"}}
    assert team.until_turns(agents[0].thread, 2) == [COMPLETED, COMPLETED]
    assert team.until_turns(agents[2].thread, 2) == [INTERRUPTED, COMPLETED]
    calls = team.run([to("close_agent", 1)], [to("close_agent", 1), wait(1), to("send_input", 1, message="x")],
                     tool("resume_agent", id="{agent:1}"), [to("send_input", 1, message="!say third of a")], wait(1))
    assert calls[0].json == {"previous_status": {"completed": "second of a"}}
    assert calls[2].json["status"] == {text_of(agents[0].thread): "shutdown"}
    assert (calls[3].success, "resume_agent" in calls[3].text) == (False, True)
    assert calls[4].json == {"status": {"completed": "second of a"}}
    assert calls[6].json["status"] == {text_of(agents[0].thread): {"completed": "third of a"}}


def test_a1_a_closed_agent_is_as_if_it_were_not_there(team):
    """A1, reference 2d: closing a closed agent is answered in words or with its status, never by ending another one."""
    calls = team.run(spawn_v1(), wait(1), to("close_agent"), to("close_agent"))
    assert calls[2].json == {"previous_status": {"completed": "done"}}
    assert calls[3].success is False or calls[3].json == {"previous_status": "shutdown"}
    assert team.listed().free_slots == OPEN


def test_a1_items_stand_for_a_message(team):
    """A1: `items` instead of `message`: texts as they are, other things by name and place, in order."""
    items = [{"type": "text", "text": "!say read"}, {"type": "image", "image_url": "https://example.org/x.png"},
             {"type": "local_image", "path": "/srv/x.png", "name": "x.png"}, {"type": "text", "text": "end"}]
    team.run(tool("spawn_agent", items=items), wait(1))
    [request] = team.requests(team.agents()[0].thread)
    assert request.items[-1]["role"] == "USER" and request.items[-1]["text"].splitlines() == [
        "!say read", "[image](https://example.org/x.png)", "[x.png](/srv/x.png)", "end"]


CALLS = [
    (tool("spawn_agent"), "one of `message` and `items`"),
    (tool("spawn_agent", message="x", items=[{"type": "text", "text": "x"}]), "not both"),
    (tool("spawn_agent", items=[]), "`items` is empty"), (tool("spawn_agent", items="x"), "list"),
    (tool("spawn_agent", items=["x"]), "list of objects"),
    (tool("spawn_agent", items=[{"type": "text"}]), "An item has"),
    (spawn_v1(""), "empty message"), (spawn_v1("\n "), "empty message"), (spawn_v1(7), "`message` is text"),
    (spawn_v1(agent_type="pirate"), "explorer"), (spawn_v1(model="gpt-none"), "scripted-v1"),
    (spawn_v1(reasoning_effort="huge"), "medium"), (spawn_v1(fork_context="yes"), "true or false"),
    (tool("send_input", message="x"), "`target` is missing"), (tool("send_input", target="", message="x"), "empty"),
    (tool("send_input", target="no id", message="x"), "no agent's id"),
    (tool("send_input", target=NOBODY, message="x"), "no agent with the id"),
    (tool("send_input", target=NOBODY), "one of `message` and `items`"),
    (tool("close_agent", target=NOBODY), "no agent with the id"), (tool("close_agent"), "`target` is missing"),
    (tool("resume_agent", id=NOBODY), "no agent with the id"), (tool("resume_agent"), "`id` is missing"),
    (tool("wait_agent"), "`targets` is missing"), (tool("wait_agent", targets=[]), "`targets` is missing"),
    (tool("wait_agent", targets="x"), "list of texts"), (tool("wait_agent", targets=[1]), "list of texts"),
    (tool("wait_agent", targets=["no id"]), "no agent's id"), (tool("wait_agent", targets=[""]), "empty"),
    (tool("wait_agent", targets=[NOBODY], timeout_ms=0), "greater than 0"),
    (tool("wait_agent", targets=[NOBODY], timeout_ms=-1), "greater than 0"),
    ("!tool spawn_agent {", "not JSON"), ("!tool close_agent 7", "not one JSON object"),
]


@pytest.mark.parametrize("line,said", CALLS, ids=[line[6:60] for line, _ in CALLS])
def test_a1_calls_that_are_refused_in_words(team, line, said):
    """A1: each fault becomes the failed output of the call, and the turn continues."""
    call = team.one(line)
    assert (call.success, call.reason) == (False, "tool_refused") and said in call.text, call
    assert not team.agents()


@pytest.mark.parametrize("name,field", [("send_input", "target"), ("close_agent", "target"), ("resume_agent", "id")])
def test_a1_the_root_is_no_agent(team, name, field):
    """A1: the root's id names no agent that could be written to, closed or opened."""
    more = {"message": "x"} if name == "send_input" else {}
    call = team.one(tool(name, **{field: text_of(team.id)}, **more))
    assert (call.success, call.reason) == (False, "tool_refused") and "no agent with the id" in call.text


def test_m2_agents_of_another_tree_are_not_there(recorded, team):
    """M2★, A1: an id of another tree names nobody, and is waited for as not found."""
    with quiet(recorded) as connection:
        other = Team.start(recorded, connection, V1)
        other.run(spawn_v1(STALL))
        stranger = text_of(other.agents()[0].thread)
        calls = team.run([tool("send_input", target=stranger, message="x"), tool("close_agent", target=stranger),
                          tool("wait_agent", targets=[stranger])])
        assert [call.success for call in calls[:2]] == [False, False]
        assert calls[2].json == {"status": {stranger: "not_found"}, "timed_out": False}
        assert other.agents()[0].closed is False


def test_a1_a_message_has_so_many_bytes_and_no_more(tmp_path):
    """A1, A3: a task or an input of more than `mailBytes` is refused, and how long it may be is said; one that long is
    taken."""
    with agents_server(tmp_path, **limits(mail_bytes=600)) as (server, connection):
        team = Team.start(server, connection, V1)
        calls = team.run([spawn_v1("x" * 601), spawn_v1("x" * 600)],
                         [to("send_input", message="x" * 601), to("send_input", message="x" * 600)])
        assert [call.success is not False for call in calls] == [False, True, False, True]
        assert all(call.reason == "tool_refused" and "600 bytes" in call.text for call in calls[::2])
        assert len(team.agents()) == 1


# A2: limits


def test_a2_six_are_open_and_an_ended_one_counts_until_it_is_closed(team):
    """A2: 6 agents of a tree open at once, completed ones counted; over it the text says the limit and the way out; a
    closed one gives its place back, and taking it up again needs one."""
    calls = team.run([spawn_v1() for _ in range(OPEN + 2)])
    assert [call.success is not False for call in calls] == [True] * OPEN + [False] * 2
    assert str(OPEN) in calls[-1].text and "close_agent" in calls[-1].text and calls[-1].reason == "tool_refused"
    team.until_mail(OPEN)
    assert team.listed().free_slots == 0
    calls = team.run(spawn_v1(), [to("close_agent", 1), to("close_agent", 2)], spawn_v1(),
                     tool("resume_agent", id="{agent:1}"), tool("resume_agent", id="{agent:2}"))
    assert [call.success is not False for call in calls] == [False, True, True, True, True, False]
    assert str(OPEN) in calls[-1].text and team.listed().free_slots == 0


def test_a2_the_depth_is_one_unless_configured(tmp_path, team):
    """A2: only the root spawns; a deeper tree is configuration, and closing takes all that is below along."""
    team.run(spawn_v1(spawn_v1()), wait(1))
    [child] = team.agents()
    [call] = calls_of(team.history(child.thread))
    # The tools are not offered there, but who calls one gets an answer in words.
    assert call.success is False and len(team.agents()) == 1
    with agents_server(tmp_path, **limits(agent_depth_v1=2)) as (server, connection):
        team = Team.start(server, connection, V1)
        team.run(spawn_v1(script(spawn_v1(STALL), "!stall")))
        child = team.agents()[0].thread
        team.follow(child).until_event("agent_activity")
        team.until_asked(team.agents()[1].thread)
        assert team.requests(child)[0].tools == V1_TOOLS and [agent.depth for agent in team.agents()] == [1, 2]
        grandchild = team.agents()[1].thread
        assert team.requests(grandchild)[0].tools == []
        call = team.one(to("close_agent"))
        assert call.json == {"previous_status": "running"}
        assert [agent.closed for agent in team.agents()] == [True, True] and team.listed().free_slots == OPEN
        assert team.until_turns(grandchild, 1) == [INTERRUPTED]
        team.run(tool("resume_agent", id=text_of(child)))
        assert [agent.closed for agent in team.agents()] == [False, False] and team.listed().free_slots == OPEN - 2


def test_a1_what_was_open_below_an_agent_comes_back_with_it(tmp_path):
    """A1, reference 2d: resume_agent opens the agent and what was open below it when it was closed, parents first; what
    was closed by itself stays closed; the same after a restart."""
    with agents_server(tmp_path, **limits(agent_depth_v1=2)) as (server, connection):
        team = Team.start(server, connection, V1)
        team.run(spawn_v1(script([spawn_v1(), spawn_v1()])), wait(1))
        child, first, second = (agent.thread for agent in team.agents())
        assert connection.call("Agent.Close", thread=first).closed == 1
        assert connection.call("Agent.Close", thread=child).closed == 2
        assert [agent.closed for agent in team.agents()] == [True, True, True]
        server.restart()
        with quiet(server) as connection:
            team = Team.resume(server, connection, team.id)
            assert team.one(tool("resume_agent", id=text_of(child))).success is not False
            closed = {agent.thread: agent.closed for agent in team.agents()}
            assert closed == {child: False, first: True, second: False}


def test_a2_a3_agents_that_are_taken_up_again_at_once_are_counted_one_by_one(tmp_path):
    """A2 A3: two resume_agent of one step, for closed agents that have to be read first: there is room for one."""
    with agents_server(tmp_path, **limits(agents_open_v1=1)) as (server, connection):
        team = Team.start(server, connection, V1)
        for number in (1, 2):
            team.run(spawn_v1(), wait(number), to("close_agent", number))
        server.restart()
        with quiet(server) as connection:
            team = Team.resume(server, connection, team.id)
            team.agents()  # the tree is read, its agents are not loaded
            calls = team.run([tool("resume_agent", id=text_of(agent.thread)) for agent in team.agents()])
            assert sorted(call.success is not False for call in calls) == [False, True], calls
            assert sorted(agent.closed for agent in team.agents()) == [False, True] and team.listed().free_slots == 0


def test_a3_total_and_depth_by_the_settings_of_the_tree(recorded):
    """A3: agent_total counts closed ones too; agent_depth 0 leaves nobody to work with."""
    with quiet(recorded) as connection:
        team = Team.start(recorded, connection, V1, settings={"agent_total": 2})
        calls = team.run([spawn_v1(), spawn_v1()], [wait(1), wait(2)], [to("close_agent", 1), to("close_agent", 2)],
                         spawn_v1())
        assert calls[-1].success is False and "2" in calls[-1].text
        alone = Team.start(recorded, connection, V1, settings={"agent_depth": 0})
        assert alone.one(spawn_v1()).success is False and alone.requests()[0].tools == []


# A4: what an agent is given


def test_a4_an_agent_has_its_parents_settings_and_tools_and_no_mode(recorded):
    """A4, M9: the parent's turn settings, tools and version; a V1 child has no mode; role, model and effort can be
    another; V10 no hint and no fragment."""
    with quiet(recorded) as connection:
        settings = {"reasoning_effort": "high", "working_folder": "/srv/x", **MODE}
        tools = [{"name": "lookup", "description": "Looks up.", "schema": "{}"}]
        team = Team.start(recorded, connection, V1, settings=settings, tools=tools)
        team.run([spawn_v1(), spawn_v1(agent_type="worker", model="scripted-v2", reasoning_effort="low",
                                       service_tier="slow")], [wait(1), wait(2)])
        same, other = (connection.call("Thread.Read", thread=agent.thread).thread for agent in team.agents())
        root = connection.call("Thread.Read", thread=team.id).thread
        root.settings.ClearField("mode")
        assert same.settings == root.settings and list(same.tools) == ["lookup"]
        assert (other.settings.model, other.settings.reasoning_effort, other.settings.service_tier) == (
            "scripted-v2", "low", "slow")
        assert {version_name(child.version) for child in (same, other)} == {"V1"}
        assert other.lineage.agent_role == "worker"
        [request] = team.requests(same.id)
        assert [(item["kind"], item["role"], item["text"]) for item in request.items] == [
            ("message", "USER", "!say done")]
        assert request.tools == ["lookup"] and request.effective_mode is None


def test_a4_the_roles_are_told_what_they_are(team):
    """A4: without texts of the operator an explorer is told to look and a worker to do, not the other way round."""
    team.run([spawn_v1(agent_type="explorer"), spawn_v1(agent_type="worker")], [wait(1), wait(2)])
    told = {agent.role: team.connection.call("Thread.Read", thread=agent.thread).thread.settings.developer_instructions
            for agent in team.agents()}
    assert "look" in told["explorer"] and "change nothing" in told["explorer"]
    assert "carry a task out" in told["worker"] and "look" not in told["worker"]


def test_a4_a_copied_conversation(team):
    """A4: fork_context copies what people and the server said and what the parent answered; nothing else."""
    team.run("first words")
    team.run("!think a thought\n" + tool("close_agent", target=NOBODY) + "\n!say between")
    team.run("third words\n" + spawn_v1(fork_context=True), wait(1))
    [request] = team.requests(team.agents()[0].thread)
    assert [(item["kind"], item["role"], item["text"].split()[0]) for item in request.items] == [
        ("message", "USER", "first"), ("message", "ASSISTANT", "You"), ("message", "USER", "!think"),
        ("message", "ASSISTANT", "between"), ("message", "USER", "third"), ("message", "USER", "!say")]


# A5: the end of an agent


def test_a5_the_first_end_is_told_once(team):
    """A5: V1 as a user-role notification once: not after a later send_input, again after it was opened again; an
    interruption is not told; an idle parent starts no turn for it."""
    team.run(spawn_v1("!say one"))
    [agent] = team.agents()
    team.until_mail(1)
    assert team.connection.call("Thread.Read", thread=team.id).thread.turn_count == 1
    team.run(to("send_input", message="!say two"), wait(1))
    team.run(to("close_agent"), tool("resume_agent", id="{agent:1}"), to("send_input", message="!say three"), wait(1))
    team.until_mail(2)
    team.run("x")
    assert [notice["status"] for notice in notices(team)] == [{"completed": "one"}, {"completed": "three"}]
    assert {notice["agent_id"] for notice in notices(team)} == {text_of(agent.thread)}
    team.run(spawn_v1(STALL), to("send_input", 2, message="!stall", interrupt=True), "!say x")
    team.until_turns(team.agents()[1].thread, 1)
    team.run("y")
    assert len(notices(team)) == 2


def test_a5_the_client_that_closes_an_agent_is_news_to_its_parent(team):
    """A5, A7: an agent closed by a client is told to its parent as shut down, once; one closed by the parent is not."""
    team.run([spawn_v1(STALL), spawn_v1(STALL)], to("close_agent", 1))
    second = team.agents()[1].thread
    assert team.connection.call("Agent.Close", thread=second).closed == 1
    assert team.connection.call("Agent.Close", thread=second).closed == 0
    team.until_mail(1)
    team.run("x")
    assert notices(team) == [{"agent_id": text_of(second), "status": "shutdown"}]


def test_a5_a_notice_survives_a_restart(tmp_path):
    """A5 [beyond], A6: notices are durable; after a kill -9 all agents are listed and can be written to; what was
    closed is closed, and can be opened."""
    with agents_server(tmp_path) as (server, connection):
        team = Team.start(server, connection, V1)
        team.run([spawn_v1("!say kept"), spawn_v1("!say shut"), spawn_v1(STALL)], [wait(1), wait(2)],
                 to("close_agent", 2))
        team.until_mail(2)
        before = team.agents()
        server.restart()
        with quiet(server) as connection:
            team = Team.resume(server, connection, team.id)
            after = team.agents()
            for old, new in zip(before, after, strict=True):
                for field in ("thread", "parent", "path", "nickname", "version", "closed", "depth", "last_task"):
                    assert getattr(new, field) == getattr(old, field), field
            assert [turn_status(agent.last_turn) for agent in after] == [COMPLETED, COMPLETED, INTERRUPTED]
            calls = team.run(to("send_input", 1, message="!say again"), wait(1),
                             to("send_input", 3, message="!say alive"), wait(3),
                             to("send_input", 2, message="x"), tool("resume_agent", id="{agent:2}"))
            assert calls[1].json["status"] == {text_of(after[0].thread): {"completed": "again"}}
            assert calls[3].json["status"] == {text_of(after[2].thread): {"completed": "alive"}}
            assert calls[4].success is False and calls[5].json == {"status": {"completed": "shut"}}
            team.run("x")
            assert sorted(json.dumps(notice["status"]) for notice in notices(team)).count('{"completed": "kept"}') == 1


# A7: clients


def test_a7_a_client_writes_into_an_agent_of_the_first_runtime(team):
    """A7: by start and by steering; it may interrupt, too; a closed one refuses with agent_closed."""
    team.run(spawn_v1(), wait(1))
    child = team.agents()[0].thread
    follower = team.follow(child)
    team.until_turns(child, 1)
    follower.run("!say for the client", thread=child)
    turn = team.connection.start_turn(child, STALL).turn
    team.connection.call("Turn.Steer", thread=child, turn=turn, input=words("more"))
    assert team.connection.call("Agent.Interrupt", thread=child).already is False
    assert turn_status(follower.until_ended(turn).status) == INTERRUPTED
    team.connection.call("Agent.Close", thread=child)
    error = team.connection.refusal("Turn.Start", thread=child, input=words("x"))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "agent_closed")
    assert team.connection.call("Thread.Read", thread=child).thread.turn_count == 3


# A8: waiting


def test_a8_any_named_agent_ends_the_wait(team):
    """A8: the first that comes to an end; others that run are not in the answer; one that has ended ends it at once."""
    calls = team.run([spawn_v1(STALL), spawn_v1("!delay 150\n!say quick")], wait(1, 2), wait(2))
    quick = text_of(team.agents()[1].thread)
    assert [call.json for call in calls[2:]] == [{"status": {quick: {"completed": "quick"}}, "timed_out": False}] * 2


def test_a8_a_failed_agent_has_come_to_an_end(team):
    """A8: an error is an end; its text is in the answer."""
    calls = team.run(spawn_v1("!fail"), wait(1))
    child = team.agents()[0]
    assert "script says" in calls[1].json["status"][text_of(child.thread)]["errored"]
    assert turn_status(child.last_turn) == FAILED


def test_a8_t6_an_agent_that_is_deleted_ends_the_wait(team):
    """A8, T6: who waits for an agent that a client deletes is told at once that it is not there: nothing else would end
    the wait before its time."""
    turn = team.begin(spawn_v1(STALL), wait(1, timeout_ms=20_000))
    team.follower.until(lambda message: message.event.item_completed.item.tool_call.name == "wait_agent")
    [agent] = team.agents()
    assert team.connection.call("Thread.Delete", thread=agent.thread).deleted == 1
    team.follower.until_ended(turn)
    [_, waiting] = calls_of(team.follower.events, turn)
    assert waiting.json == {"status": {text_of(agent.thread): "not_found"}, "timed_out": False}


def test_a8_a_wait_that_is_over_in_time(team):
    """A8: on a timeout the status is empty; steering does not end a V1 wait, the text follows it."""
    # The text comes while one of the waits goes on, mostly the first; the turn takes it up behind that one.
    turn = team.begin(spawn_v1(STALL), *[wait(1, timeout_ms=700)] * 40)
    team.follower.until(lambda message: message.event.item_completed.item.tool_call.name == "wait_agent")
    team.connection.call("Turn.Steer", thread=team.id, turn=turn, input=words("!say steered"))
    team.follower.until_ended(turn)
    [_, *waits] = calls_of(team.follower.events, turn)
    assert waits and all(call.json == {"status": {}, "timed_out": True} for call in waits)
    assert team.requests()[-1].texts[-1] == "!say steered"
    at = {event.item_completed.item.WhichOneof("kind"): event.at for event in team.follower.of_kind("item_completed")}
    assert at["tool_output"] - at["tool_call"] >= 690, "the text did not end the wait"


def test_a8_a_timeout_below_the_bound_is_taken_for_the_bound(tmp_path):
    """A8: V1 clamps: with a minimum of 300 ms a wait of 1 ms lasts as long, and is no error."""
    with agents_server(tmp_path, **limits(agent_wait_minimum_milliseconds=300)) as (server, connection):
        team = Team.start(server, connection, V1)
        turn = team.begin(spawn_v1(STALL), wait(1, timeout_ms=1))
        team.follower.until_ended(turn)
        at = {event.item_completed.item.WhichOneof("kind") + event.item_completed.item.tool_call.name: event.at
              for event in team.follower.of_kind("item_completed")}
        assert at["tool_output"] - at["tool_callwait_agent"] >= 290
        assert calls_of(team.follower.events, turn)[1].json == {"status": {}, "timed_out": True}


@pytest.mark.parametrize("timeout", [10 ** 15, 2 ** 63 - 1])
def test_a8_a_timeout_above_the_bound_is_taken_for_the_bound(tmp_path, timeout):
    """A8: V1 clamps: with a maximum of 300 ms a model that waits without end, or longer than numbers go, waits as long."""
    with agents_server(tmp_path, **limits(agent_wait_maximum_milliseconds=300)) as (server, connection):
        team = Team.start(server, connection, V1)
        calls = team.run(spawn_v1(STALL), wait(1, timeout_ms=timeout))
        assert calls[1].json == {"status": {}, "timed_out": True} and 290 <= waited(team) < 20_000
        assert server.alive


def test_a8_without_a_timeout_the_wait_is_the_configured_one(tmp_path):
    """A8: `agentWaitMilliseconds` is how long wait_agent without a timeout waits: neither the least nor the longest."""
    with agents_server(tmp_path, **limits(agent_wait_milliseconds=200)) as (server, connection):
        team = Team.start(server, connection, V1)
        calls = team.run(spawn_v1(STALL), tool("wait_agent", targets=["{agent:1}"]))
        assert calls[1].json == {"status": {}, "timed_out": True} and 190 <= waited(team) < 20_000


# T1 and the tree


def test_t6_a2_an_agent_that_is_deleted_while_it_is_not_loaded_gives_its_place_back(tmp_path):
    """T6, A2: an agent takes a place until it is closed or deleted; so does one that has not been loaded since a
    restart, in a tree that has been read."""
    with agents_server(tmp_path) as (server, connection):
        team = Team.start(server, connection, V1)
        team.run(spawn_v1(), wait(1))
        server.restart()
        with quiet(server) as connection:
            team = Team.resume(server, connection, team.id)
            [agent] = team.agents()
            assert (state_name(agent.status), team.listed().free_slots) == ("NOT_LOADED", OPEN - 1)
            assert connection.call("Thread.Delete", thread=agent.thread).deleted == 1
            assert not team.agents() and team.listed().free_slots == OPEN


def test_t1_a6_agents_are_announced_and_listed(recorded):
    """T1 [beyond] ThreadStarted for agents with their lineage; A6 ListTree says who is open and what it does."""
    with recorded.connect() as listening, quiet(recorded) as connection:
        team = Team.start(recorded, connection, V1)
        team.run([spawn_v1(STALL), spawn_v1()], wait(2))
        agents, heard = team.agents(), {}
        while len(heard) < 3:
            frame = listening.wait_for(lambda frame: (frame.kind, frame.stream) == (EVENT, 0))
            notice = event_pb2.SubscriptionEvent.FromString(frame.body).thread_started
            if notice.lineage.root == team.id:
                heard[notice.thread] = notice.lineage
        assert heard.keys() == {team.id, *(agent.thread for agent in agents)}
        assert all(heard[agent.thread].parent == team.id == agent.parent for agent in agents)
        assert [state_name(agent.status) for agent in agents] == ["ACTIVE", "IDLE"]
        assert [agent.last_task for agent in agents] == [STALL, "!say done"]
        assert team.listed().free_slots == OPEN - 2
        assert {version_name(agent.version) for agent in team.listed().agents} == {"V1"}


def test_a2_what_comes_back_with_an_agent_is_bounded(tmp_path):
    """A2, A1: resume_agent opens what was open below the agent as far as there is room, parents first."""
    bounds = limits(agent_depth_v1=2, agents_open_v1=3)
    with agents_server(tmp_path, **bounds) as (server, connection):
        team = Team.start(server, connection, V1)
        team.run(spawn_v1(script([spawn_v1(), spawn_v1()])), wait(1))
        child, first, second = (agent.thread for agent in team.agents())
        assert connection.call("Agent.Close", thread=child).closed == 3
        team.run(spawn_v1())
        assert team.one(tool("resume_agent", id=text_of(child))).success is not False
        closed = {agent.thread: agent.closed for agent in team.agents()}
        assert [closed[thread] for thread in (child, first, second)] == [False, False, True]
        assert team.listed().free_slots == 0


def test_a5_closing_and_opening_are_activities_too(team):
    """A5: what was done with another agent is in the parent's log, of the first runtime as of the second."""
    team.run(spawn_v1(), wait(1), [to("send_input", message="!say more")], wait(1), to("close_agent"),
             tool("resume_agent", id="{agent:1}"))
    activity = [event.agent_activity for event in team.follower.of_kind("agent_activity")]
    assert [entry.kind for entry in activity] == [1, 2, 4, 5]
    assert {entry.agent for entry in activity} == {team.agents()[0].thread} and all(entry.call_id for entry in activity)
