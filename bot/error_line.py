"""What the log says of an error in the pipeline."""

from __future__ import annotations

from pipecat.frames.frames import ErrorFrame

from speech.errors import EarshotError
from speech.redact import place_of


def error_line(frame: ErrorFrame) -> str:
    """The text of our own errors; of any other the part, the kind and the place.

    pipecat and the packages below it write what they were given into their texts: what was
    said, addresses. A processor of our own hands those on too, from the code it inherits, so
    it is not the processor that tells but the exception: an ``EarshotError`` is written by us.
    """
    if isinstance(frame.exception, EarshotError):
        return str(frame.exception)
    part = type(frame.processor).__name__ if frame.processor else "the pipeline"
    return f"{part} failed: {place_of(frame.exception) if frame.exception else 'no cause given'}"
