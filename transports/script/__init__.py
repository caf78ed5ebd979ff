"""A pipecat transport without a device: scripted user audio in, a recording of both sides out."""

from transports.script.transport import ScriptParams, ScriptTransport

__all__ = ["ScriptParams", "ScriptTransport"]
