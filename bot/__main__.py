"""``python -m bot`` is ``earshot``."""

from __future__ import annotations

import sys

from bot import cli


def main() -> None:
    """The console script: run the command line and exit with its code."""
    sys.exit(cli.main())


if __name__ == "__main__":
    main()
