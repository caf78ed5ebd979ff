"""The browser page: our own FastAPI app around pipecat's WebRTC transport and prebuilt page."""
