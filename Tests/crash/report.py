"""The result of a case."""

import collections
import dataclasses
from random import Random

SHOWN = 12
SHOWN_AGAIN = 3


@dataclasses.dataclass
class Options:
    full: bool
    kills: int
    seed: int
    jobs: int = 1
    faults: int = 0
    random: Random = dataclasses.field(default_factory=Random)


@dataclasses.dataclass
class Result:
    """One line. `faults` counts what really happened; a case in which nothing did has shown nothing and fails."""

    case: str
    runs: int = 0
    acknowledged: int = 0
    lost: list[str] = dataclasses.field(default_factory=list)
    phantom: list[str] = dataclasses.field(default_factory=list)
    # Faults of the server that no planted fault excuses: a trap, a hang, an answer that D8 forbids.
    wrong: list[str] = dataclasses.field(default_factory=list)
    faults: int = 0
    verified_by: str = "server"
    # Known faults of the server, taken out of `wrong`: reported, but no reason to fail.
    known: list[str] = dataclasses.field(default_factory=list)
    more: dict = dataclasses.field(default_factory=collections.Counter)
    skipped: str = ""

    def take(self, verdict, where: str = ""):
        self.acknowledged += verdict.acknowledged
        self.lost += [f"{where}{text}" for text in verdict.lost]
        self.phantom += [f"{where}{text}" for text in verdict.phantom]

    def excuse(self, known: dict) -> set[str]:
        """Moves known faults out of `wrong`; the names of those that were met."""
        met = {name for name, pattern in known.items() for text in self.wrong if pattern.search(text)}
        self.known += [text for text in self.wrong if any(known[name].search(text) for name in met)]
        self.wrong = [text for text in self.wrong if text not in self.known]
        return met

    @property
    def failures(self) -> list[str]:
        """Why this case fails, a line for each reason; empty when it does not."""
        if self.skipped:
            return []
        found = [(name, texts) for name in ("lost", "phantom", "wrong") if (texts := getattr(self, name))]
        if not self.faults or not self.runs:
            found.append(("vacuous", ["no fault happened"]))
        return [f"case={self.case} {name}={len(texts)}: {text}" for name, texts in found for text in texts[:SHOWN_AGAIN]]

    def print(self, seconds: float):
        if self.skipped:
            print(f"crash: case={self.case} skipped: {self.skipped}", flush=True)
            return
        more = "".join(f" {name}={value}" for name, value in self.more.items())
        print(f"crash: case={self.case} runs={self.runs} acknowledged={self.acknowledged} lost={len(self.lost)} "
              f"phantom={len(self.phantom)} wrong={len(self.wrong)} known={len(self.known)} faults={self.faults} "
              f"verified_by={self.verified_by}{more} seconds={seconds:.1f}", flush=True)
        for name in ("lost", "phantom", "wrong", "known"):
            found = getattr(self, name)
            for text in found[:SHOWN]:
                print(f"  {name}: {text}", flush=True)
            if len(found) > SHOWN:
                print(f"  {name}: and {len(found) - SHOWN} more", flush=True)
        if not self.faults or not self.runs:
            print("  vacuous: no fault happened", flush=True)
