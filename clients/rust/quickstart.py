"""Runs the quickstart of a README with the packed crate, as a program of its own: quickstart.py FOLDER README"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MANIFEST = """[package]
name = "quickstart"
version = "0.1.0"
edition = "2021"

[dependencies]
heddle = {{ path = "{crate}" }}
tokio = {{ version = "1.24", features = ["macros", "rt-multi-thread"] }}

[workspace]
"""


def main() -> None:
    folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    block = re.search(r"```rust\n(.*?)```", readme, re.DOTALL).group(1)
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) <= 15, f"a quickstart has 15 lines at most, not {len(lines)}"
    packed = next((HERE / "../../.build/rust/target/package").glob("heddle-*.crate"))
    with tarfile.open(packed) as archive:
        archive.extractall(folder)
    with tempfile.TemporaryDirectory() as data:
        command = [os.environ["HEDDLE_BIN"], "serve", "--data", f"{data}/data", "--listen", "127.0.0.1:0", "--grpc", "off", "--http", "off"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            address = json.loads(server.stdout.readline())["listen"]
            (folder / "src").mkdir()
            (folder / "src/main.rs").write_text(block.replace("heddle://127.0.0.1", f"heddle://{address}"))
            (folder / "Cargo.toml").write_text(MANIFEST.format(crate=packed.stem))
            ran = subprocess.run([HERE / "cargo", "run", "--quiet"], cwd=folder, capture_output=True, text=True)
            assert ran.returncode == 0 and ran.stdout == "You said: Hello", (ran.stdout, ran.stderr)
        finally:
            server.kill()
            server.wait()


main()
