"""Barge-in, decided: pure rules without a clock, a device or a framework.

``BargeIn`` (policy) takes events and returns decisions; ``Replies`` drops what comes late of a dead
reply; ``EchoGuard`` knows the bot's own words; ``speech.audio.duck.Duck`` is the gain that carries
the decisions out. docs/barge-in.md says how a transport joins them.
"""
