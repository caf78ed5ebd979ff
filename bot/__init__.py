"""The application: commands, configuration, pipeline, conversation."""

import speech  # noqa: F401  # first of all: it switches onnxruntime's telemetry off
