-- What outbound may see: which UID a message has where, and its Message-ID; nothing of what it says.
GRANT SELECT ON mailboxes, placements TO webmail_outbound;
GRANT SELECT (user_id, id, message_id) ON messages TO webmail_outbound;
