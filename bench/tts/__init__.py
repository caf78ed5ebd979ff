"""``earshot bench tts``: our engine, kokoro-onnx and pipecat's Kokoro service compared.

Kept empty: the memory figure's process imports this package.
"""
