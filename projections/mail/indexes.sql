CREATE INDEX thread_scopes_list ON thread_scopes (user_id, scope_id, last_message_at DESC, thread_id DESC);
