"""The client commands over TLS: whom they trust, what they show, and what they say when it fails (configuration.md)."""

import json
import os
import subprocess

import pytest

from harness.certificates import Authority
from harness.server import BINARY, Server
from test_tls import secured

CART = "spiffe://example.org/ns/shop/sa/cart"


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


def run(*arguments, environment: dict | None = None) -> subprocess.CompletedProcess:
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})


def status(server: Server, *arguments, environment: dict | None = None) -> subprocess.CompletedProcess:
    return run("call", "ServerService/Status", "--server", server.ready["listen"], *arguments, environment=environment)


def test_a_call_over_tls(tmp_path, authority):
    with secured(tmp_path, authority) as server:
        done = status(server, "--ca", authority.chain)
        assert done.returncode == 0 and json.loads(done.stdout)["serving"] == "SERVING", done
        done = status(server, environment={"HEDDLE_CA": str(authority.chain), "HEDDLE_TLS": "true"})
        assert done.returncode == 0, done
        done = run("load", "status", "--server", server.ready["listen"], "--ca", authority.chain, "--seconds", "1",
                   "--connections", "2")
        assert done.returncode == 0, done


def test_a_certificate_is_the_clients_credential(tmp_path, authority):
    cart = authority.sign("cart", f"URI:{CART}")
    with secured(tmp_path, authority, client="require", identities=f"{CART} shop\n") as server:
        done = status(server, "--ca", authority.chain, "--cert", cart.chain, "--cert-key", cart.key)
        assert done.returncode == 0, done
        done = status(server, "--ca", authority.chain)
        assert done.returncode == 1 and "--cert" in done.stderr, done
        stranger = Authority(tmp_path, "stranger").sign("cart", f"URI:{CART}")
        done = status(server, "--ca", authority.chain, "--cert", stranger.chain, "--cert-key", stranger.key)
        assert done.returncode == 1 and "TLS" in done.stderr, done


def test_a_server_that_is_not_trusted(tmp_path, authority):
    with secured(tmp_path, authority) as server:
        done = status(server, "--tls")
        assert done.returncode == 1 and "not trusted" in done.stderr, done


def test_a_server_of_another_name(tmp_path, authority):
    with secured(tmp_path, authority, certificate=authority.sign("named", "DNS:heddle.example")) as server:
        done = status(server, "--ca", authority.chain)
        assert done.returncode == 1 and "another name" in done.stderr, done
        done = status(server, "--ca", authority.chain, "--server-name", "heddle.example")
        assert done.returncode == 0, done


def test_tls_to_a_port_without_it(tmp_path):
    with Server(tmp_path / "data") as server:
        done = status(server, "--tls")
        assert done.returncode == 1 and "TLS" in done.stderr, done


def test_files_that_cannot_be_used(tmp_path, authority):
    cart = authority.sign("cart", f"URI:{CART}")
    other = authority.sign("other", f"URI:{CART}")
    with secured(tmp_path, authority) as server:
        for wrong, code in [(["--ca", tmp_path / "nothing"], 1), (["--cert", cart.chain], 78),
                            (["--cert", cart.chain, "--cert-key", other.key], 1)]:
            done = status(server, *wrong)
            assert done.returncode == code and ("TLS" in done.stderr or "--cert-key" in done.stderr), done
