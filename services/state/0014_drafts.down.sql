DROP FUNCTION forget_abandoned(interval);
DROP TABLE loose_blobs;
DROP VIEW named_blobs, open_drafts;
DROP TABLE upload_pieces, uploads, drafts;
DROP FUNCTION loosen_blob();
