"""Text to speech with word times, cancellable; no pipecat below this line."""
