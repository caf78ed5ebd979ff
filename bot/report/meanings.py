"""What the timeline's stages mean, for those who read a report without having written the bot."""

from __future__ import annotations

STAGE_MEANINGS = {
    "user_onset": "the user begins to speak",
    "user_speech_end": "the user's last sound",
    "stt_final": "the words are recognised",
    "llm_request": "the model is asked",
    "tool_call": "the model calls a tool",
    "tool_result": "the tool has answered",
    "llm_first_token": "the model's first word",
    "unit_released": "a piece of the answer goes to the voice",
    "tts_request": "the voice is asked for it",
    "synthesis_start": "the voice begins to compute",
    "first_chunk": "the first samples leave the voice",
    "transport_send": "audio is sent",
    "client_received": "audio arrives at the listener",
    "decoded": "audio is unpacked there",
    "scheduled": "audio has its place on the speaker",
    "audible": "the first sound in the recording",
    "interrupt": "the decision to cut the bot off",
    "ducked": "the bot turned down while that is decided",
    "resumed": "the bot goes on where it was turned down",
    "silent": "the bot's last sound",
    "error": "something failed",
}
