"""What a scenario file may say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from bot.scenario.moments import MAX_DURATION_S, Duration, Moment, MomentField
from bot.scenario.names import TEXT_EVENTS, expected_name

MAX_TURN_S = 300.0
MAX_RUN_S = 600.0


def _no_switch(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"expected a number, not {str(value).lower()}")
    return value


Number = Annotated[float, BeforeValidator(_no_switch)]
Count = Annotated[int, BeforeValidator(_no_switch)]
EventName = Annotated[str, BeforeValidator(expected_name)]


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) or value is None else [value]


Phrases = Annotated[list[str], BeforeValidator(_as_list)]


class Entry(BaseModel):
    """A mapping of the file: frozen, unknown keys refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False
    )


class Noise(Entry):
    """A sound that is not speech. ``dbfs`` is its RMS level (of a click: its peak)."""

    s: Annotated[Duration, Field(le=MAX_TURN_S)] = 1.0
    dbfs: Annotated[Number, Field(ge=-90, le=0)] = -40.0
    kind: Literal["white", "cough", "click"] = "white"


class Piece(Entry):
    """A stretch of what the user's side sends: exactly one of its sources.

    ``text`` beside ``wav`` is what the recording says; alone, a voice speaks it.
    """

    text: str | None = Field(default=None, min_length=1)
    wav: str | None = Field(default=None, min_length=1)
    voice: str | None = None
    silence: Annotated[Duration, Field(le=MAX_TURN_S)] | None = None
    noise: Noise | None = None

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"text": value}
        if isinstance(value, dict) and set(value) == {"pause_ms"}:
            return {"silence": f"{value['pause_ms']} ms"}
        return value

    @model_validator(mode="after")
    def _one_source(self) -> Piece:
        speech = self.text is not None or self.wav is not None
        if speech + (self.silence is not None) + (self.noise is not None) != 1:
            raise ValueError("expected exactly one of text, wav, silence, noise")
        return self

    @property
    def is_speech(self) -> bool:
        """Whether an answer is to be expected."""
        return self.text is not None or self.wav is not None


KINDS = ("event", "from/to", "turns", "interruptions", "context_contains")


class Call(Entry):
    """A tool call that must happen; every listed argument must be given so."""

    name: str
    args: dict[str, Any] | None = None


class Expectation(Entry):
    """One thing that must be seen: an event, a duration between stages, or a count."""

    event: EventName | None = None
    within_ms: Annotated[Number, Field(gt=0, le=1000 * MAX_DURATION_S)] | None = None
    after: EventName | None = None
    absent: bool = False
    text_contains: Phrases = Field(default_factory=list)
    text_excludes: Phrases = Field(default_factory=list)
    wer_max: Annotated[Number, Field(ge=0, le=1)] | None = None
    text: str | None = None
    calls: list[Call] | None = None
    check_from: Literal["previous", "turn_start"] = "previous"
    start: EventName | None = Field(default=None, alias="from")
    end: EventName | None = Field(default=None, alias="to")
    max_s: Duration | None = None
    min_s: Duration | None = None
    turns: Annotated[Count, Field(ge=0, le=10_000)] | None = None
    interruptions: Annotated[Count, Field(ge=0, le=10_000)] | None = None
    context_contains: Phrases = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_kind(self) -> Expectation:
        between = self.start is not None or self.end is not None
        kinds = [self.event is not None, between, self.turns is not None]
        kinds += [self.interruptions is not None, bool(self.context_contains)]
        if sum(kinds) != 1:
            raise ValueError(f"expected exactly one of {', '.join(KINDS)}")
        if between and (None in (self.start, self.end) or self.max_s is self.min_s is None):
            raise ValueError("a duration needs from, to and max_s (or min_s)")
        return self

    @model_validator(mode="after")
    def _keys_fit_the_event(self) -> Expectation:
        asks_text = self.text_contains or self.text_excludes or self.wer_max is not None
        if asks_text and self.event not in TEXT_EVENTS:
            raise ValueError(f"only {', '.join(sorted(TEXT_EVENTS))} have text to check")
        if self.calls and self.event not in ("tool_call", "tool_result"):
            raise ValueError("calls belongs to the events function_call and function_call_stopped")
        if self.absent and (asks_text or self.calls):
            raise ValueError("absent is about the event alone: no text or calls beside it")
        return self


class SendAfter(Entry):
    """pipecat's way to write ``after``."""

    event: str = "previous"
    delay_ms: Annotated[Number, Field(ge=0, le=1000 * MAX_RUN_S)] = 0.0


class Turn(Entry):
    """What the user sends next, when, and what must follow.

    Without ``at`` or ``after`` a turn waits until the bot has answered the one before,
    and then ``gap``.
    """

    user: list[Piece] = Field(min_length=1)
    voice: str | None = None
    at: Annotated[Duration, Field(le=MAX_RUN_S)] | None = None
    after: MomentField | None = None
    gap: Annotated[Duration, Field(le=MAX_RUN_S)] = 0.5
    gain_db: Annotated[Number, Field(ge=-60, le=20)] = 0.0
    expect: list[Expectation] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        return _one_piece_turn(dict(value)) if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _one_start(self) -> Turn:
        if self.at is not None and self.after is not None:
            raise ValueError("a turn starts either at or after, not both")
        return self

    @property
    def is_speech(self) -> bool:
        """Whether an answer is to be expected."""
        return any(piece.is_speech for piece in self.user)

    @property
    def said(self) -> str | None:
        """What the user says, where the scenario tells it for all pieces."""
        texts = [piece.text for piece in self.user if piece.is_speech]
        return " ".join(text for text in texts if text) if texts and all(texts) else None


def _one_piece_turn(turn: dict[str, Any]) -> dict[str, Any]:
    """``wav``/``text``/``silence``/``noise`` beside the turn's own keys, as one piece."""
    for other, ours in (("audio", "wav"), ("text", "user")):
        if other in turn:
            if ours in turn:
                raise ValueError(f"{other} and {ours} are the same key; keep one")
            turn[ours] = turn.pop(other)
    if "send_after" in turn:
        wait = SendAfter.model_validate(turn.pop("send_after"))
        turn["after"] = f"{wait.event} + {wait.delay_ms} ms"
    said = turn.pop("user", None)
    if isinstance(said, list):
        turn["user"] = said
        return turn
    piece: dict[str, Any] = {
        key: turn.pop(key) for key in ("wav", "silence", "noise") if key in turn
    }
    if said is not None:
        piece["text"] = said
    return turn | {"user": [piece]}


class Scenario(Entry):
    """A scripted conversation. ``path`` is the file it came from."""

    name: str = Field(min_length=1)
    description: str = ""
    path: Path = Path()
    settings: dict[str, Any] = Field(default_factory=dict, alias="set")
    voice: str = "am_adam"
    greet: bool = True
    seed: Annotated[Count, Field(ge=0)] = 1
    audio_dirs: list[str] = Field(default_factory=list)
    missing_audio: Literal["refuse", "speak"] = "refuse"
    timeout: Annotated[Duration, Field(gt=0, le=MAX_RUN_S)] = 120.0
    wait: Annotated[Duration, Field(gt=0, le=MAX_RUN_S)] = 30.0
    tail: Annotated[Duration, Field(le=MAX_RUN_S)] = 1.5
    turns: list[Turn] = Field(min_length=1)
    expect: list[Expectation] = Field(default_factory=list)

    @field_validator("turns")
    @classmethod
    def _first_turn_has_no_previous(cls, turns: list[Turn]) -> list[Turn]:
        if turns[0].after == Moment("previous", turns[0].after.delay_s if turns[0].after else 0):
            raise ValueError("the first turn has no previous one to wait for")
        return turns
