"""How what the server does grows with what it holds, against targets P5 to P9.

    make growth                      full sizes: up to 1,000,000 threads and 100,000 turns, 10 GB and half an hour
    make growth ARGS="--short"       a quick look
    make growth ARGS="--only resume,fan-out"

Prints tables, then one JSON object (`--json FILE` writes it there). Stores are kept in `--work` and used again. Times are
of one machine and one hour: the ratios and the shape of the curves are what counts.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
from pathlib import Path

from growth_live import fan_out, groups, memory
from growth_reads import lists, resume, start_up
from growth_stores import Bench

MEASUREMENTS = {"start-up": start_up, "resume": resume, "lists": lists, "memory": memory, "fan-out": fan_out,
                "groups": groups}


def machine() -> dict:
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    kib = int(Path("/proc/meminfo").read_text().split()[1])
    return {"cores": os.cpu_count(), "cpu": model, "memory_gib": round(kib / 1024 / 1024), "kernel": platform.release(),
            "load_average": os.getloadavg()[0]}


def show(name: str, found: dict) -> None:
    verdict = {True: "met", False: "MISSED", None: ""}[found["met"]]
    print(f"\n{name}   {found['target'] or ''} {verdict}\n  {found['wants']}")
    for key, value in found.items():
        if key not in ("target", "wants", "met", "series", "rows"):
            print(f"  {key}: {value}")
    for series in found["series"]:
        points = "  ".join(f"{x:,}: {y:,}" for x, y in series["points"])
        print(f"  {series['name']:<32} {series['unit']:<20} {points}")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(".build/growth"), help="where stores are made and kept")
    parser.add_argument("--only", default=",".join(MEASUREMENTS), help="names, separated by commas")
    parser.add_argument("--short", action="store_true", help="small sizes, one round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    unknown = set(args.only.split(",")) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"not known: {', '.join(sorted(unknown))}; there are {', '.join(MEASUREMENTS)}")
    bench = Bench(args.heddle, args.work, args.short, 1 if args.short else args.rounds)
    report = {"machine": machine(), "command": " ".join(sys.argv), "short": args.short,
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "measurements": {}}
    try:
        for name in args.only.split(","):
            report["measurements"][name] = MEASUREMENTS[name](bench)
            show(name, report["measurements"][name])
    finally:
        bench.end_all()
    text = json.dumps(report, indent=1)
    if args.json:
        args.json.write_text(text + "\n")
    else:
        print("\n" + text)
    missed = [name for name, found in report["measurements"].items() if found["met"] is False]
    print(f"\ngrowth: measured={len(report['measurements'])} missed={','.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
