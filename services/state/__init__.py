"""What is not in the log: identity, sessions, account settings, allowances; plain tables and the migrations that make them."""
