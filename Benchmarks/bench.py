"""`make bench`: this server beside a C server that does the same decoding, an echo and real peers, in one run.

Servers take turns within each round, so that what the machine does to one it does to all; rounds are repeated, and what
is compared are medians of the ratios within a round. Times differ from machine to machine and hour to hour.
docs/performance.md says how to read it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
import time
from pathlib import Path

import counts
import doors
import loads
import peers
import sections
import targets
import wire

UNARY = [loads.HeddleEphemeral, loads.Reference, loads.Echo, peers.HeddleGRPC, peers.Redis, peers.GRPCCallback,
         peers.GRPCAsync, peers.GRPCGo]
DISK = [loads.HeddleDurable, peers.RedisAlways, peers.PostgreSQL]
SHAPES = [(1, 1), (50, 1), (50, 16), (4, 64)]
SECTIONS = ["unary", "disk", "turns", "fan-out", "deltas", "memory", "doors", "allocations"]


def unary(bench: loads.Bench, rounds: int, shapes, kinds, missing: dict) -> list[dict]:
    """One small unary call: each server under each shape of load, `rounds` times, in turn."""
    found: dict[tuple, list[dict]] = {}
    for number in range(rounds):
        for shape in shapes:
            for kind in kinds:
                if last := loads.one_load(kind, bench, *shape, missing):
                    found.setdefault((kind.name, shape), []).append(last)
                    wire.say(f"round {number + 1}: {kind.name} {shape}: {last['srv_ns_req']:,.0f} ns, "
                             f"{last['rps']:,.0f}/s")
    return [{"server": name, "connections": shape[0], "depth": shape[1], "rounds": results,
             **{key: targets.median(r[key] for r in results) for key in ("srv_ns_req", "rps", "p50_us", "p99_us")}}
            for (name, shape), results in found.items()]


def unary_table(rows: list[dict], missing: dict) -> str:
    shapes = list(dict.fromkeys((r["connections"], r["depth"]) for r in rows))
    lines = ["CPU of the server a request in ns (in brackets: that of the C server with the same decoding is 1)", "",
             "| server | " + " | ".join(map(str, shapes)) + " | requests/s, p50, p99 at the last but one |",
             "|---|" + "---:|" * (len(shapes) + 1)]
    for name in dict.fromkeys(r["server"] for r in rows):
        own = {(r["connections"], r["depth"]): r for r in rows if r["server"] == name}
        cells = []
        for shape in shapes:
            times = targets.ratio(rows, name, loads.Reference.name, shape)
            cells.append(f"{own[shape]['srv_ns_req']:,.0f}" + (f" ({times:.2f})" if times else ""))
        deep = own.get((50, 16)) or list(own.values())[-1]
        cells.append(f"{deep['rps']:,.0f}, {deep['p50_us']:,.0f} µs, {deep['p99_us']:,.0f} µs")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    kinds = {kind.name for kind in UNARY}
    lines += [f"| {name} | {reason} |" + " |" * len(shapes) for name, reason in missing.items() if name in kinds]
    return "\n".join(lines).replace("at the last but one", "at (50, 16)" if (50, 16) in shapes else "")


def disk_table(rounds: list[dict], missing: dict) -> str:
    names = list(dict.fromkeys(name for r in rounds for name in r if name != "syncs"))
    sync = targets.median(r["syncs"]["per_second"] for r in rounds)
    spread = [r["syncs"]["per_second"] for r in rounds]
    lines = [f"Synced changes; fdatasync of 4 KiB appends ran at {sync:,.0f} a second in this run "
             f"({min(spread):,.0f} to {max(spread):,.0f})", "",
             "| server, (50, 16) | acknowledged/s | times the sync rate | p50 | CPU a request | written a request |",
             "|---|---:|---:|---:|---:|---:|"]
    for name in names:
        rows = [r[name] for r in rounds if name in r]
        rate, cpu = targets.median(r["rps"] for r in rows), targets.median(r["srv_ns_req"] for r in rows)
        times = targets.median(r[name]["rps"] / r["syncs"]["per_second"] for r in rounds if name in r)
        middle = targets.median(r["p50_us"] for r in rows) / 1000
        written = targets.median(r.get(loads.WRITTEN) for r in rows)
        lines.append(f"| {name} | {rate:,.0f} | {times:.1f} | {middle:.2f} ms | "
                     f"{f'{cpu:,.0f} ns | {written:,.0f} bytes' if cpu else '– | –'} |")
    kinds = {kind.name for kind in DISK}
    lines += [f"| {name} | {reason} | | | | |" for name, reason in missing.items() if name in kinds]
    return "\n".join(lines)


def other_tables(result: dict) -> list[str]:
    texts = []
    if "turns" in result:
        texts.append("\n".join(
            ["Turns from start to end, 64 threads at a time", "",
             "| model | turns/s | server's CPU a turn | the client's |", "|---|---:|---:|---:|"]
            + [f"| {name} | {one['per_second']:,.0f} | {one['cpu_us']:,.0f} µs | {one['client_cpu_us']:,.0f} µs |"
               for name, one in result["turns"].items()]))
    if "fan_out" in result:
        found = result["fan_out"]
        texts.append(f"An event of {found['bytes']} bytes to {found['subscribers']:,} subscribers: "
                     f"{found['heddle_ns']:,.0f} ns of CPU a delivery, C {found['floor_ns']:,.0f} ns.")
    if "deltas" in result:
        texts.append("\n".join(
            ["A piece of streamed text", "", "| subscribers | frames each | CPU a frame |", "|---:|---:|---:|"]
            + [f"| {one['subscribers']:,} | {one['frames_each']:,} | {one['ns_each']:,.0f} ns |"
               for one in result["deltas"]]))
    return texts


def target_table(lines: list[dict]) -> str:
    words = {True: "yes", False: "**no**", None: "–"}
    rows = [f"| {one['target']} | {one['what']} | {one['bound']} | "
            f"{'' if one['value'] is None else format(one['value'], '.3g')} | {words[one['met']]} | {one['note']} |"
            for one in lines]
    return "\n".join(["| target | what | bound | measured | met | |", "|---|---|---:|---:|---|---|", *rows])


def machine() -> dict:
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "kernel": platform.release().split("-")[0],
            "load_average": os.getloadavg()[0], "at": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}


def others(result: dict) -> float | None:
    """Cores that programs other than server and client used while loads ran."""
    loads_run = [r for row in result.get("unary", []) for r in row["rounds"]] \
        + [one for r in result.get("disk", []) for one in r.values()]
    return targets.median(r.get(loads.OTHERS) for r in loads_run)


def allocations(tools: Path, heddle: Path) -> dict:
    asked = argparse.Namespace(heddle=heddle, no_instructions=True, profiles=None)
    row = counts.row(asked, tools, counts.METHODS[0], False)
    return {key: value for key, value in row.items() if " at depth " in key}


def find_missing(tools: Path, kinds: list) -> dict:
    """Which peers cannot be measured, and why; announced at once."""
    missing = {}
    for kind in kinds:
        if hasattr(kind, "build") and (reason := kind.build(tools)):
            missing[kind.name] = reason
            wire.say(f"{kind.name}: {reason}")
    return missing


def measure(args, bench: loads.Bench) -> dict:
    wanted = args.only.split(",")
    if args.short:
        kinds, shapes, wanted = UNARY[:3], list(targets.SHORT_BOUNDS), ["unary"]
    else:
        kinds, shapes = UNARY, SHAPES
    if args.shapes:
        shapes = [tuple(map(int, shape.split(","))) for shape in args.shapes.split(":")]
    if args.no_peers:
        kinds = [kind for kind in kinds if issubclass(kind, loads.FrameServer)]
    stored = [] if args.no_peers else DISK[1:]
    asked = (kinds if "unary" in wanted else []) + (stored if "disk" in wanted else [])
    result: dict = {"machine": machine(), "loops": args.loops, "seconds": args.seconds, "rounds": args.rounds,
                    "missing": find_missing(bench.tools, asked)}
    if "unary" in wanted:
        result["unary"] = unary(bench, args.rounds, shapes, kinds, result["missing"])
    if "disk" in wanted:
        result["disk"] = sections.disk(bench, args.rounds, DISK[:1] + stored, result["missing"])
    if "turns" in wanted:
        result["turns"] = sections.turns(bench, args.rounds)
    if "fan-out" in wanted:
        result["fan_out"] = sections.fan_out(bench, args.rounds)
    if "deltas" in wanted:
        result["deltas"] = sections.deltas(bench)
    if "memory" in wanted:
        result["memory"] = sections.memory(bench)
    if "doors" in wanted:
        result["doors"] = doors.measure(bench, args.rounds)
    if "allocations" in wanted:
        result["allocations"] = allocations(bench.tools, bench.heddle)
    return result


def check_short(rows: list[dict]) -> int:
    """Ratios within the same run that are worse than their generous bounds: CI fails for them."""
    worse = 0
    for shape, bound in targets.SHORT_BOUNDS.items():
        value = targets.ratio(rows, loads.HeddleEphemeral.name, loads.Reference.name, shape)
        worse += value > bound
        print(f"bench-short: {shape} ratio={value:.2f} bound={bound:g} {'WORSE' if value > bound else 'ok'}")
    return worse


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of one load")
    parser.add_argument("--loops", type=int, default=1, help="event loops of the server")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections: " + ",".join(SECTIONS))
    parser.add_argument("--shapes", help="such as 50,16 or 50,16:4,64")
    parser.add_argument("--no-peers", action="store_true", help="only ours and the C servers")
    parser.add_argument("--short", action="store_true", help="what CI runs: against the floor, with a bound")
    parser.add_argument("--growth", type=Path, help="report of make growth, for P5, P7 and P8")
    parser.add_argument("--work", type=Path, default=wire.ROOT / ".build/bench", help="the disk that is measured")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    args = parser.parse_args()
    wire.end_when_told()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    args.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=args.work.resolve()) as folder:
        os.chmod(folder, 0o755)
        tempfile.tempdir = folder
        tools = args.work.resolve() / "tools"
        tools.mkdir(exist_ok=True)
        wire.build_tools(tools)
        bench = loads.Bench(tools, args.heddle.resolve(), Path(folder), args.seconds, args.loops)
        try:
            result = measure(args, bench)
        except wire.Failed as error:
            raise SystemExit(f"bench: {error}") from None
    growth = json.loads(args.growth.read_text()) if args.growth else None
    result["targets"] = targets.all_lines(result, growth)
    texts = ([unary_table(result["unary"], result["missing"])] if "unary" in result else []) \
        + ([disk_table(result["disk"], result["missing"])] if "disk" in result else []) + other_tables(result)
    if not args.short:
        texts.append(target_table(result["targets"]))
    result["machine"]["other_programs_cores"] = busy = others(result)
    if busy is not None:
        here = result["machine"]
        texts.insert(0, f"{here['at']}, {here['processor']}, {here['cores']} cores, Linux {here['kernel']}; other "
                        f"programs used {busy:.1f} cores while loads ran{': NOT QUIET' if busy > 0.2 else ''}")
    print("\n\n".join(texts))
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(result, indent=1) + "\n")
    if args.short and check_short(result["unary"]):
        raise SystemExit("bench: a ratio is worse than its bound in Benchmarks/targets.py")


if __name__ == "__main__":
    main()
