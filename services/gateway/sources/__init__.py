"""A message as it came: its source, its header, all its files."""
