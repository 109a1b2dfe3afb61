-- name: folded
-- A partition's, not a user's. A schema without a position has folded nothing.
SELECT coalesce(min(coalesce(p.sequence, 0)), 0)
FROM unnest($1::text[]) asked (schema) LEFT JOIN control.positions p ON p.schema = asked.schema AND p.partition = $2

-- name: all_positions
-- Of every schema and partition.
SELECT schema, partition, sequence FROM control.positions
