"""The real process under the axe: `make crash` and `make crash-full`.

Each case prints one line, `crash: case=… runs=N acknowledged=N lost=N phantom=N`, and behind it how many faults
really happened and who verified. The program ends with 1 if anything is lost or a phantom, if a case did nothing, or if the
server did what no fault excuses.
"""

import argparse
import dataclasses
import random
import sys
import time
import traceback

import faults  # first: it makes the harness importable
import away
import calls
import flips
import kills
import power
import reads
import resources
import selftest
import upgrade
from report import Options, Result


CASES = {
    "self-test": selftest.run,
    "kill": kills.run,
    "calls": calls.run,
    "power": power.run,
    "upgrade": upgrade.run,
    "eio-at-pread": reads.run,
    "taken-away": away.run,
    "disk-full": resources.disk_full,
    "descriptors": resources.descriptors,
    "two-servers": resources.two_servers,
    "flips": flips.run,
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="everything instead of a sample")
    parser.add_argument("--kills", type=int, default=0, help="how often to kill under load (default 50; full 500)")
    parser.add_argument("--faults", type=int, default=0,
                        help="at most so many calls of each class and action (default 8 writes, 6 syncs, 3; full all)")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=1, help="faults at calls that are tried at the same time")
    parser.add_argument("--case", action="append", choices=CASES, help="only this case; may be repeated")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    seed = random.randrange(1 << 32) if arguments.seed is None else arguments.seed
    options = Options(full=arguments.full, kills=arguments.kills or (500 if arguments.full else 50), seed=seed,
                      jobs=arguments.jobs, faults=arguments.faults)
    print(f"crash: seed={seed} full={str(options.full).lower()} (--seed {seed} repeats the choices, not the timing)",
          flush=True)
    failures, began = [], time.monotonic()
    for name in arguments.case or CASES:
        start = time.monotonic()
        try:
            results: list[Result] = CASES[name](dataclasses.replace(options, random=random.Random(f"{seed} {name}")))
        except Exception as failure:
            traceback.print_exc()
            failures.append(f"case={name} could not be carried out to its end: {failure!r}")
            print(f"crash: {failures[-1]}", flush=True)
            continue
        for result in results:
            result.print(time.monotonic() - start)
            failures += result.failures
    # Once more, since of a long log often only the end is kept.
    for failure in failures:
        print(f"crash: FAILED {failure}", flush=True)
    print(f"crash: {'FAILED' if failures else 'passed'} seconds={time.monotonic() - began:.0f}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    assert faults.SHIM.exists(), f"{faults.SHIM} is missing: make crash builds it"
    sys.exit(main())
