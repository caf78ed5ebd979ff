"""Configuration: schema, loading with provenance, secrets."""
