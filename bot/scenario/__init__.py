"""Scripted conversations: read one, run it, judge it."""
