DROP TRIGGER default_identity ON accounts;
DROP FUNCTION add_default_identity();
DROP TABLE identities;
