"""Turn taking, as far as the words say: no clock, no audio."""
