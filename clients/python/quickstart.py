"""A Heddle client in 30 lines: quickstart.py [HOST:PORT [THREAD]]. Needs Python, protoc and the protobuf package.

Without THREAD it starts a thread, selects the mode PROACTIVE, runs one turn and prints the events as they come.
With THREAD (the id that the first run printed) it reads that thread back, from sequence 0.
"""

import pathlib, socket, struct, subprocess, sys, tempfile, uuid
proto, made = pathlib.Path(__file__).resolve().parents[2] / "proto", tempfile.TemporaryDirectory()
subprocess.run(["protoc", "-I", proto, "--python_out", made.name, *proto.glob("heddle/v1/*.proto")], check=True)
sys.path.insert(0, made.name)
from heddle.v1 import event_pb2 as events, frame_pb2 as wire, thread_pb2 as threads, turn_pb2 as turns

def send(kind, method, stream, message):
    payload = message.SerializeToString()
    sock.sendall(struct.pack(">BBHIBHBI", 0xFA, kind, method, stream, 1, 0, 0, len(payload)) + payload)

def receive(expected, message):  # the next frame of this kind and stream; all others are skipped
    while header := incoming.read(16):
        _, kind, _, stream, _, metadata, _, length = struct.unpack(">BBHIBHBI", header)
        payload = incoming.read(length)[metadata:]
        if kind == wire.FRAME_KIND_ERROR: sys.exit(str(wire.Error.FromString(payload)))
        if (kind, stream) == expected: return message.FromString(payload)

sock = socket.create_connection((sys.argv + ["127.0.0.1:7420"])[1].rsplit(":", 1), timeout=60)
incoming = sock.makefile("rb")
send(wire.FRAME_KIND_HELLO, 0, 0, wire.ClientHello(client_name="quickstart"))
if len(sys.argv) > 2:
    thread, last = uuid.UUID(sys.argv[2]).bytes, "live"
    send(wire.FRAME_KIND_REQUEST, wire.METHOD_THREAD_SUBSCRIBE, 1, threads.SubscribeRequest(thread=thread, after=0))
else:
    start = threads.StartThreadRequest(settings={"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}})
    send(wire.FRAME_KIND_REQUEST, wire.METHOD_THREAD_START, 1, start)
    thread = receive((wire.FRAME_KIND_RESPONSE, 1), threads.StartThreadResponse).thread.id
    turn, last = turns.StartTurnRequest(thread=thread, input={"content": [{"text": "Hello, Heddle!"}]}), "turn_ended"
    send(wire.FRAME_KIND_REQUEST, wire.METHOD_TURN_START, 3, turn)
print("thread", uuid.UUID(bytes=thread))
while message := receive((wire.FRAME_KIND_EVENT, 1), events.SubscriptionEvent):
    print(message)
    if last in (message.WhichOneof("kind"), message.event.WhichOneof("kind")): break
