-- Outbound sends for everybody of a partition, and begins with what it finds open here.
GRANT SELECT ON outbox TO webmail_outbound;
DROP POLICY IF EXISTS every ON outbox;
CREATE POLICY every ON outbox FOR SELECT TO webmail_outbound USING (true);
