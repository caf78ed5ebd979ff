"""The pipeline, one line a stage."""

from __future__ import annotations

from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.services.llm_service import LLMService
from pipecat.transports.base_transport import BaseTransport

from bot.barge_in import follow_wake_phrases
from bot.config.schema import Settings
from bot.hearing import build_stt, recover_from_noise, user_aggregator_params
from bot.parts import Parts
from bot.senses import spoken_units
from processors.aggregator import UnitAggregator
from processors.audible import Audible
from processors.barge_in import BargeInControl
from processors.closing import Closing, ClosingGate
from processors.evidence import EvidenceGate
from processors.floor import Floor
from processors.fresh_audio import FreshAudio
from processors.heard import HeardText
from processors.interrupter import Interrupter
from processors.kokoro_tts import KokoroTTSService
from processors.read_ahead import ReadAhead
from processors.settled_calls import SettledCalls
from processors.turn_halves import JoinedHalves
from processors.turn_patience import TalkKey
from processors.unsaid import Unsaid
from processors.written import Written
from speech.backlog import Backlog
from speech.evidence.markers import MarkerParser
from speech.lead import Lead
from speech.timeline import Timeline
from speech.units.release import LETTERS_PER_S, ReleaseRules


def build_pipeline(
    transport: BaseTransport,
    parts: Parts,
    llm: LLMService,
    context: LLMContext,
    timeline: Timeline,
    closing: Closing,
    floor: Floor,
    evidence: EvidenceGate,
    barge_in: BargeInControl | None,
    key: TalkKey,
) -> Pipeline:
    """Speech in, speech out: the picture of DESIGN.md as code."""
    settings = parts.settings
    hears_voice = barge_in.heard_voice if barge_in else None
    user = user_aggregator_params(settings, context=context, heard=hears_voice, key=key)
    if barge_in and user.user_turn_strategies:
        follow_wake_phrases(barge_in, user.user_turn_strategies)
    words = LLMContextAggregatorPair(context, user_params=user)
    recovery = recover_from_noise(settings, words, context)
    heard = HeardText(timeline)
    unsaid = Unsaid(context, tell=settings.barge_in.tell_unsaid)
    backlog = Backlog(settings.units.waiting, timeline.queues)
    written = Written()
    lead = build_lead(parts, transport, written, timeline)
    interrupter = Interrupter(barge_in, recovery.answer_again) if barge_in else None
    return Pipeline(
        [
            transport.input(),  # microphone, browser, room, phone or script
            build_stt(settings, parts.secrets, parts.recogniser, timeline.queues),  # speech to text
            ClosingGate(closing),  # after the wish to end: deaf,
            *([interrupter] if interrupter else []),  # words that stop the bot, words that are none
            FreshAudio(words.user(), timeline.queues),  # never far behind the user
            words.user(),  # voice activity, end of turn, the user's words in the context
            JoinedHalves(),  # an utterance in two pieces is one question
            ClosingGate(closing),  # without a thought,
            llm,  # tokens, tool calls, the fault policy
            ReadAhead(backlog),  # read no further ahead of the voice than is useful
            build_aggregator(settings, timeline, backlog),  # tokens to units
            evidence,  # which units may be spoken now
            ClosingGate(closing),  # and silent but for the goodbye
            unsaid.written(),  # what is to be said,
            build_voice(parts, timeline, lead, backlog, barge_in),  # units to audio, then words
            transport.output(),  # speaker, browser, room, phone or script
            written,  # how much of it has gone out
            heard,  # what the listener has heard
            *audible(barge_in),  # which reply sounds
            floor,  # whose turn it is to speak
            SettledCalls(),  # a cancelled tool call, behind its announcement
            unsaid.heard(),  # what was heard,
            words.assistant(),  # the bot's heard words in the context
            unsaid.told(),  # and what it was cut off from saying
            heard.recorded(),  # an interruption waits until they are in it,
            *([interrupter.settled()] if interrupter else []),  # and new words for it
        ]
    )


def audible(barge_in: BargeInControl | None) -> list[Audible]:
    """What tells the policy which reply sounds, where there is one."""
    return [Audible(barge_in)] if barge_in else []


def build_lead(
    parts: Parts, transport: BaseTransport, written: Written, timeline: Timeline
) -> Lead:
    """How far the voice may be ahead of what is heard; of what is written, where that is all a
    transport knows. An engine that gives units whole needs the time that the longest takes."""
    tts, longest_s = parts.settings.tts, parts.settings.units.longest / LETTERS_PER_S
    streams = getattr(parts.engine, "streams", True)
    lead_s = tts.lead_s if streams else max(tts.lead_s, longest_s)
    played = getattr(transport, "played_position", written.position)
    return Lead(lead_s, played, timeline.clock, timeline.queues)


def build_aggregator(settings: Settings, timeline: Timeline, backlog: Backlog) -> UnitAggregator:
    """The configured aggregator, with the model's markers read where it is taught them."""
    units = settings.units
    return UnitAggregator(
        lang=settings.bot.language,
        longest=units.longest,
        rules=ReleaseRules(first_clause=units.first_clause, stall_s=units.stall_s),
        clock=timeline.clock,
        claims=MarkerParser() if settings.evidence.markers else None,
        backlog=backlog,
    )


def build_voice(
    parts: Parts,
    timeline: Timeline,
    lead: Lead,
    backlog: Backlog,
    barge_in: BargeInControl | None,
) -> KokoroTTSService:
    """The configured voice as a pipecat service."""
    settings = parts.settings
    tts = settings.tts
    gives_up = tts.on_failure == "say_so"
    return KokoroTTSService(
        parts.engine,
        voice=tts.voice,
        speed=tts.speed,
        timeline=timeline,
        phrases=parts.phrases,
        apology=parts.apology,
        lost_voice=spoken_units(settings.bot.lost_voice, settings) if gives_up else None,
        lead=lead,
        backlog=backlog,
        barge_in=barge_in,
    )
