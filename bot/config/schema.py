"""Every configuration key, its type, bounds and default."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from bot.config.fields import Device, File, Port, Seconds, Section, Text, Threads, Timeout, Url
from bot.config.voice import TtsSettings


class BotSettings(Section):
    """Who speaks and what is said at fixed moments; an empty phrase is not said."""

    name: Text = "Earshot"
    language: Text = "en"
    system_prompt: str = (
        "You are {name}, a friendly voice assistant in a spoken conversation. Answer in one to "
        "three short sentences of plain speech. No lists, no markdown, no emoji, no code. "
        "Write numbers, dates and units the way they are said aloud."
    )
    greeting: str = "Hello, I am {name}. What can I do for you?"
    reprompt: str = "Are you still there?"
    greeting_interruptible: bool = True
    goodbye: str = "Goodbye."
    apology: str = "Sorry, I could not think of an answer just now. Please ask me again."
    lost_voice: str = "Sorry, I lost my voice for a moment. Please ask me again."


class AudioSettings(Section):
    """The sound card (docs/echo.md). Devices by name, part of one, or number; None: the default."""

    input_device: Text | Device | None = None
    output_device: Text | Device | None = None
    input_rate_hz: Literal[8_000, 16_000] = 16_000
    output_rate_hz: Literal[8_000, 16_000, 24_000, 48_000] = 24_000
    latency_s: Annotated[float, Field(ge=0, le=1)] | Literal["low", "high"] = "low"
    silent_microphone_s: Annotated[float, Field(ge=0, le=3_600)] = 8.0
    echo_cancellation: Literal["auto"] | bool = "auto"
    noise_suppression: bool = False
    gain_control: bool = False


class VadSettings(Section):
    """Voice activity: which detector and how it is smoothed."""

    kind: Literal["silero", "webrtc"] = "silero"
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.7
    start_s: Seconds = 0.2
    stop_s: Seconds = 0.2
    webrtc_aggressiveness: Annotated[int, Field(ge=0, le=3)] = 2


WakePhrase = Annotated[str, Field(pattern=r"\w"), " with a letter in it"]
"""Of a phrase without one nothing would be left to listen for."""


class TurnSettings(Section):
    """Whose turn it is (docs/turn-taking.md)."""

    end: Literal["smart", "silence"] = "smart"
    silence_s: Seconds = 0.8
    patience_s: Seconds = 2.5
    max_wait_s: Seconds = 5.0
    wake_phrases: tuple[WakePhrase, ...] = ()
    wake_timeout_s: Timeout = 10.0
    reprompt_s: Annotated[float, Field(ge=0, le=3_600)] | Literal["auto"] = "auto"
    reprompts: Annotated[int, Field(ge=0, le=100)] = 2


class BargeInSettings(Section):
    """Whether and how the user's voice stops the bot: docs/barge-in.md."""

    policy: Literal["natural", "always", "push_to_talk", "never", "pipecat"] = "natural"
    confidence: Annotated[float, Field(gt=0, le=1)] = 0.5
    cut_after_s: Annotated[float, Field(ge=0.3, le=10)] = 0.8
    window_s: Annotated[float, Field(ge=0.3, le=10)] = 1.2
    protect_s: Seconds = 3.0
    backchannels: tuple[Text, ...] = ()
    tell_unsaid: bool = True

    @model_validator(mode="after")
    def _decided_in_time(self) -> BargeInSettings:
        if self.cut_after_s > self.window_s:
            raise ValueError("barge_in.cut_after_s must not be more than barge_in.window_s")
        return self


class SttSettings(Section):
    """Speech to text: local whisper, or an OpenAI-compatible transcription endpoint."""

    kind: Literal["whisper", "openai"] = "whisper"
    model: Text = "whisper-tiny.en"
    base_url: Url | None = None
    language: Text = "en"
    threads: Threads = 1
    timeout_s: Timeout = 15.0


class EmbeddedLlmSettings(Section):
    """The model that runs as our child process."""

    model: Text = "smollm2-135m-instruct"
    threads: Threads = 1
    context_tokens: Annotated[int, Field(ge=512, le=1_048_576)] = 4_096


class LlmSettings(Section):
    """Who thinks. ``llm: auto`` in the file is short for ``llm: {provider: auto}``."""

    provider: Literal["auto", "openai", "local", "embedded"] = "auto"
    base_url: Url | None = None
    model: Text | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_048_576)] = 256
    connect_timeout_s: Timeout = 5.0
    first_token_timeout_s: Timeout = 15.0
    stall_timeout_s: Timeout = 3.0
    retries: Annotated[int, Field(ge=0, le=3)] = 1
    max_retry_after_s: Seconds = 2.0
    embedded: EmbeddedLlmSettings = EmbeddedLlmSettings()


class UnitSettings(Section):
    """When the words of a reply are handed to the voice (docs/units.md), and how many characters
    wait for it (docs/backpressure.md)."""

    first_clause: bool = True
    stall_s: Timeout = 1.5
    longest: Annotated[int, Field(ge=40, le=400)] = 250
    waiting: Annotated[int, Field(ge=100, le=20_000)] = 600


Sayings = Annotated[dict[Text, str], " of words and what is said for them, like {GIF: jif}"]


class ToolSettings(Section):
    """Functions the model may call, by name; ``[]`` switches tools off."""

    enabled: tuple[Text, ...] = ("current_time", "set_timer")
    timeout_s: Timeout = 10.0


class EvidenceSettings(Section):
    """Words that rest on a tool still running; empty texts are not said.

    ``policy``: speak them, hold them, or hold them and bridge long waits.
    """

    policy: Literal["speak", "hold", "hold_with_preamble"] = "hold_with_preamble"
    markers: bool = False
    max_wait_s: Seconds = 8.0
    max_units: Annotated[int, Field(ge=1, le=100)] = 8
    at_bound: Literal["drop", "hedge"] = "drop"
    preamble_after_s: Seconds = 1.5
    preambles: tuple[Text, ...] = (
        "One moment please.",
        "I am checking.",
        "This takes a moment.",
    )
    apology: str = "I could not confirm that yet."
    hedge: str = "I have not been able to check this yet."
    correction: str = "Sorry, I have to take that back."


class WebSettings(Section):
    """The browser page (WebRTC). The page has no sign-in: ``allow_public`` opens it to all."""

    host: Text = "127.0.0.1"
    allow_public: bool = False
    port: Port = 7860
    max_sessions: Annotated[int, Field(ge=1, le=1_000)] = 4
    ice_servers: tuple[Text, ...] = ()


class PhoneSettings(Section):
    """Carrier webhook and media stream. Credentials come from the environment."""

    provider: Literal["twilio", "telnyx", "plivo", "exotel"] = "twilio"
    host: Text = "127.0.0.1"
    port: Port = 7861
    public_url: Text | None = None
    max_calls: Annotated[int, Field(ge=1, le=1_000)] = 2
    max_call_s: Annotated[float, Field(gt=0, le=86_400)] = 1_800.0


class ServeSettings(Section):
    """The speech server (docs/speech-server.md). Its tokens come from the environment or a file."""

    host: Text = "127.0.0.1"
    allow_public: bool = False
    port: Port = 8080
    tokens_file: File | None = None
    certificate: File | None = None
    key: File | None = None
    origins: tuple[Text, ...] = ()
    voice: Text | None = None
    max_sessions: Annotated[int, Field(ge=1, le=10_000)] = 64
    max_requests: Annotated[int, Field(ge=0, le=10_000)] = 64
    max_connections: Annotated[int, Field(ge=1, le=100_000)] | None = None
    max_units: Annotated[int, Field(ge=1, le=10_000)] = 128
    max_text_chars: Annotated[int, Field(ge=1, le=15_000)] = 5_000
    arrival_s: Annotated[float, Field(gt=0, le=3_600)] = 20.0
    first_message_s: Annotated[float, Field(gt=0, le=86_400)] = 60.0
    session_s: Annotated[float, Field(gt=0, le=86_400)] = 3_600.0
    idle_s: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    request_age_s: Annotated[float, Field(ge=0, le=3_600)] = 56.0
    first_audio_s: Annotated[float, Field(gt=0, le=60)] = 1.0
    drain_s: Annotated[float, Field(ge=0, le=600)] = 30.0


class RoomSettings(Section):
    """A LiveKit or Daily room. Credentials come from the environment."""

    provider: Literal["livekit", "daily"] = "livekit"
    url: Text | None = None
    room: Text | None = None


class ModelSettings(Section):
    """Where model files are kept and where they may come from, in order."""

    dir: File | None = None
    sources: tuple[Literal["local", "huggingface", "index"], ...] = (
        "local",
        "huggingface",
        "index",
    )
    local_dir: File | None = None


class PrivacySettings(Section):
    """What may be written to logs."""

    log_text: bool = False


class LogSettings(Section):
    """Logs go to standard error, or to a file."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    file: File | None = None


class Settings(Section):
    """The whole configuration. Secrets are not in it: see ``bot.config.secrets``."""

    bot: BotSettings = BotSettings()
    audio: AudioSettings = AudioSettings()
    vad: VadSettings = VadSettings()
    turn: TurnSettings = TurnSettings()
    barge_in: BargeInSettings = BargeInSettings()
    stt: SttSettings = SttSettings()
    llm: LlmSettings = LlmSettings()
    tts: TtsSettings = TtsSettings()
    say: Sayings = Field(default_factory=dict)
    no_read: tuple[Text, ...] = ()
    units: UnitSettings = UnitSettings()
    tools: ToolSettings = ToolSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    web: WebSettings = WebSettings()
    phone: PhoneSettings = PhoneSettings()
    serve: ServeSettings = ServeSettings()
    room: RoomSettings = RoomSettings()
    models: ModelSettings = ModelSettings()
    privacy: PrivacySettings = PrivacySettings()
    log: LogSettings = LogSettings()

    @field_validator("llm", mode="before")
    @classmethod
    def _provider_shorthand(cls, value: Any) -> Any:
        return {"provider": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _named_endpoint_needs_a_model(self) -> Settings:
        if self.llm.provider == "openai" and self.llm.base_url and not self.llm.model:
            raise ValueError("llm.model must be set when llm.base_url is")
        return self
