"""Measurements behind the figures in docs/benchmarks.md.

One module a benchmark: ``run(options)`` gives the record, ``summary(record)`` its lines for
people.
"""

BENCHES = {
    "tts": "bench.tts.run",
    "split": "bench.split.run",
    "bargein": "bench.bargein.run",
    "load": "bench.load.run",
}
"""Name in ``earshot bench NAME`` and the module that measures it."""
