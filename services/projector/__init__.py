"""The process that folds the log into the read models and announces what changed."""
