"""JavaScript: tables for the codec of `clients/javascript`, types for those who use TypeScript, methods, reasons and limits."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from google.protobuf import descriptor_pb2

from clients import NOTE, OWN_FIELDS, OWN_FORM, PLURALS, Call, Surface
from schema import snake

HEAD = f"// {NOTE}\n"
F = descriptor_pb2.FieldDescriptorProto
# As src/codec.js has them.
INT, UINT, BOOL, ENUM, DOUBLE, FLOAT, STRING, BYTES, MESSAGE, BIG, SIGNED_BIG = range(11)
KINDS = {F.TYPE_INT32: INT, F.TYPE_UINT32: UINT, F.TYPE_BOOL: BOOL, F.TYPE_ENUM: ENUM, F.TYPE_DOUBLE: DOUBLE, F.TYPE_FLOAT: FLOAT,
         F.TYPE_STRING: STRING, F.TYPE_BYTES: BYTES, F.TYPE_MESSAGE: MESSAGE}
TYPES = {INT: "number", UINT: "number", BOOL: "boolean", DOUBLE: "number", FLOAT: "number", STRING: "string",
         BYTES: "Uint8Array", BIG: "bigint", SIGNED_BIG: "bigint"}
REPEATED, OPTIONAL = 1, 2


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def kind(field) -> int:
    if field.type in (F.TYPE_INT64, F.TYPE_UINT64):
        is_number = field.options.jstype == descriptor_pb2.FieldOptions.JS_NUMBER
        if field.type == F.TYPE_INT64:
            return INT if is_number else SIGNED_BIG
        return UINT if is_number else BIG
    return KINDS[field.type]


def short(type_name: str) -> str:
    return type_name.split(".v1.")[-1]


def prefix(enum) -> str:
    return enum.value[0].name.removesuffix("UNSPECIFIED")


def enums(files) -> dict[str, list[tuple[str, int]]]:
    return {enum.name: [(value.name.removeprefix(prefix(enum)), value.number) for value in enum.value]
            for file in files for enum in file.enum_type}


def messages(files) -> dict[str, object]:
    found = {}
    def walk(outer: str, message) -> None:
        name = f"{outer}{message.name}"
        found[name] = message
        for inner in message.nested_type:
            walk(f"{name}.", inner)
    for file in files:
        for message in file.message_type:
            walk("", message)
    return found


def table(files) -> str:
    """Each message as a list of fields: number, name, kind, flags, type of an enum or message, `oneof`."""
    lines = [HEAD, "/** @type {Record<string, Record<string, number>>} Values of enums by name, without the enum's own prefix. */",
             "export const enums = {"]
    lines += [f"  {name}: {json.dumps(dict(values))}," for name, values in enums(files).items()]
    lines += ["}", "", "/** @type {Record<string, import('../codec.js').Field[]>} */", "export const messages = {"]
    for name, message in messages(files).items():
        rows = []
        for field in message.field:
            flags = REPEATED * (field.label == F.LABEL_REPEATED) | OPTIONAL * field.proto3_optional
            one = camel(message.oneof_decl[field.oneof_index].name) \
                if field.HasField("oneof_index") and not field.proto3_optional else None
            row = [field.number, camel(field.name), kind(field), flags]
            if field.type_name or one:
                row.append(short(field.type_name) if field.type_name else "")
            if one:
                row.append(one)
            rows.append(json.dumps(row))
        lines.append(f"  {json.dumps(name)}: [{', '.join(rows)}],")
    return "\n".join([*lines, "}"]) + "\n"


def field_type(field) -> str:
    number = kind(field)
    if number == MESSAGE:
        made = short(field.type_name)
    elif number == ENUM:
        made = f"{short(field.type_name)}"
    else:
        made = TYPES[number]
    return f"{made}[]" if field.label == F.LABEL_REPEATED else made


def comments(surface: Surface) -> dict[tuple[str, str], str]:
    return {(name, field.name): " ".join(field.comment.split())
            for name, message in surface.schema.messages.items() for field in message.fields}


def types(files, surface: Surface) -> str:
    """Interfaces of what the codec makes, and of what it takes: there every field may be left out."""
    said = comments(surface)
    lines = [HEAD, "// `X` is a message as it is read; `XInit` is one to send: each field may be left out, ids may be UUIDs.", "",
             "export type Id = Uint8Array | string", ""]
    for name, values in enums(files).items():
        lines.append(f"export type {name} = {' | '.join(json.dumps(value) for value, _ in values)} | number")
    for name, message in messages(files).items():
        ids = {field.name for field in surface.schema.messages[name].fields if field.id_kind}
        for init in (False, True):
            lines += ["", f"export interface {name}{'Init' if init else ''} {{"]
            for index, one in enumerate(message.oneof_decl):
                members = [f for f in message.field if f.HasField("oneof_index") and f.oneof_index == index]
                if any(f.proto3_optional for f in members) or init:
                    continue
                cases = " | ".join(json.dumps(camel(f.name)) for f in members)
                lines.append(f"  /** The member of `{camel(one.name)}` that is set. */\n  {camel(one.name)}?: {cases}")
            for field in message.field:
                note = said.get((name, field.name), "")
                if note and not init:
                    lines.append(f"  /** {note} */")
                # An answer has its messages, unless the schema says when one is absent.
                is_there = name.endswith("Response") and "absent" not in note.lower()
                is_sure = not init and not field.proto3_optional and not field.HasField("oneof_index") \
                    and (kind(field) != MESSAGE or field.label == F.LABEL_REPEATED or is_there)
                made = field_type(field)
                if init and kind(field) == MESSAGE:
                    made = re.sub(r"^(\w+)", r"\1Init", made)
                if init and field.name in ids:
                    made = made.replace("Uint8Array", "Id")
                lines.append(f"  {camel(field.name)}{'' if is_sure else '?'}: {made}")
            lines.append("}")
    return "\n".join(lines) + "\n"


def hidden(call: Call) -> set[str]:
    return {camel(name) for name in OWN_FIELDS} if call.short in ("Thread.Start", "Thread.Resume", "Thread.Fork") else set()


def methods(surface: Surface) -> str:
    lines = [HEAD, f'export const SCHEMA_HASH = "{surface.schema_hash}"', "",
             "/** @type {Record<string, import('../client.js').Method>} By path. */", "export const methods = {"]
    for service in surface.services().values():
        for call in service:
            method = call.method
            lines.append(f'  "{call.path}": {{ number: {method.number}, path: "{call.path}", request: "{method.request}", '
                         f'response: "{method.response}", keyed: {str(call.keyed).lower()}, '
                         f'repeatable: {str(call.repeatable).lower()}, items: "{camel(call.items)}" }},')
    lines += ["}", "", "/** The methods that the server calls on a client. */"]
    lines += [f"export const {call.snake.upper()} = {call.method.number}" for call in surface.asked_of_clients()]
    return "\n".join(lines) + "\n"


def services(surface: Surface) -> str:
    lines = [HEAD, "import { methods } from './methods.js'", "",
             "/** @typedef {import('../client.js').Client} Client */", "/** @typedef {import('../client.js').CallOptions} CallOptions */"]
    for name, service in surface.services().items():
        title = f"{PLURALS[name].capitalize()}Service"
        lines += ["", f"/** The methods of {name}Service: `client.{PLURALS[name]}`. */", f"export class {title} {{", "  #client", "",
                  "  /** @param {Client} client */", "  constructor(client) { this.#client = client }"]
        for call in service:
            if call.short in OWN_FORM:
                continue
            own = camel(snake(call.method.name))
            request, response = (f"import('./types.js').{name}" for name in (call.method.request, call.method.response))
            left = sorted(hidden(call))
            asked = f"Omit<{request}Init, {' | '.join(json.dumps(one) for one in left)}>" if left else f"{request}Init"
            note = " ".join(call.method.comment.split()) + (" Not built yet." if call.method.planned else "")
            lines += ["", "  /**", f"   * {note}", f"   * @param {{{asked}}} [request]", "   * @param {CallOptions} [options]",
                      f"   * @returns {{Promise<{response}>}}", "   */",
                      f"  {own}(request = {{}}, options = {{}}) {{",
                      f'    return /** @type {{Promise<any>}} */ (this.#client.call(methods["{call.path}"], request, options))', "  }"]
            if call.paged:
                item = next(f for f in surface.schema.messages[call.method.response].fields if f.name == call.items)
                made = f"import('./types.js').{item.type_name}" if item.type_name else TYPES[KINDS[item.type]]
                lines += ["", "  /**", f"   * All {camel(call.items)} of `{own}`, page after page.", f"   * @param {{{asked}}} [request]",
                          "   * @param {CallOptions} [options]",
                          f"   * @returns {{AsyncGenerator<{made}, void, void>}}", "   */",
                          f"  each{own[:1].upper()}{own[1:]}(request = {{}}, options = {{}}) {{",
                          f'    return /** @type {{any}} */ (this.#client.pages(methods["{call.path}"], request, options))', "  }"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def errors(surface: Surface) -> str:
    lines = [HEAD, "/** @type {Record<string, string>} What a client does by itself, by reason: docs/errors.md. */", "export const retry = {",
             *(f'  {reason.name}: "{reason.retry}",' for reason in surface.reasons if reason.retry != "never"), "}", "",
             "/** The stable names of errors; a server may send others, which stay text. */", "export const Reason = Object.freeze({",
             *(f'  {reason.name.upper()}: "{reason.name}",' for reason in surface.reasons), "})", "",
             "/** @type {Record<number, string>} */", "export const codes = {", *(f'  {number}: "{name}",' for name, number in surface.codes), "}"]
    return "\n".join(lines) + "\n"


def descriptors(folder: Path, files: list[str]) -> list:
    with tempfile.NamedTemporaryFile(suffix=".binpb") as made:
        subprocess.run(["protoc", "-I", folder, f"--descriptor_set_out={made.name}", *files], check=True)
        return list(descriptor_pb2.FileDescriptorSet.FromString(Path(made.name).read_bytes()).file)


def write(surface: Surface, root: Path) -> None:
    folder = root / "javascript" / "src" / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = [file for file in descriptors(root.parent / "proto", surface.proto_files) if not file.name.endswith("options.proto")]
    (folder / "tables.js").write_text(table(files))
    (folder / "types.d.ts").write_text(types(files, surface))
    (folder / "methods.js").write_text(methods(surface))
    (folder / "services.js").write_text(services(surface))
    (folder / "errors.js").write_text(errors(surface))
    suite = descriptors(root.parent / "conformance", ["conformance.proto"])
    made = root / "javascript" / "conformance"
    made.mkdir(exist_ok=True)
    (made / "tables.js").write_text(table(suite).replace("'../codec.js'", "'../src/codec.js'"))
