-- name: create_namespace
WITH new AS (
  INSERT INTO namespaces (namespace_id, tenant_id, name, description, policy, created_by)
  VALUES ($1, $2, $3, $4, $5::jsonb, $6)
  ON CONFLICT (tenant_id, name) DO NOTHING
  RETURNING namespace_id, name, description, policy, revision, create_time, update_time
), head AS (
  INSERT INTO namespace_heads (namespace_id, tenant_id) SELECT namespace_id, $2 FROM new
)
SELECT *, 0::bigint AS live FROM new

-- name: get_namespace
SELECT n.namespace_id, n.name, n.description, n.policy, n.revision, n.create_time, n.update_time, h.live
FROM namespaces n JOIN namespace_heads h USING (namespace_id)
WHERE n.tenant_id = $1 AND n.name = $2

-- name: list_namespaces
SELECT n.namespace_id, n.name, n.description, n.policy, n.revision, n.create_time, n.update_time, h.live
FROM namespaces n JOIN namespace_heads h USING (namespace_id)
WHERE n.tenant_id = $1 AND n.name > $2
  AND ($3 = '' OR n.name = $3 OR starts_with(n.name, $3 || '/'))
  AND ($5::text[] IS NULL OR n.name = ANY ($5))
ORDER BY n.name LIMIT $4

-- name: create_key
INSERT INTO keys (key_id, tenant_id, secret_hash, agent_id, roles, namespaces, description, expire_time, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING key_id, tenant_id, (SELECT name FROM tenants WHERE tenant_id = $2) AS tenant, agent_id, roles, namespaces,
  description, create_time, expire_time, last_use_time, revoke_time

-- name: find_key
SELECT * FROM find_key($1)

-- name: list_keys
SELECT k.key_id, k.tenant_id, t.name AS tenant, k.agent_id, k.roles, k.namespaces, k.description, k.create_time,
  k.expire_time, k.last_use_time, k.revoke_time
FROM keys k JOIN tenants t USING (tenant_id)
WHERE k.tenant_id = $1 AND ($2::timestamptz IS NULL OR (k.create_time, k.key_id) < ($2, $3::text))
ORDER BY k.create_time DESC, k.key_id DESC LIMIT $4

-- name: revoke_key
UPDATE keys SET revoke_time = coalesce(revoke_time, now()) WHERE tenant_id = $1 AND key_id = $2
RETURNING key_id, tenant_id, (SELECT name FROM tenants WHERE tenant_id = $1) AS tenant, agent_id, roles, namespaces,
  description, create_time, expire_time, last_use_time, revoke_time

-- name: key_used
SELECT note_key_use($1, $2)
