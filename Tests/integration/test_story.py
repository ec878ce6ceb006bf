"""The stories of rules.md V and M, told end to end: real sockets, real restarts by kill -9, and what the model really
received. Nothing is taken from the server's own account of its input: the request record is what the provider got."""

import contextlib
import os
import random
import shutil
import time

import pytest

from harness.messages import event_pb2, item_text, mode_name, source_name, turn_status, version_name
from harness.server import heddle
from harness.wire import EVENT
from recorded import BOUND_BYTES, Thread, features, flags, quiet, recorded, version_of
from test_import import identity

SEED = int(os.environ.get("HEDDLE_SEED", "20261122"))
PROACTIVE, EXPLICIT = {"mode": {"set": 2}}, {"mode": {"set": 1}}
CLEAR = {"mode": {"clear": True}}
SCRIPTED = {"model": "scripted", "model_provider": "scripted"}
GATE = features(multi_agent_mode=True)
HINTS = "HEDDLE_TEXTS_USAGE_HINTS"
ROUNDS = 5
UNSET = ("UNSPECIFIED", "UNSPECIFIED")


@pytest.fixture
def story(tmp_path):
    """A recorded server with the mode's gate on, and a connection."""
    with recorded(tmp_path, **GATE) as pair:
        yield pair


def raw_history(connection, thread: bytes) -> list[bytes]:
    """The payloads of the EVENT frames of a subscription from the start, as they came."""
    stream, found = connection.open("Thread.Subscribe", thread=thread, after=0), []
    connection.answer(stream, "Thread.Subscribe")
    while True:
        frame = connection.wait_for(lambda frame: frame.stream == stream)
        assert frame.kind == EVENT, frame
        message = event_pb2.SubscriptionEvent.FromString(frame.body)
        if message.WhichOneof("kind") == "live":
            connection.call("Thread.Unsubscribe", thread=thread)
            return found
        if message.WhichOneof("kind") == "event":
            found.append(frame.payload)


def counts(thread: Thread, *settings: dict) -> list[int]:
    """How many fragments the model received in each of these turns."""
    return [len(thread.turn(**change).fragments) for change in settings]


def pin_of(pinned) -> tuple[str, str]:
    return version_name(pinned.version), source_name(pinned.source)


def imported(rollouts, folder, *names: str):
    ended = heddle("import", *(rollouts[name] for name in names), "--data", folder / "data")
    assert ended.returncode == 0, ended.stderr


# The counts under M


def test_turn_1_unset_turn_2_proactive_turn_3_silent(story):
    """M6: turn 1 unset → 1; turn 2 selects proactive → 2; turn 3 says nothing → 2."""
    assert counts(Thread.start(*story, model="scripted-v2"), {}, PROACTIVE, {}) == [1, 2, 2]


@pytest.mark.parametrize("selection", [{}, EXPLICIT, PROACTIVE], ids=["unset", "explicit", "proactive"])
def test_two_equal_turns(story, selection):
    """M6: two equal turns → 1, said again or not."""
    assert counts(Thread.start(*story, model="scripted-v2"), selection, selection, {}) == [1, 1, 1]


def test_an_update_between_two_turns_is_one_more_and_asks_nobody(story):
    """M6 an update between two turns → exactly one more; never on the update itself; S3 no model request, no item.
    However often it changes in between: never twice for one change; back to what was told: none."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2")
    thread.turn()
    ended = thread.follower.last
    for change in (PROACTIVE, EXPLICIT, PROACTIVE):
        assert thread.update(**change).changed
    thread.follower.until_event("settings_updated", revision=4)
    assert [event.WhichOneof("kind") for event in thread.follower.events if event.sequence > ended] == [
        "settings_updated"] * 3 and len(server.requests(thread.id)) == 1
    assert counts(thread, {}) == [2]
    for change in (EXPLICIT, PROACTIVE):
        thread.update(**change)
    assert counts(thread, {}, {}) == [2, 2]
    assert len(server.requests(thread.id)) == 4


def test_gate_on_proactive_restarted_with_the_gate_on_then_off(story):
    """M6, M7 gate on + proactive → restart with gate on → restart with gate off: 2, 2, 3; the last one revokes."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2")
    found = [counts(thread, {}, PROACTIVE)[-1]]
    for gate in (True, False):
        server.restart(**features(multi_agent_mode=gate))
        with quiet(server) as connection:
            last = Thread.resume(server, connection, thread.id).turn()
        found.append(len(last.fragments))
    assert found == [2, 2, 3] and last.effective_mode == "EXPLICIT_REQUEST_ONLY"
    assert last.fragments[0] == last.fragments[2] != last.fragments[1]


def test_the_fragment_stands_alone_behind_the_usage_hint(story):
    """M6 in the initial context, as its own message after the usage hint; M5 tagged, bounded; developer instructions
    are a message of their own too."""
    for change in ({}, {"developer_instructions": "Be brief."}):
        request = Thread.start(*story, model="scripted-v2", **change, **PROACTIVE).turn("hello")
        roles = [item["role"] for item in request.items]
        assert roles == ["DEVELOPER"] * (len(roles) - 1) + ["USER"]
        hint, fragment, user = request.texts[-3:]
        assert "/root" in hint and "<multi_agent_mode>" not in hint and user == "hello"
        assert request.fragments == [fragment] and request.effective_mode == "PROACTIVE"
        assert request.texts[:-3] == list(change.values())


@pytest.mark.parametrize("text", ["a" * 20_000, "ä" * 20_000, "a" + "𝕏" * 9_000], ids=["ascii", "two", "four"])
def test_the_bound_holds_for_the_operators_words(tmp_path, text):
    """M5 bound: 4 KiB, whatever text is configured, and no character is cut."""
    with recorded(tmp_path, **GATE, HEDDLE_TEXTS_PROACTIVE_MODE=text) as story:
        fragment = Thread.start(*story, model="scripted-v2").turn(**PROACTIVE).fragments[0]
        body = fragment.removeprefix("<multi_agent_mode>").removesuffix("</multi_agent_mode>")
        assert text.startswith(body) and BOUND_BYTES - 4 < len(fragment.encode()) <= BOUND_BYTES


def test_the_explicit_text_revokes(story):
    """M5 the explicit text must revoke an earlier proactive one: it says that earlier notes no longer hold, and it is
    the same text in every place; history is never rewritten (M6)."""
    thread = Thread.start(*story, model="scripted-v2", **PROACTIVE)
    before, after = thread.turn(), thread.turn(**EXPLICIT)
    assert after.items[:len(before.items)] == before.items
    assert len(after.fragments) == 2 and after.texts[-2] == after.fragments[-1]
    assert "earlier" in after.fragments[-1] and "only when the user asks" in after.fragments[-1]
    assert after.fragments[-1] == Thread.start(*story, model="scripted-v2").turn().fragments[0]


@pytest.mark.parametrize("selection,expected", [
    (PROACTIVE, [1, 2, 2, 3]), (EXPLICIT, [1, 1, 1, 2]), ({}, [1, 1, 1, 2])], ids=["proactive", "explicit", "unset"])
def test_hints_off_and_on_again(story, selection, expected):
    """M6 (c) the explicit text when a proactive thread becomes not applicable, and only then; (b) again when it is
    applicable again."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2", **selection).id
    found, effective = [], []
    for hints in ("true", "false", "false", "true"):
        server.restart(**{HINTS: hints})
        with quiet(server) as connection:
            request = Thread.resume(server, connection, thread).turn()
        found.append(len(request.fragments))
        effective.append(request.effective_mode)
    assert found == expected
    assert effective[1:3] == [None, None] and None not in (effective[0], effective[3])


def test_cleared_back_to_unset(story):
    """M2 clear: reported as unset, told as explicit; M10; keep keeps; it survives kill -9 (M8)."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2", **PROACTIVE)
    assert counts(thread, {}, {"mode": {}}) == [1, 1]
    answer = thread.update(**CLEAR)
    assert answer.changed and mode_name(answer.settings) is None
    assert not thread.update(**CLEAR).changed, "S4 an equal value changes nothing"
    server.restart()
    with quiet(server) as connection:
        thread = Thread.resume(server, connection, thread.id)
        assert thread.selected is None
        request = thread.turn()
        assert (len(request.fragments), request.effective_mode) == (2, "EXPLICIT_REQUEST_ONLY")
        assert len(thread.turn(**PROACTIVE).fragments) == 3
        request = thread.turn(**CLEAR)
        assert (len(request.fragments), thread.selected) == (4, None)


def test_a_selection_that_does_nothing_refuses_nothing(tmp_path):
    """M3 kept and reported where it does nothing: V1, DISABLED, gate off; never a reason to refuse a turn."""
    with recorded(tmp_path) as story:
        for model, expected in (("scripted-v1", 0), ("scripted-disabled", 0), ("scripted-v2", 1)):
            thread = Thread.start(*story, model=model)
            assert counts(thread, PROACTIVE, {}, EXPLICIT, PROACTIVE) == [expected] * 4
            assert thread.selected == "PROACTIVE"


# Rollback and fork


@pytest.mark.parametrize("count", [2, 3, 100], ids=["exactly all", "one too many", "many too many"])
def test_a_rollback_of_all_turns_leaves_one_fragment(story, count):
    """M7 [beyond] a rollback of all turns does not duplicate the fragment, nor the hint; after kill -9 neither."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2", **PROACTIVE)
    thread.turn("one")
    thread.turn("two", **EXPLICIT)
    assert connection.call("Thread.Rollback", thread=thread.id, turns=count).rolled_back == 2
    fork = thread.fork(subscribe=False).id
    server.restart()
    with quiet(server) as connection:
        for one in (thread.id, fork):
            request = Thread.resume(server, connection, one).turn("three")
            assert len(request.fragments) == 1 and len(request.items) == 3
            assert request.texts[-1] == "three" and request.effective_mode == "EXPLICIT_REQUEST_ONLY"


def test_a_rollback_of_some_turns_compares_with_what_stays(story):
    """M7 the turn context of the last turn that stays is the baseline; T7 the rolled-back fragment leaves the input."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2")
    assert counts(thread, {}, PROACTIVE) == [1, 2]
    connection.call("Thread.Rollback", thread=thread.id, turns=1)
    request = thread.turn("again")
    assert thread.selected == request.effective_mode == "PROACTIVE", "a rollback of turns is none of settings"
    assert len(request.fragments) == 2 and len(request.items) == 6
    connection.call("Thread.Rollback", thread=thread.id, turns=1)
    assert counts(thread, EXPLICIT) == [1]


def crashed(server, connection):
    """A thread whose only turn was ended by kill -9."""
    thread = Thread.start(server, connection, model="scripted-v2")
    thread.stall("one")
    server.restart()
    return Thread.resume(server, quiet(server), thread.id)


def fork_of_a_running_turn(server, connection):
    """A fork whose only turn was running at the source."""
    thread = Thread.start(server, connection, model="scripted-v2")
    thread.stall("one")
    return thread.fork()


def interrupted(server, connection):
    """A thread whose only turn a client ended."""
    thread = Thread.start(server, connection, model="scripted-v2")
    thread.interrupt(thread.stall("one"))
    return thread


@pytest.mark.parametrize("first", [interrupted, crashed, fork_of_a_running_turn], ids=lambda first: first.__name__)
def test_an_interrupted_turn_that_stays_is_the_baseline(story, first):
    """M7 however the turn that stays was interrupted, its context is what the next turn compares with: neither hint nor
    fragment comes twice; the turn list names the events it really has."""
    thread = first(*story)
    thread.turn("two")
    thread.connection.call("Thread.Rollback", thread=thread.id, turns=1)
    request = thread.turn("three")
    assert (len(request.fragments), request.markers) == (1, ["DEVELOPER"])
    assert [item["role"] for item in request.items] == ["DEVELOPER", "DEVELOPER", "USER", "DEVELOPER", "USER"]
    turns = thread.connection.call("Thread.ListTurns", thread=thread.id, order=2).turns
    started = {event.turn_started.turn: event.sequence for event in quiet(story[0]).history(thread.id)
               if event.WhichOneof("kind") == "turn_started"}
    assert [turn.first_sequence for turn in turns] == [started[turn.id] for turn in turns]


@pytest.mark.parametrize("how", ["completed", "interrupted"])
def test_a_rollback_of_a_turn_that_had_waited_takes_only_that_turn(story, how):
    """T7 the last turn leaves the model's context, with what is its own; the end of the turn before it (its answer, its
    marker) stays, although one mutation ended the one and began the other. ListItems says whose is whose."""
    server, connection = story
    thread = Thread.start(*story)
    text = "!chunks 1\n!delay 2000\none" if how == "completed" else "!stall\none"
    first = connection.start_turn(thread.id, text).turn
    waiting = connection.start_turn(thread.id, "two")
    assert turn_status(waiting.status) == "QUEUED"
    if how == "interrupted":
        connection.call("Turn.Interrupt", thread=thread.id, turn=first)
    thread.follower.until_ended(waiting.turn)
    last = {"completed": "You said: one", "interrupted": None}[how]
    rows = [connection.call("Thread.ListItems", thread=thread.id, turn=turn).items for turn in (first, waiting.turn)]
    owned = [[item_text(row.item) or None for row in items] for items in rows]
    assert owned == [[text, last], ["two", "You said: two"]]
    connection.call("Thread.Rollback", thread=thread.id, turns=1)
    request = thread.turn("three")
    assert [item["kind"] for item in request.items] == ["message", "marker" if last is None else "message", "message"]
    assert request.texts[0::2] == [text, "three"] and last in (None, request.texts[1])


def test_a_fork_of_a_proactive_thread(story):
    """M9 a fork takes its source's selection, T3 version and settings too; V2 the copied history counts (`stored`); no
    second fragment when equal, one when not; the source does not notice."""
    server, connection = story
    source = Thread.start(*story, model="scripted-v2", **PROACTIVE)
    source.turn("one")
    fork, other = source.fork(), source.fork(settings=EXPLICIT)
    assert (mode_name(fork.state.settings), mode_name(other.state.settings)) == ("PROACTIVE", "EXPLICIT_REQUEST_ONLY")
    assert version_of(fork.state) == version_of(other.state) == fork.version == ("V2", "STORED")
    assert fork.state.settings == source.read().settings and fork.state.lineage.forked_from == source.id
    assert len(fork.turn("two").fragments) == 1
    request = other.turn("two")
    assert len(request.fragments) == 2 and request.texts[2:4] == ["one", "You said: one"]
    assert len(source.turn("three").fragments) == 1 and source.selected == "PROACTIVE"
    assert len(fork.turn("four", **CLEAR).fragments) == 2 and source.selected == "PROACTIVE"


def test_a_fork_up_to_a_turn_compares_with_that_turn(story):
    """T3 up to a given turn, M7 that turn's context is the baseline, M9 the selection is the source's of now."""
    server, connection = story
    source = Thread.start(*story, model="scripted-v2")
    first = source.turn().turn
    assert counts(source, PROACTIVE) == [2]
    fork = source.fork(last_turn=first)
    assert mode_name(fork.state.settings) == "PROACTIVE"
    assert len(fork.turn().fragments) == 2
    assert counts(source.fork(last_turn=first), EXPLICIT) == [1]


def test_a_fork_of_a_running_turn(story):
    """T3 a fork of a running turn ends in an interruption and the source does not notice; M7 the running turn's context
    is the fork's baseline; U3 the marker has the role of the version."""
    source = Thread.start(*story, model="scripted-v2", **PROACTIVE)
    turn = source.stall()
    fork = source.fork()
    request = fork.turn("in the fork")
    assert request.markers == ["DEVELOPER"] and len(request.fragments) == 1
    assert source.read().running_turn == turn
    source.interrupt(turn)
    assert source.turn("in the source").markers == ["DEVELOPER"]


def test_a_thread_in_memory_keeps_the_same_rules(story):
    """V, M, T7 an ephemeral thread is told what a stored one is told."""
    server, connection = story
    thread = Thread(*story, *connection.start_followed(ephemeral=True, settings={"model": "scripted-v2"}))
    assert counts(thread, {}, PROACTIVE, {}) == [1, 2, 2]
    connection.call("Thread.Rollback", thread=thread.id, turns=2)
    assert counts(thread, {}, EXPLICIT) == [2, 3] and thread.version == ("V2", "CATALOG")
    thread.interrupt(thread.stall(model="scripted-v1"))
    request = thread.turn()
    assert (request.version, len(request.fragments), request.markers) == ("V2", 3, ["DEVELOPER"])
    connection.call("Thread.Rollback", thread=thread.id, turns=100)
    assert counts(thread, PROACTIVE, {}) == [1, 1]


def test_an_unloaded_thread_comes_back_as_it_was(tmp_path):
    """T5 nothing is lost by unloading; M8, M7 selection and baseline are what they were, without a restart."""
    with recorded(tmp_path, HEDDLE_LIMITS_UNLOAD_MILLISECONDS="50", **GATE) as (server, connection):
        thread = Thread.start(server, connection, model="scripted-v2")
        assert counts(thread, {}, PROACTIVE) == [1, 2]
        thread.update(**EXPLICIT)
        thread.update(**CLEAR)
        before = thread.read()
        connection.call("Thread.Unsubscribe", thread=thread.id)
        deadline = time.monotonic() + 60
        while thread.id in connection.call("Thread.ListLoaded").threads:
            assert time.monotonic() < deadline, "not unloaded"
            time.sleep(0.02)
        after = thread.read()
        assert after.status.state == 1
        after.status.CopyFrom(before.status)
        assert after == before
        thread = Thread.resume(server, connection, thread.id)
        assert thread.selected is None and counts(thread, {}, {}) == [3, 3]


def test_a_long_thread_comes_back_as_it_was(story):
    """M7, M8, V8 also when the pin, the baseline and the selection lie hundreds of events behind: kill -9 at each of
    several lengths, and in each the next equal turn is told nothing."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2", **PROACTIVE)
    thread.turn()
    for length in (10, 60, 25):
        assert set(counts(thread, *[{}] * length)) == {1}
        before = thread.read()
        server.restart()
        thread = Thread.resume(server, quiet(server), thread.id)
        assert (thread.state.settings, thread.state.revision, thread.state.turn_count, version_of(thread.state)) == (
            before.settings, before.revision, before.turn_count, ("V2", "CATALOG"))
    assert counts(thread, {}, EXPLICIT, {}) == [1, 2, 2]
    thread.connection.call("Thread.Rollback", thread=thread.id, turns=1)
    server.restart()
    thread = Thread.resume(server, quiet(server), thread.id)
    assert counts(thread, {}, PROACTIVE) == [2, 3]


# The version and the model's name


def test_a_model_change_before_the_first_turn_and_after_it(story):
    """V6 before the first turn a model change can change the version, by start, update or the turn's own override; V5
    after it never, nor does the input change: fragments go on; V7 one pin, before the turn."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-disabled")
    thread.update(model="scripted-v1")
    assert thread.version == UNSET
    first = thread.turn(model="scripted-v2")
    assert (first.model, first.version, thread.version) == ("scripted-v2", "V2", ("V2", "CATALOG"))
    kinds = [event.WhichOneof("kind") for event in thread.follower.events]
    assert kinds.count("version_pinned") == 1 and kinds.index("version_pinned") < kinds.index("turn_started")
    second = thread.turn(model="scripted-v1", **PROACTIVE)
    assert (second.model, second.version, second.effective_mode) == ("scripted-v1", "V2", "PROACTIVE")
    assert len(second.fragments) == 2
    server.restart()
    with quiet(server) as connection:
        thread = Thread.resume(server, connection, thread.id)
        third = thread.turn(model="scripted-disabled")
        assert (third.version, len(third.fragments), thread.version) == ("V2", 2, ("V2", "CATALOG"))


def test_a_v1_thread_stays_v1_with_a_v2_model(story):
    """V6 the other way round: a V1 thread on `scripted-v2` gets neither hint nor fragment (V10)."""
    thread = Thread.start(*story, model="scripted-v1", **PROACTIVE)
    thread.turn("one")
    request = thread.turn("two", model="scripted-v2")
    assert (request.version, request.effective_mode, request.fragments) == ("V1", None, [])
    assert [item["role"] for item in request.items] == ["USER", "ASSISTANT", "USER"]


def test_a_model_changed_while_the_first_turn_runs_is_too_late(story):
    """V7 resolved when the first turn starts; S2 the running turn keeps its context."""
    thread = Thread.start(*story, model="scripted-v1")
    turn = thread.stall()
    thread.update(model="scripted-v2")
    assert thread.version == ("V1", "CATALOG")
    thread.interrupt(turn)
    assert thread.turn().version == "V1"


def test_a_queued_first_turn_resolves_nothing_anew(story):
    """U1, V7 a turn that waits brings its own model; the thread was pinned by the one that runs."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2")
    running = thread.stall()
    waiting = connection.start_turn(thread.id, "later", settings={"model": "scripted-v1", **PROACTIVE}).turn
    assert thread.selected is None, "an override counts from its turn on"
    thread.interrupt(running)
    request = server.request_of(waiting)
    assert (request.model, request.version, request.effective_mode) == ("scripted-v1", "V2", "PROACTIVE")


def test_flags_changed_at_run_time_touch_unset_threads_only(story):
    """V5 the flags at the first turn decide, V7 once; a flag that changes later touches unset threads alone."""
    server, connection = story
    pinned = Thread.start(*story)
    assert pinned.turn().version == "V1"
    unset = Thread.start(*story)
    flags(connection, multi_agent_v2=True)
    assert unset.version == UNSET
    assert (pinned.turn().version, unset.turn().version) == ("V1", "V2")
    assert (pinned.version, unset.version) == (("V1", "FLAGS"), ("V2", "FLAGS"))
    flags(connection, multi_agent_v2=False, multi_agent=False)
    late = Thread.start(*story)
    assert [thread.turn().version for thread in (pinned, unset, late)] == ["V1", "V2", "DISABLED"]
    flags(connection, multi_agent=True)
    server.restart()
    with quiet(server) as connection:
        found = [Thread.resume(server, connection, thread.id).turn().version for thread in (pinned, unset, late)]
    assert found == ["V1", "V2", "DISABLED"]


def test_the_gate_switched_at_run_time(story):
    """M4 the gate counts when a turn starts, pinned or not: on → off revokes, off → on tells again."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-v2", **PROACTIVE)
    found = []
    for gate in (True, False, False, True):
        flags(connection, multi_agent_mode=gate)
        found.append(len(thread.turn().fragments))
    assert found == [1, 2, 2, 3] and thread.selected == "PROACTIVE"


def test_a_disabled_thread(story):
    """DISABLED: no hint, no fragment, marker of the user, whatever changes afterwards (V10); a fork too."""
    server, connection = story
    thread = Thread.start(*story, model="scripted-disabled", **PROACTIVE)
    request = thread.turn("one")
    assert (request.version, request.effective_mode, request.texts) == ("DISABLED", None, ["one"])
    flags(connection, multi_agent_v2=True)
    fork = thread.fork(settings={"model": "scripted-v2"})
    assert version_of(fork.state) == ("DISABLED", "STORED")
    for one in (thread, fork):
        one.interrupt(one.stall())
        request = one.turn("two", model="scripted-v2")
        assert (request.version, request.fragments, request.markers) == ("DISABLED", [], ["USER"])


def test_a_version_in_the_catalog_that_nobody_knows_counts_as_absent(tmp_path):
    """V5 an unknown catalog value counts as absent; the flags decide. A new catalog touches no pinned thread."""
    catalog = tmp_path / "catalog.json"

    def offer(version: str):
        catalog.write_text('{"models":[{"id":"m","provider":"scripted","version":"%s","is_default":true}]}' % version)
    offer("V3")
    with recorded(tmp_path, "--catalog", str(catalog), **features(multi_agent_v2=True)) as (server, connection):
        thread = Thread.start(server, connection)
        thread.turn()
        assert thread.version == ("V2", "FLAGS")
        unset = connection.new_thread().id
        offer("V1")
        server.restart()
        with quiet(server) as connection:
            assert Thread.resume(server, connection, thread.id).turn().version == "V2"
            assert Thread.resume(server, connection, unset).turn().version == "V1"


def test_everything_reports_version_and_source(story):
    """V11 start, resume, fork, read and list report the version and its source, settings read too; ListModels reports
    each model's."""
    server, connection = story
    for model, expected in (("scripted", ("V1", "FLAGS")), ("scripted-v1", ("V1", "CATALOG")),
                            ("scripted-v2", ("V2", "CATALOG")), ("scripted-disabled", ("DISABLED", "CATALOG"))):
        thread = Thread.start(*story, model=model)
        assert version_of(thread.state) == UNSET
        thread.turn()
        resumed = connection.call("Thread.Resume", thread=thread.id, subscribe=False).thread
        listed = [row for row in connection.call("Thread.List", page_size=200).threads if row.id == thread.id]
        for holder in (resumed, thread.read(), connection.call("Settings.Read", thread=thread.id), *listed):
            assert version_of(holder) == expected
        assert len(listed) == 1
        assert version_of(thread.fork(subscribe=False).state) == (expected[0], "STORED")
    models = {model.id: version_name(model.version) for model in connection.call("Catalog.ListModels").models}
    assert models == {"scripted": "UNSPECIFIED", "scripted-v1": "V1", "scripted-v2": "V2",
                      "scripted-disabled": "DISABLED"}


# Interruptions


@pytest.mark.parametrize("model,role", [
    ("scripted-v1", "USER"), ("scripted-v2", "DEVELOPER"), ("scripted-disabled", "USER")])
def test_the_marker_in_the_next_request(story, model, role):
    """U3 the marker stands right before the next user message: role developer for V2, user for V1 and DISABLED, even
    when the next turn's model asks for another version; one marker for one interruption, repeated or not."""
    server, connection = story
    thread = Thread.start(*story, model=model, **PROACTIVE)
    turn = thread.stall("cut")
    thread.interrupt(turn)
    assert connection.call("Turn.Interrupt", thread=thread.id, turn=turn).already
    request = thread.turn("next", model="scripted-v1" if model == "scripted-v2" else "scripted-v2")
    kinds = [(item["kind"], item["role"]) for item in request.items]
    assert kinds[-3:] == [("message", "USER"), ("marker", role), ("message", "USER")] and request.markers == [role]
    assert len(request.fragments) == (1 if model == "scripted-v2" else 0), "M7 an interrupted turn is a baseline"
    assert thread.turn("last").markers == [role]


@pytest.mark.parametrize("model,role", [
    ("scripted-v1", "USER"), ("scripted-v2", "DEVELOPER"), ("scripted-disabled", "USER")])
def test_the_marker_after_kill_9(story, model, role):
    """U4 a turn found running after a crash is ended by exactly one interruption, and the model is told by the same
    marker; V8 the pin was in the record before the turn ended; two crashes more add nothing."""
    server, connection = story
    thread = Thread.start(*story, model=model, **PROACTIVE)
    thread.stall("cut")
    for _ in range(3):
        server.restart()
    with quiet(server) as connection:
        thread = Thread.resume(server, connection, thread.id)
        assert thread.version[0] == {"scripted-v1": "V1", "scripted-v2": "V2"}.get(model, "DISABLED")
        turns = connection.call("Thread.ListTurns", thread=thread.id).turns
        assert [turn_status(turn.status) for turn in turns] == ["INTERRUPTED"]
        request = thread.turn("next", model="scripted")
        assert request.markers == [role] and len(request.fragments) == (1 if model == "scripted-v2" else 0)
        assert [event.WhichOneof("kind") for event in connection.history(thread.fork(subscribe=False).id)
                ].count("version_pinned") == 1


def test_the_marker_can_be_configured_away(tmp_path):
    """U3 absent when the configuration says so."""
    with recorded(tmp_path, HEDDLE_TEXTS_INTERRUPTION_MARKER="false") as story:
        thread = Thread.start(*story, model="scripted-v2")
        thread.interrupt(thread.stall())
        assert thread.turn().markers == []


# Imported histories


def test_a_legacy_history_is_listed_then_pinned_without_a_trace_in_time(rollouts, tmp_path):
    """V4, V11 the listing shows V1 `LEGACY` before anybody resumed it; V8 pinned on the first resume by appending the
    pin: what was stored is the same byte for byte, `updated_at` too; a second resume and kill -9 add nothing. I3 the
    turn that follows is V1, whatever model and flags say."""
    imported(rollouts, tmp_path, "legacy-0.133.0")
    legacy = identity(rollouts["legacy-0.133.0"])
    with recorded(tmp_path, **features(multi_agent_v2=True, multi_agent_mode=True)) as (server, connection):
        listed = connection.call("Thread.List", page_size=200).threads
        assert [(row.id, version_of(row)) for row in listed] == [(legacy, ("V1", "LEGACY"))]
        before = raw_history(connection, legacy)
        fork = connection.call("Thread.Fork", thread=legacy, subscribe=False).thread
        assert version_of(fork) == ("V1", "LEGACY")
        assert raw_history(connection, legacy) == before, "a list, a subscription or a fork pins nothing"
        resumed = connection.call("Thread.Resume", thread=legacy, subscribe=False).thread
        after = raw_history(connection, legacy)
        assert version_of(resumed) == ("V1", "LEGACY")
        assert (resumed.updated_at, resumed.created_at) == (listed[0].updated_at, listed[0].created_at)
        assert after[:len(before)] == before and len(after) == len(before) + 1
        pin = event_pb2.SubscriptionEvent.FromString(after[-1]).event
        assert (pin.WhichOneof("kind"), pin_of(pin.version_pinned)) == ("version_pinned", ("V1", "LEGACY"))
        connection.call("Thread.Resume", thread=legacy, subscribe=False)
        server.restart()
        with quiet(server) as connection:
            connection.call("Thread.Resume", thread=legacy, subscribe=False)
            assert raw_history(connection, legacy) == after
            rows = connection.call("Thread.List", page_size=200).threads
            row, = [row for row in rows if row.id == legacy]
            assert (row.updated_at, version_of(row)) == (listed[0].updated_at, ("V1", "LEGACY"))
            thread = Thread.resume(server, connection, legacy)
            request = thread.turn("on", model="scripted-v2", model_provider="scripted")
            assert (request.version, request.effective_mode, request.fragments) == ("V1", None, [])
            assert "Name three rivers." in request.texts and request.texts[-1] == "on"
            with quiet(server) as other:
                assert raw_history(other, legacy)[:len(after)] == after


@pytest.mark.parametrize("name", ["mode-changes-0.144.4", "mode-changes-0.163.0"])
@pytest.mark.parametrize("gate", [True, False], ids=["gate on", "gate off"])
def test_an_imported_history_with_modes_goes_on_from_its_baseline(rollouts, tmp_path, name, gate):
    """M7, M8, I3 the newest effective mode of an imported history is its selection and its baseline: no fragment when
    equal, one when proactive is selected and the gate is on; its own three stay as they were (M6)."""
    imported(rollouts, tmp_path, name)
    thread = identity(rollouts[name])
    with recorded(tmp_path, **features(multi_agent_mode=gate)) as (server, connection):
        thread = Thread.resume(server, connection, thread)
        assert thread.selected == "EXPLICIT_REQUEST_ONLY" and thread.version == ("V2", "STORED")
        first = thread.turn("on", **SCRIPTED)
        assert (len(first.fragments), first.effective_mode) == (3, "EXPLICIT_REQUEST_ONLY")
        second = thread.turn("and on", **PROACTIVE)
        assert second.fragments[:3] == first.fragments and len(second.fragments) == (4 if gate else 3)
        fork = thread.fork()
        assert mode_name(fork.state.settings) == "PROACTIVE" and len(fork.turn().fragments) == len(second.fragments)


# M8: the five cases in which the original forgets


def no_turn(server, connection) -> bytes:
    return Thread.start(server, connection, **PROACTIVE).id


def on_v1(server, connection) -> bytes:
    thread = Thread.start(server, connection, model="scripted-v1", **PROACTIVE)
    thread.turn()
    return thread.id


def gate_off(server, connection) -> bytes:
    flags(connection, multi_agent_mode=False)
    thread = Thread.start(server, connection, model="scripted-v2", **PROACTIVE)
    assert thread.turn().effective_mode == "EXPLICIT_REQUEST_ONLY"
    flags(connection, multi_agent_mode=True)
    return thread.id


def updated_after_the_last_turn(server, connection) -> bytes:
    thread = Thread.start(server, connection, model="scripted-v2", **EXPLICIT)
    thread.turn()
    thread.update(**PROACTIVE)
    return thread.id


def never_selected(server, connection) -> bytes:
    thread = Thread.start(server, connection, model="scripted-v2")
    thread.turn()
    return thread.id


@pytest.mark.parametrize("case,expected", [
    (no_turn, "PROACTIVE"), (on_v1, "PROACTIVE"), (gate_off, "PROACTIVE"), (updated_after_the_last_turn, "PROACTIVE"),
    (never_selected, None)], ids=lambda value: getattr(value, "__name__", ""))
def test_a_cold_resume_restores_exactly_what_was_selected(story, case, expected):
    """M8 [beyond], S5 killed at any moment after the acknowledgement: what was acknowledged is what comes back, and the
    next turn is told what that means. The moment is random (HEDDLE_SEED): after that many more answers."""
    server, connection = story
    moments, threads = random.Random(f"{SEED} {case.__name__}"), []
    for _ in range(ROUNDS):
        with quiet(server) as connection:
            threads.append(case(server, connection))
            before = connection.call("Settings.Read", thread=threads[-1])
            for _ in range(moments.choice((0, 0, 1, 5, 30))):
                connection.call("Server.Status")
        server.restart()
        with quiet(server) as connection:
            for thread in threads:
                assert mode_name(connection.call("Settings.Read", thread=thread).settings) == expected
            resumed = Thread.resume(server, connection, threads[-1])
            assert mode_name(resumed.state.settings) == expected
            assert (resumed.state.settings, resumed.state.revision) == (before.settings, before.revision)
            request = resumed.turn(model="scripted-v2") if case is no_turn else resumed.turn()
            effective = None if case is on_v1 else expected or "EXPLICIT_REQUEST_ONLY"
            assert request.effective_mode == effective
            told = {no_turn: 1, on_v1: 0, gate_off: 2, updated_after_the_last_turn: 2, never_selected: 1}
            assert len(request.fragments) == told[case]


# The table under V, row by row


def new_with_the_flag(folder, _):
    with recorded(folder, **features(multi_agent_v2=True)) as story:
        thread = Thread.start(*story)
        assert thread.version == UNSET, "V2 at the first turn, not before"
        return [(thread.turn().version, thread.version[0])], "V2"


def new_with_the_flag_and_a_v1_model(folder, _):
    found = []
    with recorded(folder, **features(multi_agent_v2=True)) as story:
        for start, override in (("scripted-v1", {}), ("scripted-v2", {"model": "scripted-v1"})):
            thread = Thread.start(*story, model=start)
            found.append((thread.turn(**override).version, thread.version[0]))
    return found, "V1"


def new_with_all_flags_off_and_a_v2_model(folder, _):
    with recorded(folder, **features(multi_agent_v2=False, multi_agent=False)) as story:
        thread = Thread.start(*story, model="scripted-v2")
        return [(thread.turn().version, thread.version[0])], "V2"


def restarted(folder, before: dict, model: str, *after: dict) -> list:
    """A thread pinned under some flags; what it and a fork of it are after a restart under each of others."""
    found = []
    with recorded(folder, **features(**before)) as (server, connection):
        thread = Thread.start(server, connection, model=model)
        thread.turn()
        for enabled in after:
            server.restart(**features(**enabled))
            with quiet(server) as connection:
                resumed = Thread.resume(server, connection, thread.id)
                fork = resumed.fork()
                for one in (resumed, fork):
                    found.append((version_name(one.state.version), one.turn().version, one.version[0]))
    return found


def v1_restarted_with_v2_on(folder, _):
    return restarted(folder, {}, "scripted", {"multi_agent_v2": True},
                     {"multi_agent_v2": True, "multi_agent": False}), "V1"


def v2_resumed_with_v2_or_all_off(folder, _):
    return restarted(folder, {"multi_agent_v2": True}, "scripted", {"multi_agent_v2": False},
                     {"multi_agent_v2": False, "multi_agent": False}), "V2"


def disabled_resumed_with_v2_on(folder, _):
    return restarted(folder, {"multi_agent": False}, "scripted",
                     {"multi_agent_v2": True, "multi_agent": True}), "DISABLED"


def legacy_resumed_or_forked_with_v2_on(folder, rollouts):
    imported(rollouts, folder, "legacy-0.133.0")
    legacy, found = identity(rollouts["legacy-0.133.0"]), []
    shutil.copytree(folder / "data", folder / "other")
    with recorded(folder, **features(multi_agent_v2=True)) as (server, connection):
        resumed = Thread.resume(server, connection, legacy)
        found.append((version_name(resumed.state.version), resumed.turn(**SCRIPTED).version))
    shutil.rmtree(folder / "data")
    (folder / "other").rename(folder / "data")
    with recorded(folder, **features(multi_agent_v2=True)) as (server, connection):
        stream = connection.open("Thread.Fork", thread=legacy, settings=SCRIPTED, subscribe=False)
        fork = connection.answer(stream, "Thread.Fork").thread
        request = Thread.resume(server, connection, fork.id).turn(model="scripted-v2")
        found.append((version_name(fork.version), request.version))
    return found, "V1"


def child_with_another_model(folder, rollouts):
    """Over the wire a child exists by import: its parent handed it the version."""
    imported(rollouts, folder, "v1-parent-0.144.4", "v1-child-0.144.4")
    parent, child = identity(rollouts["v1-parent-0.144.4"]), identity(rollouts["v1-child-0.144.4"])
    with recorded(folder, **features(multi_agent_v2=True)) as (server, connection):
        above = version_name(connection.call("Thread.Read", thread=parent).thread.version)
        thread = Thread.resume(server, connection, child)
        request = thread.turn(model="scripted-v2", model_provider="scripted")
        return [(above, version_name(thread.state.version), request.version, thread.version[0])], "V1"


def fork_with_another_model(folder, _):
    found = []
    with recorded(folder) as story:
        for model, other, expected in (("scripted-v1", "scripted-v2", "V1"), ("scripted-v2", "scripted-v1", "V2"),
                                       ("scripted-disabled", "scripted-v2", "DISABLED")):
            source = Thread.start(*story, model=model)
            source.turn()
            fork = source.fork(settings={"model": other})
            request = fork.turn()
            found.append((version_name(fork.state.version) == expected, request.version == expected,
                          request.model == other))
    return found, True


def unset_forked_before_its_first_turn(folder, _):
    with recorded(folder) as (server, connection):
        source = Thread.start(server, connection)
        fork = source.fork(settings={"model": "scripted-v2"})
        assert version_of(fork.state) == UNSET == fork.version
        flags(connection, multi_agent_v2=False)
        found = [(fork.turn().version, fork.version[0])]
        assert fork.version[1] == "CATALOG" and source.version == UNSET
        flags(connection, multi_agent_v2=True)
        later = source.fork()
        found.append((later.turn().version, source.turn().version))
        return found, "V2"


V_TABLE = {
    "new thread, flags multi_agent_v2 → V2 at the first turn": new_with_the_flag,
    "new thread, flag V2, first turn's model says V1 → V1": new_with_the_flag_and_a_v1_model,
    "new thread, all flags off, model says V2 → V2": new_with_all_flags_off_and_a_v2_model,
    "V1 thread, server restarted with V2 on, resumed or forked → V1": v1_restarted_with_v2_on,
    "V2 thread resumed with V2 off, or with multi_agent off → V2": v2_resumed_with_v2_or_all_off,
    "DISABLED thread resumed with V2 on → DISABLED": disabled_resumed_with_v2_on,
    "legacy history resumed or forked with V2 on → V1": legacy_resumed_or_forked_with_v2_on,
    "child with another model, whose catalog entry differs → the parent's": child_with_another_model,
    "fork with another model → the source's": fork_with_another_model,
    "unset thread forked before its first turn → unset, resolved by V5": unset_forked_before_its_first_turn,
}


@pytest.mark.parametrize("row", V_TABLE, ids=lambda row: row.replace("→", "is"))
def test_the_table_under_v(tmp_path, rollouts, row):
    """rules.md V, the table: what is reported and what the model is asked with."""
    found, expected = V_TABLE[row](tmp_path, rollouts)
    assert found == [(expected,) * len(each) for each in found] and found


# The table under M, row by row

M_TABLE = [
    # version, hints on, gate on, selected, effective, developer messages
    ("V2", True, True, None, "EXPLICIT_REQUEST_ONLY", ["explicit"]),
    ("V2", True, True, EXPLICIT, "EXPLICIT_REQUEST_ONLY", ["explicit"]),
    ("V2", True, True, PROACTIVE, "PROACTIVE", ["proactive"]),
    *[("V2", True, False, any_mode, "EXPLICIT_REQUEST_ONLY", ["explicit"]) for any_mode in (None, EXPLICIT, PROACTIVE)],
    *[("V2", False, gate, any_mode, None, []) for gate in (True, False) for any_mode in (None, EXPLICIT, PROACTIVE)],
    *[(version, True, gate, any_mode, None, []) for version in ("V1", "DISABLED") for gate in (True, False)
      for any_mode in (None, EXPLICIT, PROACTIVE)],
]


def m_row(row) -> str:
    version, hints, gate, selected, effective, said = row
    mode = {None: "unset", 1: "explicit", 2: "proactive"}[selected and selected["mode"]["set"]]
    switches = " ".join(f"{name} {'on' if on else 'off'}" for name, on in (("hints", hints), ("gate", gate)))
    return f"{version} {switches} {mode} is {effective or 'not applicable'}, {''.join(said) or 'none'}"


@pytest.fixture(scope="module")
def m_servers(tmp_path_factory):
    """One server for each pair of hints and gate, started when a row wants it."""
    with contextlib.ExitStack() as stack:
        running = {}

        def of(hints: bool, gate: bool):
            if (hints, gate) not in running:
                running[hints, gate] = stack.enter_context(recorded(
                    tmp_path_factory.mktemp("m"), HEDDLE_TEXTS_USAGE_HINTS=str(hints).lower(),
                    HEDDLE_TEXTS_EXPLICIT_MODE="explicit", HEDDLE_TEXTS_PROACTIVE_MODE="proactive",
                    **features(multi_agent_mode=gate)))
            return running[hints, gate]
        yield of


@pytest.mark.parametrize("row", M_TABLE, ids=m_row)
def test_the_table_under_m(m_servers, row):
    """rules.md M, the table: effective mode and developer message; M3 the selection is kept and reported all the same;
    no usage hint, no mode (M4)."""
    version, hints, gate, selected, effective, said = row
    thread = Thread.start(*m_servers(hints, gate), model=f"scripted-{version.lower()}", **(selected or {}))
    request = thread.turn("hello")
    assert (request.version, request.effective_mode) == (version, effective)
    assert request.fragments == [f"<multi_agent_mode>{text}</multi_agent_mode>" for text in said]
    assert len(request.items) == (3 if version == "V2" and hints else 1)
    names = {None: None, 1: "EXPLICIT_REQUEST_ONLY", 2: "PROACTIVE"}
    assert thread.selected == names[selected and selected["mode"]["set"]]
    started = thread.follower.of_kind("turn_started")[0].turn_started.context
    assert started.HasField("effective_mode") == (effective is not None), "M7 the turn context stores it"
