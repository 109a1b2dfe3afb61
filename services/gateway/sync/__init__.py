"""Sync on demand: asked for, followed and cancelled."""
