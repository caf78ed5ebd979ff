"""A second pair of ears: what the bot's recorded side says when it is transcribed again."""

from __future__ import annotations

import asyncio

from bot.scenario.names import RESPONSE
from bot.scenario.schema import Scenario
from speech.hearing.recogniser import Recogniser, RecognitionError
from speech.timeline import Timeline
from transports.script import ScriptTransport

DEADLINE_S = 60.0
"""For all replies of a run together; tiny.en needs about a tenth of their length."""


def wants_response(scenario: Scenario) -> bool:
    """Whether anything is expected of the recorded answers."""
    everywhere = [*scenario.expect, *(e for turn in scenario.turns for e in turn.expect)]
    return any(expected.event == RESPONSE for expected in everywhere)


async def transcribe_replies(
    transport: ScriptTransport, timeline: Timeline, recogniser: Recogniser
) -> str | None:
    """Note what each reply says, at the time it became audible.

    Returns what went wrong, in a line; the replies before it are noted.
    """
    rate_hz = transport.recording.bot.rate_hz
    try:
        async with asyncio.timeout(DEADLINE_S):
            for reply in transport.heard_replies():
                heard = await recogniser.transcribe(reply.samples, rate_hz)
                timeline.mark(
                    "note",
                    at=reply.start,
                    reply_id=reply.reply_id,
                    what=RESPONSE,
                    text=heard.text.strip(),
                )
    except RecognitionError as error:
        return f"the recorded answer was not transcribed: {error}"
    except TimeoutError:
        return f"transcribing the recorded answers took more than {DEADLINE_S:g} s"
    return None
