"""`make demo`: what a Heddle server promises, shown by breaking it.

A server gets real histories and new work, every change carrying an idempotency key; it is killed with -9 in the middle of
a turn and started again. Then every change it acknowledged and every numbered event it sent is looked for: there, once,
byte for byte (durability.md D1, D2, D5, D15). The last line is the verdict; the exit code is 1 when anything is lost.
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import tempfile
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests"))
from harness import server as program  # noqa: E402
from harness.connection import Connection, Follower  # noqa: E402
from harness.messages import event_bytes, item_text, turn_status, version_name, words  # noqa: E402
from harness.wire import Closed, HeddleError  # noqa: E402

SCRIPTED = {"model": "scripted", "model_provider": "scripted"}
# It begins soon, and is in its middle when the server dies however slow the machine is.
SLOW_TURN = "!chunks 40\n!delay 500\nThis answer comes slowly, so that the server can be killed in the middle of it."
RENAMES_BEFORE_THE_KILL = 50


@dataclasses.dataclass
class Acknowledged:
    """A change that the server said is durable."""

    what: str
    method: str
    request: dict
    key: bytes
    answer: object

    @property
    def thread(self) -> bytes:
        return self.request.get("thread") or self.answer.thread.id


class Ledger:
    """The answers and events that the client got, written down before the crash."""

    def __init__(self):
        self.changes: list[Acknowledged] = []
        self.unanswered: list[Acknowledged] = []
        self.seen: dict[tuple[bytes, int], bytes] = {}

    def change(self, connection: Connection, what: str, method: str, **request):
        """Makes a change under a fresh key; what is not answered is remembered as such."""
        change = Acknowledged(what, method, request, uuid.uuid4().bytes, None)
        try:
            change.answer = connection.call(method, key=change.key, **request)
        except (Closed, OSError):
            self.unanswered.append(change)
            raise
        self.changes.append(change)
        return change.answer

    def saw(self, thread: bytes, follower: Follower):
        """Remembers every numbered event that a subscription has brought."""
        for event, data in zip(follower.events, event_bytes(follower.events)):
            self.seen[thread, event.sequence] = data


def say(text: str = ""):
    print(text, flush=True)


def short(identity: bytes) -> str:
    return str(uuid.UUID(bytes=identity))


def import_samples(data: pathlib.Path, samples: list[pathlib.Path]):
    say(f"1. {len(samples)} real Codex histories are imported into an empty folder.")
    ended = program.heddle("import", *samples, "--data", data)
    if ended.returncode != 0:
        sys.exit(f"the import failed: {ended.stderr}")


def work_on_an_imported_thread(connection: Connection, ledger: Ledger, legacy: bytes) -> Follower:
    say("2. A thread from before runtime versions existed is resumed, named, and goes on with a new model.")
    ledger.change(connection, "resume", "Thread.Resume", thread=legacy, subscribe=False)
    follower = connection.follow(legacy, after=0)
    ledger.change(connection, "name", "Thread.SetName", thread=legacy, name="continued in Heddle")
    ledger.change(connection, "settings", "Settings.Update", thread=legacy, change=SCRIPTED)
    turn = ledger.change(connection, "turn", "Turn.Start", thread=legacy, input=words("Shall we go on?")).turn
    follower.until_ended(turn)
    ledger.saw(legacy, follower)
    found = connection.call("Thread.Read", thread=legacy).thread
    say(f"   It is pinned to {version_name(found.version)} for life; its events are numbered 1 to {follower.last}.")
    return follower


def work_on_a_new_thread(connection: Connection, ledger: Ledger) -> tuple[bytes, Follower]:
    say("3. A new thread is started; the client selects the mode PROACTIVE, runs a turn, and forks the thread.")
    thread = ledger.change(connection, "start", "Thread.Start", name="demo", subscribe=False).thread.id
    follower = connection.follow(thread, after=0)
    mode = {"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}}
    ledger.change(connection, "settings", "Settings.Update", thread=thread, change=mode)
    turn = ledger.change(connection, "turn", "Turn.Start", thread=thread, input=words("Hello, Heddle!")).turn
    follower.until_ended(turn)
    ledger.change(connection, "fork", "Thread.Fork", thread=thread, subscribe=False, name="a fork")
    say(f"   thread {short(thread)}, the model said: {last_answer(follower)!r}")
    return thread, follower


def last_answer(follower: Follower) -> str:
    return item_text(follower.of_kind("item_completed")[-1].item_completed.item)


def kill_in_the_middle(server: "program.Server", connection: Connection, ledger: Ledger, thread: bytes,
                       follower: Follower) -> bytes:
    """Starts a slow turn, queues another, and kills the server while names are being changed as fast as it answers."""
    say("4. A slow turn streams its answer, a second one waits, names are changed without pause: kill -9.")
    turn = ledger.change(connection, "slow turn", "Turn.Start", thread=thread, input=words(SLOW_TURN)).turn
    ledger.change(connection, "waiting turn", "Turn.Start", thread=thread, input=words("And then?"))
    follower.until_text()
    with server.connect() as writer:
        for number in range(RENAMES_BEFORE_THE_KILL):
            ledger.change(writer, "name", "Thread.SetName", thread=thread, name=f"name {number}")
        change = Acknowledged("name", "Thread.SetName", {"thread": thread, "name": "too late?"}, uuid.uuid4().bytes, None)
        writer.open(change.method, key=change.key, **change.request)
        ledger.unanswered.append(change)
        server.kill()
    drain(follower)
    ledger.saw(thread, follower)
    say(f"   Until then {len(ledger.changes)} changes were acknowledged and {len(ledger.seen)} numbered events seen;")
    say(f"   {len(ledger.unanswered)} request got no answer: only its key can tell what became of it.")
    return turn


def drain(follower: Follower):
    """Takes what had arrived before the end."""
    try:
        while True:
            follower.next()
    except (Closed, TimeoutError, OSError):
        pass


def lost_events(connection: Connection, ledger: Ledger) -> list[str]:
    """Every event that was seen must be stored under its number with the same bytes; numbers have no hole."""
    lost = []
    for thread in {thread for thread, _ in ledger.seen}:
        stored = event_bytes(connection.history(thread))  # reading checks that there is no hole and nothing twice
        for (owner, sequence), data in ledger.seen.items():
            if owner == thread and (sequence > len(stored) or stored[sequence - 1] != data):
                lost.append(f"event {sequence} of {short(thread)}")
    return lost


def found_again(connection: Connection, change: Acknowledged) -> bool:
    """The same request with the same key must find its first answer and do nothing."""
    before = heads(connection, change)
    try:
        again = connection.call(change.method, key=change.key, **change.request)
    except HeddleError as error:
        say(f"   LOST: {change.what}: {error}")
        return False
    replayed, again.replayed = again.replayed, False
    if replayed and again == change.answer and heads(connection, change) == before:
        return True
    say(f"   LOST: {change.what} (replayed={replayed}): {change.answer} became {again}")
    return False


def heads(connection: Connection, change: Acknowledged) -> tuple[int, int]:
    """The newest event and revision of the thread that a change was made on."""
    thread = connection.call("Thread.Read", thread=change.thread).thread
    return thread.sequence, thread.revision


def newest_revisions_hold(connection: Connection, ledger: Ledger) -> list[str]:
    """The settings of a thread are those of the last acknowledged update."""
    newest = {change.thread: change.answer for change in ledger.changes if change.method == "Settings.Update"}
    lost = []
    for thread, answer in newest.items():
        found = connection.call("Settings.Read", thread=thread)
        if (found.revision, found.settings) != (answer.revision, answer.settings):
            lost.append(f"settings of {short(thread)}")
    return lost


def interrupted_once(connection: Connection, thread: bytes, turn: bytes) -> list[str]:
    """The turn that was cut says so, exactly once (D5); the one that waited runs or says that it will not (U1)."""
    follower = connection.follow(thread, after=0)
    follower.until(lambda message: message.WhichOneof("kind") == "live")
    ends = [turn_status(event.turn_ended.status) for event in follower.of_kind("turn_ended")
            if event.turn_ended.turn == turn]
    connection.call("Thread.Unsubscribe", thread=thread)
    say(f"   The turn that was cut ended as: {', '.join(ends) or 'nothing'}.")
    return [] if ends == ["INTERRUPTED"] else [f"the end of turn {short(turn)}: {ends}"]


def settle(connection: Connection, thread: bytes):
    """Waits until the turn that was queued has run, so that heads stand still while keys are tried."""
    connection.call("Thread.Resume", thread=thread, subscribe=False)
    follower = connection.follow(thread, after=0)
    queued = [event.turn_queued.turn.id for event in read_stored(follower).of_kind("turn_queued")]
    started = {event.turn_started.turn for event in follower.of_kind("turn_started")}
    ended = {event.turn_ended.turn for event in follower.of_kind("turn_ended")}
    cancelled = {event.queued_turn_cancelled.turn for event in follower.of_kind("queued_turn_cancelled")}
    for turn in (started | set(queued)) - ended - cancelled:
        follower.until(lambda message, turn=turn: turn in (
            message.event.turn_ended.turn, message.event.queued_turn_cancelled.turn))
    connection.call("Thread.Unsubscribe", thread=thread)


def read_stored(follower: Follower) -> Follower:
    follower.until(lambda message: message.WhichOneof("kind") == "live")
    return follower


def verify(server: "program.Server", ledger: Ledger, thread: bytes, turn: bytes) -> int:
    """Compares the record from before the crash with the data that is there now; the exit code."""
    say("5. The server is started again on the same folder.")
    server.start()
    with server.connect() as connection:
        lost = lost_events(connection, ledger) + interrupted_once(connection, thread, turn)
        settle(connection, thread)
        lost += newest_revisions_hold(connection, ledger)
        say(f"   All {len(ledger.seen)} events seen before are compared byte for byte.")
        found = sum(found_again(connection, change) for change in ledger.changes)
        say(f"   All {len(ledger.changes)} acknowledged changes are asked for again with their keys: {found} replayed.")
        for change in ledger.unanswered:
            answer = connection.call(change.method, key=change.key, **change.request)
            say(f"   The unanswered one: {'it had happened' if answer.replayed else 'it had not happened, now it has'}.")
        for what in lost:
            say(f"   LOST: {what}")
    missing = len(ledger.changes) - found + len(lost)
    say(f"demo: acknowledged={len(ledger.changes)} found={found} lost={missing}")
    return 1 if missing else 0


def run(data: pathlib.Path, samples: pathlib.Path) -> int:
    files = sorted(samples.glob("*.jsonl"))
    legacy = next(file for file in files if file.name.startswith("legacy"))
    import_samples(data, files)
    ledger = Ledger()
    with program.Server(data) as server:
        with server.connect() as connection:
            identity = uuid.UUID(legacy_id(legacy)).bytes
            work_on_an_imported_thread(connection, ledger, identity)
            thread, follower = work_on_a_new_thread(connection, ledger)
            turn = kill_in_the_middle(server, connection, ledger, thread, follower)
        return verify(server, ledger, thread, turn)


def legacy_id(file: pathlib.Path) -> str:
    return json.loads(file.read_text().splitlines()[0])["payload"]["id"]


def main() -> int:
    arguments = argparse.ArgumentParser(description="kills a Heddle server and shows that nothing is lost")
    arguments.add_argument("--heddle", type=pathlib.Path, default=program.BINARY, help="the program")
    arguments.add_argument("--samples", type=pathlib.Path, required=True, help="folder of Codex rollouts")
    chosen = arguments.parse_args()
    program.Server.binary = chosen.heddle.resolve()
    with tempfile.TemporaryDirectory(prefix="heddle-demo-") as folder:
        return run(pathlib.Path(folder) / "data", chosen.samples)


if __name__ == "__main__":
    sys.exit(main())
