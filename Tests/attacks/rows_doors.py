"""docs/attacks.md: TLS (F13, A13 to A15, T11 to T13, T17) and PROXY headers (F16, T14 to T16)."""

import json
import signal
import ssl
import subprocess
import threading
import time

from attack import Attack
from harness import proxy
from harness.certificates import (
    Authority, Certificate, TLSConnection, answer_to, client_context, self_signed)
from harness.connection import Connection
from harness.ends import (
    LATE_SECONDS, eventually, expect_goaway, expect_kept, expect_silence, is_refusal)
from harness.watch import WITNESS_FLOOR_MILLISECONDS
from rows import OWN, row
from world import TOKENS, Server, token_file

STEP_SECONDS = 5.0
ALERT = 21
UNEXPECTED_MESSAGE, NO_APPLICATION_PROTOCOL = 10, 120


def guarded(attack: Attack, authority: Authority | None = None, identities: str = "", tokens: bool = False,
            certificate: Certificate | None = None, proxies: dict | None = None, arguments: tuple = (),
            **tls) -> Server:
    """A server with these settings of TLS and PROXY headers. The standing assertions need a plain connection, so the row
    looks after the server itself."""
    settings: dict = {}
    if authority is not None:
        settings["tls"] = {**(certificate or authority.server()).settings, **tls}
        if "client" in tls:
            settings["tls"]["clientCA"] = str(authority.chain)
    if proxies is not None:
        settings["proxy"] = proxies
    if identities:
        file = attack.folder / "identities"
        file.write_text(identities)
        file.chmod(0o644)
        settings["identities"] = {"file": str(file)}
    config = attack.folder / f"config{len(attack.started)}.json"
    config.write_text(json.dumps(settings))
    more = ("--token-file", token_file(attack.folder)) if tokens else ()
    return attack.start("--config", config, "--log-level", "debug", *more, *arguments, watched=False)


def doors(server: Server) -> list[str]:
    """The addresses of all doors."""
    return [server.ready[name] for name in ("listen", "grpc", "http") if name in server.ready]


def encrypted(attack: Attack, context: ssl.SSLContext, first: bytes = b"", **more) -> TLSConnection:
    peer = TLSConnection(attack.server.address, context, first, **more)
    attack.peers.append(peer)
    return peer


def words_of(refused: ssl.SSLError) -> str:
    """The name of an alert; the library knows no name for some."""
    return refused.reason or str(refused).split(" (")[0].replace(" ", "_").upper()


def alert(address: str, context: ssl.SSLContext) -> str:
    """The alert that ends a handshake. With TLS 1.3 a client is done before the server has seen its certificate, so the
    alert may come with the first read."""
    try:
        peer = TLSConnection(address, context, timeout=30)
    except ssl.SSLError as refused:
        return words_of(refused)
    with peer:
        try:
            peer.socket.sendall(Connection.hello_frame().encode())
            said = peer.socket.recv(65_536)
        except ssl.SSLError as refused:
            return words_of(refused)
    raise AssertionError(f"the server said {said[:80]!r} and no alert")


def is_alive(attack: Attack, context: ssl.SSLContext, token: str = "", first: bytes = b""):
    """The server serves a right client."""
    with TLSConnection(attack.server.address, context, first) as peer:
        peer.hello(token, quiet=True)
        expect_kept(peer)


@row("F13", on=OWN)
def f13(attack: Attack):
    """our preface on the TLS port → TLS alert, Z"""
    authority = Authority(attack.folder)
    server = guarded(attack, authority)
    assert answer_to(server.address, Connection.hello_frame().encode()) == bytes((ALERT, 3, 3, 0, 2, 2, UNEXPECTED_MESSAGE))
    is_alive(attack, client_context(authority))


@row("A13★", on=OWN)
def a13(attack: Attack):
    """mTLS: no certificate, unknown authority, expired, self-signed, wrong usage → TLS alert, not one byte of ours, Z"""
    authority, other = Authority(attack.folder), Authority(attack.folder, "other")
    guarded(attack, authority, client="require")
    name = "URI:spiffe://td/client"
    good = authority.sign("good", name)
    for certificate, reasons in (
            (None, ("CERTIFICATE_REQUIRED",)), (other.sign("client", name), ("UNKNOWN_CA",)),
            (authority.sign("expired", name, begins=-7200, lasts=-3600), ("CERTIFICATE_EXPIRED",)),
            (authority.sign("early", name, begins=3600, lasts=7200), ("BAD_CERTIFICATE", "CERTIFICATE_EXPIRED",
                                                                     "CERTIFICATE_UNKNOWN")),
            (self_signed(attack.folder, "alone", name), ("UNKNOWN_CA",)),
            (authority.sign("server-only", name, usage="serverAuth"), ("UNSUPPORTED_CERTIFICATE",))):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = client_context(authority, certificate)
            context.minimum_version = context.maximum_version = version
            told = alert(attack.server.address, context)
            # TLS 1.2 has no alert of its own for a certificate that is missing.
            wanted = ("HANDSHAKE_FAILURE",) if certificate is None and version == ssl.TLSVersion.TLSv1_2 else reasons
            assert any(told.endswith(reason) for reason in wanted), f"{certificate and certificate.chain}: {told}"
    is_alive(attack, client_context(authority, good))


@row("A14★", on=OWN)
def a14(attack: Attack):
    """SPIFFE: other domain, none or two URIs, `..` in the path, a domain alone, right name of another authority → alert, Z"""
    authority, other = Authority(attack.folder), Authority(attack.folder, "other")
    guarded(attack, authority, client="require", trustDomains=["td"])
    for number, names in enumerate((
            ("URI:spiffe://other/x",), (), ("DNS:td",), ("URI:spiffe://td/a", "URI:spiffe://td/b"),
            ("URI:spiffe://td/../x",), ("URI:spiffe://td/x/",), ("URI:spiffe://td",), ("URI:https://td/x",))):
        told = alert(attack.server.address, client_context(authority, authority.sign(f"c{number}", *names)))
        # The library has no better word for a refusal that is ours.
        assert told.endswith("ALERT_INTERNAL_ERROR"), f"{names}: {told}"
    told = alert(attack.server.address, client_context(authority, other.sign("right", "URI:spiffe://td/x")))
    assert told.endswith("UNKNOWN_CA"), told
    is_alive(attack, client_context(authority, authority.sign("good", "URI:spiffe://td/x")))


def old(context: ssl.SSLContext, ciphers: str, lowest: ssl.TLSVersion, highest: ssl.TLSVersion) -> ssl.SSLContext:
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = lowest, highest
    return context


@row("A15", on=OWN)
def a15(attack: Attack):
    """TLS 1.1, weak suites, renegotiation → refused; a handshake that stalls → closed at 5 s"""
    authority = Authority(attack.folder)
    server = guarded(attack, authority)
    versions = ssl.TLSVersion
    told = alert(server.address, old(client_context(authority), "ALL", versions.TLSv1, versions.TLSv1_1))
    assert told.endswith("PROTOCOL_VERSION"), told
    for suites in ("ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256", "AES128-SHA", "aNULL"):
        told = alert(server.address, old(client_context(authority), suites, versions.TLSv1_2, versions.TLSv1_2))
        assert told.endswith("HANDSHAKE_FAILURE"), f"{suites}: {told}"
    # `R` asks for a new handshake.
    asking = subprocess.run(["openssl", "s_client", "-tls1_2", "-connect", server.address], input=b"R\n", timeout=60,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert b"RENEGOTIATING" in asking.stdout, asking.stdout[-500:]
    assert b"no renegotiation" in asking.stdout or asking.returncode != 0, asking.stdout[-500:]
    hello = first_flight(authority)
    for sent in (b"", hello[:20], hello):
        peer = attack.connect(hello=False)
        clock = attack.clock()
        if sent:
            peer.send(sent)
        peer.read_to_end()
        seconds = clock.seconds()
        assert STEP_SECONDS - 0.1 <= seconds <= STEP_SECONDS + LATE_SECONDS, f"{len(sent)} bytes: {seconds:.1f} s"
    is_alive(attack, client_context(authority))


def first_flight(authority: Authority) -> bytes:
    """The bytes with which a client begins."""
    outgoing = ssl.MemoryBIO()
    client = client_context(authority).wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


@row("T11", on=OWN)
def t11(attack: Attack):
    """plain bytes on the TLS port, a client that names other protocols alone, each door → alert, 0 bytes of ours, Z"""
    authority = Authority(attack.folder)
    server = guarded(attack, authority)
    for address in doors(server):
        for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", proxy.text("192.0.2.7"),
                     proxy.binary(), b"\x00", b"\xff" * 100, Connection.hello_frame().encode()):
            said = answer_to(address, data)
            assert said == bytes((ALERT, 3, 3, 0, 2, 2, UNEXPECTED_MESSAGE)), f"{data[:10]!r}: {said!r}"
        # Records that are none are for TLS itself to refuse: an alert, or nothing.
        for data in (b"\x16\x03\x01\xff\xff" + bytes(100), b"\x16\x03\x01\x00\x04\x02\x00\x00\x00", b"\x16\x02\x00\x00\x05"):
            said = answer_to(address, data)
            assert not said or said[0] == ALERT and len(said) == 7, f"{data[:10]!r}: {said!r}"
        told = alert(address, client_context(authority, protocols=("heddle/2", "spdy/1")))
        assert told.endswith("NO_APPLICATION_PROTOCOL"), told
    for protocols in (("heddle/1",), ("h2", "heddle/1"), ()):
        is_alive(attack, client_context(authority, protocols=protocols))


def percentile(seconds: list[float], share: float = 0.99) -> float:
    return sorted(seconds)[int(share * (len(seconds) - 1))] * 1000


@row("T12", on=OWN)
def t12(attack: Attack):
    """5,000 handshakes stall → all closed at 5 s, the p99 of others less than twice as long"""
    authority = Authority(attack.folder)
    server = guarded(attack, authority)
    hello = first_flight(authority)
    steady = encrypted(attack, client_context(authority))
    steady.hello(quiet=True)

    def p99(until) -> float:
        seen = []
        while not until(seen):
            began = time.monotonic()
            steady.call("Server.Status")
            steady.asked.clear()
            seen.append(time.monotonic() - began)
            time.sleep(0.02)  # the pace of a quiet client
        return percentile(seen)

    quiet = p99(lambda seen: len(seen) == 100)
    count = attack.size(400, 5_000)
    stalled = attack.connect_many(count, hello=False)
    clock = attack.clock()
    for number, peer in enumerate(stalled):
        if number % 3:
            peer.send(hello[:20] if number % 3 == 1 else hello)
    ended = threading.Event()

    def wait_for_all():
        for peer in stalled:
            peer.read_to_end()
        ended.set()
    waiting = threading.Thread(target=wait_for_all, daemon=True)
    waiting.start()
    busy = p99(lambda seen: ended.is_set() or clock.seconds() > 60)
    assert ended.is_set() and clock.seconds() <= STEP_SECONDS + LATE_SECONDS, f"{clock.seconds():.1f} s"
    assert busy <= max(2 * quiet, WITNESS_FLOOR_MILLISECONDS), f"p99 {busy:.1f} ms, quiet {quiet:.1f} ms"
    attack.note(f"{count} stalled, p99 {busy:.1f} ms, quiet {quiet:.1f} ms")
    assert server.alive


@row("T13", on=OWN)
def t13(attack: Attack):
    """a half-written, wrong or expired file → the old one stays; 100 reloads under load → 0 failed, nothing leaks"""
    authority = Authority(attack.folder)
    certificate = authority.server("served")
    server = guarded(attack, authority, certificate=certificate)
    context = client_context(authority)
    first, key = certificate.chain.read_bytes(), certificate.key.read_bytes()
    shown = ssl.PEM_cert_to_DER_cert(first.decode())

    def put(chain: bytes, secret: bytes):
        certificate.chain.write_bytes(chain)
        certificate.key.write_bytes(secret)

    def reloaded(words: str, *pair: bytes):
        # Counted first: the server looks at its files by itself too, and may have found them before the signal.
        before = server.log_text().count(words)
        if pair:
            put(*pair)
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: server.log_text().count(words) > before, words)

    def presented() -> bytes:
        with TLSConnection(server.address, context) as peer:
            return peer.socket.getpeercert(binary_form=True)

    lasting = encrypted(attack, context)
    lasting.hello(quiet=True)
    other, expired = authority.server("other"), authority.server("expired", begins=-7200, lasts=-3600)
    for chain, secret in ((first[:len(first) // 2], key), (b"", key), (first, key[:len(key) // 2]),
                          (first, other.key.read_bytes()), (other.chain.read_bytes(), key),
                          (expired.chain.read_bytes(), expired.key.read_bytes()), (b"\xff" * 100, key)):
        reloaded("stays as it was", chain, secret)
        assert presented() == shown
    certificate.key.chmod(0o644)
    reloaded("stays as it was")
    certificate.key.chmod(0o600)
    reloaded("was read again", other.chain.read_bytes(), other.key.read_bytes())
    assert presented() == ssl.PEM_cert_to_DER_cert(other.chain.read_text())
    expect_kept(lasting)
    pairs = [(first, key), (other.chain.read_bytes(), other.key.read_bytes())]
    failures, made, stop = [], [0], threading.Event()

    def load():
        while not stop.is_set():
            try:
                is_alive(attack, context)
                made[0] += 1
            except Exception as failure:  # counted
                failures.append(failure)
    loads = [threading.Thread(target=load, daemon=True) for _ in range(3)]
    for thread in loads:
        thread.start()
    before = server.descriptors()[1], server.resident_bytes()
    count = attack.size(30, 100)
    for number in range(count):
        reloaded("was read again", *pairs[number % 2])
    stop.set()
    for thread in loads:
        thread.join(60)
    assert not failures, f"{len(failures)} of {made[0]} failed: {failures[:3]}"
    eventually(lambda: server.descriptors()[1] <= before[0] + 2, "descriptors stay open")
    growth = (server.resident_bytes() - before[1]) / 1e6
    assert growth < 32, f"{growth:.0f} MB more"
    attack.note(f"{count} reloads, {made[0]} connections, {growth:.1f} MB")
    expect_kept(lasting)


LISTED = {"mode": "require", "from": ["127.0.0.1"]}


@row("T14", on=OWN)
def t14(attack: Attack):
    """PROXY header cut at each byte, twice, with a false length, checksum or sender; none where one is needed → closed, Z"""
    guarded(attack, proxies=LISTED)
    hello = Connection.hello_frame(quiet=True).encode()

    def silent(data: bytes, source: str | None = None):
        peer = attack.connect(hello=False, source=source)
        try:
            peer.send(data)
            peer.finish()
        except OSError:
            pass  # it may be closed already
        expect_silence(peer)
        peer.close()

    good = proxy.binary("192.0.2.7", proxy.value(proxy.NOTHING, b"1234"), summed=True)
    for header in (good, proxy.text("192.0.2.7")):
        for count in range(1, len(header)):
            silent(header[:count])
        silent(header + header)
        silent(header, source="127.0.0.2")
    wrong = bytearray(good)
    wrong[17] ^= 1
    for data in (bytes(wrong) + hello, hello, b"GET / HTTP/1.1\r\n\r\n", proxy.binary(length=0) + hello,
                 proxy.binary(length=13) + hello, proxy.binary(length=4_097) + hello, proxy.binary(length=65_535) + hello,
                 proxy.binary("192.0.2.7", proxy.value(proxy.NOTHING, b"x")[:-1]) + hello,
                 b"PROXY UNKNOWN " + b"x" * 92 + b"\r\n" + hello, b"PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n" + hello):
        silent(data)
    silent(b"", source="127.0.0.2")
    for part in (b"", good[:20]):
        peer = attack.connect(hello=False)
        clock = attack.clock()
        if part:
            peer.send(part)
        expect_silence(peer)
        assert clock.wall() >= STEP_SECONDS - 0.1, f"{clock.wall():.1f} s"
        assert clock.seconds() <= STEP_SECONDS + LATE_SECONDS, f"{clock.seconds():.1f} s"
    for header in (good, proxy.text("192.0.2.7"), proxy.text("2001:db8::7"), proxy.binary("2001:db8::7"),
                   proxy.binary(command=proxy.LOCAL), b"PROXY UNKNOWN\r\n"):
        peer = attack.connect(hello=False)
        for byte in header:
            peer.send(bytes((byte,)))
        peer.hello(quiet=True)
        expect_kept(peer)


@row("T15", on=OWN)
def t15(attack: Attack):
    """an identity of an unlisted sender, in a TLV of another type or in LOCAL → it counts for nothing"""
    guarded(attack, proxies={"mode": "accept", "from": ["127.0.0.1"]}, tokens=True,
            identities="spiffe://td/cart alice\n")
    forged = attack.connect(hello=False, source="127.0.0.2")
    forged.send(proxy.named("spiffe://td/cart") + Connection.hello_frame().encode())
    expect_silence(forged)
    for header in (proxy.named("spiffe://td/cart", kind=0xE1), proxy.named("-"), proxy.named(""),
                   proxy.binary("192.0.2.7", proxy.value(proxy.IDENTITY, b"spiffe://td/cart"), command=proxy.LOCAL)):
        peer = attack.connect(hello=False)
        peer.send(header + Connection.hello_frame().encode())
        expect_goaway(peer, "UNAUTHENTICATED", "missing_token")
        peer = attack.connect(hello=False)
        peer.send(header)
        peer.hello(TOKENS["bob"], quiet=True)
        expect_kept(peer)
    known = attack.connect(hello=False)
    known.send(proxy.named("spiffe://td/cart"))
    known.hello(quiet=True)
    hers = attack.thread(known)
    alice = attack.connect(hello=False)
    alice.hello(TOKENS["alice"], quiet=True)
    assert hers in {listed.id for listed in alice.call("Thread.List", page_size=200).threads}


@row("T16", on=OWN)
def t16(attack: Attack):
    """an identity with NUL, `..`, of 2,049 bytes, twice → invalid_identity; `/ide-evil` for `/ide` → unknown_identity, X"""
    guarded(attack, proxies=LISTED, identities="spiffe://td/ide alice\nspiffe://td/tools/* alice\n")

    def told(header: bytes, reason: str):
        peer = attack.connect(hello=False)
        peer.send(header + Connection.hello_frame().encode())
        expect_goaway(peer, "UNAUTHENTICATED", reason)

    for name in (b"spiffe://td/ide\x00", b"spiffe://td/../ide", b"a" * 2_049, b"spiffe://td/ide ", b"caf\xc3\xa9", b"\xff",
                 b"spiffe://td//ide", b"SPIFFE://td/ide"):
        told(proxy.named(name), "invalid_identity")
    twice = proxy.value(proxy.IDENTITY, b"spiffe://td/ide")
    told(proxy.binary("192.0.2.7", twice, twice), "invalid_identity")
    for name in ("spiffe://td/ide-evil", "spiffe://td/ide/x", "spiffe://td/tools-evil", "spiffe://td/tools",
                 "spiffe://td2/ide", "spiffe://td/IDE", "a" * 2_048):
        told(proxy.named(name), "unknown_identity")
    for name in ("spiffe://td/ide", "spiffe://td/tools/x"):
        peer = attack.connect(hello=False)
        peer.send(proxy.named(name))
        peer.hello(quiet=True)
        expect_kept(peer)


@row("T17", on=OWN)
def t17(attack: Attack):
    """token of A over the certificate of B → invalid_token: X at HELLO, K with a request"""
    authority = Authority(attack.folder)
    guarded(attack, authority, client="optional", tokens=True, identities="spiffe://td/bob bob\n")
    bobs = client_context(authority, authority.sign("bob", "URI:spiffe://td/bob"))
    peer = encrypted(attack, bobs)
    peer.send(Connection.hello_frame(TOKENS["alice"]).encode())
    expect_goaway(peer, "UNAUTHENTICATED", "invalid_token")
    peer = encrypted(attack, bobs)
    peer.hello(quiet=True)
    refused = peer.refusal("Server.Status", metadata={"token": TOKENS["alice"]})
    is_refusal(refused, "UNAUTHENTICATED", "invalid_token")
    expect_kept(peer)
    assert peer.call("Server.Status", metadata={"token": TOKENS["bob"]})
    for context, token in ((bobs, TOKENS["bob"]), (client_context(authority), TOKENS["alice"])):
        is_alive(attack, context, token)
