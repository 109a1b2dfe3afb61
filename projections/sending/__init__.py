"""What is to be sent, and what became of it."""
