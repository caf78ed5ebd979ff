"""The evidence gate of one conversation, from the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from bot.config.schema import Settings
from bot.tools.options import is_evidence
from bot.tools.registry import BUILT_IN, find_function
from bot.tools.tool import Tool
from processors.evidence import EvidenceGate
from speech.errors import UsageError
from speech.evidence.rules import AtBound, Policy, Rules
from speech.evidence.waits import WaitTimes
from speech.timeline import Timeline


def build_evidence(
    settings: Settings, tools: Sequence[Tool], waits: WaitTimes, timeline: Timeline
) -> EvidenceGate:
    """``waits`` is what earlier conversations have taught about each tool."""
    names = [tool.name for tool in tools if tool.evidence]
    return EvidenceGate(evidence_rules(settings), timeline, evidence=names, waits=waits)


def spoken_at_once(settings: Settings) -> list[str]:
    """The fillers to synthesise ahead: a wait is no time to wait for a voice.

    None without a tool of the user's that is marked: the built-in ones take no time.
    """
    own = [name for name in settings.tools.enabled if name not in BUILT_IN]
    if settings.evidence.policy != "hold_with_preamble" or not any(map(_marked, own)):
        return []
    return list(settings.evidence.preambles)


def _marked(name: str) -> bool:
    with suppress(UsageError):  # said where the tools are loaded
        return is_evidence(find_function(name))
    return False


def evidence_rules(settings: Settings) -> Rules:
    """The section ``evidence`` as rules."""
    given = settings.evidence
    return Rules(
        policy=Policy(given.policy),
        max_wait_s=given.max_wait_s,
        max_units=given.max_units,
        at_bound=AtBound(given.at_bound),
        preamble_after_s=given.preamble_after_s,
        preambles=given.preambles,
        apology=given.apology,
        hedge=given.hedge,
        correction=given.correction,
    )
