"""The descriptors that server reflection serves: our services, without options of ours, and those of gRPC itself that the
gRPC door answers.
"""

from __future__ import annotations

import base64

from google.protobuf import descriptor_pb2, duration_pb2

from schema import F, Schema

HEALTH = {
    "HealthCheckRequest": [("service", 1, F.TYPE_STRING, "", False)],
    "HealthCheckResponse": [("status", 1, F.TYPE_ENUM, "HealthCheckResponse.ServingStatus", False)],
    "HealthListRequest": [],
    "HealthListResponse": [],
}
STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"]


def message(file, name: str, fields: list, oneof: str = "") -> descriptor_pb2.DescriptorProto:
    """Fields: name, number, type, type name in the package, repeated."""
    made = file.message_type.add(name=name)
    if oneof:
        made.oneof_decl.add(name=oneof)
    for field, number, kind, type_name, repeated, *in_oneof in fields:
        added = made.field.add(name=field, number=number, type=kind)
        added.label = F.LABEL_REPEATED if repeated else F.LABEL_OPTIONAL
        added.json_name = "".join(w if not i else w.capitalize() for i, w in enumerate(field.split("_")))
        if type_name:
            added.type_name = f".{file.package}.{type_name}"
        if in_oneof:
            added.oneof_index = 0
    return made


def health() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="grpc/health/v1/health.proto", package="grpc.health.v1", syntax="proto3")
    made = {name: message(file, name, fields) for name, fields in HEALTH.items()}
    statuses = made["HealthCheckResponse"].enum_type.add(name="ServingStatus")
    for number, name in enumerate(STATUSES):
        statuses.value.add(name=name, number=number)
    listed = made["HealthListResponse"]
    entry = listed.nested_type.add(name="StatusesEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=F.TYPE_STRING, label=F.LABEL_OPTIONAL, json_name="key")
    entry.field.add(name="value", number=2, type=F.TYPE_MESSAGE, label=F.LABEL_OPTIONAL, json_name="value",
                    type_name=".grpc.health.v1.HealthCheckResponse")
    listed.field.add(name="statuses", number=1, type=F.TYPE_MESSAGE, label=F.LABEL_REPEATED, json_name="statuses",
                     type_name=".grpc.health.v1.HealthListResponse.StatusesEntry")
    service = file.service.add(name="Health")
    for name, asked, answered, streams in [
        ("Check", "HealthCheckRequest", "HealthCheckResponse", False),
        ("List", "HealthListRequest", "HealthListResponse", False),
        ("Watch", "HealthCheckRequest", "HealthCheckResponse", True),
    ]:
        service.method.add(name=name, input_type=f".{file.package}.{asked}", output_type=f".{file.package}.{answered}",
                           server_streaming=streams)
    return file


def reflection(version: str) -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(
        name=f"grpc/reflection/{version}/reflection.proto", package=f"grpc.reflection.{version}", syntax="proto3")
    text, number, inner, raw = F.TYPE_STRING, F.TYPE_INT32, F.TYPE_MESSAGE, F.TYPE_BYTES
    message(file, "ServerReflectionRequest", [
        ("host", 1, text, "", False),
        ("file_by_filename", 3, text, "", False, True),
        ("file_containing_symbol", 4, text, "", False, True),
        ("file_containing_extension", 5, inner, "ExtensionRequest", False, True),
        ("all_extension_numbers_of_type", 6, text, "", False, True),
        ("list_services", 7, text, "", False, True),
    ], "message_request")
    message(file, "ExtensionRequest", [
        ("containing_type", 1, text, "", False), ("extension_number", 2, number, "", False)])
    message(file, "ServerReflectionResponse", [
        ("valid_host", 1, text, "", False),
        ("original_request", 2, inner, "ServerReflectionRequest", False),
        ("file_descriptor_response", 4, inner, "FileDescriptorResponse", False, True),
        ("all_extension_numbers_response", 5, inner, "ExtensionNumberResponse", False, True),
        ("list_services_response", 6, inner, "ListServiceResponse", False, True),
        ("error_response", 7, inner, "ErrorResponse", False, True),
    ], "message_response")
    message(file, "FileDescriptorResponse", [("file_descriptor_proto", 1, raw, "", True)])
    message(file, "ExtensionNumberResponse", [
        ("base_type_name", 1, text, "", False), ("extension_number", 2, number, "", True)])
    message(file, "ListServiceResponse", [("service", 1, inner, "ServiceResponse", True)])
    message(file, "ServiceResponse", [("name", 1, text, "", False)])
    message(file, "ErrorResponse", [("error_code", 1, number, "", False), ("error_message", 2, text, "", False)])
    service = file.service.add(name="ServerReflection")
    service.method.add(
        name="ServerReflectionInfo", input_type=f".{file.package}.ServerReflectionRequest",
        output_type=f".{file.package}.ServerReflectionResponse", client_streaming=True, server_streaming=True)
    return file


def duration() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto()
    duration_pb2.DESCRIPTOR.CopyToProto(file)
    file.ClearField("options")
    return file


def error_details() -> descriptor_pb2.FileDescriptorProto:
    """The details of errors that the server sends, so that clients which learn from reflection can print them."""
    file = descriptor_pb2.FileDescriptorProto(
        name="google/rpc/error_details.proto", package="google.rpc", syntax="proto3",
        dependency=["google/protobuf/duration.proto"])
    text = F.TYPE_STRING
    info = message(file, "ErrorInfo", [("reason", 1, text, "", False), ("domain", 2, text, "", False)])
    entry = info.nested_type.add(name="MetadataEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=text, label=F.LABEL_OPTIONAL, json_name="key")
    entry.field.add(name="value", number=2, type=text, label=F.LABEL_OPTIONAL, json_name="value")
    info.field.add(name="metadata", number=3, type=F.TYPE_MESSAGE, label=F.LABEL_REPEATED, json_name="metadata",
                   type_name=".google.rpc.ErrorInfo.MetadataEntry")
    wait = message(file, "RetryInfo", [])
    wait.field.add(name="retry_delay", number=1, type=F.TYPE_MESSAGE, label=F.LABEL_OPTIONAL, json_name="retryDelay",
                   type_name=".google.protobuf.Duration")
    message(file, "RequestInfo", [("request_id", 1, text, "", False), ("serving_data", 2, text, "", False)])
    return file


def own(schema: Schema) -> list[descriptor_pb2.FileDescriptorProto]:
    """Our files without their options, which nobody outside reads and which would need descriptor.proto."""
    files = []
    for original in schema.raw.file:
        if not original.name.startswith("heddle/") or original.name.endswith("options.proto"):
            continue
        file = descriptor_pb2.FileDescriptorProto.FromString(original.SerializeToString())
        file.ClearField("source_code_info")
        file.ClearField("options")
        keep = [d for d in file.dependency if not d.endswith("options.proto")]
        del file.dependency[:]
        file.dependency.extend(keep)
        for kind in file.message_type:
            clear(kind)
        for enum in file.enum_type:
            enum.ClearField("options")
            for value in enum.value:
                value.ClearField("options")
        for service in file.service:
            service.ClearField("options")
            for method in service.method:
                method.ClearField("options")
        files.append(file)
    return files


def clear(message) -> None:
    message.ClearField("options")
    for field in message.field:
        field.ClearField("options")
    for inner in message.nested_type:
        if not inner.options.map_entry:
            clear(inner)


def symbols(file) -> list[str]:
    found = []

    def inside(message, prefix: str) -> None:
        name = f"{prefix}.{message.name}"
        found.append(name)
        found.extend(f"{name}.{enum.name}" for enum in message.enum_type)
        for inner in message.nested_type:
            inside(inner, name)

    for message in file.message_type:
        inside(message, file.package)
    found.extend(f"{file.package}.{enum.name}" for enum in file.enum_type)
    for service in file.service:
        found.append(f"{file.package}.{service.name}")
        found.extend(f"{file.package}.{service.name}.{method.name}" for method in service.method)
    return found


def source(schema: Schema, note: str) -> str:
    files = own(schema) + [health(), reflection("v1"), reflection("v1alpha"), duration(), error_details()]
    out = [note, "extension FileDescriptors {\n  static let all: [FileDescriptor] = ["]
    for file in files:
        services = [f"{file.package}.{service.name}" for service in file.service]
        # The service that clients serve for calls of the server is not one of this server.
        services = [service for service in services if service != "heddle.v1.ClientService"]
        encoded = base64.b64encode(file.SerializeToString(deterministic=True)).decode()
        rows = [encoded[at : at + 100] for at in range(0, len(encoded), 100)]
        out.append("    FileDescriptor(")
        out.append(f'      name: "{file.name}",')
        out.append("      dependencies: [%s]," % ", ".join(f'"{d}"' for d in file.dependency))
        out.append("      services: [%s]," % ", ".join(f'"{s}"' for s in services))
        out.append("      symbols: \"\"\"")
        out.extend(f"        {symbol}" for symbol in symbols(file))
        out.append("        \"\"\",")
        out.append("      base64: \"\"\"")
        out.extend(f"        {row}" for row in rows)
        out.append("        \"\"\"),")
    out.append("  ]\n}\n")
    return "\n".join(out)
