"""A data folder that is taken from a running server (durability.md D8): removed, moved, or one of its files removed or
replaced. The server must end with 75, and whatever it acknowledged must be in the files as they were at that moment."""

import pathlib
import shutil
import signal
import time

from faults import FaultyServer, Server, checked, work_folder
from ledger import Client, Comparison, run_clients
from report import Options, Result

CLIENTS = 3
ENDED = 75
# An idle server looks once a second, and says farewell for 200 ms; a busy machine takes longer.
END_SECONDS = 30
SIGNALS, SIGNALS_FULL = 6, 40


def remove_folder(data: pathlib.Path):
    shutil.rmtree(data)


def move_folder(data: pathlib.Path):
    data.rename(data.with_name("moved"))


def replace_folder(data: pathlib.Path):
    data.rename(data.with_name("moved"))
    shutil.copytree(data.with_name("moved"), data)


def remove_database(data: pathlib.Path):
    (data / "heddle.db").unlink()


def replace_database(data: pathlib.Path):
    """By a copy, which a restored backup is too."""
    shutil.copy(data / "heddle.db", data / "copy")
    (data / "copy").rename(data / "heddle.db")


def overwrite_database(data: pathlib.Path):
    """As `cp backup/heddle.db data/` does: the file keeps its inode."""
    content = (data / "heddle.db").read_bytes()
    with open(data / "heddle.db", "r+b") as database:
        database.write(content)


def remove_log(data: pathlib.Path):
    (data / "heddle.db-wal").unlink()


def remove_lock(data: pathlib.Path):
    (data / "LOCK").unlink()


WAYS = (remove_folder, move_folder, replace_folder, remove_database, replace_database, overwrite_database, remove_log,
        remove_lock)
# Under load, idle, and idle with a SIGTERM at once: before the server has looked by itself.
MOMENTS = ("load", "idle", "signal")


def run(options: Options) -> list[Result]:
    taken, signalled = Result("taken-away"), Result("signal-after-failure", verified_by="exit code")
    for way in WAYS:
        for moment in MOMENTS:
            with work_folder() as place:
                take_away(pathlib.Path(place), way, moment, options, taken)
    for _ in range(SIGNALS_FULL if options.full else SIGNALS):
        with work_folder() as place:
            signal_after_failure(pathlib.Path(place), options, signalled)
    return [taken, signalled]


def take_away(place: pathlib.Path, way, moment: str, options: Options, result: Result):
    data, saved = place / "data", place / "saved"
    where = f"{way.__name__} {moment}: "
    is_idle = moment != "load"
    server = Server(data).start()
    clients = [Client(number, options.random.randrange(1 << 32)) for number in range(CLIENTS)]

    def take():
        # At any moment of the load; nothing is waited for.
        time.sleep(0 if is_idle else options.random.uniform(0.1, 0.5))
        # The copy is of the moment at which the folder goes.
        server.process.send_signal(signal.SIGSTOP)
        shutil.copytree(data, saved)
        way(data)
        if moment == "signal":
            server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGCONT)
        end(server, where, result)

    try:
        if is_idle:
            run_clients(server, clients, limit=40)
            take()
        else:
            run_clients(server, clients, until=take)
    finally:
        server.kill()
    result.runs += 1
    result.faults += 1
    if "while the server had it open" not in server.log_text():
        result.wrong.append(f"{where}the log does not say what happened: {server.log_text()[-500:]}")
    heir = Server(saved).start()
    try:
        with heir.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            requests = [request for client in clients for request in client.requests]
            result.take(Comparison(connection, requests).run(), where)
    finally:
        heir.kill()
    result.wrong += [f"{where}heddle check: {problem}" for problem in checked(saved)]


def end(server: Server, where: str, result: Result):
    try:
        code = server.process.wait(END_SECONDS)
    except Exception as failure:  # it serves on, which is the fault that is looked for
        result.wrong.append(f"{where}the server does not end: {failure!r}")
        server.process.kill()
        return
    if code != ENDED:
        result.wrong.append(f"{where}the server ended with {code}")


def signal_after_failure(place: pathlib.Path, options: Options, result: Result):
    """SIGTERM in the 200 ms between `storage_failed` and the end: a supervisor must still learn of the failure."""
    server = FaultyServer(place / "data", fault=f"sync:{options.random.randrange(20, 60)}+:eio").start()
    client = Client(0, options.random.randrange(1 << 32))
    try:
        run_clients(server, [client])
        # Anywhere in the 200 ms before the process ends by itself; nothing is waited for.
        time.sleep(options.random.uniform(0, 0.15))
        if server.alive:
            server.terminate()
            result.more["signals"] += 1
        end(server, "SIGTERM after a failed sync: ", result)
        result.runs += 1
        result.faults += len(server.fired) > 0
        result.acknowledged += sum(request.state == "acked" for request in client.requests)
    finally:
        server.kill()
