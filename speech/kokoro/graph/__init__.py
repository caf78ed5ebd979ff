"""Rewrites a Kokoro ONNX export into halves that stream; done once per model file."""
