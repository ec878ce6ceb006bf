"""kill -9 under load from three clients, again and again on one folder (durability.md D1, D2, D5, D15)."""

import pathlib
import time

from faults import FaultyServer, checked, work_folder
from ledger import Client, Comparison, Follower, Verdict, run_clients
from report import Options, Result

CLIENTS = 3
# Cycles on one folder; then a new one, so that histories do not grow without bound.
CYCLES_A_FOLDER = 10
# This share of the kills meets a server whose syncs take 50 ms longer: requests of that time are not written yet, so an
# answer that does not wait for its commit is found.
HELD_BACK, HOLD = 0.3, "sync:1+:slow"
# From this number of kills on, it is no accident if none met a held-back commit.
ENOUGH = 20


def run(options: Options) -> list[Result]:
    result = Result("kill")
    while result.runs < options.kills:
        with work_folder() as place:
            folder(pathlib.Path(place) / "data", min(CYCLES_A_FOLDER, options.kills - result.runs), options, result)
    return [checked_for_held_back(result)]


def checked_for_held_back(result: Result) -> Result:
    """Kills that never met a held-back commit have not shown that answers wait for theirs."""
    if result.runs >= ENOUGH and not result.more["held_back"]:
        result.wrong.append(f"of {result.runs} kills none met a commit that was held back")
    return result


def folder(data: pathlib.Path, cycles: int, options: Options, result: Result):
    """Cycles of load, kill, restart and comparison; at the end everything once more, and `heddle check`."""
    done: list = []
    server = FaultyServer(data).start()
    try:
        for _ in range(cycles):
            before = len(server.fired)
            requests, seen = cycle(server, options, result)
            result.runs += 1
            result.more["held_back"] += len(server.fired) > before
            server.environment["HEDDLE_FAULT"] = HOLD if options.random.random() < HELD_BACK else ""
            server.start()
            with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
                result.take(Comparison(connection, requests, seen, alone=False).run(), f"seed {options.seed}: ")
            done += requests
        server.restart()
        with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            again = Comparison(connection, done).run()
        # Its requests were counted in their own cycle.
        result.take(Verdict(0, again.lost, again.phantom), "at the end: ")
    finally:
        server.kill()
    result.wrong += [f"heddle check: {problem}" for problem in checked(data)]


def cycle(server: FaultyServer, options: Options, result: Result) -> tuple[list, dict]:
    """One load that ends with a kill."""
    chance = options.random
    first = chance.randrange(1 << 20) * CLIENTS
    clients = [Client(first + number, chance.randrange(1 << 32)) for number in range(CLIENTS)]
    with server.connect() as connection:
        # Two threads that all of them change, and that a subscriber follows.
        shared = [make_shared(client, connection) for client in clients[:2]]
    for client in clients:
        client.threads, client.shared = list(shared), set(shared)
    follower = Follower()
    run_clients(server, clients, followers=[(follower, shared)],
                until=lambda: (time.sleep(chance.uniform(0.02, 0.35)), server.kill()))
    result.faults += 1
    result.more["mid_request"] += sum(client.open is not None for client in clients)
    result.more["events_seen"] += sum(map(len, follower.seen.values()))
    return [request for client in clients for request in client.requests], follower.seen


def make_shared(client: Client, connection) -> bytes:
    request = client.next_request()
    client.requests.append(request)
    client.ask(connection, request)
    client.threads.clear()
    return request.answer.thread.id
