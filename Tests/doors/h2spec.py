"""h2spec against the gRPC door. Its source is not a package of Debian or PyPI, so a folder with it is given by hand; it is
built with Debian's Go packages.

    python Tests/doors/h2spec.py --source FOLDER --heddle .build/release/heddle
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness.server import Server  # noqa: E402

# The first two want DATA as the answer, which an answer without a message does not have. nghttp2 answers the others with
# an error of the stream, or later than h2spec looks. The last one is a peer that speaks something else: it gets a sentence
# in HTTP/1.1 and the end, which h2spec reads as a broken frame.
KNOWN = {"generic/2/2", "generic/2/3", "http2/5.1.1/2", "http2/5.1.2/1", "http2/3.5/2"}
PACKAGE = "src/github.com/summerwind/h2spec"


def build(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    (folder / PACKAGE).parent.mkdir(parents=True)
    (folder / PACKAGE).symlink_to(source.resolve())
    program = folder / "h2spec"
    subprocess.run(["env", "GO111MODULE=off", "GOPROXY=off", f"GOPATH={folder}:/usr/share/gocode",
                    f"GOCACHE={folder / 'cache'}", "go", "build", "-o", program, "./cmd/h2spec"],
                   cwd=folder / PACKAGE, check=True)
    return program


def failures(report: pathlib.Path) -> tuple[int, set[str]]:
    """How many cases ran, and which failed: `http2/5.1.1/2` is the second case of that section."""
    count, failed = 0, set()
    for suite in xml.etree.ElementTree.parse(report).iter("testsuite"):
        for number, case in enumerate(suite.findall("testcase"), 1):
            count += case.find("skipped") is None
            if case.find("failure") is not None or case.find("error") is not None:
                failed.add(f"{suite.get('package')}/{number}")
    return count, failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="h2spec", description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parents[1] / ".build" / "release" / "heddle")
    arguments = parser.parse_args()
    Server.binary = arguments.heddle.resolve()
    with tempfile.TemporaryDirectory(prefix="heddle-h2spec-") as name:
        folder = pathlib.Path(name)
        program, report = build(arguments.source, folder), folder / "report.xml"
        with Server(folder / "data", "--grpc", "127.0.0.1:0", "--http", "off") as server:
            host, port = server.ready["grpc"].rsplit(":", 1)
            subprocess.run([program, "-h", host, "-p", port, "-o", "2", "-P", "/heddle.v1.ServerService/Status", "-j",
                            report], stdout=subprocess.DEVNULL, timeout=600)
            assert server.alive, server.death()
            count, failed = failures(report)
    for one in sorted(failed - KNOWN):
        print(f"h2spec: {one} failed")
    print(f"h2spec: cases={count} known={len(failed & KNOWN)} failed={len(failed - KNOWN)}")
    return 1 if failed - KNOWN or not count else 0


if __name__ == "__main__":
    sys.exit(main())
