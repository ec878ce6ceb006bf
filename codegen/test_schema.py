"""The schema's rules can fail: each broken rule is refused by name (attacks.md P25)."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import schema  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent / "proto"

# (file, text to find, what replaces it, what the refusal must say)
BREACHES = [
    ("item.proto", "repeated MessageItem replacement = 2;", "repeated Item replacement = 2;", "recursive message"),
    ("server.proto", 'import "heddle/v1/options.proto";',
     'import "heddle/v1/options.proto";\nimport "google/protobuf/any.proto";\n// An any.\nmessage Bad {\n'
     "  // Any.\n  google.protobuf.Any any = 1;\n}", "is not used"),
    ("server.proto", "  // Version of the program.\n", "", "has no comment"),
    ("server.proto", "rpc Status(", "rpc Health(", "has no number"),
    ("frame.proto", "METHOD_SERVER_STATUS = 601;",
     "METHOD_SERVER_STATUS = 601;\n  // A number without a method.\n  METHOD_SERVER_HEALTH = 699;", "no service has this method"),
    ("settings.proto", "MULTI_AGENT_MODE_UNSPECIFIED = 0;", "MULTI_AGENT_MODE_NONE = 0;", "the first value is"),
    ("server.proto", 'syntax = "proto3";', 'syntax = "proto2";', "proto3 only"),
    ("server.proto", "string version = 2;", "repeated group Old = 2 {};", ""),
]


def main() -> None:
    schema.load(ROOT)
    failed = 0
    for name, find, replace, expected in BREACHES:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "heddle" / "v1"
            copy.mkdir(parents=True)
            for file in (ROOT / "heddle" / "v1").glob("*.proto"):
                text = file.read_text()
                if file.name == name:
                    assert find in text, f"{name} does not hold {find!r} any more"
                    text = text.replace(find, replace, 1)
                (copy / file.name).write_text(text)
            try:
                schema.load(Path(folder))
                result = "was accepted"
            except schema.SchemaError as error:
                result = "" if expected in str(error) else f"was refused for another reason: {error}"
            except Exception as error:  # protoc itself refuses some of them
                result = "" if expected == "" or "proto2" in replace else f"ended in {error!r}"
        failed += bool(result)
        print(f"{'FAILED' if result else 'ok'}: {name}: {(replace or 'removed').splitlines()[0]!r} {result}")
    print(f"{len(BREACHES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
