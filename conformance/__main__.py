"""conformance: runs the cases against each client's driver and prints a table of families and clients.

    python conformance [--client python,go] [--case resume] [--verbose]
"""

from __future__ import annotations

import argparse
import asyncio
import pathlib
import shlex
import subprocess
import sys
import time

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from authority import Authority  # noqa: E402
from case import LeftOut, Run, driver_of, vectors  # noqa: E402
from driver import DriverDied  # noqa: E402
from scripted import Failed  # noqa: E402
from table import document, table  # noqa: E402
from vectors import all_vectors  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# Cases that wait leave the processor to others.
AT_ONCE = 4


class Result:
    def __init__(self, family: str, name: str):
        self.family, self.name, self.problem, self.left_out = family, name, "", ""


def load(pattern: str) -> list[tuple[str, dict]]:
    found = []
    for file in sorted((HERE / "cases").glob("*.yaml")):
        for case in yaml.safe_load(file.read_text()):
            if pattern in f"{file.stem}/{case['name']}":
                found.append((file.stem, case))
    names = [case["name"] for _, case in found]
    assert len(names) == len(set(names)), "a name stands twice"
    return found


async def run_client(client: dict, cases: list[tuple[str, dict]], authority: Authority, options) -> list[Result]:
    waiting = list(reversed(cases))
    results: list[Result] = []

    async def work() -> None:
        async with driver_of(shlex.split(client["command"]), str(ROOT / client["folder"])) as driver:
            while waiting:
                family, case = waiting.pop()
                result = Result(family, case["name"])
                results.append(result)
                began = time.monotonic()
                try:
                    await Run(case, driver, authority).run()
                except LeftOut as reason:
                    result.left_out = str(reason)
                except (Failed, DriverDied) as failed:
                    result.problem = str(failed)
                except Exception as fault:
                    # A fault of the case or of the runner is no pass.
                    result.problem = f"the runner: {type(fault).__name__}: {fault}"
                if result.problem:
                    # The next case begins with a driver that owes no report.
                    await driver.kill()
                if options.verbose:
                    took = time.monotonic() - began
                    print(f"  {client['name']} {result.name} {took:.2f} s {result.problem or 'ok'}", flush=True)

    await asyncio.gather(*(work() for _ in range(min(AT_ONCE, len(cases)) or 1)))
    for name, unknown in (("vectors.known_fields", False), ("vectors.unknown_fields_are_kept", True)):
        if options.case not in f"vectors/{name}":
            continue
        async with driver_of(shlex.split(client["command"]), str(ROOT / client["folder"])) as driver:
            result = Result("vectors", name)
            results.append(result)
            try:
                result.problem = "; ".join((await vectors(driver, all_vectors(), unknown))[:3])
            except DriverDied as died:
                result.problem = str(died)
    return results


def known_failures(client: dict) -> set[str]:
    file = ROOT / client["folder"] / "known-failing.txt"
    lines = file.read_text().splitlines() if file.exists() else []
    return {line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__.splitlines()[0])
    parser.add_argument("--client", default="", help="clients, separated by commas; all of clients.yaml by default")
    parser.add_argument("--case", default="", help="a part of FAMILY/CASE")
    parser.add_argument("--command", default="", help="the driver's command, in place of that in clients.yaml (of one client)")
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    options = parser.parse_args()
    wanted = [name for name in options.client.split(",") if name]
    clients = [client for client in yaml.safe_load((HERE / "clients.yaml").read_text())
               if not wanted or client["name"] in wanted]
    cases = load(options.case)
    failed = 0
    everything: dict[str, list[Result]] = {}
    with Authority() as authority:
        for client in clients:
            if options.command:
                client["command"] = options.command
            elif "build" in client:
                subprocess.run(shlex.split(client["build"]), cwd=ROOT / client["folder"], check=True)
            began = time.monotonic()
            results = asyncio.run(run_client(client, cases, authority, options))
            everything[client["name"]] = results
            known = known_failures(client)
            for result in results:
                if result.problem and result.name not in known:
                    failed += 1
                    print(f"FAILED {client['name']} {result.family}/{result.name}\n    {result.problem}")
                elif not result.problem and result.name in known:
                    failed += 1
                    print(f"FAILED {client['name']} {result.name} passes, and known-failing.txt has it")
                elif result.left_out:
                    print(f"left out {client['name']} {result.name}: {result.left_out}")
            print(f"conformance: client={client['name']} cases={len(results)} seconds={time.monotonic() - began:.0f}")
    print(table(everything))
    if not options.case and not options.client:
        (ROOT / "docs" / "conformance.md").write_text(document(everything))
    print(f"conformance: clients={len(clients)} cases={len(next(iter(everything.values())))} failed={failed}")
    sys.exit(1 if failed else 0)


main()
