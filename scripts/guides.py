"""Runs the programs of docs/guides against servers of their own: each must print what its page says.

    python scripts/guides.py --heddle .build/release/heddle
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ROOT / "docs" / "guides"
SECRET = "s" * 40
# A page's surroundings, for a program that is run without a browser: a form that is sent once.
PAGE = """\
const listeners = {}
const parts = { pre: { textContent: '' }, input: { value: 'Hello' }, form: { addEventListener: (name, run) => { listeners[name] = run } } }
globalThis.document = { querySelector: (name) => parts[name] }
await import('./page.js')
await listeners.submit({ preventDefault() {} })
console.log(parts.pre.textContent.trim())
Deno.exit(0)
"""


@contextlib.contextmanager
def server(heddle: Path, folder: Path, *arguments):
    command = [heddle, "serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--grpc", "off", *arguments]
    with open(folder / "server.log", "wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(60)


def block(page: str, language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", page, re.DOTALL).group(1)


def run(command: list, folder: Path, **environment: str) -> str:
    surroundings = {**os.environ, **environment}
    surroundings.pop("HEDDLE_TOKEN", None)
    ended = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def python_guide(page: str, heddle: Path, folder: Path) -> tuple[str, str]:
    (folder / "program.py").write_text(block(page, "python"))
    arguments = []
    if "```json" in page:
        # The server's configuration, with a secret beside it.
        (folder / "secrets").touch(0o600)
        (folder / "secrets").write_text(SECRET)
        (folder / "config.json").write_text(block(page, "json").replace('"secrets"', json.dumps(str(folder / "secrets"))))
        arguments = ["--config", folder / "config.json"]
    with server(heddle, folder, *arguments, "--http", "off") as ready:
        said = run([sys.executable, "program.py"], folder, HEDDLE_URL=f"heddle://{ready['listen']}")
    return said, block(page, "text")


def browser_guide(page: str, heddle: Path, folder: Path) -> tuple[str, str]:
    with server(heddle, folder, "--http", "127.0.0.1:0") as ready:
        program = block(page, "js").replace("/heddle/", f"{(ROOT / 'clients/javascript/src').as_uri()}/")
        (folder / "page.js").write_text(program.replace("127.0.0.1:7422", ready["http"]))
        (folder / "main.js").write_text(PAGE)
        deno = Path(sys.executable).parent / "deno"
        said = run([deno, "run", "--allow-net", "--allow-read", "main.js"], folder, NO_COLOR="1")
    return said, "> Hello\nYou said: Hello\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, required=True, help="the program that serves")
    heddle = parser.parse_args().heddle.resolve()
    guides = sorted(file for file in GUIDES.glob("*.md") if file.name != "README.md")
    failed = 0
    for file in guides:
        page = file.read_text()
        with tempfile.TemporaryDirectory() as folder:
            kind = browser_guide if file.stem == "browser" else python_guide
            try:
                said, expected = kind(page, heddle, Path(folder))
            except AssertionError as error:
                said, expected = str(error), ""
        if said != expected:
            failed += 1
            print(f"FAILED {file.name}: printed\n{said}instead of\n{expected}")
    print(f"guides: programs={len(guides)} failed={failed}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
