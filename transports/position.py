"""Playback with a position: what a transport knows about the listener's ear."""

from __future__ import annotations

from typing import Protocol


class PlayedPosition(Protocol):
    """Implemented by a transport that knows what has been heard (sound card, script).

    The unit is seconds of the bot's audio; the clock is the timeline's (``Timeline.clock``).

    - It never goes back and is never ahead of what was written: a sample counts when it has
      left the device, that is when the output callback has handed it over and the time to
      its moment at the converter (PortAudio's ``outputBufferDacTime``) has passed. What waits
      in the ring or in the resampler does not count.
    - An underrun is silence: it is counted in the transport's figures, the position stands
      still, and nothing is skipped or repeated behind it.
    - What an interruption dropped never counts. Audio the device holds already is heard out
      and counts as it sounds, unless the device was told to forget it.
    - A lost device: the position stands still until it is back. Of what the device held when
      it went, up to its latency may be counted though it was not heard.
    """

    def played_position(self, reply_id: str | None = None) -> float:
        """Seconds heard by now of the reply (pipecat's audio context id), of all for None."""
        ...


class Playback(Protocol):
    """The speaker's side of it, for what waits for the ear: one scale, in seconds of sound.

    ``booked_s`` is the position of the end of all that was written and not dropped,
    ``heard_s`` the position audible now; equal when all has been heard. ``ends_s`` is where the
    last cut ended the sound: what the device held then is still heard, as is the fade.
    """

    @property
    def booked_s(self) -> float: ...

    @property
    def heard_s(self) -> float: ...

    @property
    def ends_s(self) -> float: ...
