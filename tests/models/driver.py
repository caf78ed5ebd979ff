"""A pull in a process of its own: ``driver.py ROOT HUB_URL`` or ``driver.py ROOT index``."""

from __future__ import annotations

import sys
from pathlib import Path

from speech.models.hub import HubSource
from speech.models.index import IndexSource
from speech.models.pull import Source, pull_model
from tests.models.support import Heard, content, make_model, two_parts

DATA = content("model", 300_000)
MODEL = make_model({"model.bin": DATA}, *two_parts(DATA))


class Spoken(Heard):
    """Prints notices as they come."""

    def notice(self, text: str) -> None:
        print(text, flush=True)


def main(root: str, where: str) -> None:
    source: Source = IndexSource() if where == "index" else HubSource(where)
    print("start", flush=True)
    pulled = pull_model(MODEL, [source], Path(root), Spoken())
    print(f"source {pulled.source}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
