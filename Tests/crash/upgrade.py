"""A store of version 2, which is written anew when it is opened (SchemaMigration.U1 and U2, durability.md D1 D5 D7):
power cuts at every moment of that, and a fault at every call of it. Everything that was acknowledged is there after
each, and the next start brings the store to this version.
"""

import dataclasses
import pathlib
import shutil
import sqlite3

import calls
import power
from disk import MODES, Disk, read_log
from faults import ENDS, FaultyServer, Server, checked, memory_folder, work_folder
from ledger import Client, Comparison, Request, run_clients
from report import Options, Result

MUTATIONS = 80
STATES, STATES_FULL = 600, 20_000
SERVED, SERVED_FULL = 4, 60
# Faults at calls; in full all of them.
POINTS = 16
OLD, NEW = 2, 3
# How many calls behind one that changes a name are looked at in every way.
CALLS_BEHIND = 10
# The number of tries of each way there; states that were tried already are skipped.
TRIES, TRIES_BEHIND = 60, 4
# Offset in the file header: how many bytes at the end of each page are not SQLite's.
RESERVED_BYTES_AT = 20


def run(options: Options) -> list[Result]:
    cut_off = Result("upgrade-power-cut", verified_by="sqlite-recovery")
    served = Result("upgrade-power-cut-served")
    at_call = Result("upgrade-at-call")
    with work_folder() as place, memory_folder() as memory:
        folder, seed = pathlib.Path(place), options.random.randrange(1 << 32)
        files, requests = old_store(folder / "old", seed)
        recording = record(folder / "recorded", files)
        sample = cut(recording, power.Place(pathlib.Path(memory) / "state"), options,
                     STATES_FULL if options.full else STATES, cut_off)
        for where, state in options.random.sample(sample, min(len(sample), SERVED_FULL if options.full else SERVED)):
            lay(folder / "served", state)
            compare(folder / "served", requests, where, served)
            served.runs += 1
            served.faults += 1
        for fault in points(folder / "counted", files, options):
            point(pathlib.Path(memory) / "faulty", fault, files, requests, at_call)
    return [cut_off, served, at_call]


# The store


def old_store(folder: pathlib.Path, seed: int) -> tuple[dict[str, bytes], list[Request]]:
    """The files of a store as version 2 left it when it was killed, and what was acknowledged in it."""
    server, client = Server(folder).start(), Client(0, seed)
    try:
        run_clients(server, [client], limit=MUTATIONS)
        server.terminate()
        server.wait()
    finally:
        server.kill()
    assert version(folder) == NEW
    return as_version_2(folder), client.requests


def as_version_2(folder: pathlib.Path) -> dict[str, bytes]:
    """The same rows on pages that have no room for checksums; the keys are in the log only. Its tables begin on other
    pages than those of a store that is made anew: an old log laid over the new database would else go unseen when what
    is stored is so small that its rows are read as before."""
    path = folder / "version2.db"
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("ATTACH ? AS new", (str(folder / "heddle.db"),))
    database.execute("CREATE TABLE moves_the_others(id)")
    master = database.execute("SELECT type, name, sql FROM new.sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC")
    tables = []
    for kind, name, sql in master.fetchall():
        database.execute(sql)
        tables += [name] if kind == "table" else []
    database.execute("DROP TABLE moves_the_others")
    application, = database.execute("PRAGMA new.application_id").fetchone()
    database.execute(f"PRAGMA main.application_id = {application}")
    database.execute(f"PRAGMA main.user_version = {OLD}")
    database.execute("PRAGMA main.journal_mode = WAL")
    tables.remove("keys")
    for table in tables:
        database.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table}")
    database.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    database.execute("INSERT INTO main.keys SELECT * FROM new.keys")
    files = {"heddle.db": path.read_bytes(), "heddle.db-wal": path.with_name(path.name + "-wal").read_bytes()}
    database.close()
    assert files["heddle.db-wal"] and not files["heddle.db"][RESERVED_BYTES_AT]
    return files


def lay(folder: pathlib.Path, files: dict[str, bytes]):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)


def version(folder: pathlib.Path) -> int:
    database = sqlite3.connect(folder / "heddle.db")
    found, = database.execute("PRAGMA user_version").fetchone()
    database.close()
    return found


# Power cuts


def record(folder: pathlib.Path, files: dict[str, bytes]) -> power.Recording:
    """The calls of a start to the disk."""
    lay(folder, files)
    log = folder.with_name("calls")
    log.unlink(missing_ok=True)
    server = FaultyServer(folder, log=log).start()
    power.rest(log)
    server.kill()
    recording = power.Recording(read_log(log), [], {}, {}, start=files)
    power.check_log(recording.calls, folder, files)
    assert version(folder) == NEW and any(call.kind == "R" and call.name == "db.new" for call in recording.calls)
    return recording


def cut(recording: power.Recording, place: power.Place, options: Options, wanted: int, result: Result) -> list:
    """Every moment in which names change, each way many times; of the others as many states as are wanted. A sample."""
    own = power.Contents(recording, place)
    power.check_growth(own, result)
    result.more["commits"] = len(own.list)
    changes = {index for index, call in enumerate(recording.calls)
               if call.kind == "R" or call.kind == "U" and call.name == "heddle.db-wal"}
    names = {index + near for index in changes for near in range(CALLS_BEHIND)}
    others = sum(index not in names for index, _ in power.moments(recording))
    share, done, sample = min(1.0, wanted / max(1, others * len(MODES))), set(), []
    for index, disk in power.moments(recording):
        is_wanted = index in names
        for mode in MODES * (TRIES if index in changes else TRIES_BEHIND if is_wanted else 1):
            if not is_wanted and options.random.random() >= share:
                continue
            sign, files = disk.state(mode, options.random)
            if sign in done:
                continue
            done.add(sign)
            result.runs += 1
            result.faults += 1
            result.more["while_names_change" if is_wanted else "else"] += 1
            where = f"upgrade, call {index} {mode}: "
            if "heddle.db" not in files:
                result.lost.append(f"{where}there is no database")
            else:
                power.judge_state(own, files, where, result)
            if is_wanted or options.random.random() < 0.05:
                sample.append((where, files))
    result.acknowledged += len(own.list[0].keys)
    return sample


# Faults at calls


def points(folder: pathlib.Path, files: dict[str, bytes], options: Options) -> list[str]:
    """CLASS:N:ACTION for the calls of a start; those that change names are tried in any case."""
    lay(folder, files)
    server = FaultyServer(folder).start()
    totals = server.counts
    server.kill()
    everything = [f"{kind}:{when}:{action}" for classes in calls.ACTIONS.values() for kind, actions in classes.items()
                  for action in actions for when in range(1, totals[kind] + 1)]
    if options.full:
        return everything
    names = [fault for fault in everything if fault.startswith("rename")]
    return names + options.random.sample(everything, POINTS)


def point(folder: pathlib.Path, fault: str, files: dict[str, bytes], requests: list[Request], result: Result):
    lay(folder, files)
    server = FaultyServer(folder, fault=fault)
    for path in (server.fired_path, server.counts_path):
        path.unlink(missing_ok=True)
    try:
        is_serving = server.try_to_start()
        code = None if is_serving else server.process.wait(60)
    finally:
        server.kill()
    if not server.fired:
        result.more["unfired"] += 1
        return
    result.runs += 1
    result.faults += len(server.fired)
    result.more["served_as_it_was" if is_serving and version(folder) == OLD else "upgraded" if is_serving else "ended"] += 1
    if code is not None and code not in (-9, *ENDS):
        result.wrong.append(f"{fault}: ended with {code}: {server.log_text()[-300:]}")
    compare(folder, requests, f"{fault}: ", result)


def compare(folder: pathlib.Path, requests: list[Request], where: str, result: Result):
    """A server without faults on the leftovers."""
    # A request that is sent again with its key must not change what the next comparison expects.
    requests = [dataclasses.replace(request) for request in requests]
    try:
        with Server(folder) as server, server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            result.take(Comparison(connection, requests).run(), where)
    except AssertionError as failure:
        result.wrong.append(f"{where}does not serve afterwards: {failure}")
        return
    result.wrong += [f"{where}heddle check: {problem}" for problem in checked(folder)]
    if version(folder) != NEW:
        result.wrong.append(f"{where}is still of version {version(folder)}")
    result.wrong += [f"{where}{name} is left" for name in ("db.new", "db.new-journal") if (folder / name).exists()]
