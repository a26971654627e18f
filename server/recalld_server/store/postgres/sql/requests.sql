-- name: claim
INSERT INTO requests (tenant_id, agent_id, method, request_id, fingerprint) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (tenant_id, agent_id, method, request_id) DO UPDATE
  SET fingerprint = excluded.fingerprint, answer = NULL, create_time = now()
  WHERE requests.create_time < now() - interval '24 hours'
RETURNING true

-- name: find
SELECT fingerprint, answer FROM requests
WHERE tenant_id = $1 AND agent_id = $2 AND method = $3 AND request_id = $4 AND create_time >= now() - interval '24 hours'

-- name: answer
UPDATE requests SET answer = $5::jsonb WHERE tenant_id = $1 AND agent_id = $2 AND method = $3 AND request_id = $4
