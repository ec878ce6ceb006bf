"""rules.md S6, S2, S4, A4, A9, T3: the tools that a client brings change after the start, by Resume, Fork and
SettingsService/Update; what runs keeps its tools, followers and the model are told."""

import json
import uuid

import pytest

from agents import V1, Team, calls_of, script, spawn_v1, tool
from harness.messages import turn_status
from harness.server import heddle
from recorded import Thread, quiet, recorded
from test_client_tools import TOOLS, able, asked, begun, end_of
from test_import import SCRIPTED, turn_of, written

LOOKUP, STORE = TOOLS
WEIGH = {"name": "weigh", "description": "Weighs something.", "schema": '{"type":"object"}'}
LOOKUP_CALL, WEIGH_CALL = tool("lookup", word="heddle"), tool("weigh", word="heddle")
NOTE = "<client_tools>"
# Events after which a snapshot is certain to have been written (one is written every 64 events).
MANY_EVENTS = 130


def update(connection, thread: bytes, *tools: dict, **fields):
    selection = {"set": list(tools)} if tools else {"clear": True}
    return connection.call("Settings.Update", thread=thread, tools=selection, **fields)


def names(connection, thread: bytes) -> list[str]:
    """By the thread itself and by its settings, which say the same."""
    of_thread = list(connection.call("Thread.Read", thread=thread).thread.tools)
    assert list(connection.call("Settings.Read", thread=thread).tools) == of_thread
    return of_thread


def notes(request) -> list[str]:
    """The developer messages about changed tools in a request to the model."""
    found = [item for item in request.items if NOTE in (item.get("text") or "") and item["role"] != "USER"]
    assert all((item["kind"], item["role"]) == ("message", "DEVELOPER") for item in found), found
    return [item["text"] for item in found]


def started(server, connection, **fields) -> Thread:
    return Thread(server, connection, *connection.start_followed(**fields))


# The change


def test_s6_an_update_changes_tools_with_a_revision_and_an_event(connection):
    """S6, S4: set replaces all of them, clear takes them all; each is one revision and one event with the whole list,
    and what changes nothing makes neither."""
    state, follower = connection.start_followed(tools=[LOOKUP])
    first = update(connection, state.id, STORE, WEIGH)
    assert (first.changed, first.revision, list(first.tools)) == (True, 2, ["store", "weigh"])
    event = follower.until_event("settings_updated")
    assert (event.sequence, event.settings_updated.revision) == (first.sequence, 2)
    assert [(t.name, t.description, t.schema) for t in event.settings_updated.tools.set] == [
        tuple(t.values()) for t in (STORE, WEIGH)]
    assert event.settings_updated.settings == first.settings
    again = update(connection, state.id, STORE, WEIGH)
    assert (again.changed, again.revision, again.sequence) == (False, 2, first.sequence)
    for absent in ({}, {"tools": {}}):
        kept = connection.call("Settings.Update", thread=state.id, **absent)
        assert (kept.changed, list(kept.tools)) == (False, ["store", "weigh"])
    gone = update(connection, state.id)
    assert (gone.changed, gone.revision, list(gone.tools)) == (True, 3, [])
    event = follower.until(lambda message: message.event.settings_updated.revision == 3).event
    assert event.settings_updated.tools.clear and names(connection, state.id) == []
    other = connection.call("Settings.Update", thread=state.id, change={"service_tier": "fast"})
    event = follower.until(lambda message: message.event.settings_updated.revision == other.revision).event
    assert not event.settings_updated.HasField("tools")


def test_s6_tools_and_settings_of_one_update_are_one_change(connection):
    """S6, S4: one revision for both; a refused part refuses the whole."""
    thread = connection.new_thread().id
    both = update(connection, thread, LOOKUP, change={"service_tier": "fast"})
    assert (both.revision, list(both.tools), both.settings.service_tier) == (2, ["lookup"], "fast")
    error = connection.refusal("Settings.Update", thread=thread, tools={"clear": True}, change={"model": "nobody"})
    assert error.reason == "unknown_model"
    error = connection.refusal("Settings.Update", thread=thread, tools={"set": [{}]}, change={"service_tier": "slow"})
    assert error.reason == "missing_field"
    now = connection.call("Settings.Read", thread=thread)
    assert (now.revision, list(now.tools), now.settings.service_tier) == (2, ["lookup"], "fast")


def test_s6_s4_an_update_of_tools_insists_on_the_revision_it_knows(connection):
    """S4: the second of two clients that know revision 1 is refused, and nothing of it happens."""
    thread = connection.new_thread().id
    assert update(connection, thread, LOOKUP, expected_revision=1).revision == 2
    error = connection.refusal("Settings.Update", thread=thread, tools={"set": [STORE]}, expected_revision=1)
    assert (error.reason, names(connection, thread)) == ("revision_mismatch", ["lookup"])
    assert update(connection, thread, STORE, expected_revision=2).revision == 3


WRONG = {
    "missing_field": {"set": [{"name": ""}]},
    "reserved_name": {"set": [{"name": "spawn_agent"}]},
    "reserved_name twice": {"set": [LOOKUP, LOOKUP]},
    "text_too_long name": {"set": [{"name": "n" * 257}]},
    "text_too_long schema": {"set": [{"name": "n", "schema": "s" * (256 * 1024 + 1)}]},
    "too_many_elements": {"set": [{"name": f"n{number}"} for number in range(129)]},
}


@pytest.mark.parametrize("case", WRONG)
def test_s6_tools_are_checked_as_at_the_start(connection, case):
    """S6: Update, Resume and Fork refuse what Start refuses, for the same reason, and change nothing."""
    state = connection.new_thread(tools=[LOOKUP])
    at_start = connection.refusal("Thread.Start", tools=WRONG[case]["set"])
    assert at_start.reason == case.split()[0]
    for method in ("Settings.Update", "Thread.Resume", "Thread.Fork"):
        error = connection.refusal(method, thread=state.id, tools=WRONG[case])
        assert (error.code, error.reason, error.details) == (at_start.code, at_start.reason, at_start.details), method
    found = connection.call("Thread.Read", thread=state.id).thread
    assert (found.sequence, found.revision, list(found.tools)) == (state.sequence, 1, ["lookup"])


def test_s6_tools_are_not_set_and_taken_away_at_once(connection):
    """S6: `set` and `clear` together contradict each other."""
    thread = connection.new_thread(tools=[LOOKUP]).id
    for method in ("Settings.Update", "Thread.Resume", "Thread.Fork"):
        error = connection.refusal(method, thread=thread, tools={"set": [STORE], "clear": True})
        assert error.reason == "empty_change", method
    assert names(connection, thread) == ["lookup"]


def test_s6_e2_a_change_with_a_key_happens_once(connection):
    """E2: sent again with its key it is answered as before, though the tools are others by then."""
    thread, key = connection.new_thread().id, b"k" * 16
    first = update(connection, thread, LOOKUP, key=key)
    update(connection, thread, STORE)
    again = update(connection, thread, LOOKUP, key=key)
    assert again.replayed and (again.revision, list(again.tools)) == (first.revision, ["lookup"])
    assert names(connection, thread) == ["store"]


# Turns


def test_s6_s2_a_running_turn_keeps_its_tools(server):
    """S2, A9: a call that is open when its tool is taken away takes its answer, a later step of the turn may still call
    it, and the next turn may not."""
    with able(server) as client:
        team = begun(client, LOOKUP_CALL, LOOKUP_CALL, tools=[LOOKUP], asks_user=False)
        call = asked(client)
        assert update(client, team.id, WEIGH).changed and names(client, team.id) == ["weigh"]
        call.answer("a part of a loom")
        asked(client).answer("another")
        assert [(c.name, c.text, c.success) for c in end_of(team)] == [
            ("lookup", "a part of a loom", True), ("lookup", "another", True)]
        team.turn = team.begin([LOOKUP_CALL, WEIGH_CALL])
        call = asked(client)
        assert call.message.name == "weigh"
        call.answer("12 g")
        assert {(c.name, c.reason) for c in end_of(team)} == {("lookup", "tool_unknown"), ("weigh", "")}


def test_s6_the_model_is_offered_the_new_tools_and_told_of_them_once(tmp_path):
    """S6, M6: the next turn's request has the new list and one message of the developer; the one after has no other."""
    with recorded(tmp_path) as (server, connection):
        thread = started(server, connection, tools=[LOOKUP])
        first = thread.turn("a")
        assert first.tools[-1:] == ["lookup"] and notes(first) == []
        update(connection, thread.id, STORE, WEIGH)
        second = thread.turn("b")
        assert second.tools == [*first.tools[:-1], "store", "weigh"]
        [note] = notes(second)
        assert "`store`, `weigh`" in note
        assert notes(thread.turn("c")) == [note]
        update(connection, thread.id)
        last = thread.turn("d")
        assert last.tools == first.tools[:-1] and len(notes(last)) == 2 and "none now" in notes(last)[-1]


def test_s6_a_thread_that_has_not_begun_is_told_nothing(tmp_path):
    """S6: before the first turn there is nothing to take back."""
    with recorded(tmp_path) as (server, connection):
        thread = started(server, connection, tools=[LOOKUP])
        update(connection, thread.id, STORE)
        request = thread.turn("a")
        assert request.tools[-1:] == ["store"] and notes(request) == []


# Resume, Fork, agents


def test_s6_resume_changes_tools(server):
    """S6: with an event, a revision, and the new names in the answer; without the field nothing happens."""
    with able(server) as client:
        state, follower = client.start_followed(tools=[LOOKUP])
        found = client.call("Thread.Resume", thread=state.id, tools={"set": [WEIGH]}).thread
        assert (found.revision, list(found.tools)) == (2, ["weigh"])
        assert follower.until_event("settings_updated").sequence == found.sequence
        for same in ({}, {"tools": {"set": [WEIGH]}}):
            again = client.call("Thread.Resume", thread=state.id, **same).thread
            assert (again.revision, again.sequence) == (2, found.sequence)
        assert list(client.call("Thread.Resume", thread=state.id, tools={"clear": True}).thread.tools) == []
        client.call("Thread.Archive", thread=state.id)
        error = client.refusal("Thread.Resume", thread=state.id, tools={"set": [WEIGH]})
        assert error.reason == "archived"


def test_s6_t3_a_fork_has_its_sources_tools_or_those_it_is_given(tmp_path):
    """T3: inherited unless given; the source keeps its own; a fork's model is told if they are others."""
    with recorded(tmp_path) as (server, connection):
        source = started(server, connection, tools=[LOOKUP])
        source.turn("a")
        heir, other = source.fork(), source.fork(tools={"set": [WEIGH]})
        none = source.fork(tools={"clear": True})
        assert [list(f.state.tools) for f in (heir, other, none)] == [["lookup"], ["weigh"], []]
        assert names(connection, source.id) == ["lookup"]
        assert [len(notes(f.turn("b"))) for f in (source, heir, other, none)] == [0, 0, 1, 1]


def test_s6_a4_an_agent_has_the_tools_of_its_parents_turn(tmp_path):
    """A4: what is changed while the parent's turn runs is neither the turn's nor its child's; the next child has it."""
    with recorded(tmp_path) as (server, connection):
        team = Team.start(server, connection, V1, tools=[LOOKUP])
        team.run(spawn_v1())
        update(connection, team.id, WEIGH)
        team.run(spawn_v1())
        offered = [list(connection.call("Thread.Read", thread=agent.thread).thread.tools)
                   for agent in team.agents() if agent.depth == 1]
        assert offered == [["lookup"], ["weigh"]]


def test_s6_an_imported_thread_gets_tools(tmp_path):
    """S6, I3: a history without tools is resumed with one; it stays after kill -9, and the model calls it."""
    thread = written(tmp_path, *turn_of("once"))
    with recorded(tmp_path) as (server, connection):
        assert names(connection, thread) == []
        assert list(connection.call("Thread.Resume", thread=thread, tools={"set": [LOOKUP]}).thread.tools) == ["lookup"]
        server.restart()
        with quiet(server) as again:
            assert names(again, thread) == ["lookup"]
            _, follower = again.resume_followed(thread)
            turn = again.start_turn(thread, script(LOOKUP_CALL), settings=SCRIPTED).turn
            asked(again).answer("found")
            assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
            assert [(c.name, c.text) for c in calls_of(follower.events, turn)] == [("lookup", "found")]
            assert [request.tools[-1:] for request in server.requests(thread)] == [["lookup"]] * 2


# Lists that stay


@pytest.mark.parametrize("events", [0, MANY_EVENTS])
def test_s6_d1_tools_are_there_after_a_kill(tmp_path, events):
    """S5, D1: what was acknowledged is there after kill -9, from the log alone and from a snapshot; the turn behind it
    has the new tools and is told of them once."""
    with recorded(tmp_path) as (server, connection):
        thread = started(server, connection, tools=[LOOKUP])
        thread.turn("a")
        update(connection, thread.id, STORE, WEIGH)
        for number in range(events):
            connection.call("Thread.SetName", thread=thread.id, name=f"name {number}")
        server.restart()
        with quiet(server) as again:
            assert names(again, thread.id) == ["store", "weigh"]
            back = Thread.resume(server, again, thread.id)
            assert back.state.revision == 2
            request = back.turn("b")
            assert request.tools[-2:] == ["store", "weigh"] and len(notes(request)) == 1
            assert len(notes(back.turn("c"))) == 1


def test_s6_u4_a_turn_that_a_kill_ends_leaves_the_new_tools(tmp_path):
    """S2, U4: changed while a turn runs, killed, loaded: the next turn has the new tools."""
    with recorded(tmp_path) as (server, connection):
        thread = started(server, connection, tools=[LOOKUP])
        thread.stall("a")
        update(connection, thread.id, WEIGH)
        server.restart()
        with quiet(server) as again:
            back = Thread.resume(server, again, thread.id)
            request = back.turn("b")
            assert request.tools[-1:] == ["weigh"] and len(notes(request)) == 1


def test_s6_the_program_changes_tools(server, connection):
    """S6: `heddle call` sets and clears them."""
    thread = connection.new_thread()
    identity = str(uuid.UUID(bytes=thread.id))
    for tools, expected in ({"set": [WEIGH]}, ["weigh"]), ({"clear": True}, None):
        body = json.dumps({"thread": identity, "tools": tools})
        ended = heddle("call", "SettingsService/Update", body, "--server", server.address)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout).get("tools") == expected
