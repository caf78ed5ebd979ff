"""Phone calls: a carrier's webhook and media stream on the shared pipeline."""
