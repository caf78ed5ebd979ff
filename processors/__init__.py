"""Pipecat frame processors of our own."""
