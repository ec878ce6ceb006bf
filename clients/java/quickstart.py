"""Runs the quickstart of a README in a folder of its own, on the jar: quickstart.py FOLDER README JAR"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from quickstarts import at_a_server, block, is_short, prints_the_answer  # noqa: E402

folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
jars = f"{pathlib.Path(sys.argv[3]).resolve()}:/usr/share/java/protobuf.jar"
program = block(readme, "java")
is_short(program)
with at_a_server(program) as adjusted:
    (folder / "First.java").write_text(adjusted)
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-cp", jars, "First.java"], cwd=folder, check=True)
    prints_the_answer(["java", "-cp", f"{jars}:.", "First"], folder)
