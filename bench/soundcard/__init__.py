"""A sound card without hardware, and a recording of what is audible on it."""
