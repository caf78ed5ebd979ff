#!/usr/bin/env bash
# Makes .venv-torch: Python 3.11 with the CPU build of torch, for tests/kokoro_torch.
# Refuses, with exit status 3, where that build is not on this machine's own disk: the one
# of the registry is a CUDA build of several GB. Runs again only when this file changed.
set -euo pipefail
cd "$(dirname "$0")/.."
torch="torch==2.13.0"
stamp=".venv-torch/.earshot-torch"
want="$(cksum <"$0")"

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
  exit 0
fi

# kokoro needs Python below 3.13; the CPU build is made for 3.11.
find_python() {
  local candidate
  for candidate in python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.11.*/bin/python /usr/bin/python3.11; do
    if "$candidate" -c "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))" >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
}

python="$(find_python)"
if [ -z "$python" ]; then
  echo "earshot: no Python 3.11 for the torch tests" >&2
  exit 3
fi
[ -x .venv-torch/bin/python ] || "$python" -m venv .venv-torch
pip() { .venv-torch/bin/python -m pip --disable-pip-version-check "$@"; }

# What pip would install, without installing it: only a file:// address will do.
if ! pip install --quiet --dry-run --ignore-installed --no-deps --only-binary :all: --report - "$torch" 2>/dev/null |
  "$python" -c 'import json, sys; sys.exit(not json.load(sys.stdin)["install"][0]["download_info"]["url"].startswith("file:"))' 2>/dev/null; then
  echo "earshot: no CPU build of $torch on this machine's disk; the torch tests need one" >&2
  exit 3
fi
echo "earshot: making .venv-torch with $("$python" --version) and $torch (1.3 GB on disk)" >&2
pip install --quiet --only-binary :all: "$torch"

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

# kokoro without its dependencies: misaki and spaCy are its own grapheme-to-phoneme code,
# which is not used. KModel needs attrs, huggingface-hub, loguru, numpy and transformers.
# The rest is what speech/ and its tests import.
try pip install --quiet "attrs" "huggingface-hub" "loguru>=0.7" "numpy>=1.26" "transformers>=4.40" \
  "kokoro-onnx>=0.6.1" "onnx>=1.17" "onnxruntime>=1.20" "rapidfuzz>=3.9" "jiwer>=3.0" "soundfile>=0.13" "soxr>=0.5" \
  "hypothesis>=6.100" "pytest>=8.3" "pytest-asyncio>=0.25" "pytest-timeout>=2.3"
try pip install --quiet --no-deps "kokoro>=0.9.4"
echo "$want" >"$stamp"
