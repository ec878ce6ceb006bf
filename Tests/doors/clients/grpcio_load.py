"""Calls of grpcio without pause, see ../rollovers.py.

    python grpcio_load.py ADDRESS SECONDS CHANNELS [no-retries]
"""

import collections
import json
import sys
import threading
import time

import grpc

CALLS_AT_ONCE = 4


def main():
    address, seconds, channels = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    # Each channel has a connection of its own.
    options = [("grpc.use_local_subchannel_pool", 1)]
    if "no-retries" in sys.argv:
        options.append(("grpc.enable_retries", 0))
    end = time.monotonic() + seconds
    made, lost = [], collections.Counter()

    def call_without_pause(method):
        count = 0
        while time.monotonic() < end:
            try:
                method(b"")
            except grpc.RpcError as error:
                lost[f"{error.code().name} {error.details()}"] += 1
            count += 1
        made.append(count)

    opened = [grpc.insecure_channel(address, options) for _ in range(channels)]
    threads = [threading.Thread(target=call_without_pause, args=(channel.unary_unary("/heddle.v1.ServerService/Status"),))
               for channel in opened for _ in range(CALLS_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"calls": sum(made), "lost": lost}))


main()
