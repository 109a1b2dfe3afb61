"""Acting on everything that matches a list or a search: a job that outlives the process that began it."""
