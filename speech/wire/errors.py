"""What can be wrong with a message, and what the other side is told about it."""

from __future__ import annotations

from enum import StrEnum

from speech.errors import EarshotError


class Code(StrEnum):
    """Why a message or a unit was refused; none of them ends the session.

    ``meaning`` is for people; ``retryable`` says that the same request may succeed later;
    ``ends_unit`` that a unit named in the error has ended with it.
    """

    meaning: str
    retryable: bool
    ends_unit: bool

    def __new__(
        cls, value: str, meaning: str, retryable: bool = False, ends_unit: bool = True
    ) -> Code:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning, member.retryable, member.ends_unit = meaning, retryable, ends_unit
        return member

    BAD_ENCODING = "bad_encoding", "The message is not UTF-8."
    BAD_JSON = "bad_json", "The message is not JSON (NaN, lone surrogates and deep nesting too)."
    NOT_AN_OBJECT = "not_an_object", "The message is JSON, but no object."
    OVERSIZE = "oversize", "The message has more bytes than the session's limit."
    UNKNOWN_TYPE = "unknown_type", "The message's type is missing or none of this version's."
    WRONG_VERSION = "wrong_version", "A version that this side does not speak; say hello again."
    BAD_FIELD = "bad_field", "A field is missing, has the wrong type or is out of range."
    WRONG_ORDER = "wrong_order", "The message may not come now: a second hello, speak after close."
    BAD_FRAME = "bad_frame", "A binary frame is not an audio frame, or not the one that is next."

    DUPLICATE_ID = "duplicate_id", "A unit of this id is still to be spoken.", False, False
    UNKNOWN_UNIT = "unknown_unit", "No unit of this id is to be spoken (any more).", False, False

    TEXT_TOO_LONG = "text_too_long", "The unit's text is longer than the session's limit."
    UNKNOWN_VOICE = "unknown_voice", "The server has no such voice; ready lists those it has."
    SYNTHESIS_FAILED = "synthesis_failed", "The unit could not be spoken to its end.", True


class WireError(EarshotError):
    """A message or frame that cannot be taken.

    ``unit_id`` is set where the message names a unit and could be read so far. The error's
    text never repeats what the message said.
    """

    def __init__(self, code: Code, detail: str = "", unit_id: str | None = None) -> None:
        super().__init__(detail or code.meaning)
        self.code, self.unit_id = code, unit_id
