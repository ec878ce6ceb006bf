"""PROXY headers as a proxy and an operator meet them: configuration.md, PROXY headers. Bad input is in Tests/attacks."""

import json

import pytest

from harness import proxy
from harness.certificates import Authority, TLSConnection, client_context
from harness.connection import Connection
from harness.ends import expect_goaway, expect_kept, expect_silence
from harness.server import Server

TOKEN = "static-" + "t" * 33


def served(folder, *arguments, tokens: bool = False, **settings) -> Server:
    file = folder / "config.json"
    file.write_text(json.dumps(settings))
    if tokens:
        secrets = folder / "tokens"
        secrets.touch(mode=0o600)
        secrets.write_text(f"{TOKEN} shop\n")
        arguments = (*arguments, "--token-file", secrets)
    return Server(folder / "data", "--config", file, "--log-level", "debug", *arguments)


def connected(server: Server, header: bytes, source: str | None = None) -> Connection:
    client = Connection(server.address, source=source)
    if header:
        client.send(header)
    return client


@pytest.mark.parametrize("header,address", [
    (proxy.text("192.0.2.7"), "192.0.2.7"), (proxy.binary("192.0.2.8"), "192.0.2.8"),
    (proxy.text("2001:db8::7"), "2001:db8::7"), (proxy.binary("2001:db8::8", summed=True), "2001:db8::8"),
    (proxy.binary("::ffff:192.0.2.9"), "192.0.2.9"), (proxy.binary(command=proxy.LOCAL), "127.0.0.1"),
    (b"PROXY UNKNOWN\r\n", "127.0.0.1"), (b"", "127.0.0.1")])
def test_the_clients_address_is_that_of_the_header(tmp_path, header, address):
    """The log of a wrong token names it; LOCAL, UNKNOWN and no header keep the sender's."""
    with served(tmp_path, tokens=True, proxy={"mode": "accept", "from": ["127.0.0.0/8"]}) as server:
        client = connected(server, header)
        client.send(Connection.hello_frame("wrong").encode())
        expect_goaway(client, "UNAUTHENTICATED", "invalid_token")
        assert f"address={address}" in server.log_text()


def test_a_limit_of_an_address_is_that_of_the_client(tmp_path):
    """attacks.md A20 behind a proxy: 20 wrong tokens of one client do not delay another one's answer."""
    with served(tmp_path, tokens=True, proxy={"mode": "require", "from": ["127.0.0.1"]}) as server:
        for _ in range(25):
            with connected(server, proxy.binary("192.0.2.7")) as client:
                client.send(Connection.hello_frame("wrong").encode())
        with connected(server, proxy.binary("192.0.2.8")) as client:
            client.send(Connection.hello_frame("wrong").encode())
            expect_goaway(client, "UNAUTHENTICATED", "invalid_token", timeout=30)


def test_accept_takes_connections_without_a_header_and_require_does_not(tmp_path):
    """configuration.md: the modes, from a listed sender and from another one."""
    modes = {"accept": (True, True), "require": (False, False)}
    for mode, (listed, other) in modes.items():
        folder = tmp_path / mode
        folder.mkdir()
        with served(folder, proxy={"mode": mode, "from": ["127.0.0.1"]}) as server:
            for source, is_served in (("127.0.0.1", listed), ("127.0.0.2", other)):
                with connected(server, b"", source) as client:
                    if is_served:
                        client.hello()
                        expect_kept(client)
                    else:
                        client.send(Connection.hello_frame().encode())
                        expect_silence(client)
            with connected(server, proxy.text("192.0.2.7")) as client:
                client.hello()
                expect_kept(client)


def test_a_header_comes_before_tls(tmp_path):
    """A proxy that passes TLS through: the certificate is the client's, the address that of the header."""
    authority = Authority(tmp_path)
    identities = tmp_path / "identities"
    identities.write_text("spiffe://td/cart shop\nspiffe://td/till till\n")
    identities.chmod(0o644)
    with served(tmp_path, proxy={"mode": "require", "from": ["127.0.0.1"]}, identities={"file": str(identities)},
                tls={**authority.server().settings, "client": "optional", "clientCA": str(authority.chain)}) as server:
        cart = client_context(authority, authority.sign("cart", "URI:spiffe://td/cart"))
        with TLSConnection(server.address, cart, proxy.binary("192.0.2.7")) as client, TLSConnection(
                server.address, client_context(authority), proxy.named("spiffe://td/till")) as till, TLSConnection(
                server.address, cart, proxy.named("spiffe://td/till")) as both:
            client.hello()
            till.hello()
            both.hello()
            thread = client.call("Thread.Start", subscribe=False).thread.id

            def sees(peer) -> bool:
                return thread in {row.id for row in peer.call("Thread.List", page_size=200).threads}
            # The certificate is the stronger witness.
            assert sees(client) and sees(both) and not sees(till)
