"""The basis of `make bench`: the C server that it compares with does the same, counters count, bounds can be missed."""

import subprocess
import sys

import pytest

from harness.messages import ROOT  # it makes `heddle.v1` importable too
from harness.server import BINARY

sys.path.insert(0, str(ROOT / "Benchmarks"))
import bench  # noqa: E402
import counts  # noqa: E402
import loads  # noqa: E402
import peers  # noqa: E402
import targets  # noqa: E402
import wire  # noqa: E402


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tools")
    wire.build_tools(folder)
    return folder


def answers(server) -> list[bytes]:
    """The answers of a server to the same calls: three changes and one that changes nothing."""
    from heddle.v1 import settings_pb2

    try:
        connection = wire.Connection(server.port)
        [thread] = wire.start_threads(connection, 1, True)
        updated = connection.calls([(wire.UPDATE_SETTINGS, wire.update_request(thread, mode)) for mode in (1, 2, 2, 1)])
        read = connection.call(
            wire.READ_SETTINGS, settings_pb2.ReadSettingsRequest(thread=thread).SerializeToString())
        connection.close()
        result = settings_pb2.ReadSettingsResponse.FromString(read)
        return updated + [result.settings.SerializeToString(), result.revision]
    finally:
        server.end()


def test_the_c_server_gives_the_answers_that_the_server_gives(tools):
    ours, reference = answers(wire.Heddle(BINARY, "--loops", "1")), answers(wire.Plain(tools / "reference"))
    assert ours == reference
    assert 150 < len(ours[0]) < 250


def test_allocations_are_those_of_the_requests(tools, tmp_path):
    """A server that allocates 3 times for each of its lines, 100 bytes in all, and 1,000 times at its start."""
    source = tmp_path / "lines.c"
    source.write_text("""
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(void) {
            char byte;
            for (int i = 0; i < 1000; i++) free(malloc(7));
            while (read(0, &byte, 1) == 1) {
                free(realloc(malloc(20), 30));
                free(calloc(5, 10));
                if (write(1, &byte, 1) != 1) return 1;
            }
        }""")
    subprocess.run(["cc", "-O0", "-fno-builtin", "-o", tmp_path / "lines", source], check=True)
    counter = counts.Allocations(tools, tmp_path)
    server = wire.Process([tmp_path / "lines"], counter.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          bufsize=0)

    def ask(count: int):
        for _ in range(count):
            server.process.stdin.write(b"x")
            assert server.process.stdout.read(1) == b"x"
        return counter.since(server)
    try:
        assert ask(1)[0] >= 1_003
        assert ask(10) == (30, 1_000)
        assert ask(20) == (60, 2_000)
    finally:
        server.process.stdin.close()
        server.end()


def rows(ours: float) -> list[dict]:
    return [{"server": name, "connections": 50, "depth": 16, "rounds": [{"srv_ns_req": cost}] * 3}
            for name, cost in ((loads.HeddleEphemeral.name, ours), (loads.Reference.name, 500.0))]


def test_a_target_is_met_or_missed_by_the_ratio_of_a_run():
    def met(ours):
        [line] = [line for line in targets.unary_lines(rows(ours), {}) if "protobuf-c, (50, 16)" in line["what"]]
        return line["value"], line["met"]
    assert met(999.0) == (1.998, True)
    assert met(1_001.0) == (2.002, False)


def test_the_short_run_fails_for_a_ratio_beyond_its_bound(capsys):
    def run(factor: float) -> int:
        return bench.check_short([
            {"server": name, "connections": shape[0], "depth": shape[1], "rounds": [{"srv_ns_req": cost}] * 3}
            for shape, bound in targets.SHORT_BOUNDS.items()
            for name, cost in ((loads.HeddleEphemeral.name, 500 * bound * factor), (loads.Reference.name, 500.0))])
    assert run(0.99) == 0
    assert run(1.01) == len(targets.SHORT_BOUNDS)
    assert capsys.readouterr().out.count("WORSE") == len(targets.SHORT_BOUNDS)


def test_a_peer_that_is_not_there_is_a_line_that_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = peers.Redis.build(tmp_path)
    assert reason == "not measured: redis-server missing (make setup-bench)"
    [line] = [line for line in targets.unary_lines(rows(999.0), {peers.Redis.name: reason})
              if peers.Redis.name in line["what"] and "(50, 16)" in line["what"]]
    assert (line["value"], line["met"], line["note"]) == (None, None, reason)
