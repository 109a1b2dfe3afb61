"""How each account's sync is doing."""
