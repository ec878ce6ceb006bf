"""A hostile model provider, behind HTTP (Chat Completions). The text of the user says what it does:

    HOSTILE status 429 | 500 | 401 …    answers with that status, and echoes the key that it was given
    HOSTILE reset N                     breaks the connection off midway, N times, then answers
    HOSTILE flood                       one delta of 100 MiB
    HOSTILE deltas N                    N small deltas
    HOSTILE utf8                        bytes that are no UTF-8
    HOSTILE tool                        a tool call whose arguments never end
    HOSTILE stall                       a head, then silence
    HOSTILE pings                       half an answer, then comments and empty events without end
    HOSTILE garbage                     bytes that are no stream of events
"""

import collections
import itertools
import json
import re

from harness.model_server import Cut, Hold, ModelServer, Reply, Request, Reset
from world import CANARY

FLOOD_BYTES = 100 << 20


class HostileProvider(ModelServer):
    def __init__(self):
        super().__init__(self.harm)
        self.broken: collections.Counter = collections.Counter()

    def harm(self, request: Request) -> Reply:
        # The user's last message; a message of the server may follow it.
        asked = [text for (text,) in request.of("user") if CANARY in text][-1:]
        found = re.search(r"HOSTILE ([^\\\n'\"]*)", asked[0]) if asked else None
        what, *more = found[1].split() if found else ["ok"]
        number = int(more[0]) if more and more[0].isdigit() else 0
        if what == "status":
            return refusal(number, request.headers.get("authorization", ""))
        if what == "reset":
            self.broken[asked[0]] += 1
            if self.broken[asked[0]] > number:
                what = "ok"
        steps = HARM.get(what, lambda _: ())(number)
        return Reply(itertools.chain(steps, [chunk("done") + event({}, finish="stop") + b"data: [DONE]\n\n"]),
                     framing="close")


def refusal(status: int, key: str) -> Reply:
    told = {"message": f"not with the key {key}, in /root/secret/place.py", "code": status}
    headers = {"Retry-After": "0"} if status == 429 else {}
    return Reply([json.dumps({"error": told}).encode()], status, headers, framing="length", type="application/json")


def event(delta: dict, finish: str | None = None) -> bytes:
    data = json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    return f"data: {data}\n\n".encode()


def chunk(text: str) -> bytes:
    return event({"content": text})


def flood(_: int):
    yield b'data: {"choices":[{"index":0,"delta":{"content":"'
    yield from itertools.repeat(b"x" * 65536, FLOOD_BYTES >> 16)


def endless_tool(_: int):
    first = {"index": 0, "id": "c", "function": {"name": "endless", "arguments": '{"a":"'}}
    yield event({"tool_calls": [first]})
    yield from itertools.repeat(event({"tool_calls": [{"index": 0, "function": {"arguments": "x" * 4096}}]}))


def pings(_: int):
    yield chunk("and then ")
    while True:
        yield 0.05
        yield b": ping\n\n" + event({})


# The steps of an answer that come before its right end.
HARM = {
    "reset": lambda _: [chunk("half of an answer"), Reset()],
    "flood": flood,
    "deltas": lambda number: itertools.repeat(chunk("a ") * 100, number // 100),
    "utf8": lambda _: [chunk("before "), b'data: {"choices":[{"index":0,"delta":{"content":"\xff\xc3\x28"}}]}\n\n'],
    "tool": endless_tool,
    "stall": lambda _: [chunk("and then "), Hold()],
    "pings": pings,
    "garbage": lambda _: [b"\x00\x01\x02 no stream of events\n" * 1000 + b"data: {]\n\n", Cut()],
}
