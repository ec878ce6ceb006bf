"""rules.md V, M and S as a property: any sequence of commands over the wire does what an independent model of the rules
says, in what is reported and in what the model really receives, item by item.

HEDDLE_SEED and HEDDLE_WIRE_SEQUENCES choose the sequences. A sequence that fails is shrunk by dropping steps, each try on
fresh threads, and printed. Steps are plain tuples; a thread is named by a number modulo how many there are, so that a
sequence with steps dropped is a sequence too.
"""

import contextlib
import dataclasses
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.connection import PATIENCE_SECONDS
from harness.messages import item_pb2, item_text, mode_name, turn_status, version_name, words
from harness.wire import Closed, HeddleError
from recorded import POLL_PAUSE_SECONDS, RecordedServer, Thread, flags, quiet, version_of

SEED = os.environ.get("HEDDLE_SEED", "1")
SEQUENCES = int(os.environ.get("HEDDLE_WIRE_SEQUENCES", "150"))
STEPS, THREADS, SHRINK_TRIES = 12, 4, 200
SERVERS = 3
ENOUGH_TO_BITE = 150
CATALOG = {"scripted": None, "scripted-v1": "V1", "scripted-v2": "V2", "scripted-disabled": "DISABLED"}
EXPLICIT, PROACTIVE = "EXPLICIT_REQUEST_ONLY", "PROACTIVE"
NUMBER = {EXPLICIT: 1, PROACTIVE: 2}
FEATURES = ("multi_agent", "multi_agent_v2", "multi_agent_mode")
HINT, TEXTS = "hint", {EXPLICIT: "explicit", PROACTIVE: "proactive"}
VARIABLES = {"HEDDLE_TEXTS_ROOT_HINT": HINT, "HEDDLE_TEXTS_EXPLICIT_MODE": TEXTS[EXPLICIT],
             "HEDDLE_TEXTS_PROACTIVE_MODE": TEXTS[PROACTIVE], "HEDDLE_TEXTS_INTERRUPTION": "cut"}


# The model: what rules.md says, and nothing from the server.


@dataclasses.dataclass(frozen=True)
class Context:
    """The context of one turn (M7)."""

    model: str
    selected: str | None
    revision: int
    version: str
    effective: str | None


@dataclasses.dataclass
class Turn:
    context: Context
    items: list
    status: str = "RUNNING"


@dataclasses.dataclass
class State:
    """One thread."""

    model: str = "scripted"
    selected: str | None = None
    revision: int = 1
    version: str | None = None
    source: str | None = None
    turns: list = dataclasses.field(default_factory=list)
    # Rolled-back ones too.
    last_turn: Turn | None = None
    requests: int = 0


class Rules:
    """The rules that a deliberate mistake can replace."""

    def __init__(self, features: dict, hints: bool):
        self.features, self.hints = dict(features), hints

    def resolve(self, state: State) -> tuple[str, str]:
        """V5, V7."""
        if state.version:
            return state.version, state.source
        if asked := CATALOG[state.model]:
            return asked, "CATALOG"
        if self.features["multi_agent_v2"]:
            return "V2", "FLAGS"
        return ("V1" if self.features["multi_agent"] else "DISABLED"), "FLAGS"

    def effective(self, state: State) -> str | None:
        """M4."""
        if state.version != "V2" or not self.hints:
            return None
        return (state.selected or EXPLICIT) if self.features["multi_agent_mode"] else EXPLICIT

    def baseline(self, state: State) -> Context | None:
        """M7: the newest turn that was not rolled back."""
        return state.turns[-1].context if state.turns else None

    def selection_of_fork(self, source: State) -> str | None:
        """M9."""
        return source.selected

    def told(self, effective: str | None, before: Context | None) -> str | None:
        """M6."""
        if before is None:
            return effective
        if effective == before.effective:
            return None
        return effective or (EXPLICIT if before.effective == PROACTIVE else None)

    # Commands

    def change(self, state: State, change: dict) -> bool:
        """S1, S4, M1, M2."""
        before = (state.model, state.selected)
        state.model = change.get("model", state.model)
        mode = change.get("mode", "keep")
        state.selected = {"keep": state.selected, "clear": None}.get(mode, mode)
        changed = before != (state.model, state.selected)
        state.revision += changed
        return changed

    def begin(self, state: State, text: str, change: dict) -> Turn:
        """A turn starts: settings, pin, context, what its model is told."""
        self.change(state, change)
        state.version, state.source = self.resolve(state)
        before = self.baseline(state)
        context = Context(state.model, state.selected, state.revision, state.version, self.effective(state))
        items = []
        if before is None and state.version == "V2" and self.hints:
            items.append(("DEVELOPER", HINT))
        if mode := self.told(context.effective, before):
            items.append(("DEVELOPER", f"<multi_agent_mode>{TEXTS[mode]}</multi_agent_mode>"))
        items.append(("USER", text))
        turn = Turn(context, items)
        state.turns = state.turns + [turn]
        state.last_turn = turn
        return turn

    def end(self, turn: Turn, status: str):
        """U3, U5."""
        turn.status = status
        if status == "COMPLETED":
            turn.items.append(("ASSISTANT", "You said: " + turn.items[-1][1].rsplit("\n", 1)[-1]))
        if status == "INTERRUPTED":
            role = "DEVELOPER" if turn.context.version == "V2" else "USER"
            turn.items.append((role, "<turn_interrupted>cut</turn_interrupted>"))

    def fork(self, source: State, cut: int | None, change: dict) -> State:
        """T3, V2, M9. What its client changes on the way belongs to its start: no revision of its own."""
        turns = source.turns if cut is None else source.turns[:cut + 1]
        turns = [dataclasses.replace(turn, items=list(turn.items)) for turn in turns]
        fork = State(source.model, self.selection_of_fork(source), source.revision, source.version,
                     source.version and "STORED", turns, turns[-1] if turns else None)
        self.change(fork, change)
        fork.revision = source.revision
        for turn in turns[-1:]:
            if turn.status == "RUNNING":
                self.end(turn, "INTERRUPTED")
        return fork


# Commands


def random_change(rng: random.Random) -> dict:
    change = {}
    if rng.random() < 0.35:
        change["model"] = rng.choice(list(CATALOG))
    if rng.random() < 0.5:
        change["mode"] = rng.choice((EXPLICIT, PROACTIVE, PROACTIVE, "clear", "keep"))
    return change


def random_step(rng: random.Random) -> tuple:
    kind = rng.choices(
        ("start", "update", "turn", "busy", "fork", "fork running", "rollback", "resume", "flag", "restart", "torn"),
        (6, 20, 38, 5, 7, 3, 9, 3, 9, 2, 2))[0]
    thread, change = rng.randrange(THREADS), random_change(rng)
    match kind:
        case "start":
            return kind, change
        case "update":
            return kind, thread, change, rng.choice(("any", "now", "stale"))
        case "turn":
            return kind, thread, rng.choices(("say", "fail", "interrupt", "crash"), (78, 8, 12, 2))[0], change
        case "busy":
            return kind, thread, change, random_change(rng), rng.choice(("finish", "finish", "interrupt", "interrupt", "crash"))
        case "fork":
            return kind, thread, rng.choice((None, None, rng.randrange(4))), change
        case "rollback":
            return kind, thread, rng.choice((1, 1, 2, 9))
        case "flag":
            return kind, rng.choice(FEATURES), rng.random() < 0.6
        case "restart":
            return kind, rng.random() < 0.4
        case "torn":
            return kind, thread, rng.choice(("update", "turn", "turn")), change, rng.randrange(7)
        case _:
            return kind, thread


def random_sequence(seed: str) -> tuple[dict, list]:
    """Features to begin with, and the steps."""
    rng = random.Random(seed)
    features = {"multi_agent": rng.random() < 0.7, "multi_agent_v2": rng.random() < 0.5,
                "multi_agent_mode": rng.random() < 0.7}
    first = ("start", {"model": rng.choice(("scripted", "scripted-v2", "scripted-v2")), **random_change(rng)})
    return features, [first] + [random_step(rng) for _ in range(rng.randint(STEPS - 4, STEPS + 2))]


def wire(change: dict) -> dict:
    """The change as the schema has it."""
    out = {name: value for name, value in change.items() if name != "mode"}
    mode = change.get("mode")
    if mode is not None:
        out["mode"] = {"keep": {}, "clear": {"clear": True}}.get(mode) if mode in ("keep", "clear") else {
            "set": NUMBER[mode]}
    return out


def role_and_text(item) -> tuple[str, str]:
    marks = item.WhichOneof("kind") == "marker"
    role = item_pb2.Role.Name(item.marker.role if marks else item.message.role)
    return role.removeprefix("ROLE_"), item.marker.text if marks else item_text(item)


def equal(what: str, found, expected):
    assert found == expected, f"{what}: the server says {found}, the rules say {expected}"


class Run:
    """One sequence on fresh threads, the server beside the model."""

    def __init__(self, server: RecordedServer, rules_class: type, features: dict):
        self.server, self.texts = server, 0
        if not server.alive or server.variables["HEDDLE_TEXTS_USAGE_HINTS"] != "true":
            server.restart(HEDDLE_TEXTS_USAGE_HINTS="true")
        self.rules = rules_class(features, True)
        self.connection = quiet(server)
        flags(self.connection, **features)
        self.pairs: list[tuple[Thread, State]] = []

    def play(self, steps: list):
        try:
            for step in steps:
                self.step(*step)
                self.check()
            self.check_logs()
        finally:
            self.connection.close()

    def step(self, kind: str, *arguments):
        if kind in ("start", "flag", "restart"):
            return getattr(self, kind)(*arguments)
        if self.pairs:
            thread, state = self.pairs[arguments[0] % len(self.pairs)]
            getattr(self, kind.replace(" ", "_"))(thread, state, *arguments[1:])

    def start(self, change: dict):
        if len(self.pairs) >= THREADS:
            return
        thread, state = Thread.start(self.server, self.connection, **wire(change)), State()
        self.rules.change(state, change)
        state.revision = 1
        self.pairs.append((thread, state))

    def flag(self, name: str, value: bool):
        flags(self.connection, **{name: value})
        self.rules.features[name] = value

    def restart(self, hints: bool | None = None):
        """kill -9. What is on disk is compared before anything is loaded, then the threads are followed again."""
        if hints is not None:
            self.rules.hints = hints
        self.connection.close()
        self.server.restart(HEDDLE_TEXTS_USAGE_HINTS=str(self.rules.hints).lower())
        self.connection = quiet(self.server)
        for thread, _ in self.pairs:
            thread.connection = self.connection

    def follow_again(self):
        self.pairs = [(Thread.resume(self.server, self.connection, thread.id), state) for thread, state in self.pairs]

    def update(self, thread: Thread, state: State, change: dict, expect: str):
        fields = {"any": {}, "now": {"expected_revision": state.revision},
                  "stale": {"expected_revision": state.revision - 1}}[expect]
        if expect == "stale":
            error = self.connection.refusal("Settings.Update", thread=thread.id, change=wire(change), **fields)
            return equal("a stale update", (error.code, error.reason, error.details.get("now")),
                         ("ABORTED", "revision_mismatch", str(state.revision)))
        before = thread.read().sequence
        answer = self.connection.call("Settings.Update", thread=thread.id, change=wire(change), **fields)
        changed = self.rules.change(state, change)
        equal("an update", (answer.changed, answer.revision, answer.sequence - before, mode_name(answer.settings)),
              (changed, state.revision, int(changed), state.selected))

    def text(self, directive: str = "") -> str:
        """The input of a turn; no two are equal."""
        self.texts += 1
        return f"{directive}input {self.texts}"

    def turn(self, thread: Thread, state: State, how: str, change: dict):
        text = self.text({"say": "", "fail": "!fail\n"}.get(how, "!stall\n"))
        turn = self.rules.begin(state, text, change)
        id = self.connection.start_turn(thread.id, text, settings=wire(change)).turn
        status = {"say": "COMPLETED", "fail": "FAILED"}.get(how)
        if status:
            equal("the end of a turn", turn_status(thread.follower.until_ended(id).status), status)
        self.check_request(id, state)
        if how == "interrupt":
            self.connection.call("Turn.Interrupt", thread=thread.id, turn=id)
            thread.follower.until_ended(id)
        if how == "crash":
            self.restart()
        self.rules.end(turn, status or "INTERRUPTED")

    def busy(self, thread: Thread, state: State, change: dict, override: dict, how: str):
        """S2 an update while a turn runs, and a turn that waits and brings settings of its own (U1). A turn that ends by
        itself may do so before the other one waits: that makes no difference afterwards."""
        text, later = self.text("!delay 15\n" if how == "finish" else "!stall\n"), self.text()
        running = self.rules.begin(state, text, {})
        id = self.connection.start_turn(thread.id, text).turn
        self.check_request(id, state)
        self.connection.call("Settings.Update", thread=thread.id, change=wire(change))
        self.rules.change(state, change)
        waiting = self.connection.start_turn(thread.id, later, settings=wire(override)).turn
        match how:
            case "crash":
                self.check()
                self.restart()
            case "interrupt":
                self.check()
                self.connection.call("Turn.Interrupt", thread=thread.id, turn=id)
        self.rules.end(running, "COMPLETED" if how == "finish" else "INTERRUPTED")
        turn = self.rules.begin(state, later, override)
        self.check_request(waiting, state)
        self.rules.end(turn, "COMPLETED")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while thread.read().HasField("running_turn"):
            assert time.monotonic() < deadline, "the turn that waited does not end"
            time.sleep(POLL_PAUSE_SECONDS)

    def torn(self, thread: Thread, state: State, what: str, change: dict, answers: int):
        """kill -9 while a change is under way: afterwards it happened whole or not at all, and a model was asked only for
        a turn that is on disk, with its pin and its settings (V7)."""
        text = self.text("!stall\n")
        if what == "update":
            self.connection.open("Settings.Update", thread=thread.id, change=wire(change))
        else:
            self.connection.open("Turn.Start", thread=thread.id, input=words(text), settings=wire(change))
        for _ in range(answers):
            self.connection.call("Server.Status")
        self.restart()
        found, asked = thread.read(), len(self.server.requests(thread.id)) - state.requests
        if what == "update" and found.revision != state.revision:
            self.rules.change(state, change)
        if what == "turn" and found.turn_count != len(state.turns):
            turn = self.rules.begin(state, text, change)
            listed = self.connection.call("Thread.ListTurns", thread=thread.id, page_size=1).turns
            if asked:
                self.check_request(listed[0].id, state)
            self.rules.end(turn, "INTERRUPTED")
        else:
            equal("requests for what is not on disk", asked, 0)

    def fork(self, thread: Thread, state: State, cut: int | None, change: dict):
        if len(self.pairs) >= THREADS:
            return
        fields = {"settings": wire(change)}
        if cut is not None and state.turns:
            cut %= len(state.turns)
            listed = self.connection.call("Thread.ListTurns", thread=thread.id, page_size=200, order=2).turns
            fields["last_turn"] = listed[cut].id
        else:
            cut = None
        self.pairs.append((thread.fork(**fields), self.rules.fork(state, cut, change)))

    def fork_running(self, thread: Thread, state: State):
        """T3: the fork ends in an interruption, the source does not notice."""
        if len(self.pairs) >= THREADS:
            return
        text = self.text("!stall\n")
        turn = self.rules.begin(state, text, {})
        id = self.connection.start_turn(thread.id, text).turn
        self.check_request(id, state)
        self.pairs.append((thread.fork(), self.rules.fork(state, None, {})))
        self.check()
        self.connection.call("Turn.Interrupt", thread=thread.id, turn=id)
        self.rules.end(turn, "INTERRUPTED")

    def rollback(self, thread: Thread, state: State, count: int):
        answer = self.connection.call("Thread.Rollback", thread=thread.id, turns=count)
        equal("rolled back", answer.rolled_back, min(count, len(state.turns)))
        state.turns = state.turns[:-count]

    def resume(self, thread: Thread, state: State):
        """M9 a loaded thread that is resumed keeps its live selection; V8 nothing is pinned but what is legacy."""
        resumed = self.connection.call("Thread.Resume", thread=thread.id, subscribe=False).thread
        equal("a resume", (mode_name(resumed.settings), version_of(resumed)), (state.selected, self.version(state)))

    # Comparisons

    @staticmethod
    def version(state: State) -> tuple[str, str]:
        return state.version or "UNSPECIFIED", state.source or "UNSPECIFIED"

    def check_request(self, turn: bytes, state: State):
        """Checks the request for the newest turn: the whole input, and its context."""
        state.requests += 1
        request, context = self.server.request_of(turn), state.turns[-1].context
        equal("the request", (request.model, request.version, request.effective_mode, request.revision),
              (context.model, context.version, context.effective, context.revision))
        equal("the model's input", [(item["role"], item["text"]) for item in request.items],
              [item for turn in state.turns for item in turn.items])
        assert len(request.fragments) == sum("<multi_agent_mode>" in text for turn in state.turns
                                             for _, text in turn.items)

    def check(self):
        """Every thread as every reader sees it."""
        for thread, state in self.pairs:
            found, settings = thread.read(), self.connection.call("Settings.Read", thread=thread.id)
            for name, holder in (("Read", found), ("SettingsService/Read", settings)):
                equal(name, (holder.settings.model, mode_name(holder.settings), holder.revision, version_of(holder)),
                      (state.model, state.selected, state.revision, self.version(state)))
            equal("the turn count", found.turn_count, len(state.turns))
            turns = self.connection.call("Thread.ListTurns", thread=thread.id, page_size=200, order=2).turns
            equal("the turns", [(turn_status(turn.status), self.context(turn.context)) for turn in turns],
                  [(turn.status, turn.context) for turn in state.turns])
            equal("how often the model was asked", len(self.server.requests(thread.id)), state.requests)
        if self.pairs and self.pairs[0][0].follower.connection is not self.connection:
            self.follow_again()

    @staticmethod
    def context(context) -> Context:
        effective = {1: EXPLICIT, 2: PROACTIVE}[context.effective_mode] if context.HasField("effective_mode") else None
        return Context(context.settings.model, mode_name(context.settings), context.revision,
                       version_name(context.version), effective)

    def check_logs(self):
        """V7 one pin in a log, or none; S4 revisions rise by one in a thread's own events; T7 every item in its turn."""
        with quiet(self.server) as other:
            for thread, state in self.pairs:
                events = other.history(thread.id)
                kinds = [event.WhichOneof("kind") for event in events]
                equal("pins in the log", kinds.count("version_pinned"), int(state.version is not None))
                own = len(kinds) - kinds[::-1].index("thread_created")
                revisions = [event.settings_updated.revision for event in events[own:]
                             if event.WhichOneof("kind") == "settings_updated"]
                equal("revisions", revisions, list(range(state.revision - len(revisions) + 1, state.revision + 1)))
                listed = other.call("Thread.ListTurns", thread=thread.id, page_size=200, order=2).turns
                for turn, expected in zip(listed, state.turns, strict=True):
                    rows = other.call("Thread.ListItems", thread=thread.id, turn=turn.id, page_size=200).items
                    equal("the items of a turn", [role_and_text(row.item) for row in rows], expected.items)


FAILURES = (AssertionError, HeddleError, Closed, TimeoutError, ConnectionError)


def failure(server, rules_class: type, features: dict, steps: list) -> Exception | None:
    try:
        Run(server, rules_class, features).play(steps)
    except FAILURES as found:
        return found
    return None


class Shrinker:
    """Makes a failing sequence smaller, as long as it fails."""

    def __init__(self, server, rules_class: type, features: dict, steps: list, why: Exception):
        self.server, self.rules_class, self.features = server, rules_class, features
        self.steps, self.why, self.tries = steps, why, 0

    def fails(self, steps: list) -> bool:
        if self.tries >= SHRINK_TRIES:
            return False
        self.tries += 1
        why = failure(self.server, self.rules_class, self.features, steps)
        if why:
            self.steps, self.why = steps, why
        return why is not None

    def drop_steps(self):
        """By halves, quarters, … at last one by one until none can go."""
        size = max(1, len(self.steps) // 2)
        while size:
            at, dropped = 0, False
            while at < len(self.steps):
                if self.fails(self.steps[:at] + self.steps[at + size:]):
                    dropped = True
                else:
                    at += size
            size = size if dropped and size == 1 else size // 2

    def simplify(self):
        """Changes become empty, numbers (which thread) become the first."""
        for at, step in enumerate(self.steps):
            for place, part in enumerate(step):
                simple = {dict: {}, int: 0}.get(type(part)) if place else None
                if simple is not None and part != simple and not (step[0] == "rollback" and place == 2):
                    now = self.steps[at]
                    self.fails(self.steps[:at] + [now[:place] + (simple,) + now[place + 1:]] + self.steps[at + 1:])


def certain_sequence(seed: str) -> tuple[dict, list]:
    """The same without changes that a kill may or may not take back: what follows them is left to time."""
    features, steps = random_sequence(seed)
    return features, [step for step in steps if step[0] != "torn"]


def first_failure(servers: list, rules_class: type, count: int, seeds: str = SEED, sequence=random_sequence):
    """The first sequence that fails: its seed, the features, its steps shrunk, and how they failed; or None. Several
    servers take the sequences in turn: most of a sequence is waiting, for a start above all."""
    found, over = [], threading.Event()

    def look(place: int):
        for number in range(place, count, len(servers)):
            if over.is_set():
                return
            features, steps = sequence(f"{seeds}/{number}")
            if why := failure(servers[place], rules_class, features, steps):
                found.append((number, features, steps, why))
                over.set()

    with ThreadPoolExecutor(len(servers)) as pool:
        list(pool.map(look, range(len(servers))))
    if not found:
        return None
    number, features, steps, why = min(found, key=lambda one: one[0])
    shrinker = Shrinker(servers[0], rules_class, features, steps, why)
    shrinker.drop_steps()
    shrinker.simplify()
    shrinker.drop_steps()
    return f"{seeds}/{number}", features, shrinker.steps, shrinker.why


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(RecordedServer(
            tmp_path_factory.mktemp("property") / "data", HEDDLE_TEXTS_USAGE_HINTS="true", **VARIABLES))
            for _ in range(SERVERS)]
        yield running
        for server in running:
            assert server.alive, server.log_text()[-2000:]


def test_any_sequence_does_what_the_rules_say(servers):
    """V1 to V7, V11, M1 to M4, M6 to M10, S1 to S5, T3, T7, U3, U4: after each step every thread, its turns and what its
    model received are what the rules say."""
    if found := first_failure(servers, Rules, SEQUENCES):
        seed, features, steps, why = found
        lines = "\n".join(f"  {step}" for step in steps)
        pytest.fail(f"seed {seed} (HEDDLE_SEED={SEED}), features {features}:\n{lines}\n{why!r}")


# Proof that it bites: each of these has one rule wrong.


class ModelChangeMovesTheVersion(Rules):
    """Against V7: resolved anew at every turn."""

    def resolve(self, state: State) -> tuple[str, str]:
        return super().resolve(dataclasses.replace(state, version=None, source=None))


class RolledBackTurnsStillCount(Rules):
    """Against M7: the baseline is the newest turn, rolled back or not."""

    def baseline(self, state: State) -> Context | None:
        return state.last_turn.context if state.last_turn else None


class ForksForgetTheSelection(Rules):
    """Against M9."""

    def selection_of_fork(self, source: State) -> str | None:
        return None


class NotApplicableSaysNothing(Rules):
    """Against M6 (c): a proactive thread that becomes not applicable is not revoked."""

    def told(self, effective: str | None, before: Context | None) -> str | None:
        return None if effective is None else super().told(effective, before)


class EqualChangesCount(Rules):
    """Against S4: a change that changes nothing gets a revision."""

    def change(self, state: State, change: dict) -> bool:
        changed = super().change(state, change)
        state.revision += not changed and bool(change)
        return changed


@pytest.mark.parametrize("wrong,most", [
    (ModelChangeMovesTheVersion, 3), (RolledBackTurnsStillCount, 5), (ForksForgetTheSelection, 2),
    (NotApplicableSaysNothing, 5), (EqualChangesCount, 2)], ids=lambda value: getattr(value, "__name__", ""))
def test_a_wrong_rule_is_found_and_shrunk(servers, wrong, most):
    """The checker bites: it finds each mistake, shrinks it to a few steps, and those steps pass with the right rules."""
    found = first_failure(servers, wrong, ENOUGH_TO_BITE, "b3", certain_sequence)
    assert found, f"{wrong.__doc__} was not noticed in {ENOUGH_TO_BITE} sequences"
    _, features, steps, why = found
    assert isinstance(why, AssertionError) and "the rules say" in str(why), repr(why)
    assert len(steps) <= most, steps
    assert failure(servers[0], Rules, features, steps) is None
