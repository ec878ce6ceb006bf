"""The parts that all families of tests from outside share: messages, the wire, a server process, a model server.

    messages      classes made from proto/, the methods and reasons of the schema, short names
    protobuf      protobuf by hand, for messages that no library would write
    wire          the frame by hand, and the errors of a server
    connection    one connection with its calls, and a subscription that is followed
    ends          the three ends that an attack can have: K, X, Z; states that are reached in the end
    server        `heddle serve` as a process: started, killed, ended, measured
    starved       the time that a process waited for a processor, which no deadline may count
    watch         the assertions about a server beside an attack: another client, memory, descriptors, the log
    model_server  a model provider behind HTTP
    faults        a server whose disk fails
    store_pages   a data folder at rest: its checksums, and damage to it
    recording     `heddle capture` between clients and a server
    web_tokens    signed tokens and their keys

A family finds it through `Tests` on the path: `pytest.ini` says so for integration, a line at the top for programs.
"""

import os

# Many servers run at once, so none may take a door's usual port. A test that wants another address says so by its flag.
os.environ.setdefault("HEDDLE_GRPC_LISTEN", "127.0.0.1:0")
os.environ.setdefault("HEDDLE_HTTP_LISTEN", "127.0.0.1:0")
