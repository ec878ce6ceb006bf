"""TLS as a client and an operator meet it: configuration.md, TLS and Identities. Bad input is in Tests/attacks."""

import json
import os
import signal
import ssl
import subprocess
import time

import pytest

from harness.certificates import Authority, TLSConnection, answers_after_goodbye, client_context
from harness.connection import Connection
from harness.ends import eventually, expect_goaway, expect_kept, is_refusal
from harness.messages import METHODS
from harness.recording import Proxy, shown
from harness.server import BINARY, Server, heddle
from harness.web_tokens import Secret, b64, claims
from harness.wire import REQUEST, RESPONSE, Frame

EXIT_CONFIGURATION = 78
TOKEN = "static-" + "t" * 33
CART = "spiffe://example.org/ns/shop/sa/cart"


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


def written(folder, **settings) -> list:
    file = folder / "config.json"
    file.write_text(json.dumps(settings))
    return ["--config", file]


def secret_file(folder, name: str, text: str, mode: int = 0o600):
    file = folder / name
    file.touch(mode=0o600)
    file.write_text(text)
    file.chmod(mode)
    return file


def secured(folder, authority, *arguments, identities: str = "", tokens: bool = False, certificate=None,
            listen: str = "127.0.0.1:0", more: dict | None = None, **tls) -> Server:
    """A server with TLS that is not started yet."""
    settings = {"tls": {**(certificate or authority.server()).settings, **tls}, **(more or {})}
    if "client" in tls:
        settings["tls"].setdefault("clientCA", str(authority.chain))
    if identities:
        settings["identities"] = {"file": str(secret_file(folder, "identities", identities, 0o644))}
    if tokens:
        arguments = (*arguments, "--token-file", secret_file(folder, "tokens", f"{TOKEN} shop\n"))
    return Server(folder / "data", *written(folder, **settings), *arguments, listen=listen)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("protocols", [("heddle/1",), ()])
def test_a_thread_is_run_and_followed_over_tls(tmp_path, authority, version, protocols):
    """The protocol is the same: answers, events and large pages come whole."""
    context = client_context(authority, protocols=protocols)
    context.minimum_version = context.maximum_version = version
    with secured(tmp_path, authority) as server, TLSConnection(server.address, context) as client:
        assert "listen" in server.ready["tls"].split(",")
        assert client.socket.selected_alpn_protocol() == (protocols[0] if protocols else None)
        client.hello()
        thread, feed = client.start_followed()
        text = "x" * 300_000
        feed.run(text, thread=thread.id)
        assert any(text.encode() in event.SerializeToString() for event in feed.events)


def test_flags_and_environment_switch_tls_on(tmp_path, authority):
    """configuration.md: --tls-certificate, HEDDLE_TLS_KEY."""
    certificate = authority.server()
    with Server(tmp_path / "data", "--tls-certificate", certificate.chain,
                environment={"HEDDLE_TLS_KEY": str(certificate.key)}) as server:
        assert "listen" in server.ready["tls"].split(",") and server.ready["authentication"] == "none"
        with TLSConnection(server.address, client_context(authority)) as client:
            client.hello()
            expect_kept(client)


def test_a_client_that_says_goodbye_gets_its_answers(tmp_path, authority):
    """protocol.md: close_notify is the end of what the client says; attacks.md F21 over TLS."""
    start = METHODS["Thread.Start"]
    requests = [Frame(REQUEST, start.number, stream, start.request(subscribe=False).SerializeToString())
                for stream in range(1, 41, 2)]
    data = b"".join(frame.encode() for frame in (Connection.hello_frame(quiet=True), *requests))
    with secured(tmp_path, authority) as server:
        said = answers_after_goodbye(server.address, client_context(authority), data)
    frames = []
    while frame := Frame.decode(said, sum(16 + len(frame.payload) for frame in frames)):
        frames.append(frame)
    assert sorted(frame.stream for frame in frames if frame.kind == RESPONSE) == list(range(1, 41, 2))


def test_a_client_that_does_not_read_is_cut_off_and_others_are_not(tmp_path, authority):
    """attacks.md R4 over TLS: the socket's writability counts through TLS."""
    limits = {"limits": {"slowConsumerMilliseconds": 2_000, "outgoingBytes": 65_536}}
    context = client_context(authority)
    with secured(tmp_path, authority, "--log-level", "debug", more=limits) as server, \
            TLSConnection(server.address, context) as writer, \
            TLSConnection(server.address, context, receive_bytes=4_096) as stuck:
        writer.hello()
        thread, feed = writer.start_followed()
        stuck.hello()
        stuck.open("Thread.Subscribe", thread=thread.id)
        before = server.resident_bytes()
        for _ in range(40):
            feed.run("y" * 200_000, thread=thread.id)
        eventually(lambda: "slow_consumer" in server.log_text(), "it is not cut off")
        assert server.resident_bytes() - before < 100e6
        expect_kept(writer)


def test_an_identity_is_a_credential(tmp_path, authority):
    """configuration.md, Identities: exact before prefix; a token is not needed; operators have `admin`."""
    with secured(tmp_path, authority, client="optional", tokens=True,
                 identities=f"{CART} shop\nspiffe://example.org/ns/ops/* ops admin\ndns:build.example.org build\n") as server:
        assert server.ready["authentication"] == "token,identity"
        cart = client_context(authority, authority.sign("cart", f"URI:{CART}"))
        ops = client_context(authority, authority.sign("ops", "URI:spiffe://example.org/ns/ops/sa/x"))
        build = client_context(authority, authority.sign("build", "DNS:Build.Example.org"))
        stranger = client_context(authority, authority.sign("stranger", "URI:spiffe://example.org/ns/other"))
        nameless = client_context(authority, authority.sign("nameless"))
        with TLSConnection(server.address, cart) as client, TLSConnection(server.address, ops) as operator, \
                TLSConnection(server.address, build) as builder, server_token(server, authority) as by_token:
            client.hello()
            operator.hello()
            builder.hello()
            hers = client.call("Thread.Start", subscribe=False).thread.id
            assert hers in {row.id for row in by_token.call("Thread.List", page_size=200).threads}
            assert hers not in {row.id for row in builder.call("Thread.List", page_size=200).threads}
            is_refusal(client.refusal("Catalog.SetFeature"), "PERMISSION_DENIED", "permission_denied")
            assert operator.refusal("Catalog.SetFeature").reason != "permission_denied"
        for context, reason in ((stranger, "unknown_identity"), (nameless, "missing_token"),
                                (client_context(authority), "missing_token")):
            with TLSConnection(server.address, context) as client:
                client.send(Connection.hello_frame().encode())
                expect_goaway(client, "UNAUTHENTICATED", reason)
        with TLSConnection(server.address, nameless) as client:
            client.hello(TOKEN)
            expect_kept(client)


def server_token(server, authority) -> Connection:
    client = TLSConnection(server.address, client_context(authority))
    client.hello(TOKEN)
    return client


def test_a_line_that_goes_takes_its_connections_along(tmp_path, authority):
    """A11 for identities: found by looking; the others stay."""
    with secured(tmp_path, authority, client="require", identities=f"{CART} shop\ndns:build build\n") as server, \
            TLSConnection(server.address, client_context(authority, authority.sign("c", f"URI:{CART}"))) as going, \
            TLSConnection(server.address, client_context(authority, authority.sign("b", "DNS:build"))) as staying:
        going.hello()
        staying.hello()
        secret_file(tmp_path, "identities", "dns:build build\n", 0o644)
        expect_goaway(going, "UNAUTHENTICATED", "unknown_identity")
        expect_kept(staying)


def test_a_certificate_that_runs_out_ends_its_connection(tmp_path, authority):
    """configuration.md, TLS: token_expired within a minute, also without authentication; running out is not early."""
    lasts = 6
    began = time.time()
    certificate = authority.sign("brief", f"URI:{CART}", lasts=lasts)
    with secured(tmp_path, authority, client="require") as server, \
            TLSConnection(server.address, client_context(authority, certificate)) as brief, \
            TLSConnection(server.address, client_context(authority, authority.sign("long", f"URI:{CART}"))) as lasting:
        brief.hello()
        lasting.hello()
        expect_goaway(brief, "UNAUTHENTICATED", "token_expired")
        assert time.time() - began >= lasts - 1
        expect_kept(lasting)


def test_an_authority_that_goes_takes_its_connections_along(tmp_path, authority):
    """configuration.md, TLS: its connections end with token_expired, those of an authority that stays go on."""
    other = Authority(tmp_path, "other")
    both = tmp_path / "authorities.pem"
    both.write_text(authority.chain.read_text() + other.chain.read_text())
    both.chmod(0o644)
    with secured(tmp_path, authority, client="require", clientCA=str(both)) as server:
        going_context = client_context(authority, authority.sign("a", f"URI:{CART}"))
        with TLSConnection(server.address, going_context) as going, TLSConnection(
                server.address, client_context(authority, other.sign("b", f"URI:{CART}"))) as staying:
            going.hello()
            staying.hello()
            both.write_text(other.chain.read_text())
            server.process.send_signal(signal.SIGHUP)
            expect_goaway(going, "UNAUTHENTICATED", "token_expired")
            expect_kept(staying)
        with pytest.raises(ssl.SSLError):
            client = TLSConnection(server.address, going_context)
            client.hello()


def test_a_changed_certificate_is_found_by_looking(tmp_path, authority):
    """configuration.md, TLS: the files are looked at every 10 s; open connections go on."""
    certificate = authority.server("served")
    context = client_context(authority)
    with secured(tmp_path, authority, certificate=certificate) as server, \
            TLSConnection(server.address, context) as lasting:
        lasting.hello()
        newer = authority.server("newer")
        newer.key.rename(certificate.key)
        newer.chain.rename(certificate.chain)

        def is_served() -> bool:
            with TLSConnection(server.address, context) as client:
                return client.socket.getpeercert()["subject"] == ((("commonName", "newer"),),)
        eventually(is_served, "the new certificate is not served")
        expect_kept(lasting)


def test_a_session_is_resumed_with_its_certificate(tmp_path, authority):
    """A session that is resumed has the identity of the first handshake."""
    context = client_context(authority, authority.sign("cart", f"URI:{CART}"))
    with secured(tmp_path, authority, client="require", identities=f"{CART} shop\n", trustDomains=["example.org"]) as server:
        with TLSConnection(server.address, context) as first:
            first.hello()
            session = first.socket.session
        host, port = server.address.rsplit(":", 1)
        again = TLSConnection.__new__(TLSConnection)
        Connection.__init__(again, server.address)
        again.socket = context.wrap_socket(again.socket, server_hostname="localhost", session=session)
        with again:
            again.hello()
            assert again.socket.session_reused
            expect_kept(again)


def test_a12_a_bound_token_counts_with_its_certificate_alone(tmp_path, authority):
    """A12★ with mTLS binding (`cnf`): token_not_bound on any other connection, K with a request and X at HELLO."""
    secret = Secret("s" * 40)
    jwt = {"jwt": {"secretFile": str(secret_file(tmp_path, "secrets", "s" * 40 + "\n")), "algorithms": ["HS256"],
                   "audience": "heddle"}}
    own, other = authority.sign("own", "DNS:own"), authority.sign("other", "DNS:other")
    bound = secret.token(claims(cnf={"x5t#S256": b64(own.digest())}))
    with secured(tmp_path, authority, client="optional", more=jwt) as server:
        with TLSConnection(server.address, client_context(authority, own)) as client:
            client.hello(bound)
            expect_kept(client)
        for context in (client_context(authority, other), client_context(authority)):
            with TLSConnection(server.address, context) as client:
                client.send(Connection.hello_frame(bound).encode())
                expect_goaway(client, "UNAUTHENTICATED", "token_not_bound")
            with TLSConnection(server.address, context) as client:
                client.hello(secret.token(claims()))
                is_refusal(client.refusal("Server.Status", metadata={"token": bound}), "UNAUTHENTICATED",
                           "token_not_bound")
                expect_kept(client)


def test_an_open_address_needs_callers_and_encryption(tmp_path, authority):
    """A16★ beside it: tokens alone are not enough; TLS, or the words that something else encrypts, are."""
    tokens = ["--token-file", secret_file(tmp_path, "tokens", f"{TOKEN} shop\n")]
    ended = heddle("serve", "--data", tmp_path / "none", "--listen", "0.0.0.0:0", *tokens)
    assert ended.returncode == EXIT_CONFIGURATION and "tls.mode=plaintext" in ended.stderr, ended
    ended = subprocess.run([BINARY, "serve", "--data", tmp_path / "none", "--listen", "0.0.0.0:0"], capture_output=True,
                           text=True, timeout=60, env={**os.environ, "HEDDLE_TLS_MODE": "plaintext"})
    assert ended.returncode == EXIT_CONFIGURATION and "--token-file" in ended.stderr, ended
    with Server(tmp_path / "plain", *tokens, listen="0.0.0.0:0", environment={"HEDDLE_TLS_MODE": "plaintext"}) as server:
        assert server.ready["tls"] == "none"
    with secured(tmp_path, authority, client="require", listen="0.0.0.0:0") as server:
        assert server.ready["authentication"] == "none"
    other = tmp_path / "other"
    other.mkdir()
    secured_only = secured(other, authority, listen="0.0.0.0:0")
    ended = heddle("serve", "--data", tmp_path / "none", "--listen", "0.0.0.0:0", *secured_only.arguments)
    assert ended.returncode == EXIT_CONFIGURATION and "tls.client=require" in ended.stderr, ended


def refused(folder, settings: dict) -> str:
    ended = heddle("serve", "--data", folder / "data", "--listen", "127.0.0.1:0", *written(folder, **settings))
    assert (ended.returncode, ended.stdout) == (EXIT_CONFIGURATION, ""), ended
    assert not (folder / "data").exists()
    return ended.stderr


def test_settings_that_cannot_be_meant_do_not_start(tmp_path, authority):
    """configuration.md, TLS, Identities, PROXY headers: exit 78, and a line that says what to do."""
    pair = authority.server()
    good = pair.settings
    authorities = {"clientCA": str(authority.chain)}
    identities = {"file": str(secret_file(tmp_path, "identities", f"{CART} shop\n", 0o644))}
    empty = {"file": str(secret_file(tmp_path, "empty", "", 0o644))}
    for settings, said in (
            ({"tls": {"certificate": good["certificate"]}}, "tls.key: needed beside the certificate"),
            ({"tls": {"key": good["key"]}}, "tls.certificate: needed beside the key"),
            ({"tls": {**good, "mode": "plaintext"}}, "tls.mode: plaintext and a certificate exclude each other"),
            ({"tls": {**good, "mode": "tls"}}, "tls.mode: `tls` is not plaintext"),
            ({"tls": {**good, "client": "maybe", **authorities}}, "tls.client: `maybe` is none of"),
            ({"tls": {**good, "client": "require"}}, "tls.clientCA: needed"),
            ({"tls": {**good, **authorities}}, "tls.client: say optional or require"),
            ({"tls": {"client": "require", **authorities}}, "the certificate and the key of the server are needed"),
            ({"tls": {**good, "trustDomains": ["a/b"]}}, "tls.trustDomains: `a/b` is no trust domain"),
            ({"proxy": {"mode": "on"}}, "proxy.mode: `on` is none of off, accept, require"),
            ({"proxy": {"mode": "require"}}, "proxy.from: needed with proxy.mode"),
            ({"proxy": {"from": ["10.0.0.0/33"]}}, "proxy.from: `10.0.0.0/33`"),
            ({"proxy": {"from": ["10.0.0.1"], "identityTypes": ["4"]}}, "proxy.identityTypes: `4`"),
            ({"identities": identities}, "identities.file: nobody can show an identity"),
            ({"identities": empty, "proxy": {"from": ["10.0.0.1"]}}, "names no identity"),
            ({"identities": {"file": "/nothing"}, "proxy": {"from": ["10.0.0.1"]}}, "cannot read the identities file"),
            ({"tls": {"certifcate": "x"}}, "nearest one is tls.certificate")):
        assert said in (told := refused(tmp_path, settings)), (settings, told)


def test_files_that_cannot_be_served_do_not_start(tmp_path, authority):
    """configuration.md, TLS: what is wrong with the certificate or its key is said at the start."""
    good, other = authority.server(), authority.server("other")
    open_key = secret_file(tmp_path, "open.key", good.key.read_text(), 0o644)
    locked = tmp_path / "locked.key"
    subprocess.run(["openssl", "pkey", "-in", good.key, "-aes256", "-passout", "pass:secret", "-out", locked], check=True)
    locked.chmod(0o600)
    nothing = secret_file(tmp_path, "nothing", "")
    for certificate, key, said in (
            ("/nothing/here", good.key, "cannot read the certificate file /nothing/here"),
            (good.chain, "/nothing/here", "cannot read the key file /nothing/here"),
            (good.chain, other.key, "does not fit the certificate"), (good.chain, open_key, "chmod 600"),
            (good.chain, secret_file(tmp_path, "no.key", good.chain.read_text()), "holds no private key"), (good.chain, locked, "without a passphrase"),
            (nothing, good.key, "holds no certificates"), (good.chain, nothing, "holds no private key"),
            (authority.server("ended", begins=-7200, lasts=-3600).chain, good.key, "has run out; renew it"),
            (authority.server("early", begins=3600, lasts=7200).chain, good.key, "is not valid yet")):
        told = refused(tmp_path, {"tls": {"certificate": str(certificate), "key": str(key)}})
        assert said in told, (certificate, key, told)


def test_a_recording_proxy_encrypts_its_way_to_the_server(tmp_path, authority):
    """replay.md: clients speak plain frames to the proxy; a server that is not trusted is told to the person."""
    output = tmp_path / "encrypted.pcap"
    with secured(tmp_path, authority) as server:
        with Proxy(server.address, output, "--ca", authority.chain, "--server-name", "localhost") as proxy:
            with Connection(proxy.address) as peer:
                peer.hello()
                thread, events = peer.start_followed(name="recorded")
                turn = peer.start_turn(thread.id, "!flood 300000").turn
                events.until_completed(turn)
                peer.finish()
                peer.read_to_end()
            assert proxy.stop()["frames"] > 10
        methods = {frame.get("method") for frame in shown(output)}
        assert {"ThreadService/Start", "TurnService/Start"} <= methods
        command = [BINARY, "capture", "--upstream", server.address, "--output", tmp_path / "none.pcap", "--tls"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as stranger:
            with Connection(json.loads(stranger.stdout.readline())["listen"]) as peer:
                peer.send_frame(peer.hello_frame())
                assert peer.receive() is None
            stranger.send_signal(signal.SIGTERM)
            assert "not trusted" in stranger.communicate(timeout=60)[1]
