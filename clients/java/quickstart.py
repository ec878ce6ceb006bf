"""Runs the quickstart of a README in a folder of its own, on the jar: quickstart.py FOLDER README JAR"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROTOBUF = "/usr/share/java/protobuf.jar"


def main() -> None:
    folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    jars = f"{pathlib.Path(sys.argv[3]).resolve()}:{PROTOBUF}"
    block = re.search(r"```java\n(.*?)```", readme, re.DOTALL).group(1)
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) <= 15, f"a quickstart has 15 lines at most, not {len(lines)}"
    with tempfile.TemporaryDirectory() as data:
        command = [os.environ["HEDDLE_BIN"], "serve", "--data", f"{data}/data", "--listen", "127.0.0.1:0", "--grpc", "off", "--http", "off"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            address = json.loads(server.stdout.readline())["listen"]
            (folder / "First.java").write_text(block.replace("heddle://127.0.0.1", f"heddle://{address}"))
            subprocess.run(["javac", "-Xlint:all", "-Werror", "-cp", jars, "First.java"], cwd=folder, check=True)
            ran = subprocess.run(["java", "-cp", f"{jars}:.", "First"], cwd=folder, capture_output=True, text=True, timeout=60)
            assert ran.returncode == 0 and ran.stdout == "You said: Hello" and not ran.stderr, (ran.stdout, ran.stderr)
        finally:
            server.kill()
            server.wait()


main()
