"""YAML of a size and depth that a person writes; more is refused before it costs anything."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError
from yaml.error import Mark

MAX_FILE_BYTES = 1_000_000
MAX_DEPTH = 30
MAX_NODES = 10_000
"""Counted as if each alias were written out: nested aliases grow without end (a "bomb")."""

_LARGEST = 2**63
_KINDS = {"int": "whole number", "float": "number", "timestamp": "date; put text in quotes"}


class PlainLoader(yaml.SafeLoader):
    """Every fault is a ``yaml.YAMLError`` with its line; none hangs or exhausts the stack."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._open: list[_Size] = [_Size()]
        self._sizes: dict[str, _Size | None] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """As PyYAML's, with what the node holds counted while it is read."""
        event = self.peek_event()
        if self.check_event(yaml.AliasEvent):
            size = self._sizes.get(event.anchor)
            if event.anchor in self._sizes and size is None:
                raise _fault(f"*{event.anchor} contains itself", event.start_mark)
            node = super().compose_node(parent, index)
            self._add(size or _Size(), event.start_mark)
            return node
        if len(self._open) > MAX_DEPTH:
            raise _fault(f"nested more than {MAX_DEPTH} deep", event.start_mark)
        self._open.append(_Size())
        if event.anchor is not None:
            self._sizes[event.anchor] = None
        node = super().compose_node(parent, index)
        size = self._open.pop()
        if event.anchor is not None:
            self._sizes[event.anchor] = size
        self._add(size, event.start_mark)
        return node

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        """As PyYAML's, but for text that cannot be written anywhere."""
        node = super().compose_scalar_node(anchor)
        if any("\ud800" <= sign <= "\udfff" or sign == "\0" for sign in node.value):
            raise _fault("half a surrogate pair or NUL is not text", node.start_mark)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """As PyYAML's; what its converters raise for a bad date or number is located."""
        try:
            value = super().construct_object(node, deep=deep)
        except (ValueError, TypeError, AttributeError, OverflowError, KeyError) as error:
            kind = _KINDS.get(node.tag.rpartition(":")[2], "value")
            raise ConstructorError(None, None, f"not a valid {kind}", node.start_mark) from error
        if isinstance(value, int) and abs(value) >= _LARGEST:
            raise ConstructorError(None, None, "a number of too many digits", node.start_mark)
        return value

    def _add(self, size: _Size, mark: Mark) -> None:
        outer = self._open[-1]
        outer.nodes += size.nodes
        outer.depth = max(outer.depth, size.depth + 1)
        if outer.nodes > MAX_NODES:
            raise _fault(f"more than {MAX_NODES} values, aliases counted", mark)
        if len(self._open) + outer.depth > MAX_DEPTH + 1:
            raise _fault(f"nested more than {MAX_DEPTH} deep", mark)


class _Size:
    """Of a node and all in it: how many nodes, and how deep they nest."""

    def __init__(self) -> None:
        self.nodes = 1
        self.depth = 0


class FileTooLargeError(OSError):
    """The file has more than ``MAX_FILE_BYTES``."""

    def __init__(self) -> None:
        super().__init__(0, f"larger than {MAX_FILE_BYTES:,} bytes")


class NotAFileError(OSError):
    """A pipe, socket or device, which might be waited for without end."""

    def __init__(self) -> None:
        super().__init__(0, "not a regular file: a pipe or device cannot be read here")


def read_plain(path: Path) -> str:
    """The file's text without a byte order mark; never reads on without end, nor waits.

    Raises ``OSError`` or ``UnicodeDecodeError``.
    """
    # Asked of the path first: a FIFO without a writer blocks as it is opened.
    kind = path.stat().st_mode
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise NotAFileError
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise FileTooLargeError
    return data.decode("utf-8-sig")


def plain_load(text: str) -> Any:
    """The value of ``text``; raises ``yaml.YAMLError``."""
    loader = PlainLoader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _fault(problem: str, mark: Mark) -> ComposerError:
    return ComposerError(None, None, problem, mark)
