# Everything one does with this repository. `make help` lists it.

SHELL := /bin/bash
.DEFAULT_GOAL := help

DATA ?= data
LISTEN ?= 127.0.0.1:7420
CONFIGURATION ?= debug
HEDDLE := .build/$(CONFIGURATION)/heddle
PYTHON := .venv/bin/python
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# Debian packages by what needs them.
PACKAGES_BUILD := libprotobuf-c-dev libsqlite3-dev pkg-config
PACKAGES_TEST := protobuf-compiler protobuf-c-compiler python3 python3-venv strace

.PHONY: help
help: ## List every target with a line.
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

# ---- What a machine needs

.PHONY: setup
setup: ## Install what building needs (Debian packages; Swift 6.3 must be there).
	@command -v swift >/dev/null || { echo "Swift 6.3 is needed: https://www.swift.org/install/linux/"; exit 1; }
	@scripts/install-packages $(PACKAGES_BUILD)

.PHONY: setup-test
setup-test: setup .venv/ready ## Install what tests, code generation and the demonstration need.
	@scripts/install-packages $(PACKAGES_TEST)

.venv/ready: scripts/requirements.txt
	@scripts/install-packages $(PACKAGES_TEST)
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
	touch $@

# ---- Build and run

.PHONY: build
build: setup ## Build the program (CONFIGURATION=debug or release).
	swift build -c $(CONFIGURATION) --product heddle

.PHONY: run
run: CONFIGURATION := release
run: build ## Install, build and serve on 127.0.0.1:7420 (DATA=folder LISTEN=host:port).
	exec .build/release/heddle serve --data $(DATA) --listen $(LISTEN)

.PHONY: install-completion
install-completion: build ## Print how to complete `heddle` in your shell.
	@echo "bash: $(HEDDLE) --generate-completion-script bash > /etc/bash_completion.d/heddle"
	@echo "zsh:  $(HEDDLE) --generate-completion-script zsh > ~/.zfunc/_heddle"

# ---- Tests

.PHONY: test
test: test-swift test-python ## Install, build and run every test.

.PHONY: test-swift
test-swift: setup-test ## Run the tests of the libraries.
	@mkdir -p .build
	set -o pipefail; swift test 2>&1 | tee .build/swift-test.log

.PHONY: test-python
test-python: setup-test build ## Run the tests from outside: frames, attacks, sessions, restarts.
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) -m pytest --junitxml=.build/junit.xml Tests/integration

.PHONY: demo
demo: setup-test build ## Start, import, run, kill -9 in the middle of a turn, restart, compare.
	$(PYTHON) clients/python/demo.py --heddle $(HEDDLE) --samples Tests/Fixtures/codex-rollouts

.PHONY: rules
rules: setup-test build ## Print every rule with the tests that quote it and their results.
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) scripts/rules.py

.PHONY: rules-tested
rules-tested: ## The same from the results of the last `make test`.
	$(PYTHON) scripts/rules.py --swift-log .build/swift-test.log --junit .build/junit.xml

.PHONY: soak-rules
soak-rules: setup-test ## Run 100,000 random threads against the rules (about three minutes; SEQUENCES=n).
	HEDDLE_SEQUENCES=$(or $(SEQUENCES),100000) swift test --filter RulePropertyTests

.PHONY: soak-rules-wire
soak-rules-wire: setup-test build ## Run 2,000 random sequences over the wire, restarts included (about four minutes).
	HEDDLE_WIRE_SEQUENCES=2000 HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) -m pytest Tests/integration/test_rules_property.py

.PHONY: setup-bench
setup-bench: ## Install what measuring needs.
	@scripts/install-packages gcc libc6-dev

.PHONY: bench
bench: CONFIGURATION := release
bench: setup-test setup-bench build ## Measure first figures against the floor in the same run.
	$(PYTHON) Benchmarks/figures.py --heddle .build/release/heddle

# ---- Checks, each with its fix

.PHONY: check
check: check-format check-generated check-imports check-laws ## Run every check.

.PHONY: check-format
check-format: ## The formatter has nothing to say.
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

.PHONY: fix-format
fix-format: ## Let the formatter decide.
	swift format --in-place --recursive --parallel Package.swift Sources Tests

.PHONY: check-generated
check-generated: setup-test ## What is generated is what the schema gives, and the schema keeps its rules.
	$(PYTHON) codegen/test_schema.py
	$(MAKE) --no-print-directory generate
	@git diff --exit-code --stat -- Sources/CHeddleProtocol Sources/HeddleCore/Generated Sources/HeddleProtocol/Generated docs \
	  && [ -z "$$(git status --porcelain -- Sources/CHeddleProtocol Sources/HeddleCore/Generated Sources/HeddleProtocol/Generated)" ] \
	  || { echo "generated files differ from the schema: run make fix-generated and commit"; exit 1; }

.PHONY: fix-generated
fix-generated: generate ## The same as generate.

.PHONY: generate
generate: setup-test ## Make C, Swift and docs anew from proto/.
	$(PYTHON) codegen/generate.py

.PHONY: check-imports
check-imports: setup-test ## Targets import what Package.swift and ARCHITECTURE.md allow, nothing they merely reach.
	$(PYTHON) scripts/check_imports.py

.PHONY: fix-imports
fix-imports: setup-test ## Say for each wrong import which line of Package.swift or which import has to change.
	$(PYTHON) scripts/check_imports.py --explain

.PHONY: check-laws
check-laws: setup-test ## The core stays pure; files stay short; nothing traps on a peer's bytes.
	$(PYTHON) scripts/check_laws.py

.PHONY: fix-laws
fix-laws: setup-test ## Say for each broken law what to do instead.
	$(PYTHON) scripts/check_laws.py --explain

# ---- All of CI

.PHONY: ci
# As many random sequences over the wire as the state machine gets; `make test` runs 150.
ci: export HEDDLE_WIRE_SEQUENCES ?= 2000
ci: setup-test check test rules-tested demo ## Everything that CI runs.
