"""attacks.md, Authentication and tenancy, with JSON Web Tokens: A2 to A12, A17, A19, A22, M2, L2.

The bytes of tokens are taken apart in Tests/HeddleTokensTests; here a real server meets real keys.
"""

import contextlib
import json
import random
import signal
import time

import pytest

from harness.ends import LATE_SECONDS, expect_goaway, expect_kept
from harness.messages import METHODS, ON_A_THREAD, fields_for, frame_pb2, options_pb2, turn_status, words
from harness.server import Server, heddle
from harness.watch import Watch
from harness.web_tokens import Key, Secret, b64, claims, key_set, write
from harness.wire import ERROR, HELLO, Closed, HeddleError

STATIC = "static-operator-" + "s" * 32
SECRET = "shared-secret-of-the-tests-" + "h" * 32
EXIT_CONFIGURATION = 78
# attacks.md A11: connections on a key that is gone end within a minute.
ROTATION_SECONDS = 60


def serve_with(folder, *arguments, **jwt) -> list:
    """The arguments of a server with these `jwt` settings."""
    folder.mkdir(exist_ok=True)
    file = write(folder / "config.json", json.dumps({"jwt": jwt}))
    return ["--config", file, *arguments]


class Issuer:
    """One key of each kind, known to the server by a JWKS, by PEM, by a shared secret."""

    def __init__(self, folder):
        self.rs256 = Key(folder, "rs256", "RS256", "rsa-1")
        self.ps256 = Key(folder, "ps256", "PS256", "pss-1")
        self.es256 = Key(folder, "es256", "ES256", "curve-1")
        self.eddsa = Key(folder, "eddsa", "EdDSA", "named")
        self.pem = Key(folder, "pem", "ES256")
        self.hs256 = Secret(SECRET, "secret-1")
        self.stranger = Key(folder, "stranger", "RS256", "rsa-1")
        self.settings = {
            "keys": [str(write(folder / "keys.json", key_set(self.rs256, self.ps256, self.es256), 0o644)),
                     f"named={self.eddsa.public}", str(self.pem.public)],
            "secretFile": str(write(folder / "secrets", f"# shared\n{SECRET} secret-1\n")),
            "algorithms": ["RS256", "PS256", "ES256", "EdDSA", "HS256"], "issuer": "https://issuer.test",
            "audience": "heddle", "adminClaim": "roles", "adminValue": "heddle-operator"}


@pytest.fixture(scope="module")
def issuer(tmp_path_factory):
    return Issuer(tmp_path_factory.mktemp("issuer"))


@pytest.fixture(scope="module")
def server(tmp_path_factory, issuer):
    """Web tokens and a token file side by side, everything logged."""
    folder = tmp_path_factory.mktemp("jwt")
    tokens = write(folder / "tokens", f"{STATIC} operators admin\n")
    with Server(folder / "data", *serve_with(folder, "--token-file", tokens, "--log-level", "debug", **issuer.settings)
                ) as running:
        assert running.ready["authentication"] == "token,jwt"
        yield running
        assert running.alive, running.log_text()[-2000:]


@pytest.fixture(scope="module")
def witness(server):
    watching = Watch(server, STATIC)
    yield watching
    watching.close()


pytestmark = pytest.mark.usefixtures("unharmed")


@pytest.fixture
def alice(server, issuer):
    with server.connect(issuer.rs256.token(claims("alice")), unwanted_notifications=["thread_started"]) as connected:
        yield connected


@pytest.fixture
def bob(server, issuer):
    with server.connect(issuer.es256.token(claims("bob"))) as connected:
        yield connected


def refused(server, token: str) -> HeddleError:
    with server.connect(hello=False) as connection:
        connection.send_message(HELLO, frame_pb2.ClientHello(token=token))
        return expect_goaway(connection, "UNAUTHENTICATED", "invalid_token", timeout=60)


@pytest.mark.parametrize("key", ["rs256", "ps256", "es256", "eddsa", "pem", "hs256"])
def test_every_kind_of_key_lets_its_tenant_in(server, issuer, key):
    """Beside A2: a right token of every kind is served, K; its tenant is the claim's."""
    with server.connect(getattr(issuer, key).token(claims(f"tenant-{key}"))) as connection:
        mine = connection.new_thread(name=key).id
        assert [row.id for row in connection.call("Thread.List", page_size=10).threads] == [mine]


def test_a3_the_clock_may_be_wrong_by_29_seconds(server, issuer):
    """A3★ expired, 29 s ago → served, K; beside it `nbf` and `iat` 25 s ahead."""
    assert served_while(server, issuer, -27, 30), "27 rather than 29: it takes a moment to connect"
    now = int(time.time())
    with server.connect(issuer.es256.token(claims(nbf=now + 25, iat=now + 25))) as connection:
        expect_kept(connection)


def served_while(server, issuer, lasts: int, leeway: int) -> bool:
    """Whether a token is served, looked at while it must be: where the machine stood still in between, looked at again."""
    while True:
        token = claims(lasts=lasts)
        try:
            with server.connect(issuer.es256.token(token)) as connection:
                expect_kept(connection)
                return True
        except Closed:
            if time.time() < token["exp"] + leeway:
                return False


def test_a2_to_a9_every_wrong_token_gets_the_same_words(server, issuer):
    """A2★ to A9 wrong signature, time, algorithm, audience, issuer, header, form → UNAUTHENTICATED invalid_token, X.

    One text for all of them, and the cause in the log. Twenty and no more: from then on answers wait (A20).
    """
    rs, hs, now = issuer.rs256, issuer.hs256, int(time.time())
    whole = rs.token()
    wrong = {
        "a signature of another key": issuer.stranger.token(),
        "no signature": whole.rsplit(".", 1)[0] + ".",
        "expired 31 s ago": rs.token(claims(lasts=-31)),
        "nbf ahead": rs.token(claims(nbf=now + 300)),
        "no exp": rs.token(claims(exp=None)),
        "exp 1e400": rs.token(b'{"tenant":"alice","iss":"https://issuer.test","aud":"heddle","exp":1e400}'),
        "alg none": f"{b64(json.dumps({'alg': 'none'}).encode())}.{whole.split('.')[1]}.",
        "alg nOnE": rs.token(alg="nOnE"),
        "no alg": rs.token(alg=None),
        "HS256 with the public key's file": Secret(rs.public.read_bytes(), "rsa-1").token(),
        "HS256 with the public key's file and the secret's id": Secret(rs.public.read_bytes(), "secret-1").token(),
        "aud missing": rs.token(claims(aud=None)),
        "aud another": rs.token(claims(aud=["other", "heddle2"])),
        "iss another": rs.token(claims(iss="https://issuer.test/")),
        "kid a path": rs.token(kid="../../rsa-1"),
        "jku": rs.token(jku="https://issuer.test/keys"),
        "duplicate claims": rs.token(json.dumps(claims("bob")).encode()[:-1] + b', "tenant": "alice"}'),
        "dots": "." * 8_000,
        "no tenant": rs.token(claims(tenant=None)),
    }
    messages = set()
    for name, token in wrong.items():
        error = refused(server, token)
        messages.add((error.error.message, tuple(error.details.items()), error.error.retry_after_ms))
        assert token not in error.error.message, name
    assert len(messages) == 1
    assert server.log_text().count("a token was refused") >= len(wrong)


def test_a9_a_token_beyond_the_frame(server):
    """A9 a token of 1 MiB → frame_too_large, X."""
    with server.connect(hello=False) as connection:
        # The answer comes at its header; a client that is slow with the rest may find the connection closed.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.send_message(HELLO, frame_pb2.ClientHello(token="a" * (1 << 20)))
        expect_goaway(connection, "RESOURCE_EXHAUSTED", "frame_too_large")


def test_a19_rights_are_of_the_claim(server, issuer, alice):
    """A19★ admin method without the claim → PERMISSION_DENIED, K; with it, served."""
    request = {"name": "multi_agent_mode", "enabled": True}
    assert alice.refusal("Catalog.SetFeature", **request).code == "PERMISSION_DENIED"
    for roles, serves in ((["heddle-operator", "x"], True), ("heddle-operator", True), (["other"], False), (True, False)):
        with server.connect(issuer.hs256.token(claims("ops", roles=roles))) as connection:
            if serves:
                assert connection.call("Catalog.SetFeature", **request).feature.enabled
            else:
                assert connection.refusal("Catalog.SetFeature", **request).code == "PERMISSION_DENIED"


def call_with(connection, token: str) -> HeddleError | None:
    frame = connection.request_frame("Server.Status", METHODS["Server.Status"].request(), metadata={"token": token})
    connection.send_frame(frame)
    end = connection.terminal(frame.stream)
    return HeddleError(frame_pb2.Error.FromString(end.body)) if end.kind == ERROR else None


def test_a10_an_expired_token_ends_the_connection_and_no_work(tmp_path, issuer):
    """A10★ expires while connected → UNAUTHENTICATED token_expired, X; the turn runs on (S16).

    A fresh token of the same tenant beside a request keeps a connection; one of another tenant is refused.
    """
    settings = {**issuer.settings, "leewaySeconds": 0}
    with Server(tmp_path / "data", *serve_with(tmp_path, **settings)) as server:
        others, fresh_token = issuer.rs256.token(claims("bob")), issuer.rs256.token(claims())
        expires = int(time.time()) + 5
        token = issuer.rs256.token(claims(exp=expires))
        with server.connect(token) as ending, server.connect(token) as staying:
            thread = ending.new_thread().id
            # Four pieces: its end is seconds behind that of the token.
            turn = ending.start_turn(thread, "!delay 2000\n!chunks 4\n!say Said to the end.").turn
            assert call_with(staying, others).reason == "invalid_token"
            assert call_with(staying, token) is None
            assert call_with(staying, fresh_token) is None
            expect_goaway(ending, "UNAUTHENTICATED", "token_expired")
            assert expires <= time.time() < expires + LATE_SECONDS
            follower = staying.follow(thread)
            follower.until_ended(turn)
            assert turn_status(staying.call("Thread.ListTurns", thread=thread).turns[0].status) == "COMPLETED"
            expect_kept(staying)
            assert refused(server, token)


def rotates(server, told) -> float:
    """Seconds until the server has read its files again; `told` makes it do so."""
    seen, began = server.log_text().count("were read again"), time.monotonic()
    told()
    while server.log_text().count("were read again") == seen:
        assert time.monotonic() - began < ROTATION_SECONDS
        time.sleep(0.05)  # the log is a file; nothing tells when a line has come
    return time.monotonic() - began


def test_a11_keys_are_rotated_without_a_restart(tmp_path, issuer):
    """A11 key rotated, token revoked → connections on the old one end ≤ 60 s, X; others do not notice.

    The first change is found by looking, the second by SIGHUP.
    """
    old, new = issuer.rs256, Key(tmp_path, "new", "RS256", "rsa-2")
    keys = write(tmp_path / "keys.json", key_set(old), 0o644)
    tokens = write(tmp_path / "tokens", f"{STATIC} operators admin\n{STATIC}2 revoked\n")
    settings = {**issuer.settings, "keys": [str(keys)], "algorithms": ["RS256", "HS256"]}
    with Server(tmp_path / "data", *serve_with(tmp_path, "--token-file", tokens, **settings)) as server:
        with server.connect(STATIC) as operator, server.connect(STATIC + "2") as revoked, \
                server.connect(old.token()) as known, server.connect(issuer.hs256.token()) as shared:
            assert refused(server, new.token())
            # The issuer has a new key beside the old one: nobody has to go.
            rotates(server, lambda: write(keys, key_set(new, old), 0o644))
            with server.connect(new.token()) as fresh:
                expect_kept(known)
                write(keys, key_set(new), 0o644)
                rotates(server, lambda: server.process.send_signal(signal.SIGHUP))
                expect_goaway(known, "UNAUTHENTICATED", "invalid_token")
                assert refused(server, old.token())
                # A file that cannot be used takes nothing away.
                write(keys, "{\"keys\": [", 0o644)
                write(tokens, f"{STATIC} operators admin\n")
                while "stay as they were" not in server.log_text():
                    time.sleep(0.05)
                expect_kept(fresh)
                expect_kept(revoked)
                rotates(server, lambda: write(keys, key_set(new), 0o644))
                expect_goaway(revoked, "UNAUTHENTICATED", "invalid_token")
                for connection in (fresh, operator, shared):
                    expect_kept(connection)
        assert server.alive
        server.terminate()
        assert server.wait(60) == 0


def test_a10_a11_a_fresh_token_stands_on_its_own_key(tmp_path, issuer):
    """A10, A11: a connection that has shown a token of the new key does not end with the old one, and it ends with the
    new one."""
    old, new, newest = issuer.es256, Key(tmp_path, "new", "ES256", "es-2"), Key(tmp_path, "newest", "ES256", "es-3")
    keys = write(tmp_path / "keys.json", key_set(old, new), 0o644)
    settings = {**issuer.settings, "keys": [str(keys)], "algorithms": ["ES256", "HS256"]}

    def replaced(*by):
        write(keys, key_set(*by), 0o644)
        rotates(server, lambda: server.process.send_signal(signal.SIGHUP))

    # On one loop: all connections are looked at in one go.
    with Server(tmp_path / "data", *serve_with(tmp_path, "--loops", "1", **settings)) as server, \
            server.connect(old.token()) as going, server.connect(old.token()) as staying:
        assert call_with(staying, new.token()) is None
        replaced(new)
        expect_goaway(going, "UNAUTHENTICATED", "invalid_token")
        expect_kept(staying)
        replaced(newest)
        expect_goaway(staying, "UNAUTHENTICATED", "invalid_token")


@pytest.mark.parametrize("name,change", [
    ("no-algorithms", {"algorithms": []}), ("none", {"algorithms": ["none"]}), ("unknown", {"algorithms": ["RS1"]}),
    ("no-keys", {"keys": [], "secretFile": None}), ("missing-file", {"keys": ["/nothing/here.pem"]}),
    ("algorithm-without-a-key", {"algorithms": ["HS256", "ES384"]}), ("leeway", {"leewaySeconds": 301}),
    ("empty-issuer", {"issuer": ""}), ("admin-value-alone", {"adminClaim": None})])
def test_settings_that_protect_nothing_do_not_start(tmp_path, issuer, name, change):
    """A5, A17 beside them: what cannot be meant is said at the start, exit 78."""
    settings = {key: value for key, value in {**issuer.settings, **change}.items() if value is not None}
    ended = heddle("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", *serve_with(tmp_path, **settings))
    assert ended.returncode == EXIT_CONFIGURATION and "jwt" in ended.stderr or "cannot read" in ended.stderr, ended
    assert ended.stdout == "" and SECRET not in ended.stderr


@pytest.mark.parametrize("content,mode", [
    ("h" * 31, 0o600), ("", 0o600), ("# nothing\n", 0o600), (SECRET, 0o640), (SECRET, 0o604),
    ("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n", 0o600)])
def test_a17_a_secret_file_that_protects_nothing_does_not_start(tmp_path, content, mode):
    """A17 secret < 32 bytes; secret file readable by others; empty → does not start. Nor with a public key as secret."""
    secrets = write(tmp_path / "secrets", content, mode)
    ended = heddle("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0",
                   *serve_with(tmp_path, secretFile=str(secrets), algorithms=["HS256"]))
    assert ended.returncode == EXIT_CONFIGURATION and str(secrets) in ended.stderr
    assert SECRET not in ended.stderr and ended.stdout == ""


@pytest.mark.parametrize("content,mode", [
    ("private", 0o644), ("public", 0o666), ("two", 0o644), ("shared", 0o644), ("", 0o644), ("{}", 0o644)])
def test_a6_key_files_hold_public_keys_that_others_cannot_change(tmp_path, issuer, content, mode):
    """A6, A17 beside them: a private key, a shared secret or a file that others can write → does not start."""
    public = issuer.rs256.public.read_text()
    content = {"private": issuer.rs256.file.read_text(), "public": public, "two": public * 2,
               "shared": json.dumps({"keys": [{"kty": "oct", "k": b64(SECRET.encode())}]})}.get(content, content)
    file = write(tmp_path / "key", content, mode)
    ended = heddle("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0",
                   *serve_with(tmp_path, keys=[str(file)], algorithms=["RS256"]))
    assert ended.returncode == EXIT_CONFIGURATION and str(file) in ended.stderr and ended.stdout == ""


def test_a16_web_tokens_are_authentication(tmp_path, issuer):
    """A16★ beside it: an address that others can reach may be served with web tokens alone; in the environment too."""
    secrets = issuer.settings["secretFile"]
    with Server(tmp_path / "data", listen="0.0.0.0:0", environment={
            "HEDDLE_TLS_MODE": "plaintext",
            "HEDDLE_JWT_SECRET_FILE": secrets, "HEDDLE_JWT_ALGORITHMS": "HS256", "HEDDLE_JWT_AUDIENCE": "heddle",
            "HEDDLE_JWT_TENANT_CLAIM": "sub"}) as server:
        assert server.ready["authentication"] == "jwt"
        server.ready["listen"] = server.ready["listen"].replace("0.0.0.0", "127.0.0.1")
        with server.connect(issuer.hs256.token(claims(sub="by-subject"))) as connection:
            expect_kept(connection)
        assert refused(server, issuer.hs256.token(claims()))


# A22: what one tenant does leaves no trace in any answer to another.


@pytest.mark.parametrize("name", ON_A_THREAD)
def test_m2_another_tenants_thread_is_an_unknown_thread(alice, bob, name):
    """M2★ another tenant's thread, in every method that takes an id → byte-identical to M1, K."""
    thread = alice.new_thread(name="alice's").id
    before = alice.call("Thread.Read", thread=thread).thread
    assert bob.told(name, thread) == bob.told(name, b"0123456789abcdef")
    assert alice.call("Thread.Read", thread=thread).thread == before


class Tenant:
    """One side of the isolation test: its connection, its ids and cursors, and a mark in everything it says."""

    def __init__(self, connection, name: str):
        self.connection, self.mark = connection, f"watermark-of-{name}-"
        self.threads, self.turns, self.cursors = [], [], []

    def learn(self, name: str, answer):
        """Keeps what an answer tells that another tenant may try."""
        if name == "Thread.Start":
            self.threads.append(answer.thread.id)
        if name == "Turn.Start":
            self.turns.append(answer.turn)
        if cursor := getattr(answer, "next_cursor", ""):
            self.cursors.append(cursor)


def random_call(rng: random.Random, mine: Tenant, other: Tenant) -> tuple[str, dict]:
    """A method with ids and cursors of either side; texts are of the caller."""
    ids = rng.choice((mine.threads, other.threads)) or [b"0123456789abcdef"]
    name = rng.choice(CALLS)
    fields = METHODS[name].request.DESCRIPTOR.fields_by_name
    made = fields_for(name, rng.choice(ids)) if "thread" in fields else {}
    if "turn" in made:
        made["turn"] = rng.choice((rng.choice((mine.turns, other.turns)) or [made["turn"]]))
    if "cursor" in fields and rng.random() < 0.5:
        made["cursor"] = rng.choice(rng.choice((mine.cursors, other.cursors)) or ["garbage"])
    if "page_size" in fields:
        made["page_size"] = rng.choice((1, 2, 200))
    if "name" in fields and name != "Catalog.SetFeature":
        made["name"] = f"{mine.mark}{rng.randrange(100)}"
    if name == "Thread.Start":
        made["subscribe"] = rng.random() < 0.3
    if name in ("Turn.Start", "Turn.Steer"):
        made["input"] = words(f"{mine.mark}{rng.randrange(100)}")
    return name, made


# One refusal of an operator's method is like another; too many of them end a connection.
CALLS = [name for name, method in METHODS.items() if not name.endswith("Capture")
         and not method.has(options_pb2.planned) and not method.has(options_pb2.server_calls_client)]
A22_CALLS = 3_000


def test_a22_no_byte_of_one_tenant_reaches_another(server, issuer):
    """A22★ 2 tenants, random calls with ids and cursors swapped → no byte of one in an answer to the other, K.

    The row's million calls are a campaign; these few thousand are its seed.
    """
    rng = random.Random(22)
    with server.connect(issuer.ps256.token(claims("tenant-22-a"))) as one, \
            server.connect(issuer.eddsa.token(claims("tenant-22-b"))) as two:
        first, second = Tenant(one, "a"), Tenant(two, "b")
        served = 0
        for _ in range(A22_CALLS):
            mine, other = (first, second) if rng.random() < 0.5 else (second, first)
            name, fields = random_call(rng, mine, other)
            stream = mine.connection.open(name, **fields)
            end = mine.connection.terminal(stream)
            heard = end.payload + b"".join(frame.payload for frame in mine.connection.inbox)
            mine.connection.inbox.clear()
            assert other.mark.encode() not in heard, (name, fields)
            assert not any(thread in heard for thread in other.threads), (name, fields)
            if end.kind == ERROR:
                assert HeddleError(frame_pb2.Error.FromString(end.body)).code != "INTERNAL", (name, fields)
            else:
                mine.learn(name, METHODS[name].response.FromString(end.body))
                served += 1
        assert served > A22_CALLS / 10
        for mine, other in ((first, second), (second, first)):
            for thread in mine.threads[:20]:
                assert other.connection.refusal("Thread.Read", thread=thread).reason == "thread"


def test_l2_no_token_and_no_secret_in_the_log_or_on_disk(server, issuer, alice, bob):
    """L2★ at `debug`: no token, signature or secret in the logs or the data folder."""
    token = issuer.hs256.token(claims("alice"))
    with server.connect(token) as connection:
        connection.new_thread()
    log = server.log_text()
    assert "debug" in log
    secrets = [SECRET, STATIC, token, token.split(".")[1], token.split(".")[2], "watermark-of-"]
    for secret in secrets:
        assert secret not in log
    for file in server.data.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert not any(secret.encode() in content for secret in secrets[:-1]), file
