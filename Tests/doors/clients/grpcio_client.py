"""Calls of grpcio (PyPI): one JSON object a line in and out, see ../lines.py.

    python grpcio_client.py SCHEMA ADDRESS
"""

import sys

import grpc

from lines_client import Lines, Schema


def main():
    schema = Schema(sys.argv[1])
    channel = grpc.insecure_channel(sys.argv[2], [("grpc.max_receive_message_length", 16 << 20)])

    def multicallable(call, kind):
        return kind(f"/{call.path}", call.input.SerializeToString, call.output.FromString)

    def end(call):
        return call.code().value[0], call.details(), call.initial_metadata(), call.trailing_metadata()

    def unary(call, told):
        method = multicallable(call, channel.unary_unary)
        running = method.future(call.requests[0], metadata=call.metadata, timeout=seconds(call))
        call.cancel = running.cancel
        try:
            told(running.result())
        except (grpc.RpcError, grpc.FutureCancelledError):
            pass
        return end(running)

    def stream(call, told):
        timeout = seconds(call)
        if call.described.client_streaming:
            running = multicallable(call, channel.stream_stream)(iter(call.requests), metadata=call.metadata,
                                                                 timeout=timeout)
        else:
            running = multicallable(call, channel.unary_stream)(call.requests[0], metadata=call.metadata,
                                                                timeout=timeout)
        call.cancel = running.cancel
        try:
            while True:
                call.wait()
                told(next(running))
        except (grpc.RpcError, StopIteration):
            return end(running)

    Lines(schema, unary, stream).serve()


def seconds(call) -> float | None:
    return call.timeout_ms / 1000 if call.timeout_ms else None


main()
