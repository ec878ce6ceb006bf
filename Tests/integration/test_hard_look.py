"""Combinations that no other test had: nearly equal idempotency keys (rules.md E2), a stale revision beside every field of
the settings (S4), a fork after the catalog changed (V3), and a mode that was selected in front of a snapshot (M8). Another
tenant's thread in every method (M2★) is in test_tenants.py."""

import json

import pytest

from harness.messages import mode_name, settings_pb2, version_name
from harness.server import Server
from harness.wire import HeddleError

PROACTIVE = {"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}}
# Events after which a thread has a snapshot behind it.
MANY = 200


@pytest.mark.parametrize("bit", range(128))
def test_e2_keys_that_differ_in_one_bit_are_two_keys(connection, bit):
    """E2: each key finds its own result, and never that of a neighbour."""
    key = bytes(range(16, 32))
    other = (int.from_bytes(key, "big") ^ 1 << bit).to_bytes(16, "big")
    one = connection.call("Thread.Start", key=key, name="one", subscribe=False)
    two = connection.call("Thread.Start", key=other, name=f"two {bit}", subscribe=False)
    assert one.thread.id != two.thread.id and not two.replayed
    for given, name, found in ((key, "one", one), (other, f"two {bit}", two)):
        again = connection.call("Thread.Start", key=given, name=name, subscribe=False)
        assert again.replayed and again.thread.id == found.thread.id
    with pytest.raises(HeddleError, match="idempotency_mismatch"):
        connection.call("Thread.Start", key=other, name="one", subscribe=False)


# One change of each field; what a field needs before it can be changed is in `BEFORE`.
CHANGES = {
    "model": {"model": "scripted-v1"}, "model_provider": {"model_provider": "scripted"},
    "reasoning_effort": {"reasoning_effort": "high"}, "reasoning_summary": {"reasoning_summary": "short"},
    "service_tier": {"service_tier": "fast"}, "base_instructions": {"base_instructions": "base"},
    "developer_instructions": {"developer_instructions": "developer"}, "mode": PROACTIVE,
    "working_folder": {"working_folder": "/somewhere"}, "metadata": {"metadata": [{"name": "b", "value": "2"}]},
    "temperature": {"temperature": 0.5}, "remove_metadata": {"remove_metadata": ["kept"]}, "clear": {"clear": ["SETTINGS_FIELD_WORKING_FOLDER"]},
    "turn_tokens": {"turn_tokens": 1_000}, "thread_tokens": {"thread_tokens": 2_000},
    "tree_tokens": {"tree_tokens": 3_000}, "agent_depth": {"agent_depth": 1}, "agent_total": {"agent_total": 2},
    "wake_parent": {"wake_parent": True},
}
BEFORE = {"metadata": [{"name": "kept", "value": "1"}], "working_folder": "/before"}
# The only provider that there is: naming it changes nothing.
NO_CHANGE = {"model_provider"}


def test_s4_every_field_of_the_settings_is_tried():
    """A field that is added later must come to `CHANGES`."""
    fields = settings_pb2.SettingsChange.DESCRIPTOR.fields_by_name
    assert set(fields) == set(CHANGES)


@pytest.mark.parametrize("field", CHANGES)
def test_s4_a_stale_revision_beside_any_field_changes_nothing(connection, field):
    """S4: `revision_mismatch`, and neither settings nor revision nor log move; with the right one the change is made."""
    thread = connection.new_thread(settings=BEFORE).id
    now = connection.call("Settings.Read", thread=thread)
    sequence = connection.call("Thread.Read", thread=thread).thread.sequence
    for stale in (0, now.revision - 1, now.revision + 1, 2**63):
        if stale == now.revision:
            continue
        error = connection.refusal("Settings.Update", thread=thread, expected_revision=stale, change=CHANGES[field])
        assert (error.code, error.reason) == ("ABORTED", "revision_mismatch"), stale
    assert connection.call("Settings.Read", thread=thread) == now
    assert connection.call("Thread.Read", thread=thread).thread.sequence == sequence
    answer = connection.call(
        "Settings.Update", thread=thread, expected_revision=now.revision, change=CHANGES[field])
    assert answer.changed is (field not in NO_CHANGE) and answer.revision == now.revision + answer.changed


def catalog(path, version: str) -> tuple[str, str]:
    path.write_text(json.dumps({"models": [
        {"id": "m", "provider": "scripted", "version": version}]}))
    return "--catalog", str(path)


@pytest.mark.parametrize(("old", "new"), [("V1", "V2"), ("V2", "V1")])
def test_v3_a_fork_has_its_sources_version_after_the_catalog_changed(tmp_path, old, new):
    """V2, V3: pinned by the first turn, then the model's entry asks for another runtime: the source and its forks keep
    theirs, also a fork of a fork and one in front of all turns; a new thread gets the new one."""
    arguments = catalog(tmp_path / "catalog.json", old)
    server = Server(tmp_path / "data", *arguments)
    with server, server.connect() as connection:
        thread, follower = connection.start_followed(settings={"model": "m"})
        follower.run("one", thread=thread.id)
        assert version_name(connection.call("Thread.Read", thread=thread.id).thread.version) == old
        server.kill()
    catalog(tmp_path / "catalog.json", new)
    with server.start(), server.connect() as connection:
        fork = connection.call("Thread.Fork", thread=thread.id, subscribe=False).thread
        second = connection.call("Thread.Fork", thread=fork.id, subscribe=False, settings={"model": "m"}).thread
        for kept in (thread.id, fork.id, second.id):
            _, follower = connection.resume_followed(kept)
            follower.run("two", thread=kept)
            assert version_name(connection.call("Thread.Read", thread=kept).thread.version) == old
        fresh, follower = connection.start_followed(settings={"model": "m"})
        follower.run("one", thread=fresh.id)
        assert version_name(connection.call("Thread.Read", thread=fresh.id).thread.version) == new


def test_m8_a_mode_that_was_selected_in_front_of_a_snapshot(fresh):
    """M8: selected, then so much happens that a snapshot stands between; loaded again after kill -9, the selection is
    there, takes effect in the next turn, and a fork has it."""
    with fresh.connect() as connection:
        connection.call("Catalog.SetFeature", name="multi_agent_mode", enabled=True)
        thread = connection.new_thread(settings={"model": "scripted-v2"}).id
        connection.call("Settings.Update", thread=thread, change=PROACTIVE)
        for number in range(MANY):
            connection.call("Thread.SetName", thread=thread, name=f"name {number}")
    fresh.restart()
    with fresh.connect() as connection:
        assert mode_name(connection.call("Settings.Read", thread=thread).settings) == "PROACTIVE"
        resumed, follower = connection.resume_followed(thread)
        follower.run("one", thread=thread)
        assert follower.of_kind("turn_started")[0].turn_started.context.effective_mode == 2
        fork = connection.call("Thread.Fork", thread=thread, subscribe=False).thread
        assert mode_name(resumed.settings) == mode_name(fork.settings) == "PROACTIVE"
