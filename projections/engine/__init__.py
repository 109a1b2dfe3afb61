"""What keeps read models equal to the log: position and rows in one transaction, rebuilds beside, a silent refold after an erasure."""
