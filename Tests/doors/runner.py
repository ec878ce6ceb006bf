"""Runs the cases and stories with one client and counts them. A case that a client cannot make is counted and named with
its reason; nothing is left out in silence."""

import dataclasses
import time
import traceback
from collections.abc import Callable

from answer import Answer
from cases import CASES
from table import Case, at_path, difference, filled, text_id
from world import TOKENS, World

KEY_METADATA = "heddle-idempotency-key-bin"


class LeftOut(Exception):
    """The client cannot do it; the reason."""


@dataclasses.dataclass
class Client:
    """One client program against the door that it speaks to."""

    name: str
    # The client and its protocol, for the report.
    what: str
    # From the address of its door, a client.
    connect: Callable
    door: str = "grpc"
    # The property that a case needs, and why this client lacks it.
    lacks: dict[str, str] = dataclasses.field(default_factory=dict)

    def needs(self, what: str):
        if what in self.lacks:
            raise LeftOut(self.lacks[what])


class Run:
    """All cases of one client."""

    def __init__(self, client: Client, world: World):
        self.client, self.world = client, world
        self.variables = dict(world.variables)
        absent = [name for name, server in world.servers.items() if ":" not in str(server.ready.get(client.door))]
        assert not absent, f"the program has no door for {client.door}"
        self.connected = {name: client.connect(server.ready[client.door]) for name, server in world.servers.items()}
        self.passed, self.failed, self.left_out = [], [], []

    @property
    def open(self):
        """The client's connection to the server that knows no callers."""
        return self.connected["open"]

    @property
    def server(self):
        return self.world.servers["open"]

    def go(self, stories: dict[str, Callable], only: str = ""):
        began = time.monotonic()
        for case in CASES:
            self.attempt(f"{case.method}: {case.name}", lambda case=case: self.case(case))
        for name, story in stories.items():
            if not only or only in name:
                self.attempt(name, lambda story=story: story(self))
        for client in self.connected.values():
            client.close()
        for problem in self.world.close():
            self.failed.append((problem, ""))
        self.seconds = time.monotonic() - began

    def attempt(self, name: str, work: Callable):
        try:
            work()
            self.passed.append(name)
        except LeftOut as reason:
            self.left_out.append((name, str(reason)))
        except Exception as error:  # noqa: BLE001: a client may fail in any way, and the others still run
            said = str(error) if isinstance(error, AssertionError) and str(error) else traceback.format_exc(limit=-3)
            self.failed.append((name, said[-1500:]))

    # One case

    def case(self, case: Case):
        if case.needs:
            self.client.needs(case.needs)
        for _ in range(case.times):
            answer = self.make(case)
            if not case.refused or answer.code == case.refused[0]:
                break
        if case.refused:
            return answer.expect_refused(*case.refused, case.facts, case.waits)
        found = answer.messages[-1] if case.until else answer.message
        if (said := difference(filled(case.expect, self.variables), found)) is not None:
            raise AssertionError(said)
        for name, path in case.save:
            self.variables[name] = at_path(found, path)
            assert self.variables[name] is not None, f"{path} is missing: {found}"

    def make(self, case: Case) -> Answer:
        metadata = list(case.metadata)
        if case.key is not None:
            metadata.append((KEY_METADATA, text_id(case.key)))
        if case.token is not None:
            metadata.append(("authorization", f"Bearer {TOKENS.get(case.token, case.token)}"))
        stream = self.connected[case.server].open(case.full_method, filled(case.request, self.variables), metadata,
                                                  case.timeout_ms)
        if case.until:
            stream.until(lambda message: at_path(message, case.until) is not None)
            stream.cancel()
            return stream.answer
        return stream.to_end()
