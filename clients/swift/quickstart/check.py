"""Checks the quickstart of the Swift client against a server, and that the README has the same lines.

    python clients/swift/quickstart/check.py --heddle .build/release/heddle --program .build/release/quickstart
    python clients/swift/quickstart/check.py --heddle .build/release/heddle

Without --program it builds the package against Heddle by path and by git URL. By path it sees the files as they are, by URL
the last commit. The URL is that of a bare clone in which the commit has a version, as a release has. SwiftPM keeps
`warnings are errors` for a package by path, and suppresses warnings of one by URL.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WORK = ROOT / ".build" / "package"
BY_PATH = '.package(name: "heddle", path: "../../..")'
EXPECTED = "You said: Hello"


def git(*arguments) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()


def by_url() -> Path:
    """A copy of this package that depends on a version of Heddle at a git URL."""
    clone, package = WORK / "heddle.git", WORK / "quickstart"
    for folder in (clone, package):
        shutil.rmtree(folder, ignore_errors=True)
    git("clone", "--quiet", "--bare", str(ROOT), str(clone))
    # SwiftPM remembers the commit of each version of a URL, so each commit has a version of its own.
    version = f"1.0.0-g{git('-C', str(clone), 'rev-parse', '--short=12', 'HEAD')}"
    git("-C", str(clone), "tag", version)
    shutil.copytree(HERE / "Sources", package / "Sources")
    manifest = (HERE / "Package.swift").read_text()
    assert BY_PATH in manifest, f"Package.swift has no line {BY_PATH}"
    url = f'.package(url: "{clone.as_uri()}", exact: "{version}")'
    (package / "Package.swift").write_text(manifest.replace(BY_PATH, url))
    return package


def build(package: Path) -> Path:
    """The program. Both builds share a folder, so the packages that Heddle needs are compiled once."""
    command = ["swift", "build", "--package-path", str(package), "--scratch-path", str(WORK / "build")]
    (WORK / "build" / "debug" / "quickstart").unlink(missing_ok=True)
    subprocess.run(command, check=True, stdout=sys.stderr)
    return WORK / "build" / "debug" / "quickstart"


def run(program: Path, address: str) -> None:
    environment = {**os.environ, "HEDDLE_URL": f"heddle://{address}"}
    ran = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0 and ran.stdout == EXPECTED, (ran.returncode, ran.stdout, ran.stderr)


def same_as_readme() -> None:
    block = re.search(r"```swift\n(.*?)```", (HERE.parent / "README.md").read_text(), re.DOTALL).group(1)
    source = (HERE / "Sources" / "quickstart" / "main.swift").read_text()
    assert block == source, "README.md and main.swift have different lines"
    assert len(source.splitlines()) <= 15, "a quickstart has 15 lines at most"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, required=True, help="the program that serves")
    parser.add_argument("--program", type=Path, help="the quickstart, if it is built already")
    arguments = parser.parse_args()
    same_as_readme()
    WORK.mkdir(parents=True, exist_ok=True)
    data = WORK / "data"
    shutil.rmtree(data, ignore_errors=True)
    serve = [arguments.heddle, "serve", "--data", data, "--listen", "127.0.0.1:0", "--grpc", "off", "--http", "off"]
    with open(WORK / "server.log", "wb") as log:
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=log)
    try:
        address = json.loads(server.stdout.readline())["listen"]
        if arguments.program:
            run(arguments.program, address)
            return
        for name, package in (("path", lambda: HERE), ("git URL", by_url)):
            began = time.monotonic()
            program = build(package())
            seconds = time.monotonic() - began
            run(program, address)
            print(f"package: by {name}: built in {seconds:.0f} s, ran, and printed {EXPECTED!r}", flush=True)
    finally:
        server.terminate()
        server.wait(60)
    print("package: passed")


if __name__ == "__main__":
    main()
