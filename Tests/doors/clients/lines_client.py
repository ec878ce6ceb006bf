"""The part that clients in Python share: one JSON object a line in and out, see ../lines.py. A client gives `unary` and
`stream`, which return code, text, headers and trailers."""

import base64
import json
import sys
import threading
from collections.abc import Callable

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory


class Schema:
    """The messages of a descriptor set."""

    def __init__(self, path: str):
        self.pool = descriptor_pool.DescriptorPool()
        with open(path, "rb") as file:
            for one in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
                self.pool.Add(one)

    def method(self, path: str):
        service, name = path.split("/")
        try:
            return self.pool.FindServiceByName(service).methods_by_name[name]
        except KeyError:
            # A method that no schema has: any message will do.
            return self.pool.FindServiceByName("heddle.v1.ServerService").methods_by_name["Status"]


class Call:
    """A call that runs. It may take `allowed` more messages; below 0 as many as come."""

    def __init__(self, order: dict, schema: Schema):
        self.number, self.path = order["call"], order["method"]
        self.described = schema.method(self.path)
        self.input = message_factory.GetMessageClass(self.described.input_type)
        self.output = message_factory.GetMessageClass(self.described.output_type)
        self.requests = [json_format.ParseDict(one, self.input()) for one in order["requests"]]
        self.metadata = [(name, base64.b64decode(value) if name.endswith("-bin") else value)
                         for name, value in order.get("metadata", [])]
        self.timeout_ms = order.get("timeout_ms")
        self.allowed = order.get("read", -1)
        self.more = threading.Condition()
        self.is_cancelled = False
        # How the client's library cancels it.
        self.cancel: Callable = lambda: None

    def allow(self, count: int):
        with self.more:
            self.allowed = -1 if count < 0 else self.allowed + count
            self.more.notify()

    def wait(self):
        with self.more:
            self.more.wait_for(lambda: self.allowed != 0)
            if self.allowed > 0:
                self.allowed -= 1


class Lines:
    """Reads orders until the end of the input. Each call has a thread."""

    def __init__(self, schema: Schema, unary: Callable, stream: Callable):
        self.schema, self.unary, self.stream = schema, unary, stream
        self.calls: dict[int, Call] = {}
        self.output = threading.Lock()

    def say(self, **fields):
        with self.output:
            print(json.dumps(fields), flush=True)

    def told(self, call: Call, message):
        self.say(call=call.number, message=json_format.MessageToDict(message, preserving_proto_field_name=True))

    def ended(self, call: Call, code: int, text: str, headers, trailers):
        def flat(pairs):
            return {name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
                    for name, value in pairs or []}
        self.say(call=call.number, code=code, text=text or "", headers=flat(headers), trailers=flat(trailers))

    def run(self, call: Call):
        serve = self.stream if call.described.server_streaming else self.unary
        self.ended(call, *serve(call, lambda message: self.told(call, message)))

    def serve(self):
        for line in sys.stdin:
            order = json.loads(line)
            call = self.calls.get(order["call"])
            if call is None:
                call = self.calls[order["call"]] = Call(order, self.schema)
                threading.Thread(target=self.run, args=(call,), daemon=True).start()
            elif "cancel" in order:
                call.is_cancelled = True
                call.cancel()
            elif "read" in order:
                call.allow(order["read"])
