"""From an e-mail address to its mail servers (§6.2)."""
