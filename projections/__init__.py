"""Facts to rows: the read models, and the engine that keeps them equal to the log."""
