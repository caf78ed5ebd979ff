"""The child process: llama.cpp's OpenAI-compatible server on a free loopback port.

Run by file name with ``python -P``: as a module it would import ``bot.llm`` and all of
pipecat with it, and without ``-P`` this folder's ``select.py`` would hide the library's. It
prints one JSON line, ``{"base_url": …}``, once the model is loaded; logs go to standard
error. It lives as long as its standard input is open: the parent holds the other end of
that pipe, and the kernel closes it however the parent ends.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from typing import Any

KEY_VARIABLE = "EARSHOT_EMBEDDED_KEY"
"""The key requests must carry: without one any web page in a browser here could ask too."""

VERBOSITY_WARNINGS = 2
"""llama.cpp's log level: 1 errors, 2 warnings, 3 information."""


def main() -> None:
    """Serve until standard input closes."""
    options = _arguments()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    announce = os.dup(1)
    os.dup2(2, 1)  # whatever the library prints must not be taken for the announcement
    server = _serve(options)
    record = {"base_url": f"{server.listening_address}/v1"}
    os.write(announce, json.dumps(record).encode() + b"\n")
    threading.Event().wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--context-tokens", type=int, default=4096)
    return parser.parse_args()


def _end_with_parent() -> None:
    """Block until end of file, then leave at once: the library's own exit can wait on work."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


def _serve(options: argparse.Namespace) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.model_alias = {"embedded"}
    params.hostnames = ["127.0.0.1"]
    params.api_keys = [os.environ[KEY_VARIABLE]]
    params.port = 0  # the kernel picks a free one, so no other program can take it between
    params.n_ctx = options.context_tokens
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.ui = False
    params.verbosity = VERBOSITY_WARNINGS
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
