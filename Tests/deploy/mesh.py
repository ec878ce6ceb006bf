"""The stories of a mesh: a real Envoy before two servers. One line each, and the sum at the end.

    HEDDLE_BIN=… python Tests/deploy/mesh.py [-k NAME]
"""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = {"test_envoy_frames": "l4", "test_envoy_calls": "l7", "test_envoy_streams": "l7"}


class Lines:
    """Says of each story how it went."""

    def __init__(self):
        self.counts = {"passed": 0, "failed": 0}

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        file, _, name = report.nodeid.partition("::")
        outcome = "passed" if report.passed else "failed"
        self.counts[outcome] += 1
        story = f"{LAYERS[pathlib.Path(file).stem]}-{name.removeprefix('test_').replace('_', '-')}"
        print(f"\nmesh: story={story} {outcome} seconds={report.duration:.1f}", flush=True)


def main() -> int:
    lines = Lines()
    files = [str(HERE / f"{name}.py") for name in LAYERS]
    code = pytest.main(["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", *sys.argv[1:], *files], [lines])
    print(f"mesh: passed={lines.counts['passed']} failed={lines.counts['failed']}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
