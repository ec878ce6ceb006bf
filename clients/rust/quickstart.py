"""Runs the quickstart of a README with the packed crate, as a program of its own: quickstart.py FOLDER README"""

import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from quickstarts import at_a_server, block, is_short, prints_the_answer  # noqa: E402

MANIFEST = """[package]
name = "quickstart"
version = "0.1.0"
edition = "2021"

[dependencies]
heddle = {{ path = "{crate}" }}
tokio = {{ version = "1.24", features = ["macros", "rt-multi-thread"] }}

[workspace]
"""

folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
program = block(readme, "rust")
is_short(program)
packed = next((HERE / "../../.build/rust/target/package").glob("heddle-*.crate"))
with tarfile.open(packed) as archive:
    archive.extractall(folder)
with at_a_server(program) as adjusted:
    (folder / "src").mkdir()
    (folder / "src/main.rs").write_text(adjusted)
    (folder / "Cargo.toml").write_text(MANIFEST.format(crate=packed.stem))
    prints_the_answer([HERE / "cargo", "run", "--quiet"], folder)
