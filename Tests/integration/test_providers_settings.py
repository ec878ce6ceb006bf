"""Settings of model providers, as an operator writes them (docs/providers.md): what stops a start and says so, which key
and which authority is used, and that no log shows a secret."""

import json
import re
import subprocess

import pytest

from harness.messages import ROOT, frame_pb2
from harness.model_server import ModelServer, Text, error
from harness.server import Server
from harness.wire import HELLO
from provided import HEADER_SECRET, KEYS, KINDS, Conversation, ProvidedServer, quick

SETTING = "setting-94be07"


def test_tls_is_checked_against_the_configured_authority(tmp_path):
    """`authorityFile` lets a private authority in; without it, or with another, no request leaves."""
    pems = {}
    for name in ("right", "wrong"):
        pems[name] = tmp_path / f"{name}.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                        tmp_path / f"{name}.key", "-out", tmp_path / f"{name}.crt"], check=True, capture_output=True)
        pems[name].write_bytes((tmp_path / f"{name}.crt").read_bytes() + (tmp_path / f"{name}.key").read_bytes())
    with ModelServer(certificate=str(pems["right"])) as model:
        providers = {
            "right": quick(model, "responses", key=KEYS["responses"], authorityFile=str(tmp_path / "right.crt")),
            "wrong": quick(model, "responses", key=KEYS["responses"], retries=1,
                           authorityFile=str(tmp_path / "wrong.crt")),
            "system": quick(model, "responses", key=KEYS["responses"], retries=1)}
        with ProvidedServer(tmp_path, providers) as server, server.connect() as connection:
            assert Conversation(connection, "right").turn("safe").answer == "You said: safe"
            for name in ("wrong", "system"):
                turn = Conversation(connection, name).turn()
                assert (turn.status, turn.reason) == ("FAILED", "model_failed")
                assert "certificate" in turn.message
            assert len(model.requests) == 1


FAULTS = {
    "kind": ({"kind": "openai"}, "providers.x.kind"),
    "no address": ({"kind": "chat"}, "providers.x.baseURL"),
    "not an address": ({"kind": "chat", "baseURL": "ftp://host/v1"}, "providers.x.baseURL"),
    "key in the address": ({"kind": "chat", "baseURL": f"http://me:{KEYS['chat']}@host/v1"}, "providers.x.baseURL"),
    "two keys": ({"kind": "responses", "key": f"{KEYS['chat']} {KEYS['chat']}"}, "providers.x.key"),
    "no key file": ({"kind": "responses", "keyFile": "/nowhere"}, "providers.x.keyFile"),
    "no variable": ({"kind": "responses", "keyVariable": "NOT_SET_ANYWHERE"}, "providers.x.keyVariable"),
    "header": ({"kind": "responses", "headers": [f"Bad Name: {KEYS['chat']}"]}, "providers.x.headers"),
    "number": ({"kind": "responses", "idleMilliseconds": 0}, "providers.x.idleMilliseconds"),
    "role": ({"kind": "responses", "developerRole": "boss"}, "providers.x.developerRole"),
    "authority": ({"kind": "responses", "authorityFile": "/nowhere"}, "/nowhere"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_setting_that_cannot_be_right_stops_the_start(tmp_path, fault):
    """Exit code 78 and a line that names the key to mend, and shows no secret."""
    settings, named = FAULTS[fault]
    server = ProvidedServer(tmp_path, {"x": settings})
    with pytest.raises(AssertionError, match="ended with 78"):
        server.start()
    assert named in server.log_text()
    assert KEYS["chat"] not in server.log_text()


def starts(folder, name: str = "x", **settings) -> str:
    """Whether a server starts with this provider; if not, what it says."""
    folder.mkdir()
    server = ProvidedServer(folder, {name: {"kind": "chat", "baseURL": "http://127.0.0.1:1/v1", **settings}})
    try:
        with server:
            return ""
    except AssertionError as error:
        assert "ended with 78" in str(error)
        return server.log_text()


def test_further_tries_are_0_to_100(tmp_path):
    """docs/providers.md, `retries`: 0 and 100 are taken, 101 stops the start with a line that names it."""
    for number in (0, 100):
        assert starts(tmp_path / str(number), retries=number) == ""
    assert "providers.x.retries" in starts(tmp_path / "101", retries=101)


def test_a_name_is_1_to_64_letters_digits_and_hyphens(tmp_path):
    """docs/providers.md: a provider's name; another one stops the start with a line that names it."""
    assert starts(tmp_path / "64", "Az-09" + "z" * 59) == ""
    for number, name in enumerate(("z" * 65, "a_b", "a.b", "\u00e4", "scripted")):
        said = starts(tmp_path / str(number), name)
        assert "providers.names" in said and name in said


def test_of_several_keys_the_first_in_the_document_counts(tmp_path, model):
    """docs/providers.md: of `key`, `keyFile` and `keyVariable` the first that is there is sent, and no other."""
    file = tmp_path / "key"
    file.write_text("sk-of-the-file")
    ways = {"key": "sk-itself", "keyFile": str(file), "keyVariable": "A_KEY_OF_MINE"}
    sent = {"key": "sk-itself", "keyFile": "sk-of-the-file", "keyVariable": "sk-of-the-variable"}
    named = {"all": list(ways), "two": ["keyFile", "keyVariable"], "ends": ["key", "keyVariable"],
             "one": ["keyVariable"]}
    providers = {name: quick(model, "chat", **{way: ways[way] for way in of}) for name, of in named.items()}
    with ProvidedServer(tmp_path, providers, environment={"A_KEY_OF_MINE": "sk-of-the-variable"}) as server, \
            server.connect() as connection:
        for name, of in named.items():
            assert Conversation(connection, name).turn().status == "COMPLETED"
            assert model.requests[-1].headers["authorization"] == f"Bearer {sent[of[0]]}", name


@pytest.mark.parametrize("level", ["debug", "trace"])
def test_l2_no_log_level_shows_a_key_or_a_token(tmp_path, model, level):
    """L2★, configuration.md "No level logs settings": a whole life of a server at `debug` and `trace`, with keys of
    providers, extra headers, tokens, secrets of web tokens and a text of the operator's: none of them is in the log. A
    provider that is reached, one that refuses, a token that is right, one that is wrong and one beside a request."""
    token, guess, shared = "token-" + "t" * 32, "guess-" + "g" * 32, "shared-" + "s" * 32
    files = {"tokens": f"{token} tenant\n", "secrets": f"{shared} a-key-id\n", "key": KEYS["chat"] + "\n"}
    for name, text in files.items():
        (tmp_path / name).touch(mode=0o600)
        (tmp_path / name).write_text(text)
    model.answers += [[Text("fine")], error(401, "No such key."), [Text("fine too")]]
    providers = {"responses": quick(model, "responses", key=KEYS["responses"], headers=[f"X-Trace: {HEADER_SECRET}"]),
                 "chat": quick(model, "chat", keyFile=str(tmp_path / "key")),
                 "anthropic": quick(model, "anthropic", keyVariable="A_KEY_OF_MINE")}
    with ProvidedServer(tmp_path, providers, "--log-level", level, "--token-file", str(tmp_path / "tokens"),
                        environment={"A_KEY_OF_MINE": KEYS["anthropic"]},
                        jwt={"secretFile": str(tmp_path / "secrets"), "algorithms": ["HS256"]},
                        texts={"rootHint": SETTING}) as server:
        with server.connect(hello=False) as guessing:
            guessing.send_message(HELLO, frame_pb2.ClientHello(token=guess))
            assert frame_pb2.GoAway.FromString(guessing.receive().body).error.reason == "invalid_token"
        with server.connect(token) as connection:
            ends = [Conversation(connection, kind).turn().status for kind in ("responses", "chat", "anthropic")]
            assert ends == ["COMPLETED", "FAILED", "COMPLETED"]
            connection.call("Server.Status", metadata={"token": token})
            assert connection.refusal("Server.Status", metadata={"token": guess}).reason == "invalid_token"
        server.terminate()
        assert server.wait() == 0
        log = server.log_text()
    assert " debug " in log, "it says little"
    found = [secret for secret in (*KEYS.values(), HEADER_SECRET, SETTING, token, guess, shared) if secret in log]
    assert found == []


def test_providers_come_from_the_environment_too(tmp_path, model):
    """HEDDLE_PROVIDERS_…: names in a list, a hyphen as an underscore; the usual variable is for the usual address."""
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps({"models": [{"id": "m", "provider": "my-llm"}, {"id": "n", "provider": "other"}]}))
    environment = {"HEDDLE_PROVIDERS_NAMES": "my-llm,other", "HEDDLE_PROVIDERS_MY_LLM_KIND": "chat",
                   "HEDDLE_PROVIDERS_MY_LLM_BASE_URL": model.url, "HEDDLE_PROVIDERS_MY_LLM_KEY": KEYS["chat"],
                   "HEDDLE_PROVIDERS_MY_LLM_HEADERS": "X-One: 1,X-Two: 2",
                   "HEDDLE_PROVIDERS_OTHER_KIND": "responses", "HEDDLE_PROVIDERS_OTHER_BASE_URL": model.url + "?a=b",
                   "OPENAI_API_KEY": KEYS["responses"]}
    with Server(tmp_path / "data", "--catalog", str(catalog), environment=environment) as server, \
            server.connect() as connection:
        assert Conversation(connection, "m").turn("hi").answer == "You said: hi"
        headers = model.requests[0].headers
        assert (headers["authorization"], headers["x-one"], headers["x-two"]) == (f"Bearer {KEYS['chat']}", "1", "2")
        assert Conversation(connection, "n").turn("hi").answer == "You said: hi"
        assert "authorization" not in model.requests[1].headers
        assert model.requests[1].path == "/v1/responses?a=b"


# Documents


def blocks(document: str) -> list[dict]:
    """The JSON examples of a document."""
    text = (ROOT / "docs" / document).read_text()
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]


@pytest.mark.parametrize("document", ["providers.md", "configuration.md"])
def test_the_examples_of_the_documents_start(tmp_path, document):
    """Every example of providers is one that a server starts with, together with every example of a catalog."""
    key_file = tmp_path / "openai.key"
    key_file.write_text(KEYS["responses"])
    configurations = [block["providers"] for block in blocks(document) if "providers" in block]
    catalogs = [block for block in blocks(document) if "models" in block]
    assert configurations and catalogs
    for number, named in enumerate(configurations):
        for settings in named.values():
            if "keyFile" in settings:
                settings["keyFile"] = str(key_file)
        folder = tmp_path / str(number)
        folder.mkdir()
        server = ProvidedServer(folder, {name: named[name] for name in named["names"]})
        with server, server.connect() as connection:
            found = {one.name: one.limit for one in connection.call("Server.Status").providers}
            assert found == {"scripted": 0, **{name: named[name].get("concurrency", 0) for name in named["names"]}}
    for number, catalog in enumerate(catalogs):
        path = tmp_path / f"catalog-{number}.json"
        path.write_text(json.dumps(catalog))
        with Server(tmp_path / f"data-{number}", "--catalog", str(path)) as server, server.connect() as connection:
            listed = connection.call("Catalog.ListModels").models
            assert [entry.id for entry in listed] == [
                entry["id"] for entry in catalog["models"] if not entry.get("hidden")]


def test_every_setting_is_in_the_document():
    """docs/providers.md lists what Sources/heddle/ProviderSettings.swift reads, and nothing else."""
    source = (ROOT / "Sources" / "heddle" / "ProviderSettings.swift").read_text()
    read = set(re.findall(r'(?:forKey: |number\(|flag\()"(\w+)"', source)) - {"names"}
    table = (ROOT / "docs" / "providers.md").read_text().partition("| key | default |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == read
