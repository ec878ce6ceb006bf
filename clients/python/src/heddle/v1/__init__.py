"""Made by `make generate` from proto/; edit that instead."""
