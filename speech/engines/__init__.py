"""Speech engines, one a module."""
