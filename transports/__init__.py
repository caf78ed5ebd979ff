"""Where audio comes in and goes out."""
