"""The last few of what is costly to make."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """At most ``most`` values by name; a new one takes the place of the one unused longest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[str, T] = {}

    def get(self, name: str) -> T | None:
        """The value, which counts as used now; None if it is not kept."""
        if name not in self._values:
            return None
        self._values[name] = value = self._values.pop(name)
        return value

    def put(self, name: str, value: T) -> list[T]:
        """Keep the value; returns those that went for it."""
        self._values.pop(name, None)
        self._values[name] = value
        excess = list(self._values)[: -self._most]
        return [self._values.pop(oldest) for oldest in excess]

    def take_all(self) -> list[T]:
        """Every value, longest unused first; nothing is kept any more."""
        values = list(self._values.values())
        self._values.clear()
        return values
