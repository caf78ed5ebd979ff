"""A speech server's client, over whatever link carries it.

``engine`` is what a bot sees; ``session`` says units one after the other and goes on with them
over a new link where one ended; ``talk`` and ``talk0`` speak the two versions of the protocol;
``exchange`` keeps the deadlines of a link; ``spare`` has a greeted one ready.
"""
