"""What a user may set, and what the client must know before anyone is signed in."""
