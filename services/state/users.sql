-- name: register
INSERT INTO users (handle, password_hash, settings) VALUES ($1, $2, $3::jsonb) RETURNING id

-- name: find_login
SELECT id, password_hash, settings FROM users WHERE handle = $1
