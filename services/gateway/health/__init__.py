"""Whether this process is alive and may be given requests."""
