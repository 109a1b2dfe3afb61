DROP TABLE sync_placements, sync_mailboxes, sync_memory;
