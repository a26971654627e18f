-- name: create_key
INSERT INTO keys (key_id, tenant_id, secret_hash, agent_id, roles, namespaces, description, expire_time, confined, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
RETURNING key_id, tenant_id, (SELECT name FROM tenants WHERE tenant_id = $2) AS tenant, agent_id, roles, namespaces,
  description, create_time, expire_time, last_use_time, revoke_time, confined

-- name: find_key
SELECT * FROM find_key($1)

-- name: list_keys
SELECT k.key_id, k.tenant_id, t.name AS tenant, k.agent_id, k.roles, k.namespaces, k.description, k.create_time,
  k.expire_time, k.last_use_time, k.revoke_time, k.confined
FROM keys k JOIN tenants t USING (tenant_id)
WHERE k.tenant_id = $1 AND ($2::timestamptz IS NULL OR (k.create_time, k.key_id) < ($2, $3::text))
  AND ($5::text[] IS NULL OR (k.namespaces <> '{}' AND k.namespaces <@ $5))
ORDER BY k.create_time DESC, k.key_id DESC LIMIT $4

-- name: revoke_key
UPDATE keys SET revoke_time = coalesce(revoke_time, now())
WHERE tenant_id = $1 AND key_id = $2 AND ($3::text[] IS NULL OR (namespaces <> '{}' AND namespaces <@ $3))
RETURNING key_id, tenant_id, (SELECT name FROM tenants WHERE tenant_id = $1) AS tenant, agent_id, roles, namespaces,
  description, create_time, expire_time, last_use_time, revoke_time, confined

-- name: key_used
SELECT note_key_use($1, $2)
