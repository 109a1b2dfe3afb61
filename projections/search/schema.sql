-- One row a message. Nothing of it changes with flags, moves or threads: those are joined from `mail` by whoever asks.
-- Every lexeme begins with its user's salt (words.salt).
CREATE TABLE docs (
    user_id    uuid        NOT NULL,
    message_id uuid        PRIMARY KEY,
    account_id uuid        NOT NULL,
    date       timestamptz NOT NULL,
    tsv        tsvector    NOT NULL
);

-- Statistics of lexemes cost milliseconds of planning and decide nothing here.
ALTER TABLE docs ALTER COLUMN tsv SET STATISTICS 0;
ALTER TABLE docs ALTER tsv SET STORAGE EXTERNAL;
-- A page holds a row of most mail; what is kept apart from its row costs three insertions more.
ALTER TABLE docs SET (toast_tuple_target = 8160);

-- Row-level security makes the index of words unusable (`@@` is not leakproof), so readers ask through functions of the
-- owner, which are bound to the user whom the transaction names. Their bodies hold the table itself, not its name, and so
-- move with the schema when a rebuild is switched to.

-- The newest matches, at most `most`, among the `many` newest messages before a point: cheap for common words.
CREATE FUNCTION matches_among_newest(
    who uuid, words tsquery, before timestamptz, before_id uuid, many int, most int)
RETURNS TABLE (message_id uuid, date timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 500
BEGIN ATOMIC
    SELECT w.message_id, w.date
    FROM (SELECT d.message_id, d.date, d.tsv FROM docs d
          WHERE d.user_id = who AND who = nullif(current_setting('app.user_id', true), '')::uuid
              AND (d.date, d.message_id) < (before, before_id)
          ORDER BY d.date DESC, d.message_id DESC LIMIT many) w
    WHERE w.tsv @@ words
    ORDER BY w.date DESC, w.message_id DESC LIMIT most;
END;

-- All matches: cheap for rare words. The sure words alone choose from the index; all else is compared afterwards.
CREATE FUNCTION matches(who uuid, words tsquery, sure tsquery)
RETURNS TABLE (message_id uuid, date timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1000
BEGIN ATOMIC
    WITH found AS MATERIALIZED (SELECT d.user_id, d.message_id, d.date, d.tsv FROM docs d WHERE d.tsv @@ sure)
    SELECT f.message_id, f.date FROM found f
    WHERE f.user_id = who AND who = nullif(current_setting('app.user_id', true), '')::uuid
        AND (words = sure OR f.tsv @@ words);
END;

-- Those of these messages that match.
CREATE FUNCTION matches_of(who uuid, words tsquery, messages uuid[])
RETURNS TABLE (message_id uuid, date timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 50
BEGIN ATOMIC
    SELECT d.message_id, d.date FROM docs d
    WHERE d.message_id = ANY (messages) AND d.tsv @@ words
        AND d.user_id = who AND who = nullif(current_setting('app.user_id', true), '')::uuid;
END;
