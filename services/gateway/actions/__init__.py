"""Acting on mail: what is asked for becomes requests in the log, which are shown at once."""
