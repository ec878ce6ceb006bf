"""`heddle load`: every mix asks what it says, counts what came, and tells what went wrong."""

import json
import os
import signal
import threading
import time

import pytest

from harness.faults import FillingServer
from harness.recording import tool
from harness.server import Server


def load(server: Server, mix: str, *arguments) -> dict:
    ended = tool("load", mix, "--server", server.address, "--json", "--seconds", "2", *arguments)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("mix, method", [
    ("settings", "SettingsService/Update"), ("start", "ThreadService/Start"), ("list", "ThreadService/List"),
    ("status", "ServerService/Status"), ("turns", "TurnService/Start")])
def test_a_closed_loop_keeps_its_requests_in_flight(server, mix, method):
    result = load(server, mix, "--connections", "3", "--depth", "4")
    assert result["errors"] == {} and result["methods"][method]["count"] > 20
    # Requests in flight at the end had no answer; no others were lost.
    assert 0 <= result["requests"] - result["answers"] <= 12
    assert result["latency"]["p50"] <= result["latency"]["p99"] <= result["latency"]["max"]
    assert sum(sample["answers"] for sample in result["samples"]) == result["answers"]


def test_turns_are_counted_to_their_end(server):
    result = load(server, "turns", "--connections", "2", "--depth", "2", "--input", "!chunks 3\n!delay 20\na b c")
    whole = result["methods"]["whole turns"]
    assert whole["count"] > 10 and whole["p50"] >= 60
    assert whole["p50"] > result["methods"]["TurnService/Start"]["p50"]
    assert result["streams"]["gap"]["count"] > whole["count"]


def test_an_open_loop_sends_at_its_rate_whatever_comes_back(server):
    def missing(ramp: float, *more) -> float:
        """Requests that did not leave, less those that it says it was behind with; a last pause is told by nobody."""
        result = load(server, "status", "--connections", "4", "--rate", "100/s", "--seconds", "4", *more)
        # A busy machine ends it late, and so it sends more.
        due = 100 * (result["seconds"] - ramp / 2)
        assert result["requests"] <= due + 10
        return due - result["requests"] - result["behind_ms"] / 10
    assert missing(0) <= 80
    assert missing(4, "--ramp", "4") <= 80


def test_a_server_that_stands_still_shows_in_every_latency_since(fresh):
    """Counted from the intended time: a pause of 1.5 s is seen by all requests that it held up, not by one."""
    _, quiet = fresh.descriptors()

    def pause():
        while fresh.descriptors()[1] < quiet + 4:
            time.sleep(0.01)  # the load tells nobody when it has begun
        os.kill(fresh.pid, signal.SIGSTOP)
        time.sleep(1.5)  # The fault itself, not a wait for something.
        os.kill(fresh.pid, signal.SIGCONT)

    pausing = threading.Thread(target=pause, daemon=True)
    pausing.start()
    result = load(fresh, "status", "--connections", "4", "--rate", "100/s", "--seconds", "6")
    pausing.join(60)
    assert result["latency"]["count"] > 300
    assert result["latency"]["p90"] > 100 and result["latency"]["p50"] < 100, result["latency"]


def test_followers_of_a_fanout_get_every_event(server):
    result = load(server, "fanout", "--connections", "9", "--slow-reader", "1", "--rate", "20/s", "--seconds", "3")
    updates = result["methods"]["SettingsService/Update"]["count"]
    assert result["streams"]["left_out"] == result["streams"]["came_again"] == 0
    assert result["streams"]["first_event"]["count"] == 8
    # Seven quick ones get each update, but for those of the last second.
    assert result["events"] >= 7 * (updates - 20)


def test_followers_that_are_cut_off_go_on_where_they_were(server):
    result = load(server, "fanout", "--connections", "30", "--drop-connections", "60", "--resume", "--rate", "200/s",
                  "--seconds", "3")
    assert result["dropped"] > 5 and result["connections"] > 35
    assert result["streams"]["left_out"] == result["streams"]["came_again"] == 0
    assert result["errors"] == {}


def test_a_load_that_got_errors_only_is_a_failure_and_says_which(fresh):
    """The result is printed all the same; a load that was served is none, as every other test here shows."""
    ended = tool("load", "search", "--connections", "1", "--depth", "1", "--rate", "50/s", "--server", fresh.address,
                 "--json", "--seconds", "2")
    result = json.loads(ended.stdout)
    count = result["errors"].pop("not_implemented")
    assert count > 30 and ended.returncode == 1
    assert f"{count} of {result['answers']} answers were errors (not_implemented {count})" in ended.stderr


def test_a_load_whose_work_is_refused_behind_its_preparation_is_a_failure(tmp_path):
    """Almost everything: the threads were started, and no turn was."""
    with Server(tmp_path / "data", environment={"HEDDLE_LIMITS_TURN_INPUT_BYTES": "1"}) as server:
        ended = tool("load", "turns", "--connections", "1", "--depth", "1", "--rate", "50/s", "--server",
                     server.address, "--json", "--seconds", "2")
        result = json.loads(ended.stdout)
        assert result["answers"] > sum(result["errors"].values()) > 0
        assert ended.returncode == 1 and "answers were errors" in ended.stderr


def threads_of(server: Server) -> int:
    with server.connect() as connection:
        return len(connection.call("Thread.List", page_size=200).threads)


@pytest.mark.parametrize("mix", ["settings", "start", "turns", "fanout"])
def test_the_threads_of_a_load_are_gone_when_it_ends(fresh, mix):
    """A server that was measured is not fuller afterwards; with --keep the threads stay."""
    result = load(fresh, mix, "--connections", "3", "--depth", "4")
    assert result["answers"] > 0 and threads_of(fresh) == 0
    load(fresh, mix, "--connections", "3", "--depth", "4", "--keep", "--seconds", "0.3")
    assert threads_of(fresh) > 0


@pytest.mark.parametrize(("mix", "more"), [
    ("settings", ()), ("turns", ("--input", "!chunks 3\n!delay 20\na b c")),
    ("fanout", ("--rate", "100/s", "--resume")),
])
def test_connections_that_reach_their_age_are_replaced_without_an_error(tmp_path, mix, more):
    environment = {"HEDDLE_CONNECTIONS_MAX_AGE_SECONDS": "1", "HEDDLE_CONNECTIONS_MAX_AGE_GRACE_SECONDS": "5"}
    with Server(tmp_path / "data", environment=environment) as aging:
        result = load(aging, mix, "--connections", "4", "--depth", "4", *more, "--seconds", "5")
    assert result["connections"] >= 12 and not result["errors"], result
    assert result.get("gaps", 0) == result.get("duplicates", 0) == 0, result


def test_threads_that_cannot_be_removed_are_counted(tmp_path):
    """The server ends in the middle of the load: the result is printed, and what is left is said."""
    with Server(tmp_path / "data") as server:
        killer = threading.Timer(1, server.kill)
        killer.start()
        ended = tool("load", "settings", "--server", server.address, "--json", "--seconds", "3", "--connections", "3")
        killer.join()
    assert ended.returncode == 1 and json.loads(ended.stdout)["answers"] > 0
    assert "3 threads that it made are left" in ended.stderr


def test_a_disk_that_stays_full_does_not_hold_the_end_up(tmp_path):
    """Deletions that are refused for a full disk are tried for ten seconds, then what is left is said."""
    with FillingServer(tmp_path / "data") as server:
        filling = threading.Timer(1, server.switch.touch)
        filling.start()
        ended = tool("load", "settings", "--server", server.address, "--json", "--seconds", "3", "--connections", "3")
        filling.join()
        server.switch.unlink()
        log = server.log_text()
    assert ended.returncode == 1 and json.loads(ended.stdout)["answers"] > 0
    assert "3 of 3 threads that it made are left" in ended.stderr and "disk_full" in ended.stderr, (
        f"{ended.stderr}\n{log[-2_000:]}")


def test_a_report_holds_both_runs_and_needs_nothing_else(server, tmp_path):
    first = load(server, "status", "--connections", "2")
    (tmp_path / "first.json").write_text(json.dumps({**first, "name": "before </script><b>"}))
    load(server, "status", "--connections", "2", "--html", tmp_path / "report.html", "--compare",
         tmp_path / "first.json")
    page = (tmp_path / "report.html").read_text()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "") and page.count("</script>") == 1
    data = page.split("const runs = ", 1)[1].split(";\n", 1)[0]
    runs = json.loads(data)
    assert [run["name"] for run in runs] == ["load status", "before </script><b>"]


def test_no_server_is_an_error():
    ended = tool("load", "status", "--server", "127.0.0.1:1", "--seconds", "1")
    assert ended.returncode == 1 and "is there a server" in ended.stderr
    for arguments in (["nonsense"], ["list", "--depth", "0"], ["list", "--resume"], ["list", "--rate", "-1"]):
        assert tool("load", *arguments).returncode == 64
