"""Deliberate mistakes for the model-based test: a connection that makes of an honest server one that breaks a rule, as
far as its clients can see. `make model-bites` plays until each is found and says in how many examples; ONLY=name for
one.
"""

import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness.connection import Connection  # noqa: E402
from harness.messages import event_pb2, thread_pb2, words  # noqa: E402
from harness.wire import EVENT, Frame  # noqa: E402


class KeysMeanNothing(Connection):
    """Against E2: every request is a new one."""

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        return super().open(name, body, metadata=metadata, **fields)


class KeysAreForgotten(Connection):
    """Against E2: keys live as long as the process."""

    born: dict = {}

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        if key is not None and self.born.setdefault((self.token, key), self.address) != self.address:
            key = random.randbytes(16)
        return super().open(name, body, key=key, metadata=metadata, **fields)


class RevisionsAreNotChecked(Connection):
    """Against S4."""

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        fields.pop("expected_revision", None)
        return super().open(name, body, key=key, metadata=metadata, **fields)


class ResumeIsOffByOne(Connection):
    """Against E1: the first event after n is n + 2."""

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        if name == "Thread.Subscribe" and fields.get("after"):
            head = self.call("Thread.Read", thread=fields["thread"]).thread.sequence
            fields["after"] += fields["after"] < head
        return super().open(name, body, key=key, metadata=metadata, **fields)


class ForksForgetTheSelection(Connection):
    """Against T3, M9."""

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        if name == "Thread.Fork":
            fields["settings"] = {"mode": {"clear": True}}
        return super().open(name, body, key=key, metadata=metadata, **fields)


class PagesSkipOne(Connection):
    """Against T8: what stands between two pages is on neither."""

    def answer(self, stream, name, timeout=None):
        answer = super().answer(stream, name, timeout)
        if name == "Thread.List" and answer.next_cursor:
            del answer.threads[-1]
        return answer


class AnswersComeBeforeTheDisk(Connection):
    """Against D1: a new name is acknowledged at once and written with the next request."""

    held: Frame | None = None
    made: int | None = None

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        if self.held:
            frame, self.held = self.held, None
            self.send_frame(frame)
            self.terminal(frame.stream)
        if name != "Thread.SetName":
            return super().open(name, body, key=key, metadata=metadata, **fields)
        before = self.call("Thread.Read", thread=fields["thread"]).thread
        if before.archived or before.name == fields["name"]:
            return super().open(name, body, key=key, metadata=metadata, **fields)
        self.held = self.request_frame(name, thread_pb2.SetThreadNameRequest(**fields), key=key)
        self.made = before.sequence + 1
        return self.held.stream

    def answer(self, stream, name, timeout=None):
        if self.held and stream == self.held.stream:
            return thread_pb2.SetThreadNameResponse(sequence=self.made)
        return super().answer(stream, name, timeout)


class WaitingTurnsAreLost(Connection):
    """Against U1: an interruption takes the next turn along."""

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        if name == "Turn.Interrupt":
            for waiting in self.call("Turn.ListQueue", thread=fields["thread"]).turns[:1]:
                self.call("Turn.CancelQueued", thread=fields["thread"], turn=waiting.id)
        return super().open(name, body, key=key, metadata=metadata, **fields)


class SteeredInputIsLost(Connection):
    """Against U2: other words reach the history."""

    def open(self, name, body=None, /, key=None, metadata=None, **fields):
        if name == "Turn.Steer":
            fields["input"] = words("something else")
        return super().open(name, body, key=key, metadata=metadata, **fields)


class ListensBadly(Connection):
    """A connection that changes messages of subscriptions, or drops them."""

    def receive(self, timeout=None):
        while (frame := super().receive(timeout)) is not None:
            if frame.kind != EVENT:
                return frame
            message = self.heard(event_pb2.SubscriptionEvent.FromString(frame.body))
            if message is not None:
                return Frame(EVENT, frame.method, frame.stream, message.SerializeToString(), frame.flags)
        return None

    def heard(self, message):
        return message


class EventsAreDropped(ListensBadly):
    """Against E3: one event in forty never comes."""

    count = 0

    def heard(self, message):
        EventsAreDropped.count += message.WhichOneof("kind") == "event"
        return None if message.WhichOneof("kind") == "event" and EventsAreDropped.count % 40 == 0 else message


class EventsChange(ListensBadly):
    """Against Agreement: what is read again is not what was seen."""

    def heard(self, message):
        if message.WhichOneof("kind") == "event":
            message.event.at = len(self.inbox) + id(self) % 1_000
        return message


class PiecesAreDropped(ListensBadly):
    """Against Deltas: the second piece of a text never comes."""

    def heard(self, message):
        return None if message.WhichOneof("kind") == "delta" and message.delta.offset else message


PLANTS = [KeysMeanNothing, KeysAreForgotten, RevisionsAreNotChecked, ResumeIsOffByOne, ForksForgetTheSelection,
          PagesSkipOne, AnswersComeBeforeTheDisk, WaitingTurnsAreLost, SteeredInputIsLost, EventsAreDropped, EventsChange,
          PiecesAreDropped]


def main() -> int:
    import model_feeds
    import test_model
    from model_world import Worlds
    most, found = int(os.environ.get("EXAMPLES", "200")), 0
    # Missing events are reported sooner.
    model_feeds.EVENT_SECONDS = 3.0
    chosen = [plant for plant in PLANTS if os.environ.get("ONLY") in (None, "", plant.__name__)]
    for plant in chosen:
        Worlds.connection, before = plant, Worlds.examples
        try:
            test_model.play(most, False)
            told = f"NOT FOUND in {most} examples"
        except Exception as why:  # whatever a wrong answer leads to
            told = f"found in {Worlds.examples - before} examples: {(str(why) or repr(why)).splitlines()[0][:120]}"
            found += 1
        Worlds.close()
        print(f"{plant.__name__}: {told}", flush=True)
    print(f"model: planted={len(chosen)} found={found}")
    return 0 if found == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
