"""Model files: what exists, where they lie, how they get there."""
