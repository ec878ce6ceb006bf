"""A disk that fails to read for a while (durability.md D8): requests that need it are refused with `read_failed` and
change nothing, no damage is reported, and when the disk works again everything is there."""

import pathlib

from faults import FaultyServer, checked, work_folder
from harness.wire import HeddleError
from ledger import Client, Comparison
from report import Options, Result

RUNS, RUNS_FULL = 3, 20
BEFORE, DURING, AFTER = 150, 80, 40
# So few threads stay in memory that almost every request has to read.
SETTINGS = {"HEDDLE_LIMITS_LOADED_THREADS": "2", "HEDDLE_LIMITS_REQUESTS_PER_SECOND": "100000"}


def run(options: Options) -> list[Result]:
    result = Result("eio-at-pread")
    for number in range(RUNS_FULL if options.full else RUNS):
        with work_folder() as place:
            fail_for_a_while(pathlib.Path(place), f"run {number}: ", options, result)
    return [result]


def fail_for_a_while(place: pathlib.Path, where: str, options: Options, result: Result):
    data, switch = place / "data", place / "switch"
    server = FaultyServer(data, fault="read:1+:eio", switch=switch, settings=SETTINGS).start()
    client = Client(0, options.random.randrange(1 << 32))
    client.tolerant = True
    try:
        with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            work(client, connection, BEFORE)
            switch.touch()
            work(client, connection, DURING)
            with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as another:
                refused = collect(client, another, result)
            switch.unlink()
            result.wrong += [f"{where}{text}" for text in wrong(client, refused)]
            result.faults += len(server.fired)
            result.more["refused"] += len(refused) + len(client.surprises)
            client.surprises.clear()
            work(client, connection, AFTER)
            result.wrong += [f"{where}refused though the disk works again: {text}" for text in client.surprises]
            result.take(Comparison(connection, client.requests).run(), where)
        server.restart()
        with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            again = Comparison(connection, client.requests).run()
            again.acknowledged = 0
            result.take(again, f"{where}after a kill: ")
        result.runs += 1
    finally:
        server.kill()
    result.wrong += [f"{where}heddle check: {problem}" for problem in checked(data)]


def work(client: Client, connection, count: int):
    for _ in range(count):
        request = client.next_request()
        client.requests.append(request)
        client.ask(connection, request)


def collect(client: Client, connection, result: Result) -> list[str]:
    """Answers of every way to read while the disk fails."""
    refused = []
    calls = [("Thread.List", {})]
    for thread in client.threads:
        calls += [("Thread.Read", {"thread": thread}), ("Thread.ListTurns", {"thread": thread}),
                  ("Thread.ListItems", {"thread": thread}), ("Thread.Resume", {"thread": thread})]
    for method, fields in calls:
        try:
            connection.call(method, **fields)
            result.more["served"] += 1
        except HeddleError as error:
            # Resume is refused for a thread that was archived before; one that is in memory needs no read for that.
            if method == "Thread.Resume" and error.reason == "archived" and fields["thread"] in client.archived:
                result.more["served"] += 1
                continue
            refused.append(f"{error.code} {error.reason}")
    return refused


def wrong(client: Client, refused: list[str]) -> list[str]:
    others = set(refused + client.surprises) - {"UNAVAILABLE read_failed"}
    found = [f"a failed read is told as {text}" for text in sorted(others)]
    if "UNAVAILABLE read_failed" not in refused:
        found.append("no request met a failed read")
    return found
