"""Files that came with mail."""
