"""The canonical JSON of messages beside Google's: written alike, and read alike in every form that Google reads.

    python Tests/differential/json_forms.py --decoder .build/release/differential [--count 20000] [--seed 1]

The last line is `json: messages=N types=N refused=N disagreed=N`; the exit is 1 when something disagreed.
"""

import argparse
import json
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import shapes  # noqa: E402
from decoder import Decoder  # noqa: E402
from google.protobuf import json_format  # noqa: E402
from messages import Maker, encode  # noqa: E402

BATCH, SHOWN = 1_000, 10
# Values that most fields do not take.
WRONG = [{"wrong": 1}, [[1]], "not a number", 1e400, True, 10 ** 30, -1.5, [None]]


def alike(a, b) -> bool:
    """Equal JSON, with floats compared as the four bytes that they stand for."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return struct.pack("<f", a) == struct.pack("<f", b)
    return type(a) is type(b) and a == b


def damaged(rng: random.Random, value):
    """The same with one member changed, added or repeated under its other name."""
    value = json.loads(json.dumps(value))
    place = value
    while isinstance(place, dict) and place and rng.random() < 0.6:
        name = rng.choice(list(place))
        inner = place[name][0] if isinstance(place[name], list) and place[name] else place[name]
        if not isinstance(inner, dict):
            break
        place = inner
    if place and rng.random() < 0.7:
        place[rng.choice(list(place))] = rng.choice(WRONG)
    else:
        place["unknownName"] = 1
    return value


def parsed(shape, text: bytes):
    try:
        return json_format.Parse(text, shape.message())
    except (json_format.ParseError, ValueError, OverflowError, TypeError, struct.error):
        return None


def is_lenient(text: bytes, refusal: bytes) -> bool:
    """Google's Python reads these and should not: base64 with other characters in it, `true` and -1.5 for enums."""
    if refusal.endswith(b"not base64"):
        return b'"not a number"' in text
    return b": one of " in refusal and (b"true" in text or b"-1.5" in text)


def forms(rng: random.Random, shape, data: bytes) -> list:
    """Texts that stand for the message, and one that may not."""
    message = shape.message.FromString(data)
    camel = json_format.MessageToDict(message)
    own = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return [json.dumps(camel).encode(), json.dumps(own, ensure_ascii=False, indent=1).encode(),
            json.dumps(damaged(rng, camel)).encode()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decoder", type=pathlib.Path, default=shapes.ROOT / ".build" / "release" / "differential")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = arguments.decoder.resolve()
    writer, reader = Decoder(program, "--to-json"), Decoder(program, "--from-json")
    known = shapes.number(shapes.load(), writer.listed())
    rng, problems, seen, refused = random.Random(arguments.seed), [], set(), 0
    maker = Maker(rng)
    for begin in range(0, arguments.count, BATCH):
        batch = []
        for index in range(begin, min(begin + BATCH, arguments.count)):
            shape = known[index % len(known)]
            # Google's own bytes: without zeros that need not be there.
            batch.append((shape, shape.message.FromString(encode(maker.message(shape))).SerializeToString()))
            seen.add(shape.name)
        writer.send(batch)
        for (shape, data), (what, text) in zip(batch, writer.answers(batch)):
            wanted = json_format.MessageToDict(shape.message.FromString(data))
            if what or not alike(json.loads(text), wanted):
                problems.append((shape.name, text, json.dumps(wanted)))
        texts = [(shape, text) for shape, data in batch for text in forms(rng, shape, data)]
        reader.send(texts)
        for (shape, text), (what, data) in zip(texts, reader.answers(texts)):
            theirs = parsed(shape, text)
            refused += bool(what)
            ours = None if what else shape.message.FromString(data)
            if what and theirs is not None and is_lenient(text, data):
                continue
            if (theirs is None) != (ours is None) or ours is not None and ours != theirs:
                problems.append((shape.name, text, data if what else str(ours)))
    writer.close()
    reader.close()
    for problem in problems[:SHOWN]:
        print("disagreed:", *(str(part)[:600] for part in problem), sep="\n    ")
    print(f"json: messages={arguments.count} types={len(seen)} refused={refused} disagreed={len(problems)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
