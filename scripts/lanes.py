"""Runs make targets side by side and says how long each took.

    python scripts/lanes.py --name ci [--keep-going] LANE…

A lane is one argument: names of make targets that run one after the other. Lanes run at the same time. The output of each
target goes to `.build/NAME/TARGET.log`. When a target ends, its closing lines are printed; when it failed, the last part of
its log is printed again at the end, because often only the end of a long log is kept. A failed target ends its lane, unless
`--keep-going` is given. The last line is `NAME: passed=N failed=N`, and the exit status is 1 if a target failed or did not run.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Closing lines are for the reader of a run that passed, the longer part for the reader of one that failed.
CLOSING_LINES, FAILED_LINES = 4, 80
CLOSING = re.compile(r"passed|failed|violations|lost=|planted|Test run with|Build complete|broken|wrong|disagreed")


@dataclass
class Step:
    """One make target of a lane and what became of it."""

    target: str
    lane: int
    state: str = "not run"
    seconds: float = 0.0
    log: Path = field(default_factory=Path)


class Lanes:
    """All lanes of one call; each has a thread, which waits for one `make` at a time."""

    def __init__(self, name: str, lanes: list[list[str]], keep_going: bool):
        self.name, self.keep_going = name, keep_going
        self.folder = ROOT / ".build" / name
        self.steps = [[Step(target, number) for target in lane] for number, lane in enumerate(lanes)]
        self.printing = threading.Lock()

    def run(self) -> bool:
        self.folder.mkdir(parents=True, exist_ok=True)
        threads = [threading.Thread(target=self.lane, args=(lane,)) for lane in self.steps]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.report(time.monotonic() - began)

    def lane(self, steps: list[Step]):
        for step in steps:
            self.make(step)
            if step.state == "failed" and not self.keep_going:
                return

    def make(self, step: Step):
        step.log = self.folder / f"{step.target}.log"
        began = time.monotonic()
        with open(step.log, "wb") as log:
            code = subprocess.run(["make", "--no-print-directory", step.target], cwd=ROOT,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode
        step.seconds = time.monotonic() - began
        step.state = "failed" if code else "passed"
        with self.printing:
            print(f"{step.state} {step.target} {step.seconds:.0f} s", flush=True)
            for line in [line for line in self.text(step) if CLOSING.search(line)][-CLOSING_LINES:]:
                print(f"  {line[:300]}", flush=True)

    @staticmethod
    def text(step: Step) -> list[str]:
        return step.log.read_text(errors="replace").splitlines()

    def report(self, seconds: float) -> bool:
        steps = [step for lane in self.steps for step in lane]
        failed = [step for step in steps if step.state != "passed"]
        for step in failed:
            if step.state == "failed":
                print(f"\n# The end of {step.log.relative_to(ROOT)}")
                print("\n".join(line[:500] for line in self.text(step)[-FAILED_LINES:]))
        print(f"\n{'target':<22} {'lane':>4} {'seconds':>8}  result")
        for step in steps:
            print(f"{step.target:<22} {step.lane + 1:>4} {step.seconds:>8.0f}  {step.state}")
        print(f"{self.name}: passed={len(steps) - len(failed)} failed={len(failed)} seconds={seconds:.0f}", flush=True)
        return not failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", required=True, help="the folder of the logs under .build, and the name in the last line")
    parser.add_argument("--keep-going", action="store_true", help="a failed target does not end its lane")
    parser.add_argument("lanes", nargs="+", metavar="LANE", help='make targets, one after the other: "build-tests test-swift"')
    options = parser.parse_args()
    passed = Lanes(options.name, [lane.split() for lane in options.lanes], options.keep_going).run()
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
