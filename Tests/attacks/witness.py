"""A client of its own process that must not notice anything (docs/attacks.md, standing assertions).

    python witness.py ADDRESS PID

Asks for its own thread over and over and compares the answer with the first. For each line on its input it prints one
JSON object: how many answers since the last line, their p99 and worst in milliseconds, and what went wrong.
"""

import json
import os
import select
import sys
import time

from messages import METHODS
from starved import Starved
from wire import Peer

INTERVAL_SECONDS = 0.02


class Witness:
    def __init__(self, address: str, pid: int, token: str):
        self.peer = Peer(address)
        self.peer.hello(token, client_name="witness")
        self.thread = self.peer.call("Thread.Start", name="the witness's own", subscribe=False).thread.id
        self.first = self.ask()
        self.waits: list[float] = []
        self.starved = Starved(pid)
        self.failure = ""

    def ask(self) -> bytes:
        frame = self.peer.reply(self.peer.ask("Thread.Read", thread=self.thread))
        answer = METHODS["Thread.Read"].response.FromString(frame.body)
        answer.thread.ClearField("status")
        return answer.SerializeToString(deterministic=True)

    def look(self):
        self.starved.since()
        begin = time.monotonic()
        try:
            answer = self.ask()
        except Exception as failure:  # whatever it is, the row that caused it must hear of it
            self.failure = self.failure or repr(failure)
            return
        # What kept the server or this program from running at all is not the attack's doing.
        self.waits.append(max(0.0, time.monotonic() - begin - self.starved.since()))
        if answer != self.first:
            self.failure = self.failure or "an answer that is not right"
        self.peer.asked.clear()

    def report(self) -> str:
        waits = sorted(self.waits)
        p99 = waits[max(0, int(len(waits) * 0.99) - 1)] if waits else 0.0
        said = {"count": len(waits), "p99": 1000 * p99, "worst": 1000 * (waits[-1] if waits else 0.0),
                "failure": self.failure}
        self.waits = []
        return json.dumps(said)


def main():
    witness = Witness(sys.argv[1], int(sys.argv[2]), os.environ.get("HEDDLE_WITNESS_TOKEN", ""))
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([sys.stdin], [], [], 0 if witness.failure else INTERVAL_SECONDS)
        if readable:
            if not sys.stdin.readline():
                return
            print(witness.report(), flush=True)
        if not witness.failure:
            witness.look()
        elif not readable:
            time.sleep(INTERVAL_SECONDS)


if __name__ == "__main__":
    main()
