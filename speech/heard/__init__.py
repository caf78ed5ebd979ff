"""What the listener heard."""
