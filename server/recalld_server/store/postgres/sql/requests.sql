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

-- name: withdraw
DELETE FROM requests WHERE tenant_id = $1 AND agent_id = $2 AND method = $3 AND request_id = $4

-- name: find_all
SELECT request_id, fingerprint, answer FROM requests
WHERE tenant_id = $1 AND agent_id = $2 AND method = $3 AND request_id = ANY ($4::text[])
  AND create_time >= now() - interval '24 hours'

-- name: claim_all
INSERT INTO requests (tenant_id, agent_id, method, request_id, fingerprint)
SELECT $1, $2, $3, r.request_id, r.fingerprint FROM unnest($4::text[], $5::bytea[]) AS r(request_id, fingerprint)
ORDER BY r.request_id
ON CONFLICT (tenant_id, agent_id, method, request_id) DO UPDATE
  SET fingerprint = excluded.fingerprint, answer = NULL, create_time = now()
  WHERE requests.create_time < now() - interval '24 hours'
RETURNING request_id

-- name: answer_all
UPDATE requests r SET answer = a.answer FROM unnest($4::text[], $5::jsonb[]) AS a(request_id, answer)
WHERE r.tenant_id = $1 AND r.agent_id = $2 AND r.method = $3 AND r.request_id = a.request_id

-- name: claim_answered
INSERT INTO requests (tenant_id, agent_id, method, request_id, fingerprint, answer)
SELECT $1, $2, method, request_id, fingerprint, answer::jsonb
FROM unnest($3::text[], $4::text[], $5::bytea[], $6::text[]) AS r(method, request_id, fingerprint, answer)
ORDER BY method, request_id
ON CONFLICT (tenant_id, agent_id, method, request_id) DO UPDATE
  SET fingerprint = excluded.fingerprint, answer = excluded.answer, create_time = now()
  WHERE requests.create_time < now() - interval '24 hours'
RETURNING method, request_id
