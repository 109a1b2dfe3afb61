"""The `webmail` command: what operators and people at a terminal do."""
