"""Fixtures: a server for a whole file, a fresh one for a story, and the assertions that stand on every attack."""

import os
import time

import pytest

from heddle_client import PATIENCE_SECONDS, ROOT
from model_server import ModelServer
from server import BINARY, Server, Witness

RESIDENT_GROWTH = 64 << 20


def pytest_sessionstart(session):
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing: build it, or name it in HEDDLE_BIN", returncode=4)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for all tests of a file. It must be the same process at the end."""
    with Server(tmp_path_factory.mktemp("server") / "data") as running:
        yield running
        assert running.alive, f"the server died: {running.log_text()[-2000:]}"


@pytest.fixture
def fresh(tmp_path):
    """A server of its own for one test, which may kill it."""
    with Server(tmp_path / "data") as running:
        yield running


@pytest.fixture
def connection(server):
    """A connection to the file's server, after HELLO."""
    with server.connect(unwanted_notifications=["thread_started"]) as connected:
        yield connected


@pytest.fixture(scope="module")
def upstream():
    with ModelServer() as running:
        yield running


@pytest.fixture
def model(upstream):
    """The model server, with nothing left of other tests."""
    upstream.answers.clear()
    upstream.requests.clear()
    return upstream


@pytest.fixture(scope="module")
def witness(server):
    """Another connection that must not notice anything."""
    watching = Witness(server)
    yield watching
    watching.close()


@pytest.fixture
def unharmed(server, witness):
    """After the attack: process alive, witness served, memory within its bound (attacks.md 4.1)."""
    quiet, seen = server.resident_bytes(), len(witness.latencies)
    yield
    assert server.alive, f"the server died: {server.log_text()[-2000:]}"
    witness.check(seen)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (grown := server.resident_bytes() - quiet) > RESIDENT_GROWTH:
        assert time.monotonic() < deadline, f"memory grew by {grown >> 20} MiB"
        time.sleep(0.05)  # nobody is told when memory comes back


@pytest.fixture(scope="session")
def rollouts():
    """Real histories written by Codex; HEDDLE_ROLLOUTS names another folder."""
    folder = os.environ.get("HEDDLE_ROLLOUTS") or ROOT / "Tests" / "Fixtures" / "codex-rollouts"
    from pathlib import Path
    files = sorted(Path(folder).glob("*.jsonl"))
    assert files, f"no rollouts in {folder}"
    return {file.name.removesuffix(".jsonl"): file for file in files}
