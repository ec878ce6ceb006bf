"""A real Envoy before two servers, with a file of deploy/envoy as it ships, and clients' certificates of two tenants."""

import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from harness.certificates import Authority, Certificate
from harness.connection import PATIENCE_SECONDS
from harness.envoy import configuration
from harness.server import Server

EDITOR, READER = "spiffe://example.org/editor", "spiffe://example.org/reader"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class World:
    """`file` is `l4` or `l7`. The servers know the clients `editor` and `reader`, and not the `stranger`."""

    def __init__(self, folder: pathlib.Path, file: str):
        self.folder, self.file = folder, file
        self.door = {"l4": "listen", "l7": "grpc"}[file]
        servers, clients = Authority(folder, "servers"), Authority(folder, "clients")
        tls = folder / "tls"
        tls.mkdir()
        front = servers.sign("front", "DNS:localhost")
        shutil.copy(front.chain, tls / "server.pem")
        shutil.copy(front.key, tls / "server.key")
        shutil.copy(clients.chain, tls / "clients-ca.pem")
        shutil.copy(servers.chain, tls / "servers-ca.pem")
        self.authority: Authority = servers
        self.clients: dict[str, Certificate] = {
            name: clients.sign(name, f"URI:{uri}")
            for name, uri in (("editor", EDITOR), ("reader", READER), ("stranger", "spiffe://example.org/x"))}
        (folder / "identities").touch(mode=0o600)
        (folder / "identities").write_text(f"{EDITOR} first\n{READER} second\n")
        (folder / "config.json").write_text(json.dumps({
            "tls": {**servers.sign("heddle", "DNS:heddle.example.org").settings, "trustDomains": ["example.org"]},
            "proxy": {"mode": "require" if file == "l4" else "off", "from": ["127.0.0.1/32"]}, "identities": {"file": str(folder / "identities")},
            "drain": {"delayMilliseconds": 5000}, "limits": {"requestsPerSecond": 0}}))
        self.servers = [Server(folder / f"data{number}", "--config", folder / "config.json",
                               environment={"HEDDLE_GRPC_LISTEN": "127.0.0.1:0"} if file == "l7" else {})
                        for number in range(2)]
        self.port, self.admin = free_port(), free_port()
        self.envoy = None

    def __enter__(self):
        for server in self.servers:
            server.start()
        file = self.folder / "envoy.json"
        addresses = [("127.0.0.1", int(server.ready[self.door].rsplit(":", 1)[1])) for server in self.servers]
        file.write_text(json.dumps(configuration(self.file, self.folder / "tls", self.port, self.admin, addresses)))
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
