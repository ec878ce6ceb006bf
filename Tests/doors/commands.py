"""Clients that are commands: grpcurl, `buf curl` and curl. Each call is a process with a connection of its own."""

import base64
import json
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time
import urllib.parse

from google.protobuf import json_format, message_factory
from google.rpc import status_pb2

from answer import ANSWER_SECONDS, CODES, Answer, Stream
from prepare import BIN, HERE

sys.path.insert(0, str(HERE / "clients"))
from lines_client import Schema  # noqa: E402

# Connect's names of the codes.
CONNECT_CODES = {**{name.lower(): name for name in CODES}, "canceled": "CANCELLED"}


def of_connect(said: dict) -> tuple[str, str, object]:
    """Code, text and details of an error of Connect."""
    status = status_pb2.Status()
    for one in said.get("details", []):
        value = one["value"]
        status.details.add(type_url=f"type.googleapis.com/{one['type']}",
                           value=base64.b64decode(value + "=" * (-len(value) % 4)))
    return CONNECT_CODES[said["code"]], said.get("message", ""), status


class CommandStream(Stream):
    """A call as a process; `cut` takes the messages from its output as they come."""

    def __init__(self, method: str, command: list):
        super().__init__(method)
        self.folder = tempfile.TemporaryDirectory(prefix="heddle-doors-")
        self.errors = open(pathlib.Path(self.folder.name) / "errors", "w+")
        self.command = [str(part) for part in command]
        self.process: subprocess.Popen | None = None
        self.output, self.ready, self.is_over = b"", [], False

    def start(self) -> "CommandStream":
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.errors)
        return self

    def next(self, timeout: float = ANSWER_SECONDS) -> dict | None:
        deadline = time.monotonic() + timeout
        while not self.ready:
            if self.is_over:
                return None
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"nothing came in {timeout} s")
            piece = self.process.stdout.read1(1 << 20)
            self.output += piece
            if not piece:
                self._over()
            self.ready += self.cut()
        return self.seen(self.ready.pop(0))

    def _over(self):
        self.is_over = True
        self.process.wait(30)
        self.errors.seek(0)
        self.ended(self.errors.read())

    def cut(self) -> list[dict]:
        raise NotImplementedError

    def ended(self, errors: str):
        raise NotImplementedError

    def cancel(self):
        self.process.terminate()
        self.process.wait(30)
        self.is_over = True
        self.answer.end("CANCELLED", "", {}, {})


class Command:
    shares_connection = False
    is_connect = False

    def __init__(self, name: str, address: str, schema: pathlib.Path):
        self.name, self.address, self.schema = name, address, schema

    def call(self, method: str, request: dict, metadata=(), timeout_ms: int | None = None) -> Answer:
        return self.open(method, request, metadata, timeout_ms).to_end()

    def close(self):
        pass


# grpcurl


class Grpcurl(Command):
    """With `-v`, which prints headers and trailers. The schema comes by reflection (v1alpha)."""

    def open(self, method: str, request: dict, metadata=(), timeout_ms: int | None = None, read: int | None = None):
        command = [BIN / "grpcurl", "-plaintext", "-v", "-max-msg-sz", 16 << 20, "-d", json.dumps(request)]
        for name, value in metadata:
            command += ["-H", f"{name}: {value}"]
        if timeout_ms is not None:
            command += ["-max-time", timeout_ms / 1000]
        # Without a token no server describes itself to a stranger, so the call takes its own.
        return GrpcurlStream(method, [*command, self.address, method]).start()


class GrpcurlStream(CommandStream):
    def __init__(self, method: str, command: list):
        super().__init__(method, command)
        self.section, self.lines = None, []
        self.pairs = {"Response headers received:": {}, "Response trailers received:": {}}

    def cut(self) -> list[dict]:
        found = []
        *whole, self.output = self.output.split(b"\n")
        for line in (one.decode() for one in whole):
            if self.lines or line == "{":
                self.lines.append(line)
                if line == "}":
                    found.append(json.loads("\n".join(self.lines)))
                    self.lines = []
            elif line.endswith(":") and not line.startswith(" "):
                self.section = line
            elif line == "{}":
                found.append({})
            elif self.section in self.pairs and ": " in line:
                self.pairs[self.section].setdefault(*line.split(": ", 1))
        return found

    def ended(self, errors: str):
        headers, trailers = self.pairs.values()
        if self.process.returncode == 0:
            return self.answer.end("OK", "", headers, trailers)
        code, text = re.search(r"Code: (\w+)", errors), re.search(r"Message: (.*)", errors)
        assert code, f"grpcurl: {errors}"
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", code[1]).upper().replace("CANCELED", "CANCELLED")
        self.answer.end(name, text[1] if text else "", headers, trailers)
        status = status_pb2.Status()
        for line in re.findall(r"^ *\d+\)\t(\{.*\})$", errors, re.MULTILINE):
            # The library keeps them out of the trailers, grpcurl prints them: as JSON where reflection has the type.
            said = json.loads(line)
            if "@value" in said:
                status.details.add(type_url=said["@type"], value=base64.b64decode(said["@value"]))
            else:
                json_format.ParseDict(said, status.details.add())
        self.answer.take_details(status)


# buf curl


class Buf(Command):
    def __init__(self, name: str, address: str, schema: pathlib.Path, protocol: str, http2: bool, reflect: bool):
        super().__init__(name, address, schema)
        self.protocol, self.http2, self.reflect, self.is_connect = protocol, http2, reflect, protocol == "connect"

    def open(self, method: str, request: dict, metadata=(), timeout_ms: int | None = None, read: int | None = None):
        command = [BIN / "buf", "curl", "-v", "--protocol", self.protocol, "-d", json.dumps(request)]
        if self.http2:
            command.append("--http2-prior-knowledge")
        if self.reflect:
            command += ["--reflect-header", "*"]
        else:
            command += ["--schema", f"{self.schema}#format=binpb"]
        for name, value in metadata:
            command += ["-H", f"{name}: {value}"]
        if timeout_ms is not None:
            command += ["--timeout", f"{timeout_ms}ms"]
        stream = BufStream(method, [*command, f"http://{self.address}/{method}"])
        stream.answer.is_connect = self.is_connect
        return stream.start()


class BufStream(CommandStream):
    decoder = json.JSONDecoder()

    def cut(self) -> list[dict]:
        found, text = [], self.output.decode(errors="ignore").lstrip()
        try:
            while text:
                message, end = self.decoder.raw_decode(text)
                found.append(message)
                text = text[end:].lstrip()
        except json.JSONDecodeError:
            pass
        self.output = text.encode()
        return found

    def ended(self, errors: str):
        # Reflection has a number of its own, before that of the call.
        pairs: dict[str, dict] = {}
        for number, name, value in re.findall(r"< \(#(\d+)\) ([\w-]+): (.*)", errors):
            pairs.setdefault(number, {}).setdefault(name.lower(), value.strip())
        last = pairs[max(pairs, key=int)] if pairs else {}
        if self.process.returncode == 0:
            return self.answer.end("OK", "", last, {})
        start = errors.find('{\n   "code"')
        assert start >= 0, f"buf curl: {self.process.returncode} {errors[-1500:]}"
        code, text, status = of_connect(self.decoder.raw_decode(errors[start:])[0])
        assert self.process.returncode >> 3 == CODES.index(code), f"{code}, but exit {self.process.returncode}"
        last = {name: value for name, value in last.items() if name != "grpc-status-details-bin"}
        self.answer.end(code, text, last, {})
        self.answer.take_details(status)


# curl


class Curl(Command):
    """By hand, with nothing of gRPC or Connect in the client: `kind` is grpc, connect-json or connect-proto."""

    def __init__(self, name: str, address: str, schema: pathlib.Path, kind: str, http2: bool):
        super().__init__(name, address, schema)
        self.http2 = http2
        self.kind, self.is_connect, self.messages = kind, kind != "grpc", Schema(schema)

    def open(self, method: str, request: dict, metadata=(), timeout_ms: int | None = None, read: int | None = None):
        described = self.messages.method(method)
        message = json_format.ParseDict(request, message_factory.GetMessageClass(described.input_type)())
        raw = json.dumps(request).encode() if self.kind == "connect-json" else message.SerializeToString()
        streams = self.kind == "grpc" or described.server_streaming
        if streams:
            raw = b"\0" + len(raw).to_bytes(4, "big") + raw
        stream = CurlStream(method, described, self.kind, streams)
        stream.answer.is_connect = self.is_connect
        body = pathlib.Path(stream.folder.name) / "body"
        body.write_bytes(raw)
        what = self.kind.removeprefix("connect-")
        kind = "grpc" if self.kind == "grpc" else f"connect+{what}" if streams else what
        headers = [("content-type", f"application/{kind}"), *metadata]
        if self.kind == "grpc":
            headers.append(("te", "trailers"))
            timeout = ("grpc-timeout", f"{timeout_ms}m")
        else:
            headers.append(("connect-protocol-version", "1"))
            timeout = ("connect-timeout-ms", str(timeout_ms))
        if timeout_ms is not None:
            headers.append(timeout)
        stream.command = ["curl", "-sSN", "--data-binary", f"@{body}", "-D", f"{stream.folder.name}/headers",
                          *(["--http2-prior-knowledge"] if self.http2 else []),
                          *(part for name, value in headers for part in ("-H", f"{name}: {value}")),
                          f"http://{self.address}/{method}"]
        return stream.start()


class CurlStream(CommandStream):
    def __init__(self, method: str, described, kind: str, streams: bool):
        super().__init__(method, [])
        self.described, self.kind, self.streams = described, kind, streams
        self.last: dict = {}

    def message(self, raw: bytes) -> dict:
        if self.kind == "connect-json":
            return json.loads(raw)
        answer = message_factory.GetMessageClass(self.described.output_type).FromString(raw)
        return json_format.MessageToDict(answer, preserving_proto_field_name=True)

    def cut(self) -> list[dict]:
        found = []
        while self.streams and len(self.output) >= 5:
            flag, size = self.output[0], int.from_bytes(self.output[1:5], "big")
            if len(self.output) < 5 + size:
                break
            raw, self.output = self.output[5:5 + size], self.output[5 + size:]
            if flag == 2 and self.kind != "grpc":
                self.last = json.loads(raw)
            else:
                assert flag == 0, f"flag {flag}"
                found.append(self.message(raw))
        return found

    def ended(self, errors: str):
        text = (pathlib.Path(self.folder.name) / "headers").read_text()
        blocks = [block for block in re.split(r"\r?\n\r?\n", text) if block.strip()]
        assert blocks, f"curl: {errors}"
        status = int(blocks[0].split()[1])
        pairs = [{name.strip().lower(): value.strip() for name, value in
                  (line.split(":", 1) for line in block.splitlines() if ":" in line[1:])} for block in blocks]
        headers, trailers = pairs[0], pairs[-1]
        if self.kind == "grpc":
            assert status == 200, f"HTTP {status}"
            assert "grpc-status" in trailers, f"no grpc-status: {pairs} {errors}"
            assert self.output == b"", f"bytes behind the last message: {self.output[:50]!r}"
            return self.answer.end(int(trailers["grpc-status"]),
                                   urllib.parse.unquote(trailers.get("grpc-message", "")), headers, trailers)
        said = self.last.get("error") if self.streams else None if status == 200 else json.loads(self.output)
        more = {name.lower(): values[0] for name, values in self.last.get("metadata", {}).items()}
        if said is None:
            if not self.streams:
                self.ready.append(self.message(self.output))
                self.output = b""
            return self.answer.end("OK", "", headers, more)
        code, text, details = of_connect(said)
        more.pop("grpc-status-details-bin", None)
        self.answer.end(code, text, {**headers, "http-status": str(status)}, more)
        self.answer.take_details(details)
