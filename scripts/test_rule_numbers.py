"""Quotations of rule numbers, each in a file, with the owner that rule_numbers.py must find; None: it is ambiguous."""

import sys

import rule_numbers

CASES = [
    ("Sources/HeddleStorage/Store.swift", "P2 holds", ["Store"]),
    ("Sources/HeddleRuntime/Shard.swift", "P2 holds", [None]),
    ("Sources/HeddleRuntime/Shard.swift", "Store.P2 holds", []),
    ("Sources/HeddleRuntime/Shard.swift", "(U2, D5)", ["rules", "durability"]),
    ("Sources/HeddleRuntime/Shard.swift", "(Store P3)", [None]),
    ("Sources/HeddleRuntime/Shard.swift", "P1 to P3 of Store.swift", ["Store", "Store"]),
    ("Sources/HeddleRuntime/Shard.swift", "(attacks.md R8, R13, D11)", ["attacks", "attacks", "durability"]),
    ("Sources/HeddleRuntime/Shard.swift", "(R8)", [None]),
    ("Sources/HeddleSQLite/SQLiteStore.swift", "Store.P1 to P9", ["Store"]),
    ("Sources/HeddleStorage/Mutation.swift", "A1", [None]),  # MutationDecider.A1 is beside it
    ("Sources/HeddleCore/ThreadMachine.swift", "I1, and rules.md I1", ["ThreadMachine", "rules"]),
    ("Tests/HeddleModelsTests/HTTPModelProviderTests.swift", "M3: a provider", ["HTTPModelProvider"]),
    ("Tests/HeddleCoreTests/ModeRuleTests.swift", "M3: a mode", ["rules"]),
    ("Tests/attacks/rows_state.py", "S1, and rules.md S1", ["attacks", "rules"]),
    ("Tests/integration/test_settings.py", "S1, M4★", ["rules", "attacks"]),
    ("Benchmarks/growth.py", "P5", ["performance"]),
]


def main() -> None:
    wrong = 0
    for name, words, expected in CASES:
        file = rule_numbers.ROOT / name
        found = [rule_numbers.quotation(file, 1, match, words) for match in rule_numbers.QUOTED.finditer(words)]
        owners = [None if quotation.problem else quotation.owner for quotation in found]
        if owners != expected:
            wrong += 1
            print(f"{name}: `{words}` is {owners}, not {expected}")
    print(f"rule numbers: {len(CASES)} cases, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
