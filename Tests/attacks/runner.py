"""Runs rows, one server for those that share a setup, and judges each by the assertions of all rows."""

import concurrent.futures
import pathlib
import signal
import threading
import time
import traceback

import world
from attack import Attack, NotHere
from harness.wire import Broken
from rows import OWN, Row, Setup
from world import Watch

ROW_SECONDS, FULL_ROW_SECONDS = 600, 5400


class Run:
    """All rows of one call, their lines and what failed."""

    def __init__(self, folder: pathlib.Path, full: bool, say=print):
        self.folder, self.full, self.say = folder, full, say
        self.passed: list[str] = []
        self.failed: list[str] = []
        self.not_here: dict[str, str] = {}
        self.details: list[str] = []
        self.worst_p99 = 0.0
        self.began = time.monotonic()

    def all(self, chosen: list[Row]):
        setups = list(dict.fromkeys(row.on for row in chosen))
        # The lane first: its leftovers on the machine are gone when the others measure.
        for setup in sorted(setups, key=lambda setup: (not setup.lane, setup is OWN)):
            self.group(setup, [row for row in chosen if row.on is setup])

    def group(self, setup: Setup, members: list[Row]):
        if setup is OWN:
            for row in members:
                self.row(row, None, None)
            return
        server = watch = None
        for number, row in enumerate(members):
            if server is None:
                folder = self.folder / f"{setup.name}-{number}".replace(" ", "-")
                folder.mkdir()
                try:
                    server = world.start(setup, folder)
                    watch = Watch(server)
                except Exception as failure:  # without a server none of them can pass
                    self.failed += [row.id for row in members[number:]]
                    self.say(f"FAIL the server for `{setup.name}`: {failure!r}")
                    return
            if setup.lane:
                self.lane(members, server, watch)
                break
            if not self.row(row, server, watch):
                # The leftovers of a failed row must not fail the next one.
                self.end_group(setup, server, watch, [])
                server = watch = None
        if server is not None:
            self.end_group(setup, server, watch, [])

    def end_group(self, setup: Setup, server: world.Server, watch: Watch, problems: list[str]):
        self.worst_p99 = max(self.worst_p99, watch.worst_p99)
        watch.close()
        dead = not server.alive
        problems += [problem for problem in server.close() if not dead]
        if problems:
            self.failed.append(setup.name)
            self.say(f"FAIL the server for `{setup.name}`: {'; '.join(problems)[:500]}")

    # One row

    def row(self, row: Row, server: world.Server | None, watch: Watch | None) -> bool:
        seconds = FULL_ROW_SECONDS if self.full else ROW_SECONDS
        is_main = threading.current_thread() is threading.main_thread()
        began = time.monotonic()
        attack = self.prepare(row, server)
        if watch is not None:
            watch.begin()
        if is_main:
            signal.signal(signal.SIGALRM, self.out_of_time)
            signal.alarm(seconds)
        try:
            problems = self.drive(attack)
        finally:
            if is_main:
                signal.alarm(0)
        problems += attack.close()
        if watch is not None:
            problems += watch.end(row.memory)
        return self.judge(attack, problems, time.monotonic() - began)

    @staticmethod
    def out_of_time(*_):
        raise Broken("the row ran out of time")

    def prepare(self, row: Row, server: world.Server | None) -> Attack:
        folder = self.folder / row.id
        folder.mkdir(exist_ok=True)
        return Attack(row, folder, self.full, server)

    def drive(self, attack: Attack) -> list[str]:
        """Runs the row's function; what it says against the server."""
        try:
            attack.row.drive(attack)
            attack.settle()
            return []
        except NotHere as why:
            self.not_here[attack.row.label] = str(why)
            return []
        except Exception as failure:  # a row that fails in any way is a row that failed
            self.details.append(f"{attack.row.label}\n{traceback.format_exc()}")
            return [f"{type(failure).__name__}: {failure}" if str(failure) else repr(failure)]

    def judge(self, attack: Attack, problems: list[str], seconds: float) -> bool:
        row = attack.row
        if problems:
            self.failed.append(row.id)
            told = "; ".join(" ".join(problem.split()) for problem in problems)
            self.say(f"FAIL {row.label:5} {seconds:6.1f} s  {told[:2000]}")
            return False
        if row.label in self.not_here:
            return True
        self.passed.append(row.id)
        noted = f" [{'; '.join(attack.notes)}]" if attack.notes else ""
        self.say(f"ok   {row.label:5} {seconds:6.1f} s  {row.title}{noted}")
        return True

    # Rows that take long by their nature, at the same time

    def lane(self, members: list[Row], server: world.Server, watch: Watch):
        """Each judged alone; memory, descriptors and the witness are judged for all of them together."""
        watch.begin()

        def one(row: Row):
            began = time.monotonic()
            attack = self.prepare(row, server)
            problems = self.drive(attack)
            return attack, problems + attack.close(), time.monotonic() - began
        with concurrent.futures.ThreadPoolExecutor(len(members)) as pool:
            done = list(pool.map(one, members))
        shared = watch.end(max(row.memory for row in members))
        for number, (attack, problems, seconds) in enumerate(done):
            self.judge(attack, problems + (shared if number == 0 else []), seconds)

    def summary(self):
        for detail in self.details:
            self.say(detail.rstrip())
        for label, why in self.not_here.items():
            self.say(f"attacks: not driven: {label} because {why}")
        self.say(f"attacks: {time.monotonic() - self.began:.0f} s, the witness's worst p99 {self.worst_p99:.0f} ms")
        self.say(f"attacks: rows={len(self.passed) + len(self.failed)} passed={len(self.passed)} "
                 f"failed={len(self.failed)}")
