"""Drafts and their files."""
