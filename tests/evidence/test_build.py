"""Fillers are synthesised ahead only where one may be needed."""

from __future__ import annotations

from typing import Any

import pytest

from bot.config.schema import Settings
from bot.evidence import evidence_rules, spoken_at_once
from speech.evidence.rules import AtBound, Policy, Rules

OWN = "tests.evidence.tools:book"


@pytest.mark.parametrize(
    ("tools", "policy", "expected"),
    [
        ((OWN,), "hold_with_preamble", ["Moment."]),
        ((OWN,), "hold", []),
        (("tests.evidence.tools:end_call",), "hold_with_preamble", []),
        (("current_time", "set_timer"), "hold_with_preamble", []),
        (("no_such_module:tool",), "hold_with_preamble", []),
    ],
)
def test_texts(tools: tuple[str, ...], policy: str, expected: list[str]) -> None:
    section: dict[str, Any] = {"policy": policy, "preambles": ["Moment."]}
    settings = Settings.model_validate({"tools": {"enabled": tools}, "evidence": section})
    assert spoken_at_once(settings) == expected


def test_every_key_is_a_rule() -> None:
    section = {"policy": "hold", "max_wait_s": 1.0, "max_units": 2, "at_bound": "hedge"}
    section |= {"preamble_after_s": 3.0, "preambles": ["a"], "apology": "b", "hedge": "c"}
    rules = evidence_rules(Settings.model_validate({"evidence": section | {"correction": "d"}}))
    assert rules == Rules(Policy.HOLD, 1.0, 2, AtBound.HEDGE, 3.0, ("a",), "b", "c", "d")
