"""A conversation on paper."""
