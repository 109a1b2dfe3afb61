"""Whom mail may be to."""
