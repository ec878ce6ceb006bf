"""A server whose models are behind HTTP: its configuration, its catalog, and short ways to run turns on it."""

import json
import os

from harness.connection import PATIENCE_SECONDS
from harness.messages import METHODS, client_pb2, item_pb2, item_text, turn_status
from harness.server import Server
from harness.wire import REQUEST, RESPONSE, Frame

KINDS = ("responses", "chat", "anthropic")
KEYS = {kind: f"sk-{kind}-7f3a9c51d2e84b60" for kind in KINDS}
HEADER_SECRET = "header-secret-58c1e0"
# Retries come at once, and nobody waits for minutes; a test that is about waiting says its own.
QUICK = {"retryMilliseconds": 10, "firstByteMilliseconds": 60_000, "idleMilliseconds": 60_000}


class ProvidedServer(Server):
    """`providers`: settings by name; each has a model of its name, whose catalog entry `models` may extend."""

    def __init__(self, folder, providers: dict, *arguments: str, models: dict | None = None,
                 environment: dict | None = None, **configuration):
        self.providers, self.models, self.configuration = providers, models or {}, configuration
        self.config, self.catalog = folder / "config.json", folder / "catalog.json"
        # The environment's own keys are not theirs.
        clean = {name: "" for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY") if name in os.environ}
        # All that any client of this server received.
        self.received = bytearray()
        super().__init__(folder / "data", "--config", str(self.config), "--catalog", str(self.catalog), *arguments,
                         environment={**clean, **(environment or {})})

    def start(self) -> "ProvidedServer":
        named = {"names": list(self.providers), **self.providers}
        self.config.write_text(json.dumps({"logLevel": "trace", "providers": named, **self.configuration}))
        entries = [{"id": name, "provider": name, "version": "DISABLED", **self.models.get(name, {})}
                   for name in [*self.providers, *(name for name in self.models if name not in self.providers)]]
        self.catalog.write_text(json.dumps({"models": entries}))
        return super().start()

    def connect(self, *arguments, **fields):
        connection = super().connect(*arguments, **fields)
        read = connection.read_some

        def heard(deadline: float) -> bytes:
            data = read(deadline)
            self.received += data
            return data
        connection.read_some = heard
        return connection

    def status_of(self, connection, provider: str):
        """The server's status of one provider."""
        [found] = [one for one in connection.call("Server.Status").providers if one.name == provider]
        return found


def quick(model, kind: str, **settings) -> dict:
    """Settings of a provider that is `model`."""
    return {"kind": kind, "baseURL": model.url, **QUICK, **settings}


class Conversation:
    """A thread of one model, followed, turn by turn."""

    def __init__(self, connection, model: str, tools=(), **settings):
        self.connection = connection
        self.state, self.follower = connection.start_followed(settings={"model": model, **settings}, tools=tools)
        self.id = self.state.id

    def begin(self, text: str = "hello", **fields) -> bytes:
        return self.connection.start_turn(self.id, text, **fields).turn

    def turn(self, text: str = "hello", timeout: float = PATIENCE_SECONDS, **fields) -> "Turn":
        return self.ended(self.begin(text, **fields), timeout)

    def ended(self, turn: bytes, timeout: float = PATIENCE_SECONDS) -> "Turn":
        return Turn(turn, self.follower.until_ended(turn, timeout), self.follower.events)

    def interrupt(self, turn: bytes):
        return self.connection.call("Turn.Interrupt", thread=self.id, turn=turn)


def answer_call(connection, answer: str, timeout: float = PATIENCE_SECONDS):
    """Answers the next call of a tool that the server asks this client for; the call."""
    method = METHODS["Client.CallTool"]
    frame = connection.wait_for(lambda frame: (frame.kind, frame.method) == (REQUEST, method.number), timeout)
    call = client_pb2.CallToolRequest.FromString(frame.body)
    response = client_pb2.CallToolResponse(content=[item_pb2.ContentPart(text=answer)], success=True)
    connection.send_frame(Frame(RESPONSE, method.number, frame.stream, response.SerializeToString()))
    return call


class Turn:
    """A turn that has ended: how, and everything that belongs to it."""

    def __init__(self, turn: bytes, ended, events: list):
        self.id, self.ended = turn, ended
        self.events = [event for event in events if event.turn == turn]

    @property
    def status(self) -> str:
        return turn_status(self.ended.status)

    @property
    def reason(self) -> str:
        return self.ended.error.reason

    @property
    def message(self) -> str:
        return self.ended.error.message

    def of_kind(self, kind: str) -> list:
        return [getattr(event, kind) for event in self.events if event.WhichOneof("kind") == kind]

    @property
    def items(self) -> list:
        return [done.item for done in self.of_kind("item_completed")]

    @property
    def answer(self) -> str:
        """The text of the model's completed messages."""
        return "".join(item_text(item) for item in self.items if item.message.role == 4 and item.status == 1)

    @property
    def retries(self) -> list:
        return self.of_kind("model_retried")
