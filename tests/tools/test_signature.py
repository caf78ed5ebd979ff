"""A plain function is described to the model as it is meant, or refused at start, with why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Optional

import pytest

from bot.tools import ToolContext, ToolError
from bot.tools.signature import read_signature
from speech.errors import UsageError


def weather(
    context: ToolContext,
    city: str,
    days: int,
    unit: Literal["celsius", "fahrenheit"] = "celsius",
    note: Optional[str] = None,  # noqa: UP045  # people write it
    hours: list[int] | None = None,
    wind: bool = False,
    least: float = 0.5,
) -> str:
    """The weather in a city.

    More about it.

    Args:
        city: The city's
            name.
    """
    return f"{context} {city} {days} {unit} {note} {hours} {wind} {least}"


def test_the_description() -> None:
    signature = read_signature(weather)
    assert signature.name == "weather"
    assert signature.description.startswith("The weather in a city.")
    assert "Args" not in signature.description
    assert signature.properties == {
        "city": {"type": "string", "description": "The city's name."},
        "days": {"type": "integer"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "note": {"type": "string"},
        "hours": {"type": "array", "items": {"type": "integer"}},
        "wind": {"type": "boolean"},
        "least": {"type": "number"},
    }
    assert signature.required == ["city", "days"]
    assert signature.context_name == "context"


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"city": "Rome", "days": 1}, {"city": "Rome", "days": 1}),
        ({"city": "Rome", "days": "2"}, {"city": "Rome", "days": 2}),
        ({"city": "Rome", "days": 2.0}, {"city": "Rome", "days": 2}),
        ({"city": 5, "days": 2}, {"city": "5", "days": 2}),
        ({"city": "R", "days": 2, "note": None}, {"city": "R", "days": 2, "note": None}),
        ({"city": "R", "days": 2, "hours": ["1"]}, {"city": "R", "days": 2, "hours": [1]}),
        ({"city": "R", "days": 2, "wind": "true"}, {"city": "R", "days": 2, "wind": True}),
    ],
)
def test_arguments_are_converted(given: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert read_signature(weather).arguments(given) == arguments


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "city: field required; days: field required"),
        ({"city": "R", "days": "two"}, "days: input should be a valid integer"),
        ({"city": "R", "days": 2.5}, "days: input should be a valid integer"),
        ({"city": None, "days": 1}, "city: input should be a valid string"),
        ({"city": "R", "days": 1, "unit": "kelvin"}, "unit: input should be 'celsius' or"),
        ({"city": "R", "days": 1, "sky": 1}, "sky: there is no such parameter"),
        ({"city": "R", "days": 1, "context": 1}, "context: there is no such parameter"),
        ({"city": "R", "days": 1, "hours": [1, "x"]}, "hours.1: input should be"),
        ({"city": "R", "days": 1, "hours": 3}, "hours: input should be a valid list"),
    ],
)
def test_bad_arguments_are_explained(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_signature(weather).arguments(given)
    assert said in str(caught.value)
    assert "(parameters: city, days, " in str(caught.value)


def silent(a: str) -> str:
    return a


def unhinted(a) -> str:  # type: ignore[no-untyped-def]
    """Text."""
    return str(a)


def mapped(a: dict[str, int]) -> str:
    """Text."""
    return str(a)


def either(a: int | str) -> str:
    """Text."""
    return str(a)


def mixed(a: Literal["a", 1]) -> str:
    """Text."""
    return str(a)


def bare_list(a: list) -> str:  # type: ignore[type-arg]
    """Text."""
    return str(a)


def anything(a: Any) -> str:
    """Text."""
    return str(a)


def starred(*a: str) -> str:
    """Text."""
    return str(a)


def double_starred(**a: str) -> str:
    """Text."""
    return str(a)


def hidden(_a: str) -> str:
    """Text."""
    return _a


def wrong_name(a: Undefined) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Text."""
    return str(a)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (silent, "needs a docstring"),
        (unhinted, "parameter a: it needs a type hint"),
        (mapped, r"the hint dict\[str, int\]"),
        (either, r"the hint int \| str"),
        (mixed, "Literal"),
        (bare_list, "the hint list"),
        (anything, "Any"),
        (starred, "given by name"),
        (double_starred, "given by name"),
        (hidden, "underscore"),
        (wrong_name, "cannot be read"),
    ],
)
def test_what_cannot_be_described_is_refused(function: Callable[..., Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        read_signature(function)
    assert function.__name__ in str(caught.value)


def test_no_parameters_at_all() -> None:
    def nothing() -> None:
        """Nothing."""

    signature = read_signature(nothing)
    assert signature.arguments({}) == {}
    with pytest.raises(ToolError, match="parameters: none"):
        signature.arguments({"a": 1})
