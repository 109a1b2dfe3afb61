-- What was sent, taken back or set aside long ago, of all users: its content goes; what became of it stays in the log.
CREATE FUNCTION forget_ended_sends(older_than interval) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
BEGIN ATOMIC
  DELETE FROM sends s WHERE s.settled AND s.created_at < now() - older_than AND s.due < now() - older_than
    AND NOT EXISTS (SELECT FROM drafts d WHERE d.user_id = s.user_id AND d.outbox_id = s.outbox_id);
  DELETE FROM send_refusals r WHERE NOT EXISTS (SELECT FROM sends s WHERE s.user_id = r.user_id AND s.outbox_id = r.outbox_id);
  DELETE FROM send_words w WHERE NOT EXISTS (SELECT FROM sends s WHERE s.user_id = w.user_id AND s.outbox_id = w.outbox_id);
END;
REVOKE EXECUTE ON FUNCTION forget_ended_sends FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_ended_sends TO webmail_gateway;
