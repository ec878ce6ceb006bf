"""Runs the quickstart of a README in an empty folder: quickstart.py FOLDER README PREFIX"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from quickstarts import at_a_server, block, is_short, prints_the_answer  # noqa: E402

folder, readme, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
program = block(readme, "cpp")
is_short(program)
with at_a_server(program) as adjusted:
    (folder / "main.cpp").write_text(adjusted)
    (folder / "CMakeLists.txt").write_text(block(readme, "cmake"))
    for step in (["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"], ["cmake", "--build", "build"]):
        built = subprocess.run(step, cwd=folder, capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr
    prints_the_answer([folder / "build/quickstart"], folder)
