"""The configured barge-in policy, joined to a transport."""

from __future__ import annotations

from functools import partial
from typing import Protocol, cast, runtime_checkable

from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport
from pipecat.turns.user_start import WakePhraseUserTurnStartStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from bot.config.schema import Settings
from processors.barge_in import BargeInControl
from speech.barge_in import rules
from speech.barge_in.config import BargeInConfig
from speech.barge_in.echo import EchoGuard
from speech.barge_in.policy import BargeIn
from speech.barge_in.replies import Replies
from speech.barge_in.speaker import Speaker
from speech.barge_in.words import WordSorter
from speech.spoken import Normalizer
from speech.timeline import Timeline
from transports.held import HeldSpeaker

PUSH_TO_TALK = "push_to_talk"
PIPECAT = "pipecat"
"""pipecat's own way: the detector's start of speech interrupts."""

STRATEGIES = {
    "natural": rules.natural,
    "always": rules.always_let_speak,
    PUSH_TO_TALK: rules.push_to_talk,
    "never": rules.never,
}


@runtime_checkable
class HoldsSound(Protocol):
    """A transport that can hold and cut its sound itself."""

    def speaker(self, replies: Replies) -> Speaker: ...


@runtime_checkable
class KnowsEcho(Protocol):
    """A transport that knows how likely its microphone hears the bot."""

    def echo_likelihood(self) -> float: ...


def build_barge_in(
    settings: Settings, transport: BaseTransport, timeline: Timeline, *, echo_path: bool = True
) -> BargeInControl | None:
    """The policy of one conversation; None where pipecat's own interruptions are wanted.

    Without ``echo_path`` no canceller has to adapt: voice counts from the first sound on.
    """
    chosen = settings.barge_in.policy
    if chosen == PIPECAT:
        return None
    config = _config(settings, echo_path)
    listening = tuple(settings.barge_in.backchannels)
    words = WordSorter(settings.stt.language, _echo_guard(settings), listening)
    policy = BargeIn(config, STRATEGIES[chosen](config), words)
    speaker: Speaker
    if isinstance(transport, HoldsSound):
        speaker = transport.speaker(policy.replies)
    else:
        speaker = HeldSpeaker(cast(BaseOutputTransport, transport.output()), policy.replies)
    if isinstance(transport, KnowsEcho):
        return BargeInControl(policy, timeline, speaker, echo=transport.echo_likelihood)
    return BargeInControl(policy, timeline, speaker)


def follow_wake_phrases(barge_in: BargeInControl, turns: UserTurnStrategies) -> None:
    """While the bot waits for its wake phrase, nothing that is said is for the policy."""
    for start in turns.start or []:
        if isinstance(start, WakePhraseUserTurnStartStrategy):
            barge_in.asleep = True
            start.add_event_handler("on_wake_phrase_detected", partial(_sleep, barge_in, False))
            start.add_event_handler("on_wake_phrase_timeout", partial(_sleep, barge_in, True))


async def _sleep(barge_in: BargeInControl, asleep: bool, *_: object) -> None:
    barge_in.asleep = asleep


def _echo_guard(settings: Settings) -> EchoGuard:
    """Knows how the bot says what it writes."""
    spoken = Normalizer(settings.bot.language, settings.say, settings.no_read)
    return EchoGuard(settings.stt.language, spoken=spoken)


def _config(settings: Settings, echo_path: bool) -> BargeInConfig:
    chosen, figures = settings.barge_in, BargeInConfig()
    return BargeInConfig(
        confident=chosen.confidence,
        sure=max(figures.sure, chosen.confidence),
        keep=min(figures.keep, chosen.confidence),
        # WebRTC's detector is smoothed: it says on and off.
        onset_s=0.0 if settings.vad.kind == "webrtc" else figures.onset_s,
        cut_after_s=chosen.cut_after_s,
        window_s=chosen.window_s,
        protect_s=chosen.protect_s if echo_path else 0.0,
    )
