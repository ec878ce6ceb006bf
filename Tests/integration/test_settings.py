"""rules.md S, M and V over the wire: settings and their revisions, the selected mode, the pinned version."""

import pytest

from harness.messages import item_text, mode_name, source_name, turn_status, version_name
from harness.server import Server

PROACTIVE, EXPLICIT = {"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}}, {"mode": {"set": "MULTI_AGENT_MODE_EXPLICIT_REQUEST_ONLY"}}
CLEAR = {"mode": {"clear": True}}
STALL = "!stall\nx"


def update(connection, thread: bytes, change: dict, **fields):
    return connection.call("Settings.Update", thread=thread, change=change, **fields)


def read(connection, thread: bytes):
    return connection.call("Thread.Read", thread=thread).thread


def version(connection, thread: bytes) -> tuple[str, str]:
    found = read(connection, thread)
    return version_name(found.version), source_name(found.version_source)


def set_features(connection, **enabled: bool):
    """Switches features; they are the whole server's, so tests that do this have a server of their own."""
    for name, value in enabled.items():
        assert connection.call("Catalog.SetFeature", name=name, enabled=value).feature.enabled is value


def fragments(connection, thread: bytes) -> list[str]:
    """The developer messages about the mode that the model has been given (M5)."""
    listed = connection.call("Thread.ListItems", thread=thread, page_size=200).items
    return [item_text(row.item) for row in listed if row.item.message.role == 2
            and "<multi_agent_mode>" in item_text(row.item)]


# S: settings


def test_s1_a_change_sets_what_it_names_and_nothing_else(connection):
    """S1 sticky settings, all of them; S5 the reply is what a reader sees."""
    thread = connection.new_thread(settings={"working_folder": "/somewhere"}).id
    change = {"model": "scripted-v1", "reasoning_effort": "high", "reasoning_summary": "short", "service_tier": "fast",
              "base_instructions": "base", "developer_instructions": "developer", "temperature": 0.5,
              "metadata": [{"name": "b", "value": "2"}, {"name": "a", "value": "1"}]}
    answer = update(connection, thread, change)
    settings = answer.settings
    assert answer.changed and settings.working_folder == "/somewhere" and mode_name(settings) is None
    for name, value in change.items():
        if name != "metadata":
            assert getattr(settings, name) == value
    assert [(pair.name, pair.value) for pair in settings.metadata] == [("a", "1"), ("b", "2")]
    assert connection.call("Settings.Read", thread=thread).settings == settings == read(connection, thread).settings
    answer = update(connection, thread, {"remove_metadata": ["a"], "clear": [1, 7]})
    assert [pair.name for pair in answer.settings.metadata] == ["b"]
    assert not answer.settings.HasField("reasoning_effort") and not answer.settings.HasField("temperature")


def test_s1_setting_and_clearing_one_field_is_refused(connection):
    """settings.proto: setting and unsetting one in the same change → INVALID_ARGUMENT empty_change, K."""
    thread = connection.new_thread().id
    error = connection.refusal("Settings.Update", thread=thread, change={"service_tier": "x", "clear": [3]})
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "empty_change")


def test_s2_m9_an_update_in_the_middle_of_a_turn_applies_to_the_next(connection):
    """S2, M9★ settings update mid-turn → event now; effect from the next turn; the running turn keeps what turn_started
    recorded, K."""
    thread, follower = connection.start_followed()
    turn = connection.start_turn(thread.id, "!chunks 3\n!delay 1500\nfirst").turn
    follower.until_text()
    answer = update(connection, thread.id, {"reasoning_effort": "high"})
    follower.until_event("settings_updated", revision=answer.revision)
    assert not [event for event in follower.of_kind("turn_ended")], "the event came while the turn ran"
    follower.until_ended(turn)
    follower.run("second", thread=thread.id)
    contexts = [event.turn_started.context for event in follower.of_kind("turn_started")]
    assert [context.settings.reasoning_effort for context in contexts] == ["", "high"]
    assert contexts[1].revision == answer.revision > contexts[0].revision
    listed = connection.call("Thread.ListTurns", thread=thread.id, order=2).turns
    assert [listed_turn.context for listed_turn in listed] == contexts


def test_s3_s4_an_event_comes_exactly_when_something_changed(connection):
    """S3 no model request, no item; S4 SettingsUpdated when, and only when, the settings changed."""
    thread, follower = connection.start_followed()
    first = update(connection, thread.id, {"service_tier": "a"})
    equal = update(connection, thread.id, {"service_tier": "a"})
    empty = update(connection, thread.id, {})
    second = update(connection, thread.id, {"service_tier": "b"})
    assert [answer.changed for answer in (first, equal, empty, second)] == [True, False, False, True]
    assert first.revision == equal.revision == empty.revision == second.revision - 1
    assert first.sequence == equal.sequence == empty.sequence == second.sequence - 1
    follower.until_event("settings_updated", revision=second.revision)
    assert [event.WhichOneof("kind") for event in follower.events] == ["settings_updated"] * 2
    assert follower.events[-1].settings_updated.settings == second.settings


def test_s4_m20_a_stale_revision_is_refused(connection):
    """S4, M20★ two settings updates from one revision → second ABORTED revision_mismatch{now}, K."""
    thread, follower = connection.start_followed()
    first = update(connection, thread.id, {"service_tier": "a"}, expected_revision=thread.revision)
    error = connection.refusal("Settings.Update", thread=thread.id, change={"service_tier": "b"},
                               expected_revision=thread.revision)
    assert (error.code, error.reason, error.details["now"]) == ("ABORTED", "revision_mismatch", str(first.revision))
    assert read(connection, thread.id).settings.service_tier == "a"
    assert update(connection, thread.id, {"service_tier": "b"}, expected_revision=first.revision).changed


def test_s1_an_override_of_a_turn_is_sticky_but_its_output_schema_is_not(connection):
    """S1 a turn may override settings; sticky for later turns, except where its field says "this turn only"."""
    thread, follower = connection.start_followed()
    follower.run("one", thread=thread.id, settings={"reasoning_effort": "low"}, output_schema='{"type":"string"}')
    follower.run("two", thread=thread.id)
    contexts = [event.turn_started.context for event in follower.of_kind("turn_started")]
    assert [context.settings.reasoning_effort for context in contexts] == ["low", "low"]
    assert [context.HasField("output_schema") for context in contexts] == [True, False]
    assert read(connection, thread.id).settings.reasoning_effort == "low"


def test_s5_the_settings_of_the_last_answer_survive_kill_9(fresh):
    """S5 the reply comes after the change is durable; the revision continues where it was."""
    with fresh.connect() as connection:
        thread = connection.new_thread().id
        for n in range(5):
            last = update(connection, thread, {"metadata": [{"name": "n", "value": f"{n}"}]})
    fresh.restart()
    with fresh.connect() as connection:
        found = connection.call("Settings.Read", thread=thread)
        assert (found.settings, found.revision) == (last.settings, last.revision)
        assert update(connection, thread, {"service_tier": "x"}).revision == last.revision + 1


# M: the selected mode


def test_m1_m2_a_selection_is_kept_set_and_cleared(connection):
    """M1 absent leaves it; M2 {keep, set, clear}; M10 unset is reported as unset."""
    thread, follower = connection.start_followed(settings=PROACTIVE)
    assert mode_name(thread.settings) == "PROACTIVE"
    assert mode_name(update(connection, thread.id, {"service_tier": "x"}).settings) == "PROACTIVE"
    assert mode_name(update(connection, thread.id, {"mode": {}}).settings) == "PROACTIVE"
    assert mode_name(update(connection, thread.id, CLEAR).settings) is None
    assert mode_name(read(connection, thread.id).settings) is None
    follower.run("x", thread=thread.id, settings=EXPLICIT)
    assert mode_name(connection.call("Settings.Read", thread=thread.id).settings) == "EXPLICIT_REQUEST_ONLY"
    error = connection.refusal("Settings.Update", thread=thread.id, change={"mode": {"clear": False}})
    assert error.code == "INVALID_ARGUMENT", "clear must be true"


def test_m10_every_answer_reports_the_selection(connection):
    """M10 start, resume, fork, settings read, settings update and the notification report the selection, unset when
    there is none; M9 a fork takes its source's, a new thread nothing."""
    thread, follower = connection.start_followed()
    assert mode_name(thread.settings) is None
    assert mode_name(connection.call("Thread.Fork", thread=thread.id, subscribe=False).thread.settings) is None
    revision = update(connection, thread.id, PROACTIVE).revision
    notified = follower.until_event("settings_updated", revision=revision).settings_updated
    fork = connection.call("Thread.Fork", thread=thread.id, subscribe=False).thread
    connection.call("Thread.Unsubscribe", thread=thread.id)
    resumed = connection.call("Thread.Resume", thread=thread.id, subscribe=False).thread
    listed = [row for row in connection.call("Thread.List", page_size=200).threads if row.id == thread.id]
    for holder in (notified, fork, resumed, *listed, read(connection, fork.id),
                   connection.call("Settings.Read", thread=thread.id)):
        assert mode_name(holder.settings) == "PROACTIVE"
    assert mode_name(connection.new_thread().settings) is None


def selected_at_start(connection):
    """Selected at start, no turn yet."""
    return connection.new_thread(settings=PROACTIVE).id


def selected_with_the_gate_off(connection):
    """Selected with the gate off, turns run."""
    thread, follower = connection.start_followed(settings={"model": "scripted-v2", **PROACTIVE})
    follower.run("one", thread=thread.id)
    assert follower.of_kind("turn_started")[0].turn_started.context.effective_mode == 1, "M4: gate off"
    return thread.id


def selected_on_v1(connection):
    """Selected on a V1 thread."""
    thread, follower = connection.start_followed(settings={"model": "scripted-v1", **PROACTIVE})
    follower.run("one", thread=thread.id)
    assert not follower.of_kind("turn_started")[0].turn_started.context.HasField("effective_mode"), "M4: not applicable"
    return thread.id


def updated_after_the_last_turn(connection):
    """Updated after the last turn."""
    thread, follower = connection.start_followed(settings={"model": "scripted-v2", **EXPLICIT})
    follower.run("one", thread=thread.id)
    update(connection, thread.id, PROACTIVE)
    return thread.id


def never_selected(connection):
    """Never selected, V2 turns run: must come back unset."""
    thread, follower = connection.start_followed(settings={"model": "scripted-v2"})
    follower.run("one", thread=thread.id)
    return thread.id


def cleared_after_a_turn(connection):
    """Cleared after a turn: unset is a selection's end, not its absence from the log."""
    thread = selected_with_the_gate_off(connection)
    update(connection, thread, CLEAR)
    return thread


CASES = {selected_at_start: "PROACTIVE", selected_with_the_gate_off: "PROACTIVE", selected_on_v1: "PROACTIVE",
         updated_after_the_last_turn: "PROACTIVE", never_selected: None, cleared_after_a_turn: None}


def test_m8_a_cold_resume_restores_exactly_what_was_selected(fresh):
    """M8 [beyond] the five cases in which the original forgets, and a sixth, after kill -9."""
    with fresh.connect() as connection:
        threads = {case: case(connection) for case in CASES}
    fresh.restart()
    with fresh.connect() as connection:
        before = {case: mode_name(read(connection, thread).settings) for case, thread in threads.items()}
        resumed = {case: mode_name(connection.call("Thread.Resume", thread=thread, subscribe=False).thread.settings)
                   for case, thread in threads.items()}
        forked = {case: mode_name(connection.call("Thread.Fork", thread=thread, subscribe=False).thread.settings)
                  for case, thread in threads.items()}
    assert before == resumed == forked == CASES


@pytest.mark.parametrize("model,gate,selection,effective", [
    ("scripted-v2", True, {}, 1), ("scripted-v2", True, EXPLICIT, 1), ("scripted-v2", True, PROACTIVE, 2),
    ("scripted-v2", False, {}, 1), ("scripted-v2", False, PROACTIVE, 1),
    ("scripted-v1", True, PROACTIVE, None), ("scripted-disabled", True, PROACTIVE, None)])
def test_m4_the_effective_mode_of_a_turn(fresh, model, gate, selection, effective):
    """M4 the table: version, gate, selection → effective mode, and M5, M6 as many developer messages."""
    with fresh.connect() as connection:
        set_features(connection, multi_agent_mode=gate)
        thread, follower = connection.start_followed(settings={"model": model, **selection})
        follower.run("one", thread=thread.id)
        context = follower.of_kind("turn_started")[0].turn_started.context
        assert (context.effective_mode if context.HasField("effective_mode") else None) == effective
        assert len(fragments(connection, thread.id)) == (0 if effective is None else 1)
        assert mode_name(read(connection, thread.id).settings) == mode_name(thread.settings), "M3 kept where it does nothing"


def test_m6_the_fragment_comes_when_the_effective_mode_changes_and_only_then(fresh):
    """M6 turn 1 unset → 1; turn 2 selects proactive → 2; turn 3 says nothing → 2; two updates between turns → one more."""
    with fresh.connect() as connection:
        set_features(connection, multi_agent_mode=True)
        thread, follower = connection.start_followed(settings={"model": "scripted-v2"})
        counts = []
        for settings in ({}, PROACTIVE, {}):
            follower.run("x", thread=thread.id, settings=settings)
            counts.append(len(fragments(connection, thread.id)))
        for change in (EXPLICIT, PROACTIVE, EXPLICIT):
            update(connection, thread.id, change)
        counts.append(len(fragments(connection, thread.id)))
        follower.run("x", thread=thread.id)
        counts.append(len(fragments(connection, thread.id)))
        assert counts == [1, 2, 2, 2, 3]
        texts = fragments(connection, thread.id)
        assert texts[0] == texts[2] != texts[1] and all(len(text.encode()) <= 4096 for text in texts)


def test_m6_restarts_repeat_no_fragment(fresh):
    """M6, M7 gate on + proactive → restart with gate on → restart with gate off: 2, 2, 3 (unset in turn 1)."""
    counts = []
    with fresh.connect() as connection:
        set_features(connection, multi_agent_mode=True)
        thread, follower = connection.start_followed(settings={"model": "scripted-v2"})
        follower.run("one", thread=thread.id)
        follower.run("two", thread=thread.id, settings=PROACTIVE)
        counts.append(len(fragments(connection, thread.id)))
    for gate in (True, False):
        fresh.restart()
        with fresh.connect() as connection:
            set_features(connection, multi_agent_mode=gate)
            _, follower = connection.resume_followed(thread.id)
            follower.run("again", thread=thread.id)
            counts.append(len(fragments(connection, thread.id)))
    assert counts == [2, 2, 3]


def test_m7_a_rollback_of_all_turns_does_not_double_the_fragment(fresh):
    """M7 [beyond]."""
    with fresh.connect() as connection:
        thread, follower = connection.start_followed(settings={"model": "scripted-v2"})
        follower.run("one", thread=thread.id)
        connection.call("Thread.Rollback", thread=thread.id, turns=1)
        follower.run("two", thread=thread.id)
        assert len(fragments(connection, thread.id)) == 1


@pytest.mark.parametrize("ephemeral", [False, True], ids=["stored", "in memory"])
def test_m7_t7_a_context_that_could_not_be_summed_up_told_the_model_nothing(tmp_path, ephemeral):
    """M7, T7: the turn of a compaction that failed has a mode of which its model was never told: behind a rollback down
    to it, or in a fork of it, the mode that was selected before it is told all the same."""
    # An answer is shorter than this, a summary longer.
    short = {"HEDDLE_LIMITS_MODEL_ITEM_BYTES": "16", "HEDDLE_FEATURES_MULTI_AGENT_MODE": "true"}
    with Server(tmp_path / "data", environment=short) as server, server.connect() as connection:
        thread, follower = connection.start_followed(
            settings={"model": "scripted-v2", **PROACTIVE}, ephemeral=ephemeral)
        follower.run("one", thread=thread.id)
        update(connection, thread.id, EXPLICIT)
        failed = connection.call("Thread.Compact", thread=thread.id).turn
        assert turn_status(follower.until_ended(failed).status) == "FAILED"
        follower.run("two", thread=thread.id)
        both = fragments(connection, thread.id)
        assert len(set(both)) == 2 == len(both)
        assert connection.call("Thread.Rollback", thread=thread.id, turns=1).rolled_back == 1
        assert fragments(connection, thread.id) == both[:1]
        follower.run("two", thread=thread.id)
        assert fragments(connection, thread.id) == both
        if not ephemeral:  # T3: one that is in memory is not forked
            fork = connection.call("Thread.Fork", thread=thread.id, last_turn=failed, subscribe=False).thread
            connection.follow(fork.id, fork.sequence).run("two", thread=fork.id)
            assert fragments(connection, fork.id) == both


# V: the pinned version


@pytest.mark.parametrize("features,model,expected", [
    ({}, "scripted", ("V1", "FLAGS")),
    ({"multi_agent_v2": True}, "scripted", ("V2", "FLAGS")),
    ({"multi_agent_v2": True}, "scripted-v1", ("V1", "CATALOG")),
    ({"multi_agent": False}, "scripted", ("DISABLED", "FLAGS")),
    ({"multi_agent": False}, "scripted-v2", ("V2", "CATALOG")),
    ({"multi_agent_v2": True}, "scripted-disabled", ("DISABLED", "CATALOG"))])
def test_v5_the_first_turn_resolves_the_version(fresh, features, model, expected):
    """V5 the catalog entry of the first turn's model, else the flags; unset before; V11 says where it came from."""
    with fresh.connect() as connection:
        set_features(connection, **features)
        thread, follower = connection.start_followed(settings={"model": model})
        assert (version_name(thread.version), source_name(thread.version_source)) == ("UNSPECIFIED", "UNSPECIFIED")
        follower.run("one", thread=thread.id)
        assert version(connection, thread.id) == expected
        context = follower.of_kind("turn_started")[0].turn_started.context
        assert version_name(context.version) == expected[0]


@pytest.mark.parametrize("how", ["update", "override"])
def test_v6_a_model_change_counts_before_the_first_turn_and_never_after(connection, how):
    """V6 a model change before the first turn, by settings update or the turn's own override, can change the version; a
    model change after it never does."""
    thread, follower = connection.start_followed(settings={"model": "scripted-v1"})
    override = {"model": "scripted-v2"}
    if how == "update":
        update(connection, thread.id, override)
    follower.run("one", thread=thread.id, settings=override if how == "override" else {})
    assert version(connection, thread.id) == ("V2", "CATALOG")
    follower.run("two", thread=thread.id, settings={"model": "scripted-v1"})
    assert version(connection, thread.id)[0] == "V2"
    assert len(follower.of_kind("version_pinned")) == 1


def test_v2_v3_a_pinned_version_outlives_flags_restarts_and_forks(fresh):
    """V2, V3 V1 thread, restarted with V2 on, resumed or forked → V1; V2 thread with V2 off → V2; DISABLED stays;
    a fork with another model → the source's; an unset thread forked before its first turn → unset, resolved by V5."""
    with fresh.connect() as connection:
        threads = {}
        for model in ("scripted", "scripted-v2", "scripted-disabled"):
            thread, follower = connection.start_followed(settings={"model": model})
            follower.run("one", thread=thread.id)
            threads[model] = thread.id
        unset = connection.new_thread().id
        set_features(connection, multi_agent_v2=True, multi_agent=False)
    fresh.restart()
    with fresh.connect() as connection:
        assert not [feature for feature in connection.call("Catalog.ListFeatures").features
                    if feature.name == "multi_agent_v2" and not feature.enabled], "SetFeature is durable"
        for model, expected in (("scripted", "V1"), ("scripted-v2", "V2"), ("scripted-disabled", "DISABLED")):
            resumed, follower = connection.resume_followed(threads[model])
            follower.run("two", thread=threads[model], settings={"model": "scripted-v2"})
            fork = connection.call("Thread.Fork", thread=threads[model], subscribe=False,
                                   settings={"model": "scripted-v1"}).thread
            assert version_name(resumed.version) == expected
            assert version(connection, threads[model])[0] == expected
            # V2 counts a fork's copied history as its own, V3 calls it inherited: both name the same fact.
            assert version_name(fork.version) == expected
            assert source_name(fork.version_source) in ("INHERITED", "STORED")
        fork = connection.call("Thread.Fork", thread=unset, subscribe=False).thread
        assert version_name(fork.version) == "UNSPECIFIED"
        _, follower = connection.resume_followed(fork.id)
        follower.run("one", thread=fork.id)
        assert version(connection, fork.id) == ("V2", "FLAGS")


def test_v11_the_model_list_says_what_each_model_asks_for(connection):
    """V11 the model list reports each model's version."""
    models = {model.id: model for model in connection.call("Catalog.ListModels").models}
    asked = {name: version_name(model.version) for name, model in models.items()}
    assert asked == {"scripted": "UNSPECIFIED", "scripted-v1": "V1", "scripted-v2": "V2", "scripted-disabled": "DISABLED"}
    assert [name for name, model in models.items() if model.is_default] == ["scripted"]
    assert {model.provider for model in models.values()} == {"scripted"}


def test_an_unknown_feature_is_refused_and_a_cleared_one_goes_back(fresh):
    """Catalog.SetFeature: unknown → unknown_feature; `enabled` absent → the configured value."""
    with fresh.connect() as connection:
        error = connection.refusal("Catalog.SetFeature", name="no_such_feature", enabled=True)
        assert (error.code, error.reason) == ("INVALID_ARGUMENT", "unknown_feature")
        set_features(connection, multi_agent_v2=True)
        back = connection.call("Catalog.SetFeature", name="multi_agent_v2").feature
        assert (back.enabled, back.default_enabled) == (False, False)


def is_enabled(connection, name: str) -> bool:
    return {feature.name: feature.enabled for feature in connection.call("Catalog.ListFeatures").features}[name]


def test_v5_a_feature_that_was_taken_back_follows_the_configuration_again(fresh):
    """V5, Catalog.SetFeature: taking a switch back is durable, and leaves nothing of it: after a kill -9 the feature is
    as configured, and when the configuration is another one, as that says."""
    with fresh.connect() as connection:
        set_features(connection, multi_agent_v2=True)
        connection.call("Catalog.SetFeature", name="multi_agent_v2")
    fresh.restart()
    with fresh.connect() as connection:
        assert not is_enabled(connection, "multi_agent_v2"), "taking it back was forgotten"
    fresh.environment = {"HEDDLE_FEATURES_MULTI_AGENT_V2": "true"}
    fresh.restart()
    with fresh.connect() as connection:
        assert is_enabled(connection, "multi_agent_v2"), "it was switched off, not taken back"


def test_v5_d15_the_key_of_a_switch_is_kept(fresh):
    """D15, V5: a switch that is repeated with its key after a kill -9 switches nothing: another one came in between."""
    key, switch = b"key-of-my-switch", {"name": "multi_agent_v2", "enabled": True}
    with fresh.connect() as connection:
        first = connection.call("Catalog.SetFeature", key=key, **switch)
        set_features(connection, multi_agent_v2=False)
    fresh.restart()
    with fresh.connect() as connection:
        again = connection.call("Catalog.SetFeature", key=key, **switch)
        assert again.replayed and again.feature == first.feature
        assert not is_enabled(connection, "multi_agent_v2")


def test_u3_turn_status_names(connection):
    """Turns report their status, oldest first when asked."""
    thread, follower = connection.start_followed()
    follower.run("one", thread=thread.id)
    connection.start_turn(thread.id, STALL)
    turns = connection.call("Thread.ListTurns", thread=thread.id, order=2).turns
    assert [(turn.ordinal, turn_status(turn.status)) for turn in turns] == [(1, "COMPLETED"), (2, "RUNNING")]
