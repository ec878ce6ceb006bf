"""Drives the rows of docs/attacks.md against a server, over sockets.

    python Tests/attacks --heddle .build/release/heddle [--full] [--only F1,S] [--list] [--self-test]

Prints a line for each row, then the rows that are not driven with their reasons, and at the end
`attacks: rows=N passed=N failed=0`. The exit is 1 when a row failed, 2 when the register and the page do not agree.
"""

import argparse
import pathlib
import resource
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import registered  # noqa: E402
import rows  # noqa: E402
import selftest  # noqa: E402
from harness.server import Server  # noqa: E402
from runner import Run  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(prog="attacks", description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=pathlib.Path, default=rows.ROOT / ".build" / "release" / "heddle")
    parser.add_argument("--full", action="store_true", help="the sizes of the page instead of those of CI")
    parser.add_argument("--only", default="", help="rows, separated by commas; a letter is all rows of its table")
    parser.add_argument("--list", action="store_true", help="print what is registered, run nothing")
    parser.add_argument("--self-test", action="store_true", help="plant a fault behind every assertion instead")
    arguments = parser.parse_args()
    listed = rows.page()
    if problems := rows.check(listed, registered.NOT_DRIVEN):
        print("\n".join(f"attacks: {problem}" for problem in problems), file=sys.stderr)
        return 2
    wanted = [name.strip().removesuffix(rows.STAR) for name in arguments.only.split(",") if name.strip()]
    wanted = [each for name in wanted for each in [known for known in rows.ROWS if known[0] == name] or [name]]
    if unknown := [name for name in wanted if name not in rows.ROWS]:
        print(f"attacks: not driven here: {', '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = [rows.ROWS[name] for name in listed if name in rows.ROWS and (not wanted or name in wanted)]
    if arguments.list:
        for one in chosen:
            print(f"{one.label:5} {one.on.name:20} {one.title}")
        return 0
    Server.binary = arguments.heddle.resolve()
    if not Server.binary.exists():
        print(f"attacks: {Server.binary} is missing: build it, or name it with --heddle", file=sys.stderr)
        return 2
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="heddle-attacks-") as folder:
        if arguments.self_test:
            return selftest.self_test(pathlib.Path(folder))
        run = Run(pathlib.Path(folder), arguments.full)
        run.all(chosen)
    if not wanted:
        for name, reason in registered.NOT_DRIVEN.items():
            print(f"attacks: not driven: {name}{rows.STAR if listed[name].is_starred else ''} because {reason}")
        print(f"attacks: not driven={len(registered.NOT_DRIVEN)}")
    run.summary()
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
