"""A user's mail accounts."""
