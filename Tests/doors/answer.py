"""The outcome of a call, in one form for all clients, and what is asserted of each."""

import base64
import re
import urllib.parse

from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2

from harness.messages import METHODS, REASONS, ROOT
from harness.wire import LEAK

CODES = ("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
         "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
         "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED")
DOMAIN = "heddle.v1"
# When a wait counts as one without end.
ANSWER_SECONDS = 15.0
SENTENCES = {row.split("\t")[0]: row.split("\t")[3]
             for row in (ROOT / "proto" / "reasons.tsv").read_text().splitlines() if row and not row.startswith("#")}
DETAILS = {"google.rpc.ErrorInfo": error_details_pb2.ErrorInfo, "google.rpc.RetryInfo": error_details_pb2.RetryInfo,
           "google.rpc.RequestInfo": error_details_pb2.RequestInfo}


def normal(path: str, message: dict) -> dict:
    """A message of an answer with the names of proto/, whichever form a client printed it in."""
    service, name = path.split("/")
    if not service.startswith("heddle.v1."):
        return message
    method = METHODS.get(f"{service.removeprefix('heddle.v1.').removesuffix('Service')}.{name}")
    if method is None:
        return message
    parsed = json_format.ParseDict(message, method.response())
    return json_format.MessageToDict(parsed, preserving_proto_field_name=True)


class Answer:
    """Messages, status and metadata of a call."""

    def __init__(self, method: str):
        self.method = method
        self.messages: list[dict] = []
        self.code: str | None = None
        self.text = ""
        self.headers: dict[str, str] = {}
        self.trailers: dict[str, str] = {}
        self.details: dict = {}
        # Connect has its own place for a reason, ErrorInfo.
        self.is_connect = False

    def __repr__(self):
        return f"{self.code} {self.reason or ''} {self.text!r} {str(self.messages)[:300]}"

    def end(self, code: int | str, text: str, headers: dict, trailers: dict):
        self.code = CODES[code] if isinstance(code, int) else code
        self.text = text
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.trailers = {name.lower(): value for name, value in trailers.items()}
        if raw := self.trailers.get("grpc-status-details-bin"):
            self.take_details(status_pb2.Status.FromString(base64.b64decode(raw + "=" * (-len(raw) % 4))))

    def take_details(self, status):
        for one in status.details:
            name = one.type_url.removeprefix("type.googleapis.com/")
            assert name in DETAILS, f"a detail that clients do not know: {one.type_url}"
            assert name not in self.details, f"{name} came twice"
            self.details[name] = DETAILS[name].FromString(one.value)

    @property
    def info(self):
        return self.details.get("google.rpc.ErrorInfo")

    @property
    def reason(self) -> str | None:
        """In the trailers; an answer without messages may have them where headers are."""
        return self.trailers.get("heddle-reason") or self.headers.get("heddle-reason")

    @property
    def message(self) -> dict:
        assert self.code == "OK", self
        assert len(self.messages) == 1, f"{len(self.messages)} messages"
        return self.messages[0]

    def expect_refused(self, code: str, reason: str, facts: dict | None = None, waits: bool = False):
        """The status of a refusal: its code and reason in each place, the sentence of the table, the facts."""
        assert self.code == code, f"wanted {code} {reason}, got {self}"
        assert REASONS.get(reason) == code, f"{reason} is not {code} in reasons.tsv"
        assert self.reason == reason or self.is_connect and self.reason is None, f"heddle-reason is {self.reason}, wanted {reason}: {self}"
        # The facts follow the sentence in brackets.
        assert urllib.parse.unquote(self.text).startswith(SENTENCES[reason]), f"grpc-message: {self.text!r}"
        assert self.info is not None, f"no ErrorInfo: {self.details}"
        assert (self.info.reason, self.info.domain) == (reason, DOMAIN), self.info
        for name, value in (facts or {}).items():
            assert re.fullmatch(value, self.info.metadata.get(name, "")), f"{name}: {dict(self.info.metadata)}"
        assert not any(LEAK.search(value) for value in self.info.metadata.values()), self.info
        if waits:
            wait = self.details["google.rpc.RetryInfo"].retry_delay
            assert 0 < wait.ToMilliseconds() <= 60_000, wait


class Stream:
    """A call that runs."""

    def __init__(self, method: str):
        self.method = method
        self.answer = Answer(method)

    def seen(self, message: dict) -> dict:
        message = normal(self.method, message)
        self.answer.messages.append(message)
        return message

    def next(self, timeout: float = ANSWER_SECONDS) -> dict | None:
        """The next message, None at the end."""
        raise NotImplementedError

    def cancel(self):
        raise NotImplementedError

    def until(self, wanted, timeout: float = ANSWER_SECONDS) -> dict:
        """The first message that `wanted` accepts."""
        while (message := self.next(timeout)) is not None:
            if wanted(message):
                return message
        raise AssertionError(f"ended before it came: {self.answer}")

    def to_end(self, timeout: float = ANSWER_SECONDS) -> Answer:
        while self.next(timeout) is not None:
            pass
        return self.answer
