"""``python -m bot`` is ``earshot``."""

from __future__ import annotations

from bot import cli
from bot.leaving import leave


def main() -> None:
    """The console script: run the command line and exit with its code."""
    leave(cli.main())


if __name__ == "__main__":
    main()
