"""OAuth 2.0 at the providers whose doors we know: what processes share (RFC 6749, RFC 7636)."""
