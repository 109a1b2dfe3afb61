"""Events to browsers over a WebSocket."""
