"""``earshot bench bargein``: interruptions, echo and noises on a virtual sound card."""
