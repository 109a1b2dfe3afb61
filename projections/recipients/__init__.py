"""Whom the user writes to and hears from."""
