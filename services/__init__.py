"""Everything that touches the world: mail servers, the log, Postgres, HTTP."""
