"""The audit log: what it says about whom, that it comes before the deed, its rotation, and what happens without it."""

import json
import signal
import subprocess
import time

import pytest

from harness.http_door import HTTP
from harness.server import Server
from harness.wire import Closed, HeddleError

ALICE, ROOT = "alice-" + "a" * 32, "root-" + "r" * 32


@pytest.fixture
def tokens(tmp_path):
    file = tmp_path / "tokens"
    file.touch(mode=0o600)
    file.write_text(f"{ALICE} alice\n{ROOT} operators admin\n")
    return file


def audited(folder, tokens, **settings):
    config = folder / "config.json"
    config.write_text(json.dumps({"audit": settings}))
    return Server(folder / "data", "--token-file", tokens, "--config", config)


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def wait_for(happened, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def refused(call):
    with pytest.raises(HeddleError) as caught:
        call()
    return caught.value.reason


def test_operators_deletions_strangers_and_changes_are_written_down(tmp_path, tokens):
    file = tmp_path / "audit"
    with audited(tmp_path, tokens, file=str(file)) as server:
        with server.connect(ROOT) as root, server.connect(ALICE) as alice:
            root.call("Catalog.SetFeature", name="multi_agent_mode", enabled=True)
            denied = refused(lambda: alice.call("Catalog.SetFeature", name="multi_agent_mode", enabled=True))
            assert denied == "permission_denied"
            thread = alice.call("Thread.Start").thread.id
            alice.call("Thread.SetName", thread=thread, name="a name that is nobody's business")
            alice.call("Thread.Delete", thread=thread)
        wrong = "wrong-" + "w" * 32
        with pytest.raises(Closed, match="invalid_token"):
            server.connect(wrong)
        with HTTP(server, token=ROOT) as peer:
            assert peer.ask("PUT", "/debug/log-level", b"debug").status == 200
        told = lines(file)
    assert [(line["event"], line.get("method") or line["subject"]) for line in told] == [
        ("call", "CatalogService/SetFeature"), ("refused", "CatalogService/SetFeature"),
        ("call", "ThreadService/Delete"), ("refused", "token"), ("change", "log level")]
    called, denied, deleted, stranger, changed = told
    assert called["tenant"] == "operators" and called["via"] == "token" and called["address"] == "127.0.0.1"
    assert called["request"] == {"name": "multi_agent_mode", "enabled": True}
    assert denied["tenant"] == deleted["tenant"] == "alice" and set(deleted["request"]) == {"thread"}
    assert "tenant" not in stranger and stranger["cause"]
    assert changed["value"] == "debug" and changed["tenant"] == "operators"
    text = file.read_text()
    assert not any(secret in text for secret in (ALICE, ROOT, wrong, "business"))
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_renamed_file_is_followed_by_a_new_one_at_sighup(tmp_path, tokens):
    file, old = tmp_path / "audit", tmp_path / "audit.1"
    with audited(tmp_path, tokens, file=str(file)) as server, server.connect(ROOT) as root:
        root.call("Catalog.SetFeature", name="multi_agent_mode", enabled=True)
        file.rename(old)
        root.call("Catalog.SetFeature", name="multi_agent_mode", enabled=False)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: file.exists() and len(lines(file)) == 1)
        tokens.write_text("short\n")
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: len(lines(file)) == 2)
        root.call("Catalog.SetFeature", name="multi_agent_mode", enabled=True)
    assert [line["request"]["enabled"] for line in lines(old)] == [True, False]
    assert [line.get("outcome", "called") for line in lines(file)] == ["renewed", "failed", "called"]
    assert lines(file)[1]["cause"]


@pytest.mark.parametrize("required", [True, False])
def test_what_cannot_be_written_down_is_refused_only_if_it_must_be_written(tmp_path, tokens, required):
    with audited(tmp_path, tokens, file="/dev/full", required=required) as server, server.connect(ROOT) as root:
        feature = {"name": "multi_agent_mode", "enabled": True}
        thread = root.call("Thread.Start").thread.id
        if required:
            assert refused(lambda: root.call("Catalog.SetFeature", **feature)) == "audit_failed"
            assert refused(lambda: root.call("Thread.Delete", thread=thread)) == "audit_failed"
            assert root.call("Thread.Read", thread=thread).thread.id == thread
        else:
            assert root.call("Catalog.SetFeature", **feature).feature.enabled
        with HTTP(server, token=ROOT) as peer:
            text = peer.get("/metrics").text
    assert f"heddle_audit_lost_total {2 if required else 1}\n" in text


def test_a_file_that_cannot_be_opened_ends_the_start_with_78(tmp_path, tokens):
    for settings, word in (({"file": str(tmp_path)}, "audit.file"), ({"required": True}, "audit.required")):
        config = tmp_path / "config.json"
        config.write_text(json.dumps({"audit": settings}))
        ended = subprocess.run([Server.binary, "serve", "--data", tmp_path / "data", "--config", config],
                               capture_output=True, text=True, timeout=60)
        assert ended.returncode == 78 and word in ended.stderr
        assert not (tmp_path / "data").exists()


def test_strangers_cannot_fill_the_disk(tmp_path, tokens):
    """A flood of wrong names of methods, by one who may come in, stops at a hundred lines a second."""
    file = tmp_path / "audit"
    with audited(tmp_path, tokens, file=str(file)) as server:
        for _ in range(8):
            with server.connect(ALICE) as alice:
                for _ in range(60):
                    refused(lambda: alice.call("Catalog.SetFeature", name="multi_agent_mode", enabled=True))
        seconds = {line["time"][:19] for line in lines(file)}
        assert len(lines(file)) <= 100 * len(seconds)
