"""What every family of tests from outside shares: messages, the wire, a server process, a model that answers it.

    messages      classes made from proto/, the methods and reasons of the schema, short names
    protobuf      protobuf by hand, for messages that no library would write
    wire          the frame by hand, and the errors of a server
    connection    one connection with its calls, and a subscription that is followed
    ends          the three ends that an attack can have: K, X, Z; what comes to pass in the end
    server        `heddle serve` as a process: started, killed, ended, measured
    starved       how long a process waited for a processor, which no wait may be blamed for
    watch         what must stay true of a server beside an attack: another client, memory, descriptors, the log
    model_server  a model provider behind HTTP
    faults        a server whose disk fails
    store_pages   a data folder at rest: its checksums, and damage to it
    recording     `heddle capture` between clients and a server
    web_tokens    signed tokens and their keys

A family finds it through `Tests` on the path: `pytest.ini` says so for integration, a line at the top for programs.
"""
