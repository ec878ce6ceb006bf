"""Reference pages made from the schema and from the table of reasons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schema import Schema, SchemaError

NOTE = "<!-- Made by `make generate`; edit proto/ instead. -->\n\n"


@dataclass
class Reason:
    name: str
    code: str
    advice: str


def read_reasons(path: Path, schema: Schema) -> list[Reason]:
    codes = {v.removeprefix("CODE_") for v, _, _ in schema.enums["Code"].values}
    reasons = []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        parts = line.split("\t")
        if len(parts) != 3 or parts[1] not in codes:
            raise SchemaError(f"{path.name}: not `reason, CODE, advice`: {line}")
        reasons.append(Reason(*parts))
    names = [r.name for r in reasons]
    if len(set(names)) != len(names):
        raise SchemaError(f"{path.name}: a reason stands twice")
    return reasons


def methods(schema: Schema) -> str:
    lines = [NOTE + "# Methods\n"]
    lines.append("The number stands in bytes 2 and 3 of a frame. *durable*: answered after the sync, takes an idempotency key.")
    lines.append("*operators*: refused to a tenant's token. *not yet*: answers `UNIMPLEMENTED not_implemented`.\n")
    lines.append("| number | method | request | answer | | what it does |\n|---:|---|---|---|---|---|")
    for m in schema.methods:
        marks = []
        if m.mutation:
            marks.append("durable")
        if m.admin:
            marks.append("operators")
        if m.streams:
            marks.append("streams")
        if m.server_calls_client:
            marks.append("server calls client")
        if m.planned:
            marks.append("**not yet**")
        lines.append(
            f"| {m.number} | {m.service}/{m.name} | {m.request} | {m.response} | {', '.join(marks)} | {m.comment} |"
        )
    return "\n".join(lines) + "\n"


def errors(reasons: list[Reason]) -> str:
    lines = [NOTE + "# Errors\n"]
    lines.append("An ERROR frame holds an `Error`: a canonical gRPC code, a stable reason, a text that says what to do, and")
    lines.append("details (`field`, `limit`, `now`, `oldest`, `turn`, …). Clients may switch on the reason.\n")
    lines.append("| reason | code | what happened and what to do |\n|---|---|---|")
    for r in sorted(reasons, key=lambda r: r.name):
        lines.append(f"| `{r.name}` | {r.code} | {r.advice} |")
    return "\n".join(lines) + "\n"
