-- What outbound may see: which UID a message has where, its Message-ID, and the hash of its bytes; nothing of what it says.
GRANT SELECT ON mailboxes, placements TO webmail_outbound;
GRANT SELECT (user_id, id, message_id, blob) ON messages TO webmail_outbound;
