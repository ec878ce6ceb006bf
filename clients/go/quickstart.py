"""Runs the quickstart of a README in a module of its own: quickstart.py FOLDER README"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main() -> None:
    folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    block = re.search(r"```go\n(.*?)```", readme, re.DOTALL).group(1)
    body = block.split("func main() {\n")[1].rsplit("}", 1)[0]
    lines = [line for line in body.splitlines() if line.strip()]
    assert len(lines) <= 15, f"a quickstart has 15 lines at most, not {len(lines)}"
    with tempfile.TemporaryDirectory() as data:
        command = [os.environ["HEDDLE_BIN"], "serve", "--data", f"{data}/data", "--listen", "127.0.0.1:0", "--grpc", "off", "--http", "off"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            address = json.loads(server.stdout.readline())["listen"]
            (folder / "main.go").write_text(block.replace("heddle://127.0.0.1", f"heddle://{address}"))
            replaced = re.findall(r"^replace .*$", (HERE / "../../.build/go/go.work").read_text(), re.MULTILINE)
            (folder / "go.mod").write_text("\n".join([
                "module quickstart", "go 1.23", "require heddle.dev/go v0.1.0", "require google.golang.org/protobuf v1.28.1",
                f"replace heddle.dev/go => {HERE}", *replaced]))
            environment = {**os.environ, "GOWORK": "off", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GONOSUMDB": "*",
                           "GOSUMDB": "off"}
            ran = subprocess.run([HERE / "../../.venv-clients/bin/go", "run", "."], cwd=folder, env=environment, capture_output=True, text=True)
            assert ran.returncode == 0 and ran.stdout == "You said: Hello", (ran.stdout, ran.stderr)
        finally:
            server.kill()
            server.wait()


main()
