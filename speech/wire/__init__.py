"""The speech server's wire protocol: messages, audio frames, both versions; no I/O.

Control is in text frames, audio in binary ones, and they are told apart by that. A client's
messages are taken in either. ``docs/speech-server.md`` tells the protocol, ``schema.json`` every
message.

>>> from speech.wire import Hello, encode, parse_client
>>> parse_client(encode(Hello(1))) == Hello(1)
True
"""

from speech.wire.client import (
    Cancel,
    ClientMessage,
    Close,
    Credit,
    Hello,
    Ping,
    Speak,
)
from speech.wire.codec import encode, parse_client, parse_server
from speech.wire.errors import Code, WireError
from speech.wire.fields import EVERY_UNIT, SAMPLE_RATES, VERSION
from speech.wire.frame import (
    MAX_FRAME_BYTES,
    MAX_SAMPLES,
    AudioFrame,
    FrameJoiner,
    split,
    split_bytes,
    unpack,
)
from speech.wire.json_text import MAX_MESSAGE_BYTES
from speech.wire.service import (
    Busy,
    Cancelled,
    Closed,
    Done,
    Draining,
    Error,
    Limits,
    Pong,
    Ready,
    ServerMessage,
    SpokenWord,
    Started,
    Words,
)
from speech.wire.version0 import (
    ServerMessage0,
    SynthesisComplete,
    SynthesisError,
    SynthesisStart,
    Synthesize,
    Version0Error,
    parse_client_0,
    parse_server_0,
)

__all__ = [
    "EVERY_UNIT",
    "MAX_FRAME_BYTES",
    "MAX_MESSAGE_BYTES",
    "MAX_SAMPLES",
    "SAMPLE_RATES",
    "VERSION",
    "AudioFrame",
    "Busy",
    "Cancel",
    "Cancelled",
    "ClientMessage",
    "Close",
    "Closed",
    "Code",
    "Credit",
    "Done",
    "Draining",
    "Error",
    "FrameJoiner",
    "Hello",
    "Limits",
    "Ping",
    "Pong",
    "Ready",
    "ServerMessage",
    "ServerMessage0",
    "Speak",
    "SpokenWord",
    "Started",
    "SynthesisComplete",
    "SynthesisError",
    "SynthesisStart",
    "Synthesize",
    "Version0Error",
    "WireError",
    "Words",
    "encode",
    "parse_client",
    "parse_client_0",
    "parse_server",
    "parse_server_0",
    "split",
    "split_bytes",
    "unpack",
]
