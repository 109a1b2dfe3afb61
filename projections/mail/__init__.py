"""The mail read model: what is where, in which conversation, and what every list shows."""
