"""deploy/envoy/l4.yaml at work: a real Envoy before two servers, with the files as they ship. Clients bring certificates;
the servers learn from Envoy's PROXY header which."""

import collections
import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from harness.certificates import Authority, TLSConnection, client_context
from harness.connection import PATIENCE_SECONDS
from harness.envoy import configuration
from harness.messages import frame_pb2
from harness.server import Server
from harness.wire import Closed, HeddleError

EDITOR, READER = "spiffe://example.org/editor", "spiffe://example.org/reader"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class World:
    """Two servers, Envoy in front of them, and clients' certificates of two tenants."""

    def __init__(self, folder):
        self.folder = folder
        servers, clients = Authority(folder, "servers"), Authority(folder, "clients")
        tls = folder / "tls"
        tls.mkdir()
        front = servers.sign("front", "DNS:localhost")
        shutil.copy(front.chain, tls / "server.pem")
        shutil.copy(front.key, tls / "server.key")
        shutil.copy(clients.chain, tls / "clients-ca.pem")
        shutil.copy(servers.chain, tls / "servers-ca.pem")
        self.contexts = {name: client_context(servers, clients.sign(name, f"URI:{uri}"))
                         for name, uri in (("editor", EDITOR), ("reader", READER), ("stranger", "spiffe://example.org/x"))}
        (folder / "identities").touch(mode=0o600)
        (folder / "identities").write_text(f"{EDITOR} first\n{READER} second\n")
        (folder / "config.json").write_text(json.dumps({
            "tls": {**servers.sign("heddle", "DNS:heddle.example.org").settings, "trustDomains": ["example.org"]},
            "proxy": {"mode": "require", "from": ["127.0.0.1/32"]}, "identities": {"file": str(folder / "identities")},
            "drain": {"delayMilliseconds": 5000}}))
        self.servers = [Server(folder / f"data{number}", "--config", folder / "config.json") for number in range(2)]
        self.port, self.admin = free_port(), free_port()
        self.envoy = None

    def __enter__(self):
        for server in self.servers:
            server.start()
        file = self.folder / "envoy.json"
        addresses = [("127.0.0.1", int(server.address.rsplit(":", 1)[1])) for server in self.servers]
        file.write_text(json.dumps(configuration("l4", self.folder / "tls", self.port, self.admin, addresses)))
        self.log = open(self.folder / "envoy.log", "w")
        # One worker: each goes round the servers by itself.
        self.envoy = subprocess.Popen([sys.executable, "-m", "envoy._main", "-c", file, "-l", "warn", "--concurrency", "1",
                                       "--use-dynamic-base-id"], stdout=self.log, stderr=subprocess.STDOUT)
        self.wait_for_healthy(2)
        return self

    def __exit__(self, *_):
        if self.envoy:
            self.envoy.kill()
            self.envoy.wait(PATIENCE_SECONDS)
            self.log.close()
        for server in self.servers:
            server.kill()

    def healthy(self) -> int:
        """As many servers as Envoy takes for healthy."""
        with contextlib.suppress(OSError), urllib.request.urlopen(
                f"http://127.0.0.1:{self.admin}/clusters?format=json", timeout=5) as answer:
            (cluster,) = json.load(answer)["cluster_statuses"]
            return sum(host["health_status"] == {"eds_health_status": "HEALTHY"} for host in cluster["host_statuses"])
        return -1

    def wait_for_healthy(self, count: int) -> float:
        begin = time.monotonic()
        while self.healthy() != count:
            assert time.monotonic() < begin + PATIENCE_SECONDS, (self.healthy(), (self.folder / "envoy.log").read_text()[-3000:])
            time.sleep(0.02)
        return time.monotonic() - begin

    def connect(self, name: str = "editor", hello: bool = True) -> TLSConnection:
        connection = TLSConnection(f"127.0.0.1:{self.port}", self.contexts[name])
        if hello:
            connection.hello()
        return connection


@pytest.fixture
def world(tmp_path):
    with World(tmp_path) as running:
        yield running


def test_the_certificate_decides_the_tenant(world):
    """The same through Envoy as without: what one tenant started, the other one cannot see; a stranger is refused."""
    with world.connect("editor") as editor:
        thread = editor.new_thread(name="of the first tenant").id
        # To the same server, and to the other one, which never had it.
        for _ in range(4):
            with world.connect("reader") as reader, pytest.raises(HeddleError) as refused:
                reader.call("Thread.Read", thread=thread)
            assert refused.value.reason == "thread"
        assert editor.call("Thread.Read", thread=thread).thread.name == "of the first tenant"
    with pytest.raises((HeddleError, Closed)) as refused:
        world.connect("stranger")
    said = refused.value.goaway if isinstance(refused.value, Closed) else refused.value
    assert said.reason == "unknown_identity"


def test_connections_are_spread_and_a_server_that_leaves_gets_no_more(world):
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(world.connect()) for _ in range(40)]
        threads = [connection.new_thread(name=f"{number}").id for number, connection in enumerate(connections)]
        # Each server counts its own; a health check may be there beside them.
        found = [connection.call("Server.Status").connections for connection in connections]
        assert min(found) == 20 and max(found) <= 22, found
        world.servers[0].terminate()
        # Two checks, a second apart, and the delay is 5 s.
        assert world.wait_for_healthy(1) < 4
        for _ in range(10):
            with world.connect() as later:
                assert later.ping().status == frame_pb2.SERVING_STATUS_SERVING
        # The connections that the server had were served on until the delay was over.
        statuses = collections.Counter(connection.ping().status for connection in connections)
        assert statuses == {frame_pb2.SERVING_STATUS_DRAINING: 20, frame_pb2.SERVING_STATUS_SERVING: 20}
        for thread, connection in zip(threads, connections, strict=True):
            assert connection.call("Thread.Read", thread=thread).thread.id == thread
        assert world.servers[0].wait() == 0
