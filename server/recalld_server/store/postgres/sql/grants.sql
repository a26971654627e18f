-- name: create_grant
INSERT INTO grants (namespace_id, grant_id, tenant_id, grantee_type, grantee, role, recursive, expire_time, created_by)
SELECT n.namespace_id, $3, $1, $4, $5, $6, $7, $8, $9
FROM namespaces n WHERE n.tenant_id = $1 AND n.namespace_id = $2 FOR KEY SHARE
RETURNING grant_id, grantee_type, grantee, role, recursive, expire_time, create_time,
  (SELECT name FROM namespaces WHERE tenant_id = $1 AND namespace_id = $2) AS namespace

-- name: list_grants
SELECT g.grant_id, g.grantee_type, g.grantee, g.role, g.recursive, g.expire_time, g.create_time, n.name AS namespace
FROM grants g JOIN namespaces n USING (namespace_id)
WHERE g.tenant_id = $1 AND g.namespace_id = $2 AND ($3::uuid IS NULL OR g.grant_id > $3)
ORDER BY g.grant_id LIMIT $4

-- name: revoke_grant
DELETE FROM grants WHERE tenant_id = $1 AND namespace_id = $2 AND grant_id = $3
RETURNING (SELECT name FROM namespaces WHERE tenant_id = $1 AND namespace_id = $2) AS namespace

-- name: note
SELECT note_audit($1, $2, $3::text[], $4)

-- name: list_audit
SELECT event_id, create_time, key_id, agent_id, action, namespace, target_ids, outcome FROM audit
WHERE tenant_id = $1 AND ($2::uuid IS NULL OR event_id < $2) AND ($3::text[] IS NULL OR namespace = ANY ($3))
  AND ($4 = '' OR agent_id = $4) AND ($5::timestamptz IS NULL OR create_time >= $5)
  AND ($6::timestamptz IS NULL OR create_time < $6)
ORDER BY event_id DESC LIMIT $7
