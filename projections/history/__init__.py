"""Who changed what and when, and what became of it."""
