"""Calls of connectrpc (PyPI): one JSON object a line in and out, see ../lines.py.

    python connect_client.py SCHEMA ADDRESS connect|connect-json|grpc [http2]
"""

import base64
import sys

import pyqwest
from connectrpc.client import ConnectClientSync, ResponseMetadata
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from google.rpc import status_pb2

from lines_client import Lines, Schema

NUMBERS = {code: number for number, code in enumerate(
    ("CANCELED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
     "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
     "DATA_LOSS", "UNAUTHENTICATED"), 1)}


def main():
    schema, how = Schema(sys.argv[1]), sys.argv[3]
    is_grpc = how == "grpc"
    version = pyqwest.HTTPVersion.HTTP2 if is_grpc or "http2" in sys.argv else pyqwest.HTTPVersion.HTTP1
    client = ConnectClientSync(
        f"http://{sys.argv[2]}", protocol=ProtocolType.GRPC if is_grpc else ProtocolType.CONNECT,
        codec=google_protobuf_json_codec() if how == "connect-json" else google_protobuf_binary_codec(),
        # The library's default is gzip, which Heddle does not take.
        send_compression=None, accept_compression=(),
        http_client=pyqwest.SyncClient(pyqwest.SyncHTTPTransport(http_version=version)))

    def described(call) -> MethodInfo:
        service, name = call.path.split("/")
        kinds = {(False, False): StreamType.UNARY, (False, True): StreamType.SERVER_STREAM,
                 (True, True): StreamType.BIDI_STREAM}
        kind = kinds[call.described.client_streaming, call.described.server_streaming]
        return MethodInfo(name=name, service_name=service, input=call.input, output=call.output, stream_type=kind,
                          idempotency_level=IdempotencyLevel.UNKNOWN)

    def headers(call) -> dict:
        return {name: base64.b64encode(value).decode().rstrip("=") if isinstance(value, bytes) else value
                for name, value in call.metadata}

    def ended(response: ResponseMetadata, error: ConnectError | None = None):
        lists = [list(response.headers.allitems()), list(response.trailers.allitems())]
        if error is None:
            return 0, "", *lists
        # The details, in the form in which gRPC sends them.
        status = status_pb2.Status()
        for detail in error.details:
            status.details.add(type_url=f"type.googleapis.com/{detail.type_name}", value=detail.message_bytes)
        lists[1] = [(name, value) for name, value in lists[1] if not name.endswith("-bin")]
        lists[1].append(("grpc-status-details-bin", status.SerializeToString()))
        return NUMBERS[error.code.name], error.message, *lists

    def unary(call, told):
        with ResponseMetadata() as response:
            try:
                told(client.execute_unary(request=call.requests[0], method=described(call), headers=headers(call),
                                          timeout_ms=call.timeout_ms))
                return ended(response)
            except ConnectError as error:
                return ended(response, error)

    def stream(call, told):
        with ResponseMetadata() as response:
            try:
                if call.described.client_streaming:
                    running = client.execute_bidi_stream(request=iter(call.requests), method=described(call),
                                                         headers=headers(call), timeout_ms=call.timeout_ms)
                else:
                    running = client.execute_server_stream(request=call.requests[0], method=described(call),
                                                           headers=headers(call), timeout_ms=call.timeout_ms)
                while not call.is_cancelled:
                    call.wait()
                    told(next(running))
                running.close()
                return 1, "cancelled by the client", [], []
            except StopIteration:
                return ended(response)
            except ConnectError as error:
                return ended(response, error)

    Lines(schema, unary, stream).serve()


main()
