"""Generates everything that follows from the schema: C by protoc-c, the schema table with its comments, Swift, docs.

    python codegen/generate.py [--root DIR]

What protoc-c cannot do is taken out of the descriptors before it sees them (see `rewrite`); the Swift side is
generated from the original descriptors, options and presence included.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import clients
import comments
import descriptors
import dissector
import docs
import swift
import table
from google.protobuf import descriptor_pb2
from schema import F, Schema, SchemaError, load

PB_C = 1019  # number of the extensions (pb_c_file) and (pb_c_field) of protobuf-c/protobuf-c.proto
STRING_AS_BYTES = bytes([0x08, 0x01])  # field 1 of ProtobufCFieldOptions
NO_PACK_HELPERS = bytes([0x10, 0x00])  # field 2 of ProtobufCFileOptions: the runtime is called directly


def rewrite(schema: Schema) -> descriptor_pb2.FileDescriptorSet:
    """The set protoc-c reads: proto2, no synthetic oneofs, packed written out, strings as bytes, no options of ours."""
    out = descriptor_pb2.FileDescriptorSet()
    for original in schema.raw.file:
        if not original.name.startswith("heddle/") or original.name.endswith("options.proto"):
            continue
        file = descriptor_pb2.FileDescriptorProto.FromString(original.SerializeToString())
        file.ClearField("syntax")
        file.ClearField("source_code_info")
        file.ClearField("options")
        keep = [d for d in file.dependency if not d.endswith("options.proto")]
        del file.dependency[:]
        file.dependency.extend(keep)
        for message in file.message_type:
            rewrite_message(message)
        del file.service[:]
        file.options.MergeFromString(pb_c_option(NO_PACK_HELPERS))
        out.file.append(file)
    return out


def pb_c_option(payload: bytes) -> bytes:
    """An option of protoc-c, whose definition is not at hand here: it is merged as an unknown field."""
    tag = (PB_C << 3) | 2
    return bytes([tag & 0x7F | 0x80, tag >> 7, len(payload)]) + payload


def rewrite_message(message) -> None:
    real = len([f for f in message.field if f.HasField("oneof_index") and not f.proto3_optional])
    if real == 0:
        del message.oneof_decl[:]
    else:
        named = {f.oneof_index for f in message.field if f.HasField("oneof_index") and not f.proto3_optional}
        kept = [o for i, o in enumerate(message.oneof_decl) if i in named]
        del message.oneof_decl[len(kept) :]
    for f in message.field:
        if f.proto3_optional:
            f.ClearField("proto3_optional")
            f.ClearField("oneof_index")
        f.ClearField("options")
        scalar = f.type not in (F.TYPE_STRING, F.TYPE_BYTES, F.TYPE_MESSAGE)
        if f.label == F.LABEL_REPEATED and scalar:
            f.options.packed = True
        if f.type == F.TYPE_STRING:
            f.options.MergeFromString(pb_c_option(STRING_AS_BYTES))


def generate_c(schema: Schema, out: Path) -> None:
    if out.exists():
        shutil.rmtree(out)
    include = out / "include"
    include.mkdir(parents=True)
    rewritten = rewrite(schema)
    with tempfile.NamedTemporaryFile(suffix=".binpb") as descriptors:
        Path(descriptors.name).write_bytes(rewritten.SerializeToString())
        names = [f.name for f in rewritten.file]
        subprocess.run(
            ["protoc", f"--descriptor_set_in={descriptors.name}", f"--c_out={include}"] + names,
            check=True,
        )
    for source in sorted(include.rglob("*.pb-c.c")):
        target = out / source.relative_to(include)
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
    (include / "module.modulemap").write_text('module CHeddleProtocol {\n  header "CHeddleProtocol.h"\n  export *\n}\n')
    (include / "CHeddleProtocol.h").write_text(table.umbrella(schema))
    (include / "heddle_schema.h").write_text(table.header())
    (out / "heddle_schema.c").write_text(table.source(schema, schema_hash(rewritten)))
    (include / "heddle_comments.h").write_text(comments.header())
    (out / "heddle_comments.c").write_text(comments.source(schema))


def schema_hash(rewritten) -> str:
    return hashlib.sha256(rewritten.SerializeToString(deterministic=True)).hexdigest()[:16]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


class Unchanged:
    """Files that come out as they were keep their time of change, so that nothing is built again because of them."""

    def __init__(self, folders: list[Path]):
        files = [file for folder in folders if folder.exists() for file in folder.rglob("*") if file.is_file()]
        self.before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in files}

    def restore_times(self) -> None:
        for file, (content, changed) in self.before.items():
            if file.exists() and file.read_bytes() == content:
                os.utime(file, ns=(changed, changed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    try:
        schema = load(root / "proto")
    except SchemaError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    reasons = docs.read_reasons(root / "proto" / "reasons.tsv", schema)
    unchanged = Unchanged([root / "Sources", root / "tools", root / "docs", root / "clients"])
    generate_c(schema, root / "Sources" / "CHeddleProtocol")
    values = root / "Sources" / "HeddleCore" / "Generated"
    glue = root / "Sources" / "HeddleProtocol" / "Generated"
    for folder in (values, glue):
        if folder.exists():
            shutil.rmtree(folder)
    for file in schema.files:
        stem = swift.file_stem(file)
        if any(m.file == file for m in schema.messages.values()) or any(e.file == file for e in schema.enums.values()):
            write(values / f"{stem}.swift", swift.values(schema, file))
        if any(m.file == file for m in schema.messages.values()):
            write(glue / f"{stem}Glue.swift", swift.glue(schema, file))
    write(values / "Requests.swift", swift.requests(schema))
    write(values / "Reason.swift", swift.reasons(reasons))
    write(glue / "RequestsGlue.swift", swift.requests_glue(schema))
    write(glue / "MessageTypes.swift", swift.message_types(schema))
    doors = root / "Sources" / "HeddleGRPC" / "Generated"
    write(doors / "Descriptors.swift", descriptors.source(schema, swift.NOTE))
    write(root / "tools" / "heddle.lua", dissector.lua(schema))
    write(root / "docs" / "methods.md", docs.methods(schema))
    write(root / "docs" / "messages.md", docs.messages(schema))
    write(root / "docs" / "errors.md", docs.errors(reasons))
    clients.generate(clients.Surface(schema, schema_hash(rewrite(schema)), reasons), root)
    unchanged.restore_times()


if __name__ == "__main__":
    main()
