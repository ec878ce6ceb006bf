"""Reference pages made from the schema and from the table of reasons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schema import F, ID_TYPES, Field, Message, Schema, SchemaError

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


def page(name: str) -> str:
    return f"[{name}](messages.md#{name.lower()})"


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
            f"| {m.number} | {m.service}/{m.name} | {page(m.request)} | {page(m.response)} | {', '.join(marks)} | {m.comment} |"
        )
    return "\n".join(lines) + "\n"


# The kinds of a field, as protobuf writes them.
SCALARS = {F.TYPE_DOUBLE: "double", F.TYPE_FLOAT: "float", F.TYPE_INT64: "int64", F.TYPE_UINT64: "uint64", F.TYPE_INT32: "int32",
           F.TYPE_FIXED64: "fixed64", F.TYPE_FIXED32: "fixed32", F.TYPE_BOOL: "bool", F.TYPE_STRING: "string", F.TYPE_BYTES: "bytes",
           F.TYPE_UINT32: "uint32", F.TYPE_SFIXED32: "sfixed32", F.TYPE_SFIXED64: "sfixed64", F.TYPE_SINT32: "sint32",
           F.TYPE_SINT64: "sint64"}
# Records of the store, and the schema's own options, are nobody's but the server's.
PRIVATE = ("storage.proto", "options.proto")


def link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def field_type(field: Field) -> str:
    name = SCALARS.get(field.type) or link(field.type_name.rsplit(".", 1)[-1])
    if field.id_kind:
        name = f"bytes, {ID_TYPES[field.id_kind]}"
    return f"repeated {name}" if field.repeated else name


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def messages(schema: Schema) -> str:
    lines = [NOTE + "# Messages\n"]
    lines.append("All messages and enums of the protocol, in the order of the files in `proto/heddle/v1`. The methods that use them are")
    lines.append("in [methods.md](methods.md). In the column *type*, an id is 16 bytes that are written as a UUID; *optional* means that")
    lines.append("absence differs from the zero value. Fields of one group (*one of*) exclude each other. A request without a *required*")
    lines.append("field is refused. *Private* text is never logged or recorded.\n")
    for file in schema.files:
        if file.endswith(PRIVATE):
            continue
        lines.append(f"## {Path(file).name}\n")
        for message in (m for m in schema.messages.values() if m.file == file):
            lines += message_section(message)
        for enum in (e for e in schema.enums.values() if e.file == file):
            lines += [f"### {enum.name}\n", f"{enum.comment}\n", "| number | value | description |\n|---:|---|---|"]
            lines += [f"| {number} | `{name}` | {cell(comment)} |" for name, number, comment in enum.values]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def message_section(message: Message) -> list[str]:
    lines = [f"### {message.name}\n", f"{message.comment}\n"]
    if not message.fields:
        return lines + ["No fields.\n"]
    lines.append("| number | field | type | description |\n|---:|---|---|---|")
    for field in message.fields:
        marks = []
        if field.oneof:
            marks.append(f"one of *{field.oneof}*")
        elif field.optional:
            marks.append("optional")
        if field.required:
            marks.append("required")
        if field.sensitive:
            marks.append("private")
        shown = field_type(field) + (f"; {', '.join(marks)}" if marks else "")
        meaning = f" Unspecified: {field.zero_means}." if field.zero_means else ""
        lines.append(f"| {field.number} | `{field.name}` | {shown} | {cell(field.comment + meaning)} |")
    return lines + [""]


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
