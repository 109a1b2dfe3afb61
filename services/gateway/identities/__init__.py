"""Who a user's mail is from."""
