-- name: change_settings
-- Only the keys that are given.
UPDATE users SET settings = settings || $2::jsonb WHERE id = $1 RETURNING settings
