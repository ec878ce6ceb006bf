"""Reference pages made from the schema and from the table of reasons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schema import Schema, SchemaError

RETRIES = ("wait", "reconnect", "token", "never")
NOTE = "<!-- Made by `make generate`; edit proto/ instead. -->\n\n"


@dataclass
class Reason:
    name: str
    code: str
    retry: str
    advice: str


def read_reasons(path: Path, schema: Schema) -> list[Reason]:
    codes = {v.removeprefix("CODE_") for v, _, _ in schema.enums["Code"].values}
    reasons = []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        parts = line.split("\t")
        if len(parts) != 4 or parts[1] not in codes or parts[2] not in RETRIES:
            raise SchemaError(f"{path.name}: not `reason, CODE, retry, advice`: {line}")
        reasons.append(Reason(*parts))
    names = [r.name for r in reasons]
    if len(set(names)) != len(names):
        raise SchemaError(f"{path.name}: a reason stands twice")
    return reasons


def methods(schema: Schema) -> str:
    lines = [NOTE + "# Methods\n"]
    lines.append("Bytes 2 and 3 of a frame carry the method's number. Properties:\n")
    lines.append("- *durable*: the server answers after the sync to disk, and accepts an idempotency key.")
    lines.append("- *operators*: the method needs an operator's token; the server refuses a tenant's token.")
    lines.append("- *streams*: events follow as the answer.")
    lines.append("- *server calls client*: the server sends the request and the client answers it.")
    lines.append("- *not yet*: the server answers with `UNIMPLEMENTED not_implemented`.\n")
    lines.append("| number | method | request | answer | properties | description |\n|---:|---|---|---|---|---|")
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
    lines.append("An ERROR frame carries an `Error`: a canonical gRPC code, a stable reason, a message for people that")
    lines.append("says what to do, and details (`field`, `limit`, `now`, `oldest`, `turn`, …).")
    lines.append("Clients may switch on the reason.\n")
    lines.append("The column *retry* says what a client library does by itself: `wait` sends the call again on the same")
    lines.append("connection, not before `retry_after_ms`; `reconnect` sends it again, with the same idempotency key, on a new")
    lines.append("connection; `token` sends it once more with a new token. A dash means that repeating the call as it is cannot")
    lines.append("help.\n")
    lines.append("| reason | code | retry | what happened; what to do |\n|---|---|---|---|")
    for r in sorted(reasons, key=lambda r: r.name):
        lines.append(f"| `{r.name}` | {r.code} | {'-' if r.retry == 'never' else r.retry} | {r.advice} |")
    return "\n".join(lines) + "\n"
