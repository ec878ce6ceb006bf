"""The parts that the quickstart tests of all clients share: the README's block, a server, the output that must come."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile


def block(readme: pathlib.Path, language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", readme.read_text(), re.DOTALL).group(1)


def is_short(program: str) -> None:
    lines = [line for line in program.splitlines() if line.strip()]
    assert len(lines) <= 15, f"a quickstart has 15 lines at most, not {len(lines)}"


@contextlib.contextmanager
def at_a_server(program: str):
    """The program, with the address of a server that runs meanwhile."""
    with tempfile.TemporaryDirectory() as data:
        command = [os.environ["HEDDLE_BIN"], "serve", "--data", f"{data}/data", "--listen", "127.0.0.1:0", "--grpc", "off", "--http", "off"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            address = json.loads(server.stdout.readline())["listen"]
            yield program.replace("heddle://127.0.0.1", f"heddle://{address}")
        finally:
            server.kill()
            server.wait()


def prints_the_answer(command: list, folder: pathlib.Path, **options) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, **options)
    assert ran.returncode == 0 and ran.stdout == "You said: Hello", (ran.stdout, ran.stderr)
