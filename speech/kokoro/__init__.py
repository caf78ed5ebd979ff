"""Kokoro-82M: text to phonemes, phonemes to samples. Blocking code, run in worker threads."""
