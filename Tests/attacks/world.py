"""The surroundings of a row: tenants with their tokens, the canary in their texts, and servers."""

import pathlib
import secrets

from harness import server, watch
from rows import Setup

CANARY = "canary-" + secrets.token_hex(8)
TOKENS = {name: f"{name}-{secrets.token_hex(20)}" for name in
          ("alice", "bob", "carol", "crowd", "greedy", "flood", "witness", "root")}
# Texts that no log may contain, by their names.
SECRETS = {"a payload": CANARY, **{f"the token of {name}": token for name, token in TOKENS.items()}}


def token_file(folder: pathlib.Path) -> pathlib.Path:
    file = folder / "tokens"
    file.touch(mode=0o600)
    file.write_text("".join(f"{token} {name}{' admin' if name == 'root' else ''}\n" for name, token in TOKENS.items()))
    return file


class Server(server.Server):
    """A server that may have our tokens."""

    def __init__(self, data: pathlib.Path, *arguments, has_tokens: bool = False, **more):
        super().__init__(data, *arguments, **more)
        self.has_tokens = has_tokens

    def token(self, who: str) -> str:
        return TOKENS[who] if self.has_tokens else ""


class Watch(watch.Watch):
    """The standing assertions, with our secrets."""

    def __init__(self, server: Server):
        super().__init__(server, server.token("witness"), SECRETS)


def start(setup: Setup, folder: pathlib.Path) -> Server:
    """A server for the rows that share a setup."""
    arguments = setup.arguments + (("--token-file", token_file(folder)) if setup.tokens else ())
    return Server(folder / "data", *arguments, environment=dict(setup.environment), has_tokens=setup.tokens).start()
