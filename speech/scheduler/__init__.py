"""Whose sound is computed next, and whether one more may be promised any (docs/scheduler.md).

``policy`` and ``admission`` are plain code, given the time; ``worker`` has the threads.
"""
