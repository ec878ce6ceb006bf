"""Python: the messages by protoc, and of the methods, reasons and errors what `clients/python` does not write by hand."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from pathlib import Path

from clients import NOTE, OWN_FIELDS, OWN_FORM, PLURALS, Call, Surface
from schema import F, Field, Schema

HEAD = f'"""{NOTE}"""\n'
SCALARS = {F.TYPE_INT64: "int", F.TYPE_UINT64: "int", F.TYPE_INT32: "int", F.TYPE_UINT32: "int", F.TYPE_FLOAT: "float",
           F.TYPE_DOUBLE: "float", F.TYPE_BOOL: "bool", F.TYPE_STRING: "str", F.TYPE_BYTES: "bytes",
           F.TYPE_ENUM: "int | str"}


def module(file: str) -> str:
    return file.rsplit("/", 1)[1].removesuffix(".proto") + "_pb2"


def typed(schema: Schema, message: str) -> str:
    return f"{module(schema.messages[message].file)}.{message}"


def annotation(schema: Schema, field: Field) -> str:
    if field.type == F.TYPE_MESSAGE:
        inner = f"{typed(schema, field.type_name)} | Mapping[str, Any]"
    elif field.id_kind:
        inner = "Id"
    else:
        inner = SCALARS[field.type]
    return f"Iterable[{inner}]" if field.repeated else inner


def fields(schema: Schema, call: Call) -> list[Field]:
    own = OWN_FIELDS if call.short in ("Thread.Start", "Thread.Resume", "Thread.Fork") else set()
    return [field for field in schema.messages[call.method.request].fields if field.name not in own]


def document(schema: Schema, call: Call) -> list[str]:
    text = call.method.comment.strip() + (" Not built yet." if call.method.planned else "")
    lines = textwrap.wrap(text, 104)
    named = fields(schema, call)
    if named:
        lines.append("")
    for field in named:
        note = " ".join(field.comment.split())
        lines += textwrap.wrap(f"{field.name}: {note}", 104, subsequent_indent="    ")
    return ['        """' + lines[0], *(f"        {line}".rstrip() for line in lines[1:]), '        """'] \
        if len(lines) > 1 else [f'        """{lines[0]}"""']


def signature(schema: Schema, call: Call, name: str, prefix: str, result: str) -> list[str]:
    lines = [f"    {prefix}def {name}(",
             f"        self, request: {typed(schema, call.method.request)} | None = None, *,"]
    lines += [f"        {field.name}: {annotation(schema, field)} | None = None," for field in fields(schema, call)]
    if call.keyed:
        lines.append("        key: bytes | None = None,")
    return lines + ["        timeout: float | None = None,", f"    ) -> {result}:"]


def given(schema: Schema, call: Call) -> str:
    return "{" + ", ".join(f'"{field.name}": {field.name}' for field in fields(schema, call)) + "}"


def wrapped(line: str, indent: int) -> list[str]:
    """A call whose arguments do not fit into one line."""
    if len(line) <= 116:
        return [line]
    open_at = line.index("{")
    head, inner, tail = line[:open_at], line[open_at + 1:line.rindex("}")], line[line.rindex("}") + 1:]
    pieces = textwrap.wrap(inner, 116 - indent - 8)
    return [head + "{", *(" " * (indent + 8) + piece for piece in pieces), " " * (indent + 4) + "}" + tail]


def item_type(schema: Schema, call: Call) -> str:
    field = next(f for f in schema.messages[call.method.response].fields if f.name == call.items)
    return typed(schema, field.type_name) if field.type == F.TYPE_MESSAGE else SCALARS[field.type]


def constant(call: Call) -> str:
    return call.short.replace(".", "_").upper() if call.snake == call.method.name.lower() else \
        f"{call.short.split('.')[0]}_{call.snake}".upper()


def methods(surface: Surface) -> str:
    schema = surface.schema
    calls = [call for service in surface.services().values() for call in service]
    lines = [HEAD, "from heddle._method import Method", f"from heddle.v1 import {imports(schema, calls)}", "",
             f'SCHEMA_HASH = "{surface.schema_hash}"', ""]
    for call in calls:
        lines += [
            f"{constant(call)} = Method(",
            f'    {call.method.number}, "{call.path}", {typed(schema, call.method.request)},',
            f"    {typed(schema, call.method.response)}, keyed={call.keyed}, repeatable={call.repeatable},"
            f' items="{call.items}")',
        ]
    lines += ["", "BY_PATH = {method.path: method for method in (",
              *textwrap.wrap(", ".join(constant(call) for call in calls), 112, initial_indent="    ",
                             subsequent_indent="    "), ")}", "",
              "# The methods that the server calls on a client.",
              *(f"CLIENT_{call.snake.upper()} = {call.method.number}" for call in surface.asked_of_clients())]
    return "\n".join(lines) + "\n"


def imports(schema: Schema, calls: list[Call]) -> str:
    names = {typed(schema, name).split(".")[0] for call in calls for name in (call.method.request, call.method.response)}
    return ", ".join(sorted(names))


def needed(schema: Schema, calls: list[Call]) -> str:
    """The modules of all types that signatures name."""
    found = set(imports(schema, calls).split(", "))
    for call in calls:
        found |= {typed(schema, field.type_name).split(".")[0] for field in fields(schema, call) if field.type == F.TYPE_MESSAGE}
        if call.paged and "." in item_type(schema, call):
            found.add(item_type(schema, call).split(".")[0])
    return ", ".join(sorted(found))


def services(surface: Surface, is_sync: bool) -> str:
    schema, all_services = surface.schema, surface.services()
    offered = {name: [c for c in calls if c.short not in OWN_FORM] for name, calls in all_services.items()}
    calls = [call for service in offered.values() for call in service]
    base = "SyncService" if is_sync else "Service"
    lines = [HEAD, "from __future__ import annotations", "",
             f"from collections.abc import {'' if is_sync else 'AsyncIterator, '}Iterable, {'Iterator, ' if is_sync else ''}Mapping",
             "from typing import Any", ""]
    if is_sync:
        lines += ["from heddle._generated import services", "from heddle._service import Id, SyncService"]
    else:
        lines += ["from heddle._generated import methods", "from heddle._service import Id, Service"]
    lines += [f"from heddle.v1 import {needed(schema, calls)}"]
    for name, service in offered.items():
        title = f"{PLURALS[name].capitalize()}Service"
        argument = f"[services.{title}]" if is_sync else ""
        lines += ["", "", f"class {title}({base}{argument}):",
                  f'    """The methods of {name}Service: `client.{PLURALS[name]}`."""']
        for call in service:
            lines += ["", *method(schema, call, is_sync)]
            if call.paged:
                lines += ["", *pager(schema, call, is_sync)]
    return "\n".join(lines) + "\n"


def passed(schema: Schema, call: Call) -> str:
    names = [f"{field.name}={field.name}" for field in fields(schema, call)]
    return ", ".join(["request", *names, *(["key=key"] if call.keyed else []), "timeout=timeout"])


def inner(call: str, schema: Schema, one: Call) -> list[str]:
    line = f"        return self.{call}("
    text = passed(schema, one)
    if len(line) + len(text) < 110:
        return [f"{line}{text}))"]
    return [line, *textwrap.wrap(text, 104, initial_indent=" " * 12, subsequent_indent=" " * 12, break_on_hyphens=False)[:-1],
            textwrap.wrap(text, 104, initial_indent=" " * 12, subsequent_indent=" " * 12)[-1] + "))"]


def method(schema: Schema, call: Call, is_sync: bool) -> list[str]:
    lines = signature(schema, call, call.snake, "" if is_sync else "async ", typed(schema, call.method.response))
    lines += document(schema, call)
    if is_sync:
        return lines + inner(f"_run(self._inner.{call.snake}", schema, call)
    key = "key" if call.keyed else "None"
    line = f"        return await self._call(methods.{constant(call)}, request, {given(schema, call)}, {key}, timeout)"
    return lines + wrapped(line, 8)


def pager(schema: Schema, call: Call, is_sync: bool) -> list[str]:
    item = item_type(schema, call)
    name = f"iter_{call.snake}"
    lines = signature(schema, call, name, "", f"{'Iterator' if is_sync else 'AsyncIterator'}[{item}]")
    lines.append(f'        """All {call.items} of `{call.snake}`, page after page."""')
    if is_sync:
        return lines + inner(f"_each(self._inner.{name}", schema, call)
    line = f"        return self._pages(methods.{constant(call)}, request, {given(schema, call)}, timeout)"
    return lines + wrapped(line, 8)


def errors(surface: Surface) -> str:
    lines = [HEAD, "from heddle._errors import Refused", "",
             "# What a client does by itself, by reason: docs/errors.md.", "RETRY = {",
             *(f'    "{reason.name}": "{reason.retry}",' for reason in surface.reasons if reason.retry != "never"), "}", "",
             "", "class Reason:", '    """The stable names of errors; a server may send others, which stay text."""', "",
             *(f'    {reason.name.upper()} = "{reason.name}"' for reason in surface.reasons)]
    for name, _ in surface.codes:
        if name == "UNSPECIFIED":
            continue
        lines += ["", "", f"class {class_name(name)}(Refused):", f'    """The server refused a call with {name}."""']
    lines += ["", "", "BY_CODE: dict[int, type[Refused]] = {",
              *(f"    {number}: {class_name(name)}," for name, number in surface.codes if name != "UNSPECIFIED"), "}", "",
              "CODES = {", *(f'    {number}: "{name}",' for name, number in surface.codes), "}"]
    return "\n".join(lines) + "\n"


def class_name(code: str) -> str:
    names = {"INTERNAL": "InternalError", "CANCELLED": "CancelledByServer", "UNKNOWN": "UnknownError"}
    return names.get(code) or "".join(part.capitalize() for part in code.split("_"))


def messages(surface: Surface, root: Path, package: Path) -> None:
    folder = package / "v1"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["protoc", "-I", root / "proto", f"--python_out={package.parent}", f"--pyi_out={package.parent}",
                    *surface.proto_files], check=True)
    (folder / "__init__.py").write_text(HEAD)
    suite = root / "conformance"
    subprocess.run(["protoc", "-I", suite, f"--python_out={root}/clients/python/conformance",
                    f"--pyi_out={root}/clients/python/conformance", suite / "conformance.proto"], check=True)


def write(surface: Surface, root: Path) -> None:
    package = root / "python" / "src" / "heddle"
    package.mkdir(parents=True, exist_ok=True)
    messages(surface, root.parent, package)
    generated = package / "_generated"
    shutil.rmtree(generated, ignore_errors=True)
    generated.mkdir()
    (generated / "__init__.py").write_text(HEAD)
    (generated / "methods.py").write_text(methods(surface))
    (generated / "services.py").write_text(services(surface, is_sync=False))
    (generated / "sync_services.py").write_text(services(surface, is_sync=True))
    (generated / "errors.py").write_text(errors(surface))
