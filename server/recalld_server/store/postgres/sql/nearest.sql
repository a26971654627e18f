-- name: vectors
SELECT array_agg(m.memory_id) AS ids, string_agg(halfvec_send(coalesce(e.text_embedding, e.embedding)), ''::bytea) AS vectors
FROM memories m JOIN embeddings e ON e.namespace_id = $1 AND e.memory_id = m.memory_id AND e.model_id = $2
WHERE m.namespace_id = $1 AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
  AND (m.kind = 2) = $3 AND m.user_id = $4 AND m.visibility = $5 AND (m.visibility = 2 OR m.agent_id = $6)

-- name: fresh_vectors
SELECT array_agg(m.memory_id) AS ids, string_agg(halfvec_send(coalesce(e.text_embedding, e.embedding)), ''::bytea) AS vectors
FROM embeddings e JOIN memories m ON m.namespace_id = $1 AND m.memory_id = e.memory_id
WHERE e.namespace_id = $1 AND e.model_id = $2 AND NOT e.ann
  AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
  AND (m.kind = 2) = $3 AND m.user_id = $4 AND m.visibility = $5 AND (m.visibility = 2 OR m.agent_id = $6)

-- name: some_vectors
SELECT array_agg(m.memory_id) AS ids, string_agg(halfvec_send(coalesce(e.text_embedding, e.embedding)), ''::bytea) AS vectors
FROM memories m JOIN embeddings e ON e.namespace_id = $1 AND e.memory_id = m.memory_id AND e.model_id = $2
WHERE m.namespace_id = $1 AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
  AND (m.kind = 2) = $3 AND m.user_id = $4 AND m.visibility = $5 AND (m.visibility = 2 OR m.agent_id = $6)
  AND m.memory_id = ANY ($7::uuid[])

-- name: changed_vectors
WITH changed AS MATERIALIZED (
  SELECT array_agg(DISTINCT memory_id) AS ids FROM changes WHERE namespace_id = $1 AND sequence > $7
)
SELECT (SELECT ids FROM changed) AS changed, array_agg(m.memory_id) AS ids,
  string_agg(halfvec_send(coalesce(e.text_embedding, e.embedding)), ''::bytea) AS vectors
FROM memories m JOIN embeddings e ON e.namespace_id = $1 AND e.memory_id = m.memory_id AND e.model_id = $2
WHERE m.namespace_id = $1 AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
  AND (m.kind = 2) = $3 AND m.user_id = $4 AND m.visibility = $5 AND (m.visibility = 2 OR m.agent_id = $6)
  AND m.memory_id = ANY ((SELECT ids FROM changed)::uuid[])
