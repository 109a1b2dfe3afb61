"""Sending drafts, and what became of it."""
