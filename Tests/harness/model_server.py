"""An HTTP server that speaks the streams of three model APIs: OpenAI Responses, Chat Completions, Anthropic Messages.

Tests program it: an answer is a list of parts (`Text`, `Thought`, `Call`), written in the words of the API that was
called, or a `Reply` with status, headers and raw bytes, pauses and cuts included. Every request is kept. By hand it is a
model that needs no key: `python Tests/harness/model_server.py --port 8080` echoes its input, and obeys the
directives of docs/scripted-model.md that `Brain` names.

Written from the public documentation of the three APIs; standard library only.
"""

import argparse
import collections
import dataclasses
import html
import http.server
import itertools
import json
import re
import select
import socket
import ssl
import struct
import threading
import time
import uuid

KINDS = {"/v1/responses": "responses", "/v1/chat/completions": "chat", "/v1/messages": "anthropic"}
REQUEST_BYTES = 64 << 20
LOOK_SECONDS = 0.01


# Parts of an answer, in no API's words


@dataclasses.dataclass(frozen=True)
class Text:
    """A message; `pieces`: how many deltas it comes in."""

    text: str
    pieces: int = 3


@dataclasses.dataclass(frozen=True)
class Thought:
    """A thought of the model: its summary, and its encrypted form, which only its provider can read."""

    summary: str = ""
    encrypted: str = ""
    pieces: int = 2


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a function; `arguments` is JSON text."""

    name: str
    arguments: str = "{}"
    id: str = ""
    pieces: int = 2


@dataclasses.dataclass(frozen=True)
class Usage:
    """Tokens of the whole answer."""

    input: int = 11
    cached: int = 4
    output: int = 7
    thoughts: int = 0


def cut(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[start:start + size] for start in range(0, len(text), size)]


# Streams of the APIs


class Hold:
    """A pause until the test lets go of it, or until the client has gone."""

    def __init__(self):
        self.free = threading.Event()

    def let_go(self):
        self.free.set()


class Reset:
    """The connection ends with an RST."""


class Cut:
    """The connection ends in the middle of the body."""


@dataclasses.dataclass
class Reply:
    """An HTTP answer. `steps`: bytes, `Hold`, `Reset`, `Cut`, or seconds to wait; `before`: the same before the head.

    `framing`: `chunked`, `length`, or `close` (the end of the connection is the end of the body).
    """

    steps: object = ()
    status: int = 200
    headers: dict = dataclasses.field(default_factory=dict)
    before: object = ()
    framing: str = "chunked"
    type: str | None = "text/event-stream"


def error(status: int, message: str = "no", kind: str = "", code: str = "", **headers: str) -> Reply:
    """An answer that is an error, with the members that all three APIs have; `retry_after="1"` is a header."""
    body = {"error": {"message": message, "type": kind or "error", "code": code or None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply([json.dumps(body).encode()], status, named, framing="length", type="application/json")


def event(data, name: str | None = None) -> bytes:
    """One server-sent event; `data` is JSON or a text as it is."""
    text = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"))
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def stream(kind: str, parts, usage: Usage | None = Usage(), model: str = "m") -> list[bytes]:
    """The whole stream of an answer in the words of one API, event by event."""
    return list({"responses": _responses, "chat": _chat, "anthropic": _anthropic}[kind](list(parts), usage, model))


def _new(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


def _responses(parts: list, usage: Usage | None, model: str):
    numbers = itertools.count()
    response = {"id": _new("resp_"), "object": "response", "created_at": int(time.time()), "model": model}

    def say(type: str, **fields) -> bytes:
        return event({"type": type, "sequence_number": next(numbers), **fields}, type)

    yield say("response.created", response={**response, "status": "in_progress", "output": []})
    yield say("response.in_progress", response={**response, "status": "in_progress", "output": []})
    output = []
    for index, part in enumerate(parts):
        item, grown = _responses_item(part, index, say)
        yield say("response.output_item.added", output_index=index, item=_responses_begun(item))
        yield from grown
        yield say("response.output_item.done", output_index=index, item=item)
        output.append(item)
    counted = usage and {
        "input_tokens": usage.input, "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": usage.thoughts},
        "total_tokens": usage.input + usage.output}
    yield say("response.completed", response={**response, "status": "completed", "output": output, "usage": counted})


def _responses_begun(item: dict) -> dict:
    empty = {"message": {"content": [], "status": "in_progress"}, "reasoning": {"summary": []},
             "function_call": {"arguments": "", "status": "in_progress"}}
    begun = {**item, **empty[item["type"]]}
    begun.pop("encrypted_content", None)
    return begun


def _responses_item(part, index: int, say) -> tuple[dict, list[bytes]]:
    """The item when it is done, and the events that make it grow."""
    if isinstance(part, Text):
        id, content = _new("msg_"), {"type": "output_text", "text": part.text, "annotations": []}
        place = {"item_id": id, "output_index": index, "content_index": 0}
        events = [say("response.content_part.added", **place, part={**content, "text": ""})]
        events += [say("response.output_text.delta", **place, delta=piece) for piece in cut(part.text, part.pieces)]
        events += [say("response.output_text.done", **place, text=part.text),
                   say("response.content_part.done", **place, part=content)]
        return {"id": id, "type": "message", "status": "completed", "role": "assistant", "content": [content]}, events
    if isinstance(part, Thought):
        id, summary = _new("rs_"), {"type": "summary_text", "text": part.summary}
        place = {"item_id": id, "output_index": index, "summary_index": 0}
        grown = [say("response.reasoning_summary_text.delta", **place, delta=piece)
                 for piece in cut(part.summary, part.pieces)]
        events = [] if not part.summary else [
            say("response.reasoning_summary_part.added", **place, part={**summary, "text": ""}), *grown,
            say("response.reasoning_summary_text.done", **place, text=part.summary),
            say("response.reasoning_summary_part.done", **place, part=summary)]
        item = {"id": id, "type": "reasoning", "summary": [summary] if part.summary else []}
        return {**item, **({"encrypted_content": part.encrypted} if part.encrypted else {})}, events
    id = _new("fc_")
    place = {"item_id": id, "output_index": index}
    events = [say("response.function_call_arguments.delta", **place, delta=piece)
              for piece in cut(part.arguments, part.pieces)]
    events.append(say("response.function_call_arguments.done", **place, arguments=part.arguments))
    return {"id": id, "type": "function_call", "status": "completed", "call_id": part.id or _new("call_"),
            "name": part.name, "arguments": part.arguments}, events


def _chat(parts: list, usage: Usage | None, model: str):
    front = {"id": _new("chatcmpl-"), "object": "chat.completion.chunk", "created": int(time.time()), "model": model}

    def say(delta: dict, reason: str | None = None) -> bytes:
        return event({**front, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None})

    yield say({"role": "assistant", "content": ""})
    calls = 0
    for part in parts:
        if isinstance(part, Text):
            yield from (say({"content": piece}) for piece in cut(part.text, part.pieces))
        elif isinstance(part, Thought):
            yield from (say({"reasoning_content": piece}) for piece in cut(part.summary, part.pieces))
        else:
            head = {"index": calls, "id": part.id or _new("call_"), "type": "function"}
            yield say({"tool_calls": [{**head, "function": {"name": part.name, "arguments": ""}}]})
            for piece in cut(part.arguments, part.pieces):
                yield say({"tool_calls": [{"index": calls, "function": {"arguments": piece}}]})
            calls += 1
    yield say({}, "tool_calls" if calls else "stop")
    if usage:
        yield event({**front, "choices": [], "usage": {
            "prompt_tokens": usage.input, "prompt_tokens_details": {"cached_tokens": usage.cached},
            "completion_tokens": usage.output, "completion_tokens_details": {"reasoning_tokens": usage.thoughts},
            "total_tokens": usage.input + usage.output}})
    yield event("[DONE]")


def _anthropic(parts: list, usage: Usage | None, model: str):
    def say(type: str, **fields) -> bytes:
        return event({"type": type, **fields}, type)

    # Its `input_tokens` leave out what came from the cache.
    counted = {} if not usage else {"usage": {
        "input_tokens": usage.input - usage.cached, "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": 0, "output_tokens": 1}}
    yield say("message_start", message={"id": _new("msg_"), "type": "message", "role": "assistant", "model": model,
                                        "content": [], "stop_reason": None, "stop_sequence": None, **counted})
    yield say("ping")
    for index, part in enumerate(parts):
        start, deltas = _anthropic_block(part)
        yield say("content_block_start", index=index, content_block=start)
        yield from (say("content_block_delta", index=index, delta=delta) for delta in deltas)
        yield say("content_block_stop", index=index)
    reason = "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"
    yield say("message_delta", delta={"stop_reason": reason, "stop_sequence": None},
              **({"usage": {"output_tokens": usage.output}} if usage else {}))
    yield say("message_stop")


def _anthropic_block(part) -> tuple[dict, list[dict]]:
    if isinstance(part, Text):
        return {"type": "text", "text": ""}, [
            {"type": "text_delta", "text": piece} for piece in cut(part.text, part.pieces)]
    if isinstance(part, Thought):
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in cut(part.summary, part.pieces)]
        signature = [{"type": "signature_delta", "signature": part.encrypted}] if part.encrypted else []
        return {"type": "thinking", "thinking": "", "signature": ""}, deltas + signature
    return {"type": "tool_use", "id": part.id or _new("toolu_"), "name": part.name, "input": {}}, [
        {"type": "input_json_delta", "partial_json": piece} for piece in cut(part.arguments, part.pieces)]


# Requests


@dataclasses.dataclass
class Request:
    """One request as it came, and what became of its answer."""

    kind: str
    path: str
    headers: dict
    body: dict
    number: int
    # When it came.
    at: float = dataclasses.field(default_factory=time.monotonic)
    # The client went before the answer was whole.
    gone: threading.Event = dataclasses.field(default_factory=threading.Event)
    # The answer is whole, or will never be.
    over: threading.Event = dataclasses.field(default_factory=threading.Event)

    @property
    def tools(self) -> list[str]:
        return [tool.get("name") or tool["function"]["name"] for tool in self.body.get("tools", [])]

    @property
    def said(self) -> list[tuple]:
        """The conversation as (what, …): user, developer, system, assistant with a text; call with id, name, arguments;
        output with the call's id and a text; thought with its encrypted form; mail with kind, sender, receiver, text."""
        return list({"responses": _said_responses, "chat": _said_chat, "anthropic": _said_anthropic}[self.kind](
            self.body))

    def of(self, what: str) -> list[tuple]:
        return [entry[1:] for entry in self.said if entry[0] == what]


FRAME = re.compile(r'<agent_message((?: \w+="[^"]*")+)>\n(.*)\n</agent_message>', re.DOTALL)


def _speech(role: str, text: str) -> tuple:
    frame = FRAME.fullmatch(text)
    if frame and role == "user":
        facts = {name: html.unescape(value) for name, value in re.findall(r'(\w+)="([^"]*)"', frame[1])}
        return ("mail", facts["kind"], facts["from"], facts.get("to", ""), frame[2])
    return (role, text)


def _joined(content) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def _said_responses(body: dict):
    if body.get("instructions"):
        yield ("system", body["instructions"])
    for item in body["input"]:
        match item["type"]:
            case "message":
                yield _speech(item["role"], _joined(item["content"]))
            case "function_call":
                yield ("call", item["call_id"], item["name"], item["arguments"])
            case "function_call_output":
                yield ("output", item["call_id"], _joined(item["output"]))
            case "reasoning":
                yield ("thought", item.get("encrypted_content"))
            case other:
                yield (other, item)


def _said_chat(body: dict):
    for message in body["messages"]:
        if message["role"] == "tool":
            yield ("output", message["tool_call_id"], _joined(message["content"]))
            continue
        if message.get("content"):
            yield _speech(message["role"], _joined(message["content"]))
        for call in message.get("tool_calls", []):
            yield ("call", call["id"], call["function"]["name"], call["function"]["arguments"])


def _said_anthropic(body: dict):
    if body.get("system"):
        yield ("system", _joined(body["system"]))
    for message in body["messages"]:
        for block in message["content"]:
            match block["type"]:
                case "text":
                    yield _speech(message["role"], block["text"])
                case "tool_use":
                    yield ("call", block["id"], block["name"], json.dumps(block["input"]))
                case "tool_result":
                    yield ("output", block["tool_use_id"], _joined(block.get("content")))
                case "thinking":
                    yield ("thought", block["signature"])
                case other:
                    yield (other, block)


# A model of its own


class Brain:
    """Answers by what the last user, or the last task of another agent, said: the directives `!say`, `!think`, `!tool`,
    `!then`, `!chunks`, `!delay`, `!stall` and `!fail` of docs/scripted-model.md. Without one it echoes."""

    def __call__(self, request: Request):
        said = request.said
        begin, text = max(((place, entry[-1]) for place, entry in enumerate(said)
                           if entry[0] == "user" and not entry[1].startswith("<developer")
                           or entry[:2] == ("mail", "NEW_TASK")), default=(-1, ""))
        after = said[begin + 1:]
        # Calls that stand together were one answer.
        step = sum(what == "call" for what, _ in itertools.groupby(entry[0] for entry in after))
        steps = [list(lines) for split, lines in itertools.groupby(text.split("\n"), "!then".__eq__) if not split]
        return self.answer(steps[min(step, len(steps) - 1)], step >= len(steps), said, after)

    def answer(self, lines: list[str], is_last: bool, said: list, after: list):
        parts, calls, plain, say, pieces, delay = [], [], [], None, 3, 0.0
        for line in lines:
            word, _, rest = line.partition(" ")
            match word:
                case "!say":
                    say = rest
                case "!think":
                    parts.append(Thought(rest))
                case "!chunks":
                    pieces = int(rest)
                case "!delay":
                    delay = int(rest) / 1000
                case "!tool":
                    name, _, arguments = rest.partition(" ")
                    calls.append(Call(name, self.filled(arguments or "{}", said)))
                case "!stall":
                    return Reply([Hold()])
                case "!fail":
                    return error(500, "The text says that this request fails.")
                case _:
                    plain.append(line)
        if calls and not is_last:
            return [*parts, *calls]
        outputs = [entry[2] for entry in after if entry[0] == "output"]
        if say is None:
            say = f"The tool said: {outputs[-1]}" if outputs else "You said: " + "\n".join(plain)
        return [*parts, Text(say, pieces)] if not delay else Slow([*parts, Text(say, pieces)], delay)

    @staticmethod
    def filled(arguments: str, said: list) -> str:
        """`{agent:1}` is the id of the first agent that was spawned."""
        found = [match[1] for entry in said if entry[0] == "output"
                 if (match := re.search(r'"agent_id":"([^"]+)"', entry[2]))]
        for number, id in enumerate(found, 1):
            arguments = arguments.replace("{agent:%d}" % number, id)
        return arguments


@dataclasses.dataclass
class Slow:
    """Parts whose events come with a pause before each."""

    parts: list
    seconds: float


# The server


class Gone(Exception):
    """The client went."""


class _HTTPServer(http.server.ThreadingHTTPServer):
    # All clients at once may connect before this thread runs; connections beyond the queue come a second later, or never.
    request_queue_size = 1024


class ModelServer:
    """Answers with the entries of `answers`, in order, then with `brain`. Both may be lists of parts, a `Reply`, or a
    function of the request that gives one of them."""

    def __init__(self, brain=None, port: int = 0, certificate: str | None = None, host: str = "127.0.0.1"):
        self.brain = brain or Brain()
        self.answers: collections.deque = collections.deque()
        self.requests: list[Request] = []
        self.changed = threading.Condition()
        self.connections = 0
        self.server = _HTTPServer((host, port), _handler(self))
        self.server.daemon_threads = True
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake belongs to the connection's own thread.
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
            self.scheme = "https"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def port(self) -> int:
        return self.server.server_address[1]

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.port}/v1" if self.scheme == "https" else \
            f"http://127.0.0.1:{self.port}/v1"

    def add(self, request: Request):
        with self.changed:
            request.number = len(self.requests)
            self.requests.append(request)
            answer = self.answers.popleft() if self.answers else self.brain
            self.changed.notify_all()
        return answer(request) if callable(answer) else answer

    def wait(self, count: int, timeout: float = 60.0) -> list[Request]:
        """The requests so far, once there are `count`."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.requests) >= count, timeout), \
                f"{len(self.requests)} requests, not {count}"
            return list(self.requests)

    def wait_until(self, wanted, timeout: float = 60.0) -> list[Request]:
        """The requests so far, once `wanted` is true of them."""
        with self.changed:
            assert self.changed.wait_for(lambda: wanted(self.requests), timeout), f"{len(self.requests)} requests"
            return list(self.requests)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _handler(model: ModelServer) -> type:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self):
            super().setup()
            model.connections += 1

        def log_message(self, *_):
            """Nothing: requests are kept."""

        def do_POST(self):
            raw = self.rfile.read(min(int(self.headers.get("content-length", 0)), REQUEST_BYTES))
            path = self.path.split("?")[0]
            kind = KINDS.get(path, "")
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(kind, self.path, headers, json.loads(raw), -1)
            answer = model.add(request) if kind else error(404, "There is no such address.")
            try:
                self.reply(self.to_reply(answer, request))
            except (Gone, OSError):
                request.gone.set()
                self.close_connection = True
            finally:
                request.over.set()

        @staticmethod
        def to_reply(answer, request: Request) -> Reply:
            if isinstance(answer, Reply):
                return answer
            if isinstance(answer, Slow):
                events = stream(request.kind, answer.parts, model=request.body.get("model", ""))
                return Reply([step for piece in events for step in (answer.seconds, piece)])
            return Reply(stream(request.kind, answer, model=request.body.get("model", "")))

        def reply(self, reply: Reply):
            for step in reply.before:
                if not self.take(step, None):
                    return
            steps = reply.steps
            if reply.framing == "length":
                steps = [b"".join(steps)]
            self.send_response(reply.status)
            if reply.type:
                self.send_header("Content-Type", reply.type)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            match reply.framing:
                case "chunked":
                    self.send_header("Transfer-Encoding", "chunked")
                case "length":
                    self.send_header("Content-Length", str(len(steps[0])))
                case "close":
                    self.send_header("Connection", "close")
            self.end_headers()
            for step in steps:
                if not self.take(step, reply.framing):
                    return
            if reply.framing == "chunked":
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = reply.framing == "close"

        def take(self, step, framing: str | None) -> bool:
            """Carries one step out; false: the connection has ended."""
            if isinstance(step, (bytes, bytearray)):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(step), step) if framing == "chunked" else step)
                return True
            if isinstance(step, (Hold, int, float)):
                self.pause(step)
                return True
            if isinstance(step, Reset):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return False

        def pause(self, step):
            deadline = time.monotonic() + (3600 if isinstance(step, Hold) else step)
            while (left := deadline - time.monotonic()) > 0 and not (isinstance(step, Hold) and step.free.is_set()):
                readable, _, _ = select.select([self.connection], [], [], min(LOOK_SECONDS, left))
                # With TLS a peek is not possible; no client sends a second request before the first is answered.
                if readable and (model.scheme == "https" or not self.connection.recv(1, socket.MSG_PEEK)):
                    raise Gone

    return Handler


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--port", type=int, default=0, help="0 chooses a free one")
    model = ModelServer(port=arguments.parse_args().port)
    print(json.dumps({"url": model.url}), flush=True)
    model.thread.join()


if __name__ == "__main__":
    main()
