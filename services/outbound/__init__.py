"""The process that changes mail on its servers, as requests in the log ask for it, and says what became of each."""
