"""The HTTP door from outside: requests by the standard library, bytes by hand, and a stream of server-sent events."""

import contextlib
import http.client
import json
import socket

from harness.connection import PATIENCE_SECONDS


def place(address: str) -> tuple[str, int]:
    host, port = address.rsplit(":", 1)
    return host.strip("[]"), int(port)


class Answer:
    def __init__(self, response: http.client.HTTPResponse):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def reason(self) -> str | None:
        return self.headers.get("heddle-reason")


class HTTP(http.client.HTTPConnection):
    """One connection to the door of a server."""

    def __init__(self, server, token: str = "", timeout: float = PATIENCE_SECONDS):
        super().__init__(*place(server.ready["http"]), timeout=timeout)
        self.token = token

    def ask(self, method: str, path: str, body: bytes | None = None, **headers) -> Answer:
        if self.token:
            headers.setdefault("authorization", f"Bearer {self.token}")
        self.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        return Answer(self.getresponse())

    def get(self, path: str, **headers) -> Answer:
        return self.ask("GET", path, **headers)

    def call(self, method: str, request: dict | None = None, **headers) -> Answer:
        """`ThreadService/Start`, by Connect with JSON."""
        return self.ask("POST", f"/heddle.v1.{method}", json.dumps(request or {}).encode(),
                        **{"content-type": "application/json", **headers})

    def metric(self, name: str) -> float | None:
        """The value of `heddle_connections{door="http"}`; None while the door is asked too often."""
        lines = self.get("/metrics").text.splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(f"{name} ")), None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def raw(server, data: bytes, timeout: float = PATIENCE_SECONDS, finish: bool = False) -> bytes:
    """Everything that the door says to these bytes until it closes the connection."""
    with socket.create_connection(place(server.ready["http"]), timeout) as peer:
        with contextlib.suppress(ConnectionError):
            peer.sendall(data)
            if finish:
                peer.shutdown(socket.SHUT_WR)
        out = b""
        with contextlib.suppress(ConnectionError):
            while piece := peer.recv(65536):
                out += piece
        return out


class Events:
    """A stream of server-sent events."""

    def __init__(self, server, path: str, token: str = "", **headers):
        self.connection = HTTP(server, token)
        if token:
            headers["authorization"] = f"Bearer {token}"
        self.connection.request("GET", path, headers={name.replace("_", "-"): str(v) for name, v in headers.items()})
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def next(self) -> dict:
        """The next event: `id`, `event`, `data`; a comment is `{}`."""
        found: dict = {}
        while True:
            line = self.response.readline()
            assert line, "the stream has ended"
            line = line.decode().rstrip("\n")
            if not line:
                return found
            name, _, value = line.partition(": ")
            if name in ("id", "event"):
                found[name] = value
            elif name == "data":
                found["data"] = json.loads(value)

    def until(self, kind: str) -> list[dict]:
        """All events up to the first of this kind."""
        out = [self.next()]
        while out[-1].get("event") != kind:
            out.append(self.next())
        return out

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
