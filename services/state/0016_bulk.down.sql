DROP FUNCTION claim_bulk_jobs;
DROP TABLE bulk_chunks;
DROP TABLE bulk_jobs;
