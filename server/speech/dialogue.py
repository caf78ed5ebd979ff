"""What a client's messages do, in both versions of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from loguru import logger

from server.speech.credit import Credit
from server.speech.outbound import Outbound
from server.speech.queue import UnitQueue
from server.speech.service import RETRY_AFTER_S, SpeechService
from server.speech.unit import Talk, Talk0, Talk1, Unit, Why, begin
from server.speech.voices import Voices
from speech.engine import SpeechSession
from speech.errors import EarshotError, EngineBusyError, UnknownVoiceError, UsageError
from speech.redact import place_of
from speech.text_clean import clean
from speech.wire import (
    EVERY_UNIT,
    MAX_FRAME_BYTES,
    SAMPLE_RATES,
    VERSION,
    Cancel,
    ClientMessage,
    Close,
    Code,
    Error,
    Hello,
    Limits,
    Ping,
    Pong,
    Ready,
    Speak,
    SynthesisError,
    Synthesize,
    Version0Error,
    WireError,
    encode,
    parse_client,
    parse_client_0,
)
from speech.wire import Credit as CreditMessage

NATIVE_HZ = 24_000
Refusal = Callable[[Code, str], WireError]


@dataclass(frozen=True, slots=True)
class _Wish:
    """How a unit is to be spoken, whichever version asked."""

    text: str
    voice: str
    speed: float
    sample_rate: int
    deadline_ms: int | None = None


@dataclass
class Dialogue:
    """Takes messages in the version that the session speaks: 0 until a good ``hello``.

    Nothing that a client sends raises; each message that is wrong is answered.
    """

    service: SpeechService
    queue: UnitQueue
    outbound: Outbound
    voices: Voices
    credit: Credit = field(default_factory=lambda: Credit(NATIVE_HZ))
    version: int = 0
    draining: bool = False
    hello: Hello = field(default_factory=lambda: Hello(VERSION))
    _numbers: int = 0

    async def take(self, raw: str | bytes) -> None:
        """Do what the message says; waits only while its answer cannot be queued."""
        try:
            await self._do(self._parse(raw))
        except Version0Error as error:
            await self._refuse(error, SynthesisError(error.request_id, clean(str(error))))
        except WireError as error:
            code = error.code
            message = Error(code.value, clean(str(error)), code.retryable, error.unit_id)
            await self._refuse(error, message)

    def _parse(self, raw: str | bytes) -> ClientMessage | Synthesize:
        parse = parse_client if self.version else parse_client_0
        return parse(raw, self.service.limits.message_bytes)

    async def _refuse(self, error: WireError, answer: Error | SynthesisError) -> None:
        self.service.metrics.bad.labels(error.code.value).inc()
        await self.outbound.message(encode(answer))

    async def _do(self, message: ClientMessage | Synthesize) -> None:
        match message:
            case Synthesize():
                await self._synthesize(message)
            case Hello():
                await self._hello(message)
            case Speak():
                await self._speak(message)
            case Cancel():
                await self._cancel(message)
            case CreditMessage():
                self.credit.give(message.ms)
                self.voices.played(self.credit.unheard_s)
            case Ping():
                await self.outbound.message(encode(Pong(message.nonce)))
            case Close():
                self.queue.end()

    async def _hello(self, hello: Hello) -> None:
        if self.version:
            raise WireError(Code.WRONG_ORDER, "This session has said hello.")
        if len(self.queue) or self.queue.ended:
            raise WireError(Code.WRONG_ORDER, "Say hello first, or once all is said.")
        if hello.voice is not None:
            try:
                await self._open(hello.voice, hello.speed or 1.0, WireError)
            except EngineBusyError:
                raise WireError(Code.SYNTHESIS_FAILED, "No room for another voice.") from None
        self.version, self.hello = VERSION, hello
        self.credit.restart(hello.sample_rate, hello.credit_ms)
        await self.outbound.message(encode(self._ready(hello)))

    def _ready(self, hello: Hello) -> Ready:
        bounds = self.service.limits
        limits = Limits(
            bounds.text_chars,
            bounds.units_queued,
            bounds.message_bytes,
            MAX_FRAME_BYTES,
            bounds.session_s,
            bounds.idle_s,
        )
        voices = tuple(self.service.engine.voices())
        return Ready(VERSION, self.service.model, hello.sample_rate, SAMPLE_RATES, voices, limits)

    async def _synthesize(self, message: Synthesize) -> None:
        talk = Talk0(message.request_id)
        rate = NATIVE_HZ if message.sample_rate is None else message.sample_rate
        if rate not in SAMPLE_RATES:
            raise talk.error(Code.BAD_FIELD, f"sample_rate must be one of {list(SAMPLE_RATES)}")
        voice, speed = message.voice or self.service.voice, message.speed
        await self._queue(_Wish(message.text, voice, 1.0 if speed is None else speed, rate), talk)

    async def _speak(self, message: Speak) -> None:
        if self.queue.find(message.id):
            raise WireError(Code.DUPLICATE_ID, "", message.id)
        if self.queue.ended and not self.draining:
            raise WireError(Code.WRONG_ORDER, "Nothing is spoken after close.", message.id)
        wish = _Wish(
            message.text,
            message.voice or self.hello.voice or self.service.voice,
            message.speed or self.hello.speed or 1.0,
            self.hello.sample_rate,
            message.deadline_ms,
        )
        await self._queue(wish, Talk1(message.id, self._numbers + 1))

    async def _queue(self, wish: _Wish, talk: Talk) -> None:
        """Hand the text to the engine now, though its turn may be far off."""
        limits = self.service.limits
        if len(wish.text) > limits.text_chars:
            raise talk.error(Code.TEXT_TOO_LONG, f"A unit may have {limits.text_chars} characters.")
        if self.queue.ended:
            return await self._busy(talk, "draining")
        if len(self.queue) >= limits.units_queued:
            return await self._busy(talk, "queue_full")
        try:
            session = await self._open(wish.voice, wish.speed, talk.error)
            chunks = begin(session, str(self._numbers + 1), wish.text, wish.deadline_ms)
        except EngineBusyError as error:
            return await self._busy(talk, "capacity", error.retry_after_s)
        except UsageError as error:
            raise talk.error(Code.BAD_FIELD, str(error)) from None
        except WireError:
            raise
        except Exception as error:  # whatever an engine raises ends this unit alone
            logger.warning("A unit cannot be begun: {}", place_of(error))
            raise talk.error(Code.SYNTHESIS_FAILED, "") from None
        self._numbers += 1
        self.queue.add(Unit(self._numbers, session, chunks, wish.sample_rate, talk))
        self.service.metrics.queued.inc()
        return await self.voices.spare(self.queue.voices())

    async def _open(self, voice: str, speed: float, error: Refusal) -> SpeechSession:
        try:
            self.service.check_voice(voice)
            return await self.voices.get(voice, speed)
        except EngineBusyError:
            raise
        except UnknownVoiceError:
            names = self.service.engine.voices()
            raise error(Code.UNKNOWN_VOICE, f"voice must be one of {names}") from None
        except UsageError as usage:
            raise error(Code.BAD_FIELD, str(usage)) from None
        except EarshotError as failure:
            logger.warning("A voice cannot be opened: {}", place_of(failure))
            raise error(Code.SYNTHESIS_FAILED, "") from None

    async def _busy(self, talk: Talk, why: Why, retry_after_s: float | None = None) -> None:
        self.service.metrics.refused.labels(why).inc()
        await self.outbound.message(talk.busy(retry_after_s or RETRY_AFTER_S, why))

    async def _cancel(self, message: Cancel) -> None:
        units = self.queue.all() if message.id == EVERY_UNIT else self._named(message.id)
        waiting = [unit for unit in units if unit is not self.queue.current]
        for unit in units:
            unit.cancel()
        if message.id == EVERY_UNIT or len(waiting) < len(units):
            self.credit.cut()
            self.voices.cut()
        for unit in waiting:
            self.queue.remove(unit)
        for unit in waiting:  # the pump tells of the current one, once it has stopped
            self.service.metrics.units.labels("cancelled").inc()
            self.service.metrics.queued.dec()
            await self.outbound.message(unit.talk.cancelled(unit))

    def _named(self, unit_id: str) -> list[Unit]:
        unit = self.queue.find(unit_id)
        if unit is None:
            raise WireError(Code.UNKNOWN_UNIT, "", unit_id)
        return [unit]
