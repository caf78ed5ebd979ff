"""Speech to text and voice activity, without pipecat."""
