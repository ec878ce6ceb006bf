"""gRPC by grpcio: calls by the names of docs/methods.md, errors with their details, subscriptions. No generated stubs: bytes
go through the message classes of the schema as it stands."""

import dataclasses
import secrets

import grpc

from harness.messages import METHODS, event_pb2

SECONDS = 30
ON = ("--grpc", "127.0.0.1:0")


@dataclasses.dataclass(frozen=True)
class Refused(Exception):
    """An error of a call: its gRPC status and our reason."""

    status: str
    reason: str
    message: str
    trailers: dict


def refusal(error: grpc.RpcError) -> Refused:
    trailers = dict(error.trailing_metadata() or ())
    return Refused(error.code().name, trailers.get("heddle-reason", ""), error.details(), trailers)


def path(name: str) -> str:
    family, method = name.split(".")
    return f"/heddle.v1.{family}Service/{method}"


class Client:
    """One channel: one connection of HTTP/2. `token` goes with every call."""

    def __init__(self, address: str, token: str = "", **options):
        options.setdefault("use_local_subchannel_pool", 1)
        self.channel = grpc.insecure_channel(address, options=[(f"grpc.{key}", value) for key, value in options.items()])
        self.token = token

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()

    def metadata(self, token: str | None, key: bytes | None, more: tuple) -> list:
        token = self.token if token is None else token
        found = list(more)
        if token:
            found.append(("authorization", f"Bearer {token}"))
        if key is not None:
            found.append(("heddle-idempotency-key-bin", key))
        return found

    def unary(self, path: str, body: bytes, timeout: float = SECONDS, metadata: tuple = ()) -> bytes:
        """Bytes to bytes."""
        try:
            return self.channel.unary_unary(path)(body, timeout=timeout, metadata=metadata)
        except grpc.RpcError as error:
            raise refusal(error) from None

    def call(self, method: str, /, key: bytes | None = None, token: str | None = None, timeout: float = SECONDS,
             more: tuple = (), **fields):
        found = METHODS[method]
        body = found.request(**fields).SerializeToString()
        return found.response.FromString(self.unary(path(method), body, timeout, self.metadata(token, key, more)))

    def future(self, method: str, /, token: str | None = None, timeout: float = SECONDS, **fields):
        """A call that runs beside others."""
        found = METHODS[method]
        return self.channel.unary_unary(path(method), response_deserializer=found.response.FromString).future(
            found.request(**fields).SerializeToString(), timeout=timeout, metadata=self.metadata(token, None, ()))

    def subscribe(self, token: str | None = None, timeout: float = SECONDS, **fields):
        """A stream of SubscriptionEvent."""
        body = METHODS["Thread.Subscribe"].request(**fields).SerializeToString()
        return self.channel.unary_stream(
            path("Thread.Subscribe"), response_deserializer=event_pb2.SubscriptionEvent.FromString)(
            body, timeout=timeout, metadata=self.metadata(token, None, ()))

    def thread(self, token: str | None = None, **fields):
        return self.call("Thread.Start", token=token, key=secrets.token_bytes(16), **fields).thread


def refused(work, status: str, reason: str) -> Refused:
    """The call fails with this status and reason."""
    try:
        answer = work()
    except Refused as refused:
        assert (refused.status, refused.reason) == (status, reason), refused
        return refused
    raise AssertionError(f"no error but {answer}")


def kinds(stream, wanted: str) -> list:
    """Messages up to the first of this kind."""
    found = []
    for message in stream:
        found.append(message)
        if message.WhichOneof("kind") == wanted:
            return found
    raise AssertionError(f"the stream ended before `{wanted}`: {found[-3:]}")


def stored(stream, count: int) -> list:
    """The next so many stored events."""
    found = []
    for message in stream:
        if message.WhichOneof("kind") == "event":
            found.append(message.event)
            if len(found) == count:
                return found
    raise AssertionError(f"the stream ended after {len(found)} events")
