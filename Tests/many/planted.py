"""Plants a fault behind each judgement of the followers and the cases, and fails if it is not reported.

    python Tests/many --self-test
"""

import collections

from case import Run
from followers import Follower
from harness.messages import event_pb2, item_pb2
from harness.wire import ERROR
from slow import judge

ITEM = b"i" * 16


def follower() -> Follower:
    """A follower without a connection: the test hands it its messages."""
    made = Follower.__new__(Follower)
    made.last, made.live, made.texts, made.faults, made.late = 0, True, {}, [], []
    made.ends = collections.Counter()
    made.events = made.deltas = made.snapshots = 0
    return made


def event(sequence: int) -> bytes:
    happened = event_pb2.Event(sequence=sequence, name_changed=event_pb2.NameChanged(name="x"))
    return event_pb2.SubscriptionEvent(event=happened).SerializeToString()


def delta(offset: int, text: str) -> bytes:
    piece = event_pb2.ItemDelta(item=ITEM, offset=offset, text=text)
    return event_pb2.SubscriptionEvent(delta=piece).SerializeToString()


def completed(sequence: int, text: str) -> bytes:
    message = item_pb2.MessageItem(content=[item_pb2.ContentPart(text=text)])
    end = event_pb2.ItemCompleted(item=item_pb2.Item(id=ITEM, message=message))
    happened = event_pb2.Event(sequence=sequence, item_completed=end)
    return event_pb2.SubscriptionEvent(event=happened).SerializeToString()


STREAMS = {
    "nothing": ([event(1), delta(0, "ab"), delta(2, "c"), completed(2, "abc"), event(3)], 0),
    "an event that is missing": ([event(1), event(3)], 1),
    "an event that comes twice": ([event(1), event(1)], 1),
    "an event that steps back": ([event(1), event(2), event(1)], 1),
    "a piece of text that is missing": ([event(1), delta(0, "ab"), delta(3, "d")], 1),
    "a piece of text that comes twice": ([event(1), delta(0, "ab"), delta(0, "ab")], 1),
    "text that is not the item's": ([event(1), delta(0, "ab"), completed(2, "xy")], 1),
}

WINDOW = {"faults": 0, "first": [], "events": 100, "p50": 1.0, "p99": 2.0, "worst": 3.0, "ends": {}, "deltas": 0,
          "snapshots": 0, "incomplete": 0, "beyond": 0, "lagged": 5}

# Changes to a correct run: the part of it, the change, and the words that must be reported.
RUNS = {
    "nothing": (None, {}, ""),
    "a gap": ("behind", {"faults": 1}, "gaps"),
    "somebody without everything": ("behind", {"incomplete": 1}, "did not get everything"),
    "events that never happened": ("here", {"beyond": 1}, "more than there is"),
    "a wrong end": ("behind", {"ends": {"internal": 1}}, "cut off with"),
    "nobody who lagged": ("behind", {"lagged": 0}, "nothing was tried"),
    "those that keep up wait": ("beside", {"p99": 5.0}, "times that without"),
}


class Judged:
    """As much of a Run as `judge` needs, in its full size."""

    bound, bound_in_full, full = Run.bound, Run.bound_in_full, True

    def __init__(self):
        self.problems: list[str] = []

    def note(self, **_):
        pass


def self_test() -> int:
    missed = []
    for name, (stream, wanted) in STREAMS.items():
        one = follower()
        for payload in stream:
            one.event(payload)
        if bool(one.faults) != bool(wanted):
            missed.append(f"{name}: {one.faults}")
    one = follower()
    one.took(ERROR, b"")
    missed += [] if one.faults else ["an error on the stream"]
    for name, (part, change, told) in RUNS.items():
        windows = {each: dict(WINDOW) for each in ("before", "beside", "after", "behind", "here")}
        if part:
            windows[part].update(change)
        run = Judged()
        judge(run, **windows)
        if not (any(told in problem for problem in run.problems) if told else not run.problems):
            missed.append(f"{name}: {run.problems}")
    for one in missed:
        print(f"many: not told: {one}")
    planted = len(STREAMS) + len(RUNS) - 1
    print(f"many: self-test planted={planted} told={planted - len(missed)}")
    return 1 if missed else 0
