"""The web bundle."""
