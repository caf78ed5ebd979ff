"""Reading a ``.env`` file."""

from __future__ import annotations

import io
from pathlib import Path

from dotenv.parser import parse_stream

from bot.config.plain_yaml import read_plain
from speech.errors import UsageError


def read_dotenv(path: Path) -> dict[str, str]:
    """The names and values of ``path``; nothing when there is no such file.

    ``${NAME}`` is not expanded: a key that contains a dollar sign stays as it is.
    Raises ``UsageError`` naming the line that is not ``NAME=value``.
    """
    try:
        text = read_plain(path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not a text file: write NAME=value lines in it") from error
    values: dict[str, str] = {}
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            line = binding.original.line + _leading_newlines(binding.original.string)
            raise UsageError(f"{path} line {line}: expected NAME=value")
        if binding.key and binding.value is not None:
            values[binding.key] = binding.value
    return values


def _leading_newlines(text: str) -> int:
    return len(text[: len(text) - len(text.lstrip())].splitlines())
