"""Runs the quickstart of a README in a module of its own: quickstart.py FOLDER README"""

import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from quickstarts import at_a_server, block, is_short, prints_the_answer  # noqa: E402

folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
program = block(readme, "go")
is_short(program.split("func main() {\n")[1].rsplit("}", 1)[0])
with at_a_server(program) as adjusted:
    (folder / "main.go").write_text(adjusted)
    replaced = re.findall(r"^replace .*$", (HERE / "../../.build/go/go.work").read_text(), re.MULTILINE)
    (folder / "go.mod").write_text("\n".join([
        "module quickstart", "go 1.23", "require heddle.dev/go v0.1.0", "require google.golang.org/protobuf v1.28.1",
        f"replace heddle.dev/go => {HERE}", *replaced]))
    environment = {**os.environ, "GOWORK": "off", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GONOSUMDB": "*",
                   "GOSUMDB": "off"}
    prints_the_answer([HERE / "../../.venv-clients/bin/go", "run", "."], folder, env=environment)
