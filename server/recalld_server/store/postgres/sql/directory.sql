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

-- name: find_namespace
SELECT * FROM find_namespace($1, $2, $3::text[])

-- name: list_namespaces
SELECT * FROM readable_namespaces($1, $2::text[], $3::text[], $4, $5, $6, $7)

-- name: lock_namespace
SELECT n.namespace_id, n.name, n.description, n.policy, n.revision, n.create_time, n.update_time, h.live
FROM namespaces n JOIN namespace_heads h USING (namespace_id)
WHERE n.tenant_id = $1 AND n.namespace_id = $2 FOR UPDATE OF n

-- name: update_namespace
UPDATE namespaces SET description = $3, policy = $4::jsonb, revision = revision + 1, update_time = now()
WHERE tenant_id = $1 AND namespace_id = $2
RETURNING revision, update_time

-- name: erase_namespace
SELECT kind, removed FROM erase_namespace($1)
