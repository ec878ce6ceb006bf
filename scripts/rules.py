"""Prints every rule of docs/rules.md with the tests that quote it and how they went. Nothing of it is kept by hand.

    python scripts/rules.py [--no-run] [--swift-log FILE] [--junit FILE]

A Swift test quotes rules at the front of its name: `@Test("V3 V7: a fork …")`. A Python test does so in its name
(`test_v3_v7_…`) and at the front of a clause of its docstring ("V3, V7 a fork …; V8 …"), in a file whose own docstring
names rules.md. A number with a star (`M4★`) or with a name (`attacks.md M4`, `ThreadMachine.I1`) is no rule of that page,
and neither is one that the file's own subject defines (rule_numbers.py).

Without options both kinds of test are run. Results of a run that is over are taken from a log of `swift test` and a
junit file of pytest. The exit is 1 when a test that quotes a rule failed, or a rule has none that passed.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import rule_numbers

ROOT = Path(__file__).resolve().parent.parent
RULE = r"[VMSTUAEI]\d+"
NAME = r"(?:\w+\.(?:md )?)?"  # of a number's owner: `attacks.md M12`, `ThreadCalls.C1`


@dataclass(frozen=True)
class Test:
    """A test, as its own tool names it."""

    kind: str  # "swift" or "python"
    file: str
    name: str

    @property
    def key(self) -> tuple[str, str]:
        return (self.kind, self.name if self.kind == "swift" else f"{self.file}.{self.name}")

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


def rules() -> dict[str, str]:
    """Numbers and sentences, in the order of the page."""
    return dict(re.findall(rf"^- \*\*({RULE})\*\* (.+)$", (ROOT / "docs/rules.md").read_text(), re.M))


# ---- Who quotes what


def swift_tests() -> dict[str, list[Test]]:
    quoted = defaultdict(list)
    for file in sorted((ROOT / "Tests").rglob("*.swift")):
        for raw in re.findall(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', file.read_text()):
            name = re.sub(r"\\(.)", r"\1", raw)
            front = re.match(rf"(?:{NAME}[A-Z]\d+★?[ ,]+)*{NAME}[A-Z]\d+★?(?=:)", name)
            for rule in rule_numbers.of_page("rules", file, front.group()) if front else []:
                quoted[rule].append(Test("swift", file.stem, name))
    return quoted


def python_tests() -> dict[str, list[Test]]:
    quoted = defaultdict(list)
    for file in sorted((ROOT / "Tests/integration").glob("test_*.py")):
        module = ast.parse(file.read_text())
        if "rules.md" not in (ast.get_docstring(module) or ""):
            continue
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for rule in python_rules(node.name, ast.get_docstring(node) or ""):
                    quoted[rule].append(Test("python", file.stem, node.name))
    return quoted


def python_rules(name: str, text: str) -> list[str]:
    text = " ".join(text.split())
    clauses = re.findall(r"(?:^|; )((?:[A-Z]\d+★?, )*[A-Z]\d+★?)(?![\w★])", text)
    found = re.findall(r"[A-Z]\d+★?", " ".join(clauses))
    found += [part.upper() for part in name.split("_")[1:] if re.fullmatch(r"[a-z]\d+", part)]
    starred = {token[:-1] for token in re.findall(r"[A-Z]\d+★", text)}
    return sorted({token for token in found if re.fullmatch(RULE, token) and token not in starred})


# ---- How they went


def swift_results(log: str) -> dict[tuple[str, str], bool]:
    """Names with whether they passed. A name that several tests have passed only if all did."""
    results: dict[tuple[str, str], bool] = {}
    for mark, name in re.findall(r'^(✔|✘) Test "(.*)" (?:with \d+ test cases? )?(?:passed|failed) after', log, re.M):
        key = ("swift", re.sub(r"\\(.)", r"\1", name))
        results[key] = results.get(key, True) and mark == "✔"
    return results


def python_results(junit: Path) -> dict[tuple[str, str], bool]:
    results: dict[tuple[str, str], bool] = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        if case.find("skipped") is not None:
            continue
        file = (case.get("classname") or "").split(".")[-1]
        key = ("python", f"{file}.{(case.get('name') or '').split('[')[0]}")
        passed = case.find("failure") is None and case.find("error") is None
        results[key] = results.get(key, True) and passed
    return results


def run_swift() -> str:
    process = subprocess.run(["swift", "test"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if process.returncode != 0:
        print("\n".join(line for line in process.stdout.splitlines() if "✘" in line or "error:" in line))
    return process.stdout


def run_python(junit: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "Tests/integration", f"--junitxml={junit}"], cwd=ROOT, check=False)


def results(options: argparse.Namespace) -> dict[tuple[str, str], bool]:
    out: dict[tuple[str, str], bool] = {}
    if options.swift_log:
        out |= swift_results(options.swift_log.read_text(errors="replace"))
    elif not options.no_run:
        out |= swift_results(run_swift())
    if options.junit:
        out |= python_results(options.junit)
    elif not options.no_run:
        with tempfile.TemporaryDirectory() as folder:
            junit = Path(folder) / "junit.xml"
            run_python(junit)
            if junit.exists():
                out |= python_results(junit)
    return out


# ---- The page


def state(rule: str, tests: list[Test], went: dict[tuple[str, str], bool], is_run: bool) -> str:
    outcomes = [went[test.key] for test in tests if test.key in went]
    if False in outcomes:
        return "failed"
    if outcomes or (tests and not is_run):
        return "passed" if is_run else "quoted"
    return "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-run", action="store_true", help="run nothing; say who quotes what")
    parser.add_argument("--swift-log", type=Path, help="output of `swift test`, instead of running it")
    parser.add_argument("--junit", type=Path, help="junit file of pytest, instead of running it")
    options = parser.parse_args()

    known = rules()
    swift, python = swift_tests(), python_tests()
    is_run = not options.no_run or bool(options.swift_log or options.junit)
    went = results(options)
    wrong = []
    for rule in known:
        tests = list(dict.fromkeys(swift.get(rule, []) + python.get(rule, [])))
        how = state(rule, tests, went, is_run)
        print(f"{rule:<4} {how:<8} {len(tests)} test{'' if len(tests) == 1 else 's'}")
        for test in tests:
            mark = {True: " ", False: "✘", None: "-" if is_run else " "}[went.get(test.key)]
            print(f"     {mark} {test}")
        if how in ("failed", "none"):
            wrong.append(rule)
    for rule in sorted({*swift, *python} - {*known}):
        # Letters of attacks.md and durability.md do not get here; a number of ours that no rule has is a slip.
        if rule[0] in "VUEI":
            wrong.append(f"{rule} (quoted, but docs/rules.md has no such rule)")
    print(f"rules: {len(known)}, {len(wrong)} failed or without a test" + (": " + ", ".join(wrong) if wrong else ""))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
