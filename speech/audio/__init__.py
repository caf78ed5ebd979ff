"""Sample formats, rates and files: numpy in, numpy out, no devices."""
