"""The same bytes to the server's decoder and to Google's: accepted or refused alike, with equal values.

    python Tests/differential --decoder .build/release/differential [--count 100000] [--seed 1] [--self-test]

Each allowed difference is a row of docs/attacks.md. The bytes are read a second time to find the rows that they break, so
a refusal that no row explains is reported, and so is an acceptance that a row forbids. The last line is

    differential: messages=N accepted=N rejected=N agreed=N exceptions: P1=N … disagreed=N

The exit is 1 when something disagreed, or when a row never came: then the run has not tried what it names.
"""

import argparse
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import shapes  # noqa: E402
from decoder import Decoder, Died  # noqa: E402
from google.protobuf.message import DecodeError  # noqa: E402
from judge import REASONS, Judge, canonical  # noqa: E402
from messages import Maker, encode  # noqa: E402
from mutations import Mutator, large  # noqa: E402

BATCH, POOL, SHOWN = 1_000, 20, 10
# No message nests as deep as the limit (docs/attacks.md, P18); P4 and P9 are refused by Google's parser too.
NEVER = {"P18", "P4", "P9"}
PLANTS = ["accepts-all", "unknown-fields", "elements", "refuses-some", "swaps-fields", "flips-bit", "wrong-reason",
          "crashes"]


class Source:
    """Messages from a seed: valid ones of every type, most of them mutated."""

    def __init__(self, known: list, seed: int):
        self.rng = random.Random(seed)
        self.shapes = known
        self.weights = [1 + len(shape.fields) for shape in known]
        self.maker = Maker(self.rng)
        self.mutator = Mutator(self.rng, self.maker)
        self.last = b""

    def batch(self, count: int) -> list:
        out = []
        for shape in self.rng.choices(self.shapes, self.weights, k=count):
            kind = self.rng.random()
            if kind < 0.001:
                shape, data = large(self.rng, self.shapes)
            else:
                data = self.one(shape, kind)
            out.append((shape, data))
        return out

    def one(self, shape, kind: float) -> bytes:
        rng, entries = self.rng, self.maker.message(shape)
        if kind < 0.7:
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                rng.choice(self.mutator.trees)(self.mutator, entries, shape)
        data = encode(entries)
        if 0.65 < kind < 0.95:
            changed = bytearray(data)
            for _ in range(rng.choice((1, 1, 2, 4))):
                rng.choice(self.mutator.bytes)(self.mutator, changed)
            if kind > 0.93 and self.last:
                # The front of one message and the end of another, perhaps of another type.
                changed[rng.randint(0, len(changed)):] = self.last[rng.randrange(len(self.last)):]
            data = bytes(changed)
        self.last = data
        return data


def google(shape, data: bytes) -> bytes | None:
    try:
        return canonical(shape, data)
    except DecodeError:
        return None


def compare(decoder: Decoder, known: list, count: int, seed: int, shown: int = SHOWN) -> tuple[Judge, list]:
    source, judge, problems, done = Source(known, seed), Judge(), [], 0
    while done < count:
        batch = source.batch(min(BATCH, count - done))
        decoder.send(batch)
        others = [google(shape, data) for shape, data in batch]
        try:
            answers = decoder.answers(batch)
        except Died as died:
            problems.append((*batch[died.index], str(died)))
            batch, answers = batch[:died.index], []
            decoder.close()
        done += len(batch) if answers else BATCH
        for (shape, data), other, (what, answer) in zip(batch, others, answers):
            if wrong := judge.verdict(shape, data, other, what, answer):
                problems.append((shape, data, wrong))
    decoder.close()
    for shape, data, wrong in problems[:shown]:
        print(f"disagreed: {shape.name} {data[:400].hex()}{'…' if len(data) > 400 else ''}\n    {wrong}"[:4_000])
    return judge, problems


def self_test(program: pathlib.Path, known: list, seed: int) -> int:
    """Each planted mistake has to be reported."""
    told = 0
    for plant in PLANTS:
        _, problems = compare(Decoder(program, "--plant", plant), known, 20_000, seed, shown=0)
        print(f"plant {plant}: {f'told {len(problems)} times: {problems[0][2][:120]}' if problems else 'NOT TOLD'}")
        told += bool(problems)
    print(f"differential: planted={len(PLANTS)} told={told}")
    return 0 if told == len(PLANTS) else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="differential", description=__doc__.splitlines()[0])
    parser.add_argument("--decoder", type=pathlib.Path, default=shapes.ROOT / ".build" / "release" / "differential")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--self-test", action="store_true", help="plant mistakes in the decoder instead")
    arguments = parser.parse_args()
    decoder = Decoder(arguments.decoder.resolve())
    known = shapes.number(shapes.load(), decoder.listed())
    if arguments.self_test:
        return self_test(arguments.decoder.resolve(), known, arguments.seed)
    begin = time.monotonic()
    judge, problems = compare(decoder, known, arguments.count, arguments.seed)
    missing = sorted(row for row in [*REASONS, "P26"] if row not in NEVER and not judge.exceptions[row])
    if missing:
        print(f"differential: never seen: {', '.join(missing)}; make COUNT larger, or the messages stranger")
    rows = " ".join(f"{row}={judge.exceptions[row]}" for row in sorted(judge.exceptions))
    print(f"# {time.monotonic() - begin:.0f} s, seed {arguments.seed}")
    print(f"differential: messages={arguments.count} accepted={judge.counts['accepted']} "
          f"rejected={judge.counts['rejected']} agreed={judge.counts['agreed']} exceptions: {rows} "
          f"disagreed={len(problems)}")
    return 1 if problems or missing else 0


if __name__ == "__main__":
    sys.exit(main())
