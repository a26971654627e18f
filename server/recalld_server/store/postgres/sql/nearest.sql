-- name: vectors
SELECT array_agg(m.memory_id) AS ids, string_agg(halfvec_send(coalesce(e.text_embedding, e.embedding)), ''::bytea) AS vectors
FROM memories m JOIN embeddings e ON e.namespace_id = $1 AND e.memory_id = m.memory_id AND e.model_id = $2
WHERE m.namespace_id = $1 AND {compared}

-- name: fresh_vectors
SELECT array_agg(e.memory_id) AS ids, string_agg(halfvec_send(coalesce(e.text_embedding, e.embedding)), ''::bytea) AS vectors
FROM embeddings e CROSS JOIN LATERAL (
  SELECT FROM memories m WHERE m.namespace_id = $1 AND m.memory_id = e.memory_id AND {compared} OFFSET 0
) AS compared
WHERE e.namespace_id = $1 AND e.model_id = $2 AND NOT e.ann

-- name: some_vectors
SELECT array_agg(m.memory_id) AS ids, string_agg(halfvec_send(e.vector), ''::bytea) AS vectors
FROM memories m CROSS JOIN LATERAL ({vector}) AS e
WHERE m.namespace_id = $1 AND m.memory_id = ANY ($7::uuid[]) AND {compared}

-- name: changed_vectors
WITH changed AS MATERIALIZED (
  SELECT array_agg(DISTINCT memory_id) AS ids FROM changes WHERE namespace_id = $1 AND sequence > $7
)
SELECT (SELECT ids FROM changed) AS changed, array_agg(m.memory_id) AS ids, string_agg(halfvec_send(e.vector), ''::bytea) AS vectors
FROM memories m CROSS JOIN LATERAL ({vector}) AS e
WHERE m.namespace_id = $1 AND m.memory_id = ANY ((SELECT ids FROM changed)::uuid[]) AND {compared}
