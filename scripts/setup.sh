#!/usr/bin/env bash
# Makes .venv and installs Earshot into it. Usage: scripts/setup.sh base|dev|bench
# Runs again only when the lock file or pyproject.toml changed, or when another kind was
# installed since that pins other versions.
set -euo pipefail
cd "$(dirname "$0")/.."
kind="${1:-base}"
lock="requirements/$kind.lock"
stamp=".venv/.earshot-$kind"
want="$(cat "$lock" pyproject.toml | cksum)"

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
  exit 0
fi

# A Python that works: 3.12 first, then 3.11 and 3.13; pyenv's are found by their folders.
find_python() {
  local version candidate
  for version in 3.12 3.11 3.13; do
    for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python \
      "/usr/local/bin/python$version" "/opt/homebrew/bin/python$version"; do
      if "$candidate" -c "import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" >/dev/null 2>&1; then
        echo "$candidate"
        return
      fi
    done
  done
}

if [ ! -x .venv/bin/python ]; then
  python="${EARSHOT_PYTHON:-$(find_python)}"
  if [ -z "$python" ]; then
    echo "earshot needs Python 3.12 (3.11 and 3.13 also work) with its venv module." >&2
    echo "Install it: apt install python3 python3-venv (Debian), brew install python@3.12 (macOS)," >&2
    echo "or name one: EARSHOT_PYTHON=/path/to/python make run" >&2
    exit 1
  fi
  if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then
    echo "earshot: $python is no Python 3.11 to 3.13 with its venv module (EARSHOT_PYTHON)" >&2
    exit 1
  fi
  echo "earshot: making .venv with $("$python" --version)" >&2
  "$python" -m venv .venv
fi

# A registry's hiccup is no reason to fail: three tries.
try() {
  local n
  for n in 1 2 3; do
    "$@" && return 0
    echo "earshot: try $n of 3 failed: $1 ${2:-}" >&2
    sleep $((n * 3))
  done
  return 1
}

# Whether two lock files pin the same package to other versions.
contradict() {
  awk -F '[= ;\\\\]+' '
    /^[A-Za-z0-9]/ { if (FNR == NR) one[$1] = one[$1] " " $2; else other[$1] = other[$1] " " $2 }
    END { for (name in one) if ((name in other) && one[name] != other[name]) exit 0; exit 1 }
  ' "$1" "$2"
}

# What is installed now may undo what another kind has installed: that is to be done again.
for other in .venv/.earshot-*; do
  theirs="requirements/${other#.venv/.earshot-}.lock"
  if [ "$other" != "$stamp" ] && { [ ! -f "$theirs" ] || contradict "$lock" "$theirs"; }; then
    rm -f "$other"
  fi
done

echo "earshot: installing packages from $lock (a minute or two the first time)" >&2
try .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile \
  --require-hashes -r "$lock"
try .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
# pip would compile on one core. What cannot be compiled is nothing that anybody imports.
.venv/bin/python -W ignore -m compileall -qq -j 0 .venv/lib || true
echo "$want" >"$stamp"
