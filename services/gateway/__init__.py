"""The gateway: answers browsers over HTTP from the read models, and relays events to their sockets."""
