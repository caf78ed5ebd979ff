"""Frames of a reply that was cut, arriving late."""

from __future__ import annotations

from pipecat.frames.frames import Frame, TTSAudioRawFrame, TTSTextFrame

from speech.barge_in.replies import Replies


def is_late(frame: Frame, replies: Replies) -> bool:
    """Whether the frame belongs to a dead reply and must be dropped; counted in ``replies``."""
    reply_id = getattr(frame, "context_id", None)
    if reply_id is None or not frame.interruptible or not replies.is_dead(reply_id):
        return False
    what = "audio" if isinstance(frame, TTSAudioRawFrame) else "control"
    what = "text" if isinstance(frame, TTSTextFrame) else what
    return not replies.admits(reply_id, what)
