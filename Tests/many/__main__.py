"""Many connections and slow ones against a server: memory, waiting times and leftovers (attacks.md R1 to R21).

    python Tests/many --heddle .build/release/heddle [--full] [--case idle,slow] [--list] [--self-test]

Prints a line for each case, `many: case=… connections=N …`, and `many: cases=N failed=N` at the end; the exit is 1
when a bound is broken. Sizes are small; `--full` takes those of docs/attacks.md, with which times are bounds too.
"""

import argparse
import os
import pathlib
import resource
import sys
import tempfile

from case import CASES, HERE, Run, Server

# They register themselves.
import floods  # noqa: F401
import idle  # noqa: F401
import planted
import reads  # noqa: F401
import slow  # noqa: F401


def main() -> int:
    parser = argparse.ArgumentParser(prog="many", description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parents[1] / ".build" / "release" / "heddle")
    parser.add_argument("--full", action="store_true", help="the sizes of the page instead of those of CI")
    parser.add_argument("--case", default="", help="cases, separated by commas")
    parser.add_argument("--list", action="store_true", help="print the cases, run nothing")
    parser.add_argument("--self-test", action="store_true", help="plant a fault behind what is judged instead")
    arguments = parser.parse_args()
    if arguments.self_test:
        return planted.self_test()
    wanted = [name for name in arguments.case.split(",") if name]
    if unknown := [name for name in wanted if name not in CASES]:
        print(f"many: no such case: {', '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = [one for one in CASES.values() if not wanted or one.name in wanted]
    if arguments.list:
        for one in chosen:
            print(f"{one.name:18} {one.title}")
        return 0
    Server.binary = arguments.heddle.resolve()
    # Each process has this many descriptors for itself: the server, and those that drive it.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.environ["PYTHONPATH"] = str(HERE.parent)
    with tempfile.TemporaryDirectory(prefix="heddle-many-") as folder:
        failed = [one.name for one in chosen if not Run(one, pathlib.Path(folder), arguments.full).go()]
    print(f"many: cases={len(chosen)} failed={len(failed)}" + "".join(f" {name}" for name in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
