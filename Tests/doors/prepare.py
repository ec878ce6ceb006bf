"""The clients are made before the tests: a descriptor set of proto/ and of gRPC's own services, and programs in C++ and
Go, which are built again only when their source has changed.

    python Tests/doors/prepare.py
"""

import pathlib
import shutil
import subprocess
import sys
import threading

from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.messages import ROOT  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
BUILT = ROOT / ".build" / "doors"
BIN = pathlib.Path(sys.executable).parent


def schema() -> pathlib.Path:
    """All messages and services that a client needs to know, as one file."""
    BUILT.mkdir(parents=True, exist_ok=True)
    path = BUILT / "schema.bin"
    files = sorted((ROOT / "proto").glob("heddle/v1/*.proto"))
    subprocess.run(["protoc", "-I", ROOT / "proto", "--include_imports", f"--descriptor_set_out={path}", *files],
                   check=True, timeout=60)
    files = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
    health_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    reflection_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    # Reflection v1 is v1alpha with another name; the package of PyPI has only the older one.
    renamed = files.file.add()
    reflection_pb2.DESCRIPTOR.CopyToProto(renamed)
    _rename(renamed)
    path.write_bytes(files.SerializeToString())
    return path


def _rename(file: descriptor_pb2.FileDescriptorProto):
    old, new = "grpc.reflection.v1alpha", "grpc.reflection.v1"
    file.name, file.package = "grpc/reflection/v1/reflection.proto", new
    fields = [field for message in file.message_type for field in message.field]
    for field in fields:
        if field.HasField("type_name"):
            field.type_name = field.type_name.replace(old, new)
    for method in (method for service in file.service for method in service.method):
        method.input_type = method.input_type.replace(old, new)
        method.output_type = method.output_type.replace(old, new)


def _is_made(program: pathlib.Path, source: pathlib.Path) -> bool:
    return program.exists() and program.stat().st_mtime > source.stat().st_mtime


def cpp_client() -> pathlib.Path:
    program, source = BUILT / "cpp_client", HERE / "clients" / "cpp_client.cpp"
    if not _is_made(program, source):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "grpc++", "protobuf"], capture_output=True,
                               text=True, check=True).stdout.split()
        subprocess.run(["g++", "-O1", "-std=c++17", "-Wall", "-Wextra", "-o", program, source, *flags], check=True)
    return program


def go_client() -> pathlib.Path:
    program, source = BUILT / "go_client", HERE / "clients" / "go_client.go"
    if not _is_made(program, source):
        package = BUILT / "go" / "src" / "doors"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, package)
        # Debian's packages only: nothing is fetched.
        subprocess.run(["env", "GO111MODULE=off", "GOPROXY=off", f"GOPATH={BUILT / 'go'}:/usr/share/gocode",
                        f"GOCACHE={BUILT / 'go' / 'cache'}", "go", "build", "-o", program, "doors"], check=True)
    return program


def programs() -> dict[str, pathlib.Path]:
    """Builds what is missing, side by side. A missing compiler is an error: nothing is left out in silence."""
    made, failed = {}, []

    def make(name, build):
        try:
            made[name] = build()
        except (OSError, subprocess.CalledProcessError) as error:
            failed.append(f"{name}: {error}")

    threads = [threading.Thread(target=make, args=one) for one in
               (("cpp", cpp_client), ("go", go_client), ("schema", schema))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in ("grpcurl", "buf"):
        if not (BIN / name).exists():
            failed.append(f"{name} is missing: make setup-doors")
    if failed:
        raise SystemExit("doors: " + "; ".join(failed))
    return made


if __name__ == "__main__":
    programs()
