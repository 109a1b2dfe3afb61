"""Every list of conversations, and one conversation."""
