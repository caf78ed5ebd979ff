"""The evidence gate of one conversation, from the configuration."""

from __future__ import annotations

from collections.abc import Sequence

from bot.config.schema import Settings
from bot.tools.tool import Tool
from processors.evidence import EvidenceGate
from speech.evidence.rules import AtBound, Policy, Rules
from speech.evidence.waits import WaitTimes
from speech.timeline import Timeline


def build_evidence(
    settings: Settings, tools: Sequence[Tool], waits: WaitTimes, timeline: Timeline
) -> EvidenceGate:
    """``waits`` is what earlier conversations have taught about each tool."""
    names = [tool.name for tool in tools if tool.evidence]
    return EvidenceGate(evidence_rules(settings), timeline, evidence=names, waits=waits)


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
