"""rules.md T, U, S, E and durability.md D1 to D10 as a state machine: Hypothesis draws what several clients of two
tenants do, and what befalls connections and the server; the model (thread_model.py) says what must then be true.

In CI the same sequences each time; `make soak-model EXAMPLES=n` draws other ones. A failure is shrunk and printed as a
program of calls. That it bites is shown by `make model-bites`.
"""

import dataclasses
import os

import pytest
from harness.messages import METHODS, item_text, words
from harness.wire import RESPONSE
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test
from model_clients import THREADS, Clients, index
from model_feeds import EVENT_SECONDS, Feed, Log
from model_world import Sent, Worlds, equal
from thread_model import SAY, UNCHANGED, Thread, Turn

EXAMPLES = int(os.environ.get("HEDDLE_MODEL_EXAMPLES", "40"))
SOAK = os.environ.get("HEDDLE_MODEL_SOAK") == "1"
# Shrinking asks the server a few hundred times; a failure that is not shrunk is found again all the same.
SHRINKS = os.environ.get("HEDDLE_MODEL_SHRINK", "1") == "1"
STEPS = 40


@dataclasses.dataclass
class Flying:
    """A mutation whose answer nobody may ever see."""

    kind: str
    name: str
    key: bytes
    fields: dict
    text: str
    thread: Thread | None
    answer: object = None


class ClientsInTrouble(Clients):
    """Connections that end, servers that end."""

    @rule(peer=index, rudely=st.booleans())
    def drop(self, peer, rudely):
        peer = self.peer(peer)
        peer.connection.reset() if rudely else peer.connection.close()
        peer.come_back()

    @precondition(lambda self: not any(thread.running for thread in self.alive))
    @rule()
    def restart(self):
        """SIGTERM, drained and clean."""
        self.world.server.terminate()
        equal("the exit", self.world.server.wait(30), 0)
        self.world.server.start()
        self.everybody_comes_back()

    @rule()
    def kill(self):
        """D5: nothing acknowledged is lost, what ran is interrupted once."""
        self.world.server.kill()
        for peer in self.peers:
            peer.hear_out()
        self.world.server.start()
        for thread in self.alive:
            thread.crashed()
        self.everybody_comes_back()

    def everybody_comes_back(self):
        for peer in self.peers:
            peer.connection.close()
            peer.come_back()
        self.touched |= {thread.id for thread in self.alive}

    @precondition(lambda self: any(not thread.archived for thread in self.alive))
    @rule(what=st.lists(st.tuples(st.sampled_from(["name", "folder", "turn", "turn", "thread"]), index), min_size=1,
                        max_size=5), acks=st.integers(0, 5))
    def kill_under_load(self, what, acks):
        """kill -9 while requests are on their way: those that were answered are there, the others wholly or not at all;
        the same keys tell which, and do the rest once (D1, D5, D15, E2)."""
        flying = self.take_off(what)
        streams = [self.home.connection.open(one.name, key=one.key, **one.fields) for one in flying]
        for one, stream in list(zip(flying, streams))[:acks]:
            one.answer = self.home.connection.answer(stream, one.name)
        self.world.server.kill()
        for peer in self.peers:
            peer.hear_out()
        # Answers that nobody has read yet were given all the same.
        given = {frame.stream: frame for frame in self.home.connection.inbox if frame.kind == RESPONSE}
        for one, stream in zip(flying, streams):
            if stream in given:
                one.answer = METHODS[one.name].response.FromString(given[stream].body)
        self.world.server.start()
        self.find_out(flying)

    def find_out(self, flying: list[Flying]):
        for peer in self.peers:
            peer.connection.close()
            peer.connect()
        places = [(self.place(one), one) for one in flying]
        there = [one for place, one in sorted(places, key=lambda found: found[0]) if place]
        uncertain: list[Turn] = []
        for one in flying:
            assert one in there or one.answer is None, f"D1: acknowledged and lost: {one.name} {one.text}"
        for one in there:
            answer = self.home.connection.call(one.name, key=one.key, **one.fields)
            assert answer.replayed, f"E2: {one.name} is there, and its key does not know it"
            uncertain += self.land(one, answer)
        for thread in self.alive:
            thread.crashed()
        self.resolve(uncertain)
        for peer in self.peers:
            peer.connection.close()
            peer.come_back()
        for one in flying:
            if one not in there:
                answer = self.home.connection.call(one.name, key=one.key, **one.fields)
                assert not answer.replayed, f"E2: {one.name} is not there, and its key says it is"
                self.land(one, answer)
        self.touched |= {thread.id for thread in self.alive}

    def take_off(self, what: list) -> list[Flying]:
        """The requests to be sent; none that the rules refuse."""
        flying, open_threads = [], [thread for thread in self.alive if not thread.archived]
        for kind, number in what:
            thread, text = open_threads[number % len(open_threads)], self.unique(kind)
            if kind == "thread":
                if len(self.threads) < THREADS and not any(one.kind == "thread" for one in flying):
                    fields = {"name": text, "subscribe": False}
                    flying.append(Flying(kind, "Thread.Start", self.key(), fields, text, None))
                continue
            name, fields = {
                "name": ("Thread.SetName", {"name": text}),
                "folder": ("Settings.Update", {"change": {"working_folder": text}}),
                "turn": ("Turn.Start", {"input": words(text)}),
            }[kind]
            if kind != "turn" or len(thread.queue) < 8:
                flying.append(Flying(kind, name, self.key(), {"thread": thread.id, **fields}, text, thread))
        return flying

    def place(self, one: Flying) -> int:
        """The number of the request's event; 0: there is none. Requests that were in flight together were carried out in any
        order. A turn that waited is placed where it began, with the settings of that time."""
        connection, waiting, last = self.home.connection, None, 0
        if one.kind == "thread":
            return len(connection.call("Thread.List", text=one.text).threads)
        for event in connection.history(one.thread.id):
            kind, last = event.WhichOneof("kind"), event.sequence
            if kind == "turn_queued" and event.turn_queued.turn.input.content[0].text == one.text:
                waiting = event.turn_queued.turn.id
            if kind == "turn_started" and waiting == event.turn_started.turn:
                return event.sequence
            if ((kind == "name_changed" and event.name_changed.name == one.text)
                    or (kind == "settings_updated" and event.settings_updated.settings.working_folder == one.text)
                    or (kind == "item_completed" and item_text(event.item_completed.item) == one.text)):
                return event.sequence
        return last + 1 if waiting else 0

    def land(self, one: Flying, answer) -> list[Turn]:
        """Tells the model. Turns that a crash may have caught are returned."""
        self.sent.append(Sent(one.name, one.key, one.fields, answer, one.thread))
        self.sent[-1].answer.replayed = False
        if one.kind == "thread":
            self.sent[-1].thread = Thread(answer.thread.id, one.text)
            self.add(self.sent[-1].thread, answer.sequence)
            return []
        if one.answer is not None:
            self.tell(one.thread, one.answer.sequence)
        if one.kind == "name":
            one.thread.rename(one.text)
        if one.kind == "folder":
            one.thread.update(None, one.text, UNCHANGED)
        if one.kind == "turn":
            turn = Turn(answer.turn, one.text, SAY)
            one.thread.start(turn)
            return [turn]
        return []

    def resolve(self, uncertain: list[Turn]):
        """A turn that began before the crash was completed or interrupted: the log says which, and says it once."""
        for thread in self.alive:
            mine = [turn for turn in uncertain if turn.id in thread.ended]
            if mine:
                feed = Feed(self.home.connection, Log(thread, self.logs[thread.id].epoch), 0, True)
                while any(turn.id not in feed.log.ended for turn in mine):
                    feed.next(EVENT_SECONDS)
                for turn in mine:
                    status = feed.log.ended[turn.id]
                    assert status in ("COMPLETED", "INTERRUPTED"), f"a turn ended {status}"
                    turn.status = thread.ended[turn.id] = status


@pytest.fixture(autouse=True, scope="module")
def worlds():
    yield
    Worlds.close()


def play(examples: int, shrinks: bool, **options):
    phases = (Phase.generate, Phase.shrink) if shrinks else (Phase.generate,)
    run_state_machine_as_test(ClientsInTrouble, settings=settings(
        max_examples=examples, stateful_step_count=STEPS, deadline=None, database=None, report_multiple_bugs=False,
        phases=phases, suppress_health_check=list(HealthCheck), **options))


def test_clients_find_what_the_rules_say(worlds):
    """T1 to T8, U1 to U5, S1 to S5, E1, E2, I: durability.md D1, D2, D5, D15 and the properties of subscriptions, by
    several clients of two tenants, through reconnects, restarts and kill -9."""
    play(EXAMPLES, SHRINKS, derandomize=not SOAK, print_blob=SOAK)
