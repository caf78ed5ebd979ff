# Two commands matter: `make run` talks, `make test` proves it.
.DEFAULT_GOAL := help
BIN := .venv/bin

.PHONY: help run demo test test-torch lint format bench setup setup-dev system-test test-files models lock clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup:
	@scripts/setup.sh base
	@scripts/system_packages.sh run

setup-dev:
	@scripts/setup.sh dev

system-test:
	@scripts/system_packages.sh test --install

models: setup ## fetch the model files
	@$(BIN)/earshot models pull

run: setup ## set everything up and talk (sound card, or the page where there is none)
	@$(BIN)/earshot talk $(ARGS)

demo: setup ## a recorded conversation through the real pipeline, with a report
	@$(BIN)/earshot models pull
	@$(BIN)/earshot run bot/demo/demo.yaml --out out/demo

test: ## set everything up, lint, type-check and test
	@# Side by side, as one waits for the network while the other computes.
	@$(MAKE) --no-print-directory -j2 system-test lint test-files
	@scripts/test.sh $(ARGS)

test-files: setup-dev
	@$(BIN)/earshot models pull --all
	@$(BIN)/python -m tests.speech_assets

test-torch: ## test the torch engine in a Python 3.11 of its own
	@scripts/second_python.sh
	@.venv-torch/bin/python -m pytest -q -m second_python tests/kokoro_torch \
	  tests/engines/test_conformance.py $(ARGS)

lint: setup-dev ## ruff, mypy, import rules
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --verbose | tail -n 6

format: setup-dev ## rewrite the code in house style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: ## run the speech benchmark, quality included (ARGS="--quick")
	@scripts/setup.sh bench
	@$(BIN)/earshot bench tts $(ARGS)

lock: ## resolve the lock files again (needs uv)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --custom-compile-command "make lock" -q -o requirements/base.lock
	uv pip compile pyproject.toml --extra room --extra aws --extra dev -c requirements/base.lock --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" -q -o requirements/dev.lock
	@# livekit-agents, which is compared with, holds livekit at an older version than ours
	sed '/^livekit==/,/^[^ ]/{/^livekit==/d;/^ /d;}' requirements/dev.lock >.bench-constraints
	uv pip compile pyproject.toml --extra dev --extra bench -c .bench-constraints --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" -q -o requirements/bench.lock
	@rm .bench-constraints

clean: ## remove what was built, keep the models
	rm -rf .venv out .mypy_cache .ruff_cache .pytest_cache .hypothesis
