-- name: progress
SELECT indexed, embedded FROM vectors_of($1::smallint)

-- name: without
SELECT * FROM memories_without_vectors($1::smallint, $2, $3, $4)

-- name: put
INSERT INTO embeddings (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding)
SELECT $1, m.memory_id, $2::smallint, m.visibility, m.agent_id, false, n.embedding, n.text_embedding
FROM unnest($3::new_memory[]) AS n CROSS JOIN LATERAL (
  SELECT * FROM memories WHERE namespace_id = $1 AND memory_id = n.memory_id OFFSET 0
) AS m
WHERE m.content_hash = n.content_hash
ON CONFLICT (namespace_id, memory_id, model_id) DO NOTHING
RETURNING memory_id

-- name: drop_vectors
DELETE FROM embeddings WHERE namespace_id = $1 AND model_id <> $2::smallint
