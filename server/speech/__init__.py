"""The speech server: text in, speech out, over HTTP and WebSocket; docs/speech-server.md.

``SpeechServer`` is the ASGI application; any ``speech.engine.SpeechEngine`` speaks for it.
"""
