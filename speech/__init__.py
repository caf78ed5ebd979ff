"""Text to speech with word times, cancellable; no pipecat below this line."""

import os

# onnxruntime's Linux builds report to their maker; a bot that listens must not call home.
# Read when the library is loaded, so it is set before anything of ours can import it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
