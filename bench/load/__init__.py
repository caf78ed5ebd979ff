"""How many conversations one machine speaks without a gap (docs/benchmarks.md)."""
