"""Runs the fuzz targets: fuzz.py run | self-test | corpora SEEDS | coverage BUILD. The Makefile builds before it calls this."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / ".build-fuzz"
PROGRAM = pathlib.Path(os.environ.get("HEDDLE_FUZZ_BIN", BUILD / "release" / "heddle-fuzz"))
CORPORA = ROOT / "Fuzz" / "Corpora"
FOUND = BUILD / "found"

# Each with the longest input that is worth its time.
TARGETS = {"frames": 4_096, "messages": 4_096, "session": 16_384, "store": 512, "cursor": 512, "rollout": 16_384, "jwt": 8_300,
           "json": 4_096, "doors": 4_200, "grpc": 16_384, "http": 16_384}

# The code that coverage is counted for: all code that reads bytes of others. Glue: the generated way from C structs to values.
PARSING = [
    "HeddleFrames/FrameDecoder.swift", "HeddleProtocol/FrameDecoder.swift", "HeddleProtocol/WireReader.swift",
    "HeddleProtocol/Frame.swift", "HeddleProtocol/PreScan.swift",
    "HeddleProtocol/Codec.swift", "HeddleProtocol/Arena.swift", "HeddleProtocol/DecodeError.swift",
    r"HeddleProtocol/Generated/(?!Requests)\w+Glue.swift", "HeddleService/Cursor.swift", r"HeddleImport/\w+.swift",
    r"HeddleListener/(?:ClientHello|ForwardedIdentity|ProxyHeader).swift",
    "HeddleTokens/JSONWebToken.swift", "HeddleTokens/WebTokenKeys.swift", r"HeddleJSON/JSON(?:Parser|Node).swift",
]
LEAST_PERCENT = 95.0

# Swift's own backtraces take the signal from libFuzzer, which then keeps no input; hashing by process would make two runs
# of one input differ.
ENVIRONMENT = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "SWIFT_DETERMINISTIC_HASHING": "1",
               "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:" + os.environ.get("ASAN_OPTIONS", "")}


def fuzzer(target: str, *arguments, plant: bool = False) -> subprocess.CompletedProcess:
    FOUND.mkdir(parents=True, exist_ok=True)
    environment = {**ENVIRONMENT, "HEDDLE_FUZZ_TARGET": target}
    if plant:
        environment["HEDDLE_FUZZ_PLANT"] = target
    return subprocess.run(
        [PROGRAM, f"-max_len={TARGETS[target]}", "-timeout=20", "-rss_limit_mb=3072", "-malloc_limit_mb=1024",
         "-print_final_stats=1", *map(str, arguments)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def inputs(target: str) -> int:
    return len(list((CORPORA / target).iterdir()))


def number(name: str, output: str) -> int:
    found = re.findall(rf"stat::{name}: *(\d+)", output)
    return int(found[-1]) if found else 0


def dictionary(target: str) -> list[str]:
    path = ROOT / "Fuzz" / "Dictionaries" / f"{target}.txt"
    return [f"-dict={path}"] if path.exists() else []


def why(output: str) -> str:
    """The lines of a report that say what it is."""
    lines = output.splitlines()
    told = [line for line in lines if re.search(r"finding:|ERROR: |SUMMARY|Fatal error|Test unit written", line)]
    frames = [line for line in lines if re.match(r"\s+#\d+ .*(heddle|Heddle|Sources|Entries)", line)]
    return "\n".join("    " + line.strip()[:300] for line in told + frames[:8])


def work(target: str, seconds: int, seed: int) -> tuple[int, str]:
    """The corpus first, then what is new; 1 when one of them finds something."""
    prefix = f"-artifact_prefix={FOUND}/{target}-"
    replayed = fuzzer(target, prefix, "-runs=0", CORPORA / target)
    runs, output, failed = 0, replayed.stdout, replayed.returncode != 0
    if not failed and seconds:
        kept = BUILD / "work" / target
        kept.mkdir(parents=True, exist_ok=True)
        fuzzed = fuzzer(target, prefix, f"-max_total_time={seconds}", f"-seed={seed}", *dictionary(target), kept, CORPORA / target)
        output, failed = fuzzed.stdout, fuzzed.returncode != 0
        runs = number("number_of_executed_units", output)
    text = f"fuzz: target={target} inputs={inputs(target)} runs={runs} crashes={int(failed)}"
    if failed:
        text += f"\n{why(output)}\n    again: {again(target)} FILE"
    return int(failed), text


def again(target: str) -> str:
    return f"SWIFT_BACKTRACE=enable=no HEDDLE_FUZZ_TARGET={target} {PROGRAM}"


def run(options) -> int:
    chosen = options.target.split(",") if options.target else list(TARGETS)
    # The slow ones first, so that two processes end at about the same time.
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        found = list(pool.map(lambda target: work(target, options.seconds, options.seed), chosen))
    for _, text in found:
        print(text)
    return int(any(failed for failed, _ in found))


def self_test(options) -> int:
    """Each target finds the bug that is planted for it, which no input of its corpus meets."""
    def find(target: str) -> tuple[bool, str]:
        with tempfile.TemporaryDirectory() as folder:
            prefix = f"-artifact_prefix={folder}/"
            if fuzzer(target, prefix, "-runs=0", CORPORA / target, plant=True).returncode != 0:
                return False, f"planted: {target}: an input of the corpus meets it already; plant another one"
            begun = time.monotonic()
            made = pathlib.Path(folder) / "made"
            made.mkdir()
            fuzzed = fuzzer(target, prefix, f"-max_total_time={options.seconds}", f"-seed={options.seed}", *dictionary(target),
                            made, CORPORA / target, plant=True)
            took = time.monotonic() - begun
            if fuzzed.returncode == 0:
                return False, f"planted: {target} NOT FOUND in {options.seconds} s"
            return True, f"planted: {target} found after {took:.0f} s"

    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        found = list(pool.map(find, options.target.split(",") if options.target else list(TARGETS)))
    for _, text in found:
        print(text)
    count = sum(is_found for is_found, _ in found)
    print(f"planted: bugs={len(found)} found={count} missed={len(found) - count}")
    return int(count != len(found))


def corpora(options) -> int:
    """Keeps of the corpora, of new seeds and of new inputs only those that add coverage. Named inputs stay."""
    for target in options.target.split(",") if options.target else list(TARGETS):
        corpus = CORPORA / target
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder)
            sources = [path for path in (corpus, pathlib.Path(options.seeds) / target, BUILD / "work" / target) if path.exists()]
            merged = fuzzer(target, f"-artifact_prefix={FOUND}/{target}-", "-merge=1", kept, *sources)
            if merged.returncode != 0:
                print(merged.stdout[-3_000:])
                return 1
            corpus.mkdir(parents=True, exist_ok=True)
            for path in corpus.iterdir():
                # Inputs that once crashed have names that say what; the others are named by their contents.
                if re.fullmatch(r"[0-9a-f]{40}", path.name):
                    path.unlink()
            for path in kept.iterdir():
                shutil.copyfile(path, corpus / path.name)
        size = sum(path.stat().st_size for path in corpus.iterdir())
        print(f"corpus: target={target} inputs={inputs(target)} bytes={size}")
    return 0


# ---- Coverage

def coverage(options) -> int:
    program = pathlib.Path(options.build) / "fuzz-replay"
    with tempfile.TemporaryDirectory() as folder:
        profiles = []
        for target in TARGETS:
            profile = f"{folder}/{target}.profraw"
            profiles.append(profile)
            ended = subprocess.run([program, target, *sorted((CORPORA / target).iterdir())], stdout=subprocess.PIPE, text=True,
                                   env={**ENVIRONMENT, "LLVM_PROFILE_FILE": profile})
            print(ended.stdout.strip())
            if ended.returncode != 0:
                return 1
        merged = f"{folder}/merged"
        # Those of the compiler: others may not know its format.
        tools = pathlib.Path(shutil.which("swift") or "/").resolve().parent
        subprocess.run([tools / "llvm-profdata", "merge", "-sparse", "-o", merged, *profiles], check=True)
        exported = subprocess.run([tools / "llvm-cov", "export", program, f"-instr-profile={merged}"], check=True,
                                  stdout=subprocess.PIPE)
    return report(json.loads(exported.stdout)["data"][0], options.list)


def report(data: dict, lists: bool) -> int:
    wanted = re.compile(rf"{re.escape(str(ROOT))}/Sources/({'|'.join(PARSING)})$")
    seen: dict[str, dict[tuple, int]] = {}
    for function in data["functions"]:
        for line, column, end_line, end_column, count, file, _, kind in function["regions"]:
            path = function["filenames"][file]
            if kind == 0 and (match := wanted.match(path)):
                regions = seen.setdefault(match.group(1), {})
                place = (line, column, end_line, end_column)
                # Copies of one generic function count as one.
                regions[place] = max(regions.get(place, 0), count)
    total = covered = 0
    for name in sorted(seen):
        regions = seen[name]
        missed = sorted(place for place, count in regions.items() if count == 0)
        total += len(regions)
        covered += len(regions) - len(missed)
        print(f"  {100 * (1 - len(missed) / len(regions)):6.1f} %  {len(regions) - len(missed):4} of {len(regions):4}  {name}")
        for line, column, end_line, end_column in missed if lists else []:
            print(f"             not reached: {name}:{line}:{column} to {end_line}:{end_column}")
    percent = 100 * covered / max(total, 1)
    print(f"coverage: regions={total} covered={covered} percent={percent:.2f} least={LEAST_PERCENT:.0f}")
    return int(percent < LEAST_PERCENT)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", help="some of the targets, with commas")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("run").set_defaults(do=run)
    commands.add_parser("self-test").set_defaults(do=self_test)
    merge = commands.add_parser("corpora")
    merge.add_argument("seeds")
    merge.set_defaults(do=corpora)
    cover = commands.add_parser("coverage")
    cover.add_argument("build")
    cover.add_argument("--list", action="store_true", help="every region that is not reached")
    cover.set_defaults(do=coverage)
    options = parser.parse_args()
    return options.do(options)


if __name__ == "__main__":
    sys.exit(main())
