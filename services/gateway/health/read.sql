-- name: behind
-- Facts that the live read models have not folded, over all partitions; of nobody's rows.
SELECT p.schema, sum(greatest(head.sequence - p.sequence, 0))::bigint AS behind
FROM control.positions p JOIN unnest($1::int[], $2::bigint[]) head (partition, sequence) USING (partition)
GROUP BY p.schema
