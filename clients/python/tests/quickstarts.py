"""Runs the Python blocks of a README that connect by themselves, with the wheel in a folder of its own.

    quickstarts.py FOLDER README
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from server import Server


def main() -> None:
    folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    blocks = [block for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "heddle://127.0.0.1" in block]
    assert len(blocks) == 2, f"{len(blocks)} quickstarts"
    with tempfile.TemporaryDirectory() as data, Server(pathlib.Path(data)) as server:
        for number, block in enumerate(blocks):
            assert len([line for line in block.splitlines() if line.strip()]) <= 15, "a quickstart has 15 lines at most"
            file = folder / f"quickstart{number}.py"
            file.write_text(block.replace("heddle://127.0.0.1", server.url))
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            ran = subprocess.run([folder / "venv/bin/python", file], cwd=folder, capture_output=True, text=True,
                                 timeout=60, env=environment)
            assert ran.returncode == 0 and ran.stdout == "You said: Hello", (ran.stdout, ran.stderr)


main()
