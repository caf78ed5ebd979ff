#!/usr/bin/env bash
# The tests in two parts: what only computes and waits on all cores at once, then what runs in
# real time (sound card, browser, whole conversations) by itself. Arguments are pytest's.
# A machine that is busy elsewhere may fail a test that waits: it is tried once more (in real
# time twice, tests/conftest.py), and the summary lists it as RERUN. One that needs it is a defect.
set -uo pipefail
cd "$(dirname "$0")/.."
real_time="soundcard or browser or e2e"
ran=5
failed=0

part() {
  .venv/bin/python -m pytest -q "$@"
  local status=$?
  [ "$status" = 5 ] && return # no test of this part was asked for
  ran=0
  [ "$status" = 0 ] || failed="$status"
}

part -n auto --maxprocesses 4 --dist loadfile --reruns 1 -m "not ($real_time)" "$@"
part -m "$real_time" "$@"
[ "$failed" = 0 ] || exit "$failed"
exit "$ran"
