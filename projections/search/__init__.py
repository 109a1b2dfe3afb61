"""Finding mail by its words, in Postgres."""
