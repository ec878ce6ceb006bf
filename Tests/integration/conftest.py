"""Fixtures: a server for a whole file, a fresh one for a story, and the assertions that stand on every attack."""

import os

import pytest

from harness.messages import ROOT
from harness.model_server import ModelServer
from harness.server import BINARY, Server
from harness.watch import Watch


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
    """Another client, which must not notice anything."""
    watching = Watch(server)
    yield watching
    watching.close()


@pytest.fixture
def unharmed(server, witness):
    """After the attack: what stands on every row of attacks.md (4.1)."""
    witness.begin()
    yield
    problems = witness.end()
    assert not problems, "; ".join(problems)


@pytest.fixture(scope="session")
def rollouts():
    """Real histories written by Codex; HEDDLE_ROLLOUTS names another folder."""
    folder = os.environ.get("HEDDLE_ROLLOUTS") or ROOT / "Tests" / "Fixtures" / "codex-rollouts"
    from pathlib import Path
    files = sorted(Path(folder).glob("*.jsonl"))
    assert files, f"no rollouts in {folder}"
    return {file.name.removesuffix(".jsonl"): file for file in files}
