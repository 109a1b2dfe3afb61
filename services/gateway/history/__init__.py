"""What was asked for, what became of it, and taking it back."""
