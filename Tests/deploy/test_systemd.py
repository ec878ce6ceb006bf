"""deploy/systemd: what systemd hears of a server, sockets that systemd holds, and the units themselves."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import grpc
import pytest

from crowd import Crowd
from harness.connection import PATIENCE_SECONDS
from harness.ends import expect_kept
from harness.messages import METHODS, ROOT, frame_pb2
from harness.server import BINARY, Server
from supervisor import Notices, activated, activation, listening

UNITS = ROOT / "deploy" / "systemd"
EXIT_CONFIGURATION = 78
TOKEN = "token-of-one-tenant-" + "t" * 20


@pytest.fixture
def notices(tmp_path):
    with Notices(tmp_path) as heard:
        yield heard


@pytest.mark.parametrize("abstract", [False, True])
def test_ready_is_heard_when_requests_are_served_and_stopping_at_sigterm(tmp_path, abstract):
    with Notices(tmp_path, abstract) as notices:
        with Server(tmp_path / "data", environment=notices.environment) as server:
            ready = notices.next()
            assert ready["READY"] == "1" and server.address in ready["STATUS"]
            with server.connect() as connection:
                expect_kept(connection)
            server.terminate()
            assert notices.next()["STOPPING"] == "1"
            assert server.wait() == 0


@pytest.mark.parametrize("with_tokens", [False, True])
def test_sighup_is_heard_as_reloading_with_its_time_and_as_ready_behind_it(tmp_path, notices, with_tokens):
    """Without tokens too: there a SIGHUP that nobody expects would end the process."""
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{TOKEN} first\n")
    arguments = ("--token-file", tokens) if with_tokens else ()
    with Server(tmp_path / "data", *arguments, environment=notices.environment) as server:
        notices.until("READY")
        for _ in range(2):
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
            os.kill(server.pid, signal.SIGHUP)
            reloading = notices.until("RELOADING")
            assert before <= int(reloading["MONOTONIC_USEC"]) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
            assert notices.next() == {"READY": "1"}
        with server.connect(TOKEN if with_tokens else "") as connection:
            expect_kept(connection)


def test_a_server_without_a_supervisor_says_nothing_and_serves(tmp_path):
    for nonsense in ("", "relative", "vsock:2:1", "@", "/" + "x" * 200, "/nobody/listens/here"):
        with Server(tmp_path / "data", environment={"NOTIFY_SOCKET": nonsense, "WATCHDOG_USEC": "-1",
                                                    "LISTEN_FDS": "1", "LISTEN_PID": "1"}) as server:
            with server.connect() as connection:
                expect_kept(connection)
            server.terminate()
            assert server.wait() == 0


def loop_of(server: Server) -> int:
    """The thread of an event loop."""
    for task in pathlib.Path(f"/proc/{server.pid}/task").iterdir():
        if (task / "comm").read_text().startswith("NIO-ELT"):
            return int(task.name)
    raise AssertionError("no event loop")


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to hold an event loop")
def test_watchdog_is_heard_at_half_of_its_time_while_every_loop_answers(tmp_path, notices):
    environment = {**notices.environment, "WATCHDOG_USEC": "400000"}
    with Server(tmp_path / "data", "--loops", "2", environment=environment) as server:
        notices.until("WATCHDOG")
        begin = time.monotonic()
        for _ in range(10):
            notices.until("WATCHDOG")
        assert 10 * 0.2 * 0.9 <= time.monotonic() - begin < PATIENCE_SECONDS
        # One loop of two sleeps in its next system call.
        trace = tmp_path / "trace"
        held = subprocess.Popen(["strace", "-q", "-p", str(loop_of(server)), "-o", trace, "-e", "trace=epoll_wait,epoll_pwait",
                                 "-e", "inject=epoll_wait,epoll_pwait:delay_exit=600s:when=2+"], stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not notices.quiet(2):
                assert time.monotonic() < deadline, "a loop that hangs is not noticed"
        finally:
            held.terminate()
            held.wait(PATIENCE_SECONDS)
        notices.until("WATCHDOG")


def test_a_watchdog_that_is_meant_for_another_process_is_not_fed(tmp_path, notices):
    environment = {**notices.environment, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"}
    with Server(tmp_path / "data", environment=environment):
        notices.until("READY")
        assert notices.quiet(1)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("name", ["listen", ""])
def test_the_server_listens_on_the_socket_that_it_is_given(tmp_path, host, name):
    with listening(host) as held, activated(tmp_path / "data", (name, held)) as server:
        assert server.address.endswith(f":{held.getsockname()[1]}") and server.address.strip("[").startswith(host)
        with server.connect() as connection:
            expect_kept(connection)


def test_each_door_takes_the_socket_of_its_name(tmp_path):
    """In whatever order they come."""
    with listening() as calls, listening() as frames:
        with activated(tmp_path / "data", ("grpc", calls), ("listen", frames)) as server:
            assert server.ready["grpc"] == f"127.0.0.1:{calls.getsockname()[1]}"
            assert server.ready["listen"] == f"127.0.0.1:{frames.getsockname()[1]}"
            with grpc.insecure_channel(server.ready["grpc"]) as channel:
                method = METHODS["Server.Status"]
                status = channel.unary_unary(
                    "/heddle.v1.ServerService/Status", request_serializer=method.request.SerializeToString,
                    response_deserializer=method.response.FromString)(method.request(), timeout=PATIENCE_SECONDS)
                assert status.version == server.ready["version"]
            with server.connect() as connection:
                expect_kept(connection)


def test_a_restart_under_load_refuses_nothing(tmp_path):
    """The socket stays: who comes between two servers waits for the second. Three restarts, eight clients that connect
    all the time, and a turn of each server that the next one still has."""
    threads = []
    with listening() as held:
        address = f"127.0.0.1:{held.getsockname()[1]}"
        server = activated(tmp_path / "data", ("listen", held)).start()
        with Crowd(address) as crowd:
            for _ in range(3):
                crowd.wait_for(200)
                with server.connect() as connection:
                    threads.append(connection.new_thread(name="kept").id)
                server.terminate()
                assert server.wait() == 0
                server.start()
            crowd.wait_for(200)
        with server:
            with server.connect() as connection:
                for thread in threads:
                    assert connection.call("Thread.Read", thread=thread).thread.name == "kept"
            assert not crowd.faults, (len(crowd.faults), crowd.answered, crowd.sent_away, crowd.faults[:5])
            server.terminate()
            assert server.wait() == 0


def refused(tmp_path, *sockets) -> str:
    given = activation(*sockets)
    ended = subprocess.run([*given["under"], BINARY, "serve", "--data", tmp_path / "data"], pass_fds=given["inherit"],
                           capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert ended.returncode == EXIT_CONFIGURATION and ended.stdout == "" and ended.stderr.count("\n") == 1, ended
    return ended.stderr


def test_a_socket_that_cannot_be_served_does_not_start(tmp_path):
    """Each beside the socket of the test before, which is accepted: 78, and one line that says what to change."""
    with contextlib.ExitStack() as stack:
        first, second = (stack.enter_context(listening()) for _ in range(2))
        silent = stack.enter_context(socket.socket())
        silent.bind(("127.0.0.1", 0))
        datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind(("127.0.0.1", 0))
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        local.bind(str(tmp_path / "local"))
        local.listen()
        assert "FileDescriptorName" in refused(tmp_path, ("heddle.socket", first))
        assert "two sockets" in refused(tmp_path, ("listen", first), ("listen", second))
        for wrong in (silent, datagrams, local):
            assert "does not listen on TCP" in refused(tmp_path, ("listen", wrong))


def test_an_open_address_needs_tokens_whoever_bound_it(tmp_path):
    with listening("0.0.0.0") as held:
        assert "can be reached from other machines" in refused(tmp_path, ("listen", held))
        tokens = tmp_path / "tokens"
        tokens.touch(mode=0o600)
        tokens.write_text(f"{TOKEN} first\n")
        given = activation(("listen", held))
        # A later rule asks for TLS, or for these words.
        server = Server(tmp_path / "data", "--token-file", tokens, environment={"HEDDLE_TLS_MODE": "plaintext"}, **given)
        with server, server.connect(TOKEN) as connection:
            expect_kept(connection)


# The delay before the drain


def test_during_the_delay_health_says_draining_and_everybody_is_served(tmp_path, notices):
    environment = {**notices.environment, "HEDDLE_DRAIN_DELAY_MILLISECONDS": str(int(PATIENCE_SECONDS * 1000))}
    with Server(tmp_path / "data", environment=environment) as server, server.connect() as before:
        assert before.ping().status == frame_pb2.SERVING_STATUS_SERVING
        server.terminate()
        notices.until("STOPPING")
        assert before.ping().status == frame_pb2.SERVING_STATUS_DRAINING
        thread, follower = before.start_followed()
        follower.run("served", thread=thread.id)
        with server.connect() as after:
            assert after.ping().status == frame_pb2.SERVING_STATUS_DRAINING
            assert after.call("Thread.Read", thread=thread.id).thread.id == thread.id
        # The second signal: no more delay.
        server.terminate()
        assert server.wait(20) == 0


@pytest.mark.parametrize("milliseconds, starts", [("3600000", True), ("3600001", False), ("-1", False)])
def test_the_delay_has_bounds(tmp_path, milliseconds, starts):
    server = Server(tmp_path / "data", environment={"HEDDLE_DRAIN_DELAY_MILLISECONDS": milliseconds})
    if starts:
        with server:
            server.terminate()
            time.sleep(0.2)  # the first signal is taken before the second one, or both are one
            server.terminate()
            assert server.wait() == 0
    else:
        with pytest.raises(AssertionError, match=f"ended with {EXIT_CONFIGURATION}"):
            server.start()
        assert "drain.delayMilliseconds: 0 to 3600000" in server.log_text()


# The units


@pytest.fixture
def units(tmp_path):
    """The units, with the program where it was built."""
    for unit in UNITS.iterdir():
        (tmp_path / unit.name).write_text(unit.read_text().replace("/usr/bin/heddle", str(BINARY)))
    return sorted(path for path in tmp_path.iterdir() if path.suffix in (".service", ".socket"))


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_accepts_the_units(units):
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_the_service_is_hardened(units):
    """`systemd-analyze security`: 0 is best, 10 is a service without any protection."""
    service = next(unit for unit in units if unit.suffix == ".service")
    checked = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", service],
                             capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout[-3000:]


def test_the_service_waits_for_delay_and_drain():
    words = dict(line.split("=", 1) for line in (UNITS / "heddle.service").read_text().splitlines()
                 if "=" in line and not line.startswith("#"))
    assert int(words["TimeoutStopSec"]) >= 5 + 20 + 3
    assert words["Type"] == "notify" and words["RestartPreventExitStatus"] == str(EXIT_CONFIGURATION)
    assert int(words["LimitNOFILE"]) >= 15_000 + 64
