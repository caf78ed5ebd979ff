"""Builds timelines from short lines, for tests of what is read from them."""

from __future__ import annotations

from speech.timeline import TimelineEvent


def timeline(*lines: str) -> list[TimelineEvent]:
    """Events from lines such as ``"1.5 bot_text r1 | Hello there."``.

    Seconds, name, reply id where there is one, and after ``|`` the text.
    """
    return [_event(line) for line in lines]


def _event(line: str) -> TimelineEvent:
    head, bar, text = line.partition("|")
    at, name, *rest = head.split()
    fields: dict[str, object] = {"text": text[1:]} if bar else {}
    for word in rest:
        key, equals, value = word.partition("=")
        if equals:
            fields[key] = float(value) if value.replace(".", "", 1).isdigit() else value
    reply = next((word for word in rest if "=" not in word), None)
    return TimelineEvent(name, float(at), reply, None, fields)


ONE_TURN = (
    "1.0 user_onset",
    "1.2 user_started",
    "3.0 user_speech_end detector_s=0.2",
    "3.5 stt_final",
    "3.5 user_text | What time is it?",
    "3.6 user_stopped",
    "3.61 llm_request",
    "4.0 llm_first_token",
    "4.2 unit_released",
    "4.2 bot_text | It is nine. ",
    "4.21 tts_request r1",
    "4.22 synthesis_start r1",
    "4.9 first_chunk r1",
    "4.91 transport_send r1",
    "4.92 bot_started",
    "4.93 scheduled r1",
    "5.0 audible r1",
    "5.1 heard_text r1 | It ",
    "5.3 heard_text r1 | is ",
    "5.6 heard_text r1 | nine. ",
    "5.9 silent r1",
    "6.0 bot_stopped",
)

BARGE_IN = (
    *ONE_TURN[:-3],
    "5.4 user_onset",
    "5.6 user_started",
    "5.61 interrupt",
    "5.615 bot_stopped",
    "5.65 silent r1",
    "6.5 user_speech_end detector_s=0.2",
    "7.0 stt_final",
    "7.0 user_text | Stop.",
    "7.1 user_stopped",
    "7.11 llm_request",
    "7.3 llm_first_token",
    "7.4 bot_text | All right. ",
    "7.4 tts_request r2",
    "7.9 first_chunk r2",
    "8.0 bot_started",
    "8.0 scheduled r2",
    "8.1 audible r2",
    "8.2 heard_text r2 | All right. ",
    "8.6 silent r2",
    "8.7 bot_stopped",
)
