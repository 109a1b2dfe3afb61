"""Parsing hostile bytes away from everything that holds a secret: a pool of children that may die."""
