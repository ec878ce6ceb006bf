"""Runs the quickstart of a README in an empty folder: quickstart.py FOLDER README PREFIX"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def block(readme: str, language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", readme, re.DOTALL).group(1)


def main() -> None:
    folder, readme, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(), sys.argv[3]
    program = block(readme, "cpp")
    lines = [line for line in program.splitlines() if line.strip()]
    assert len(lines) <= 15, f"a quickstart has 15 lines at most, not {len(lines)}"
    with tempfile.TemporaryDirectory() as data:
        command = [os.environ["HEDDLE_BIN"], "serve", "--data", f"{data}/data", "--listen", "127.0.0.1:0", "--grpc", "off", "--http", "off"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            address = json.loads(server.stdout.readline())["listen"]
            (folder / "main.cpp").write_text(program.replace("heddle://127.0.0.1", f"heddle://{address}"))
            (folder / "CMakeLists.txt").write_text(block(readme, "cmake"))
            for step in (["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"], ["cmake", "--build", "build"]):
                built = subprocess.run(step, cwd=folder, capture_output=True, text=True)
                assert built.returncode == 0, built.stdout + built.stderr
            ran = subprocess.run([folder / "build/quickstart"], capture_output=True, text=True, timeout=30)
            assert ran.returncode == 0 and ran.stdout == "You said: Hello", (ran.stdout, ran.stderr)
        finally:
            server.kill()
            server.wait()


main()
