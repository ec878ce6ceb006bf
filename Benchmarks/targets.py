"""Targets P1 to P16 (docs/performance.md): which figure of a run is held against which bound."""

from __future__ import annotations

import statistics

import doors
import loads
import peers

# The ratio to the C server with the same decoding that a short run in CI may have, by (connections, depth). Generous: such
# machines are noisy, and a bound that cries wolf is switched off. The only place where these stand.
SHORT_BOUNDS = {(1, 1): 4.0, (50, 16): 14.0}

# The recorded figures of the Codex app-server 0.163 with an instant model: turns a second on two cores. Not measured in
# this run: it is not a Debian package.
CODEX_TURNS = 22


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def ratio(rows: list[dict], ours: str, theirs: str, shape, key: str = "srv_ns_req") -> float | None:
    """The median over the rounds of ours / theirs within the same round."""
    pair = [next((r for r in rows if r["server"] == name and (r["connections"], r["depth"]) == shape), None)
            for name in (ours, theirs)]
    if None in pair:
        return None
    return median(a[key] / b[key] for a, b in zip(pair[0]["rounds"], pair[1]["rounds"]))


def line(target: str, what: str, bound: float, value: float | None, at_least: bool = False, note: str = "") -> dict:
    met = None if value is None else (value >= bound if at_least else value <= bound)
    return {"target": target, "what": what, "bound": ("≥ " if at_least else "≤ ") + f"{bound:g}",
            "value": None if value is None else round(value, 3), "met": met,
            "note": note or ("" if value is not None else "not measured")}


def unary_lines(rows: list[dict], missing: dict) -> list[dict]:
    ours, lines = loads.HeddleEphemeral.name, []
    wanted = [("P1", (50, 16), 2, 1, 1 / 10, 1 / 8), ("P1", (4, 64), 2, 1, 1 / 10, 1 / 8),
              ("P2", (50, 1), 2, None, 1 / 2, 1 / 2), ("P2", (1, 1), 2, None, 1 / 2, 1 / 2)]
    for target, shape, reference, redis, cpp, go in wanted:
        for kind, bound in ((loads.Reference, reference), (peers.Redis, redis), (peers.GRPCCallback, cpp),
                            (peers.GRPCAsync, cpp), (peers.GRPCGo, go)):
            if bound is not None:
                lines.append(line(target, f"CPU of ephemeral Update / {kind.name}, {shape}", bound,
                                  ratio(rows, ours, kind.name, shape), note=missing.get(kind.name, "")))
    return lines + grpc_lines(rows, missing)


def grpc_lines(rows: list[dict], missing: dict) -> list[dict]:
    """P11: the gRPC door beside gRPC C++ with the same client, and beside the frame door."""
    ours, lines = peers.HeddleGRPC.name, []
    for shape, bound in (((50, 16), 1 / 2), ((4, 64), 1 / 2), ((50, 1), 0.8)):
        note = missing.get(ours, "")
        # The faster one of the two, in this shape.
        rates = [value for kind in (peers.GRPCCallback, peers.GRPCAsync)
                 if (value := ratio(rows, ours, kind.name, shape)) is not None]
        lines.append(line("P11", f"CPU of gRPC unary Update / gRPC C++ (the faster of two), {shape}", bound,
                          max(rates, default=None), note=note))
        spent = [next((row for row in rows if row["server"] == name and (row["connections"], row["depth"]) == shape),
                      None) for name in (ours, loads.HeddleEphemeral.name)]
        more = None if None in spent else median(
            (grpc["srv_ns_req"] - frames["srv_ns_req"]) / 1000
            for grpc, frames in zip(spent[0]["rounds"], spent[1]["rounds"]))
        lines.append(line("P11", f"µs of CPU of gRPC unary Update more than over frames, {shape}", 5, more, note=note))
    return lines


def disk_lines(rounds: list[dict], missing: dict) -> list[dict]:
    ours = loads.HeddleDurable.name
    lines = []
    for kind, bound in ((peers.RedisAlways, 1), (peers.PostgreSQL, 8)):
        value = median(r[ours]["rps"] / r[kind.name]["rps"] for r in rounds if kind.name in r)
        lines.append(line("P3", f"acknowledgements a second / {kind.name}, (50, 16)", bound, value, True,
                          missing.get(kind.name, "")))
    spare = median((r[ours]["p50_us"] - 2 * r["syncs"]["p50_us"]) / 1000 for r in rounds)
    lines.append(line("P3", "p50 less two sync times of the round, ms", 2, spare))
    return lines


def turn_lines(found: dict) -> list[dict]:
    note = f"Codex: {CODEX_TURNS}/s on two cores, recorded, not of this run"
    return [line("P4", f"durable turns a second, {what} / Codex", bound, found[name]["per_second"] / CODEX_TURNS, True,
                 note) for name, what, bound in (("scripted, durable", "scripted instant model", 300),
                                                 ("behind HTTP, durable", "instant model behind HTTP", 50))]


def growth_lines(report: dict | None) -> list[dict]:
    """P5, P7 and P8 are those of `make growth`, whose report is handed in."""
    lines = []
    for target in ("P5", "P7", "P8"):
        found = [m for m in (report or {}).get("measurements", {}).values() if m.get("target") == target]
        for one in found:
            lines.append({"target": target, "what": one["wants"], "bound": "", "value": None, "met": one["met"],
                          "note": "of `make growth`" + (", short sizes" if report.get("short") else "")})
        if not found:
            lines.append({"target": target, "what": "see `make growth`", "bound": "", "value": None, "met": None,
                          "note": "not measured here: `make growth`, then `--growth FILE`"})
    return lines


def all_lines(result: dict, growth: dict | None) -> list[dict]:
    missing, lines = result["missing"], []
    if "unary" in result:
        lines += unary_lines(result["unary"], missing)
    if "disk" in result:
        lines += disk_lines(result["disk"], missing)
    if "turns" in result:
        lines += turn_lines(result["turns"])
    if "fan_out" in result:
        lines.append(line("P6", "CPU of a delivery to one of 1,000 / C that writes the same bytes", 1.5,
                          result["fan_out"]["ratio"]))
    for name, target, what, bound in doors.TARGETS if "doors" in result else []:
        lines.append(line(target, what, bound, result["doors"][name]["value"]))
    if "memory" in result:
        lines.append(line("P9", "resident KiB of a loaded idle thread", 8, result["memory"]["thread_kib"]))
        lines.append(line("P9", "resident KiB of an idle connection", 16, result["memory"]["connection_kib"]))
    if "allocations" in result:
        lines += [line("P10", f"allocations of ephemeral Update, {depth.split(' at ')[1]}", 0, round(value, 1))
                  for depth, value in result["allocations"].items() if depth.startswith("allocations")]
    return sorted(lines + growth_lines(growth), key=lambda one: int(one["target"][1:]))
