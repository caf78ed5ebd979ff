"""Which words may be spoken now: claims, the calls they rest on, and what becomes of both.

Pure rules with an injected clock; ``processors.evidence`` puts them into the pipeline.
"""
