-- name: head
SELECT h.change_sequence, h.live, coalesce(s.ann, false) AS ann
FROM namespace_heads h LEFT JOIN namespace_statistics s ON s.namespace_id = h.namespace_id AND s.model_id = $2
WHERE h.namespace_id = $1

-- name: exact
SELECT {of_m}, p.place
FROM unnest($2::int[], $3::bytea[], $4::boolean[], $5::text[], $6::smallint[])
  AS p(place, content_hash, episodic, user_id, visibility)
JOIN memories m ON m.namespace_id = $1 AND m.state = 1 AND (m.kind = 2) = p.episodic AND m.user_id = p.user_id
  AND (CASE m.visibility WHEN 2 THEN '' ELSE m.agent_id END) = (CASE p.visibility WHEN 2 THEN '' ELSE $7::text END)
  AND m.content_hash = p.content_hash
WHERE (m.expire_time IS NULL OR m.expire_time > now()) AND ($8::uuid[] IS NULL OR m.memory_id = ANY ($8))

-- name: near
SELECT {of_m}, p.place, n.cosine
FROM unnest($2::int[], $3::halfvec[], $4::boolean[], $5::text[], $6::smallint[])
  AS p(place, vector, episodic, user_id, visibility)
CROSS JOIN LATERAL (
  SELECT m.memory_id, 1 - (coalesce(e.text_embedding, e.embedding) <=> p.vector) AS cosine
  FROM embeddings e JOIN memories m ON m.namespace_id = $1 AND m.memory_id = e.memory_id
  WHERE e.namespace_id = $1 AND e.model_id = $9 AND ($8::uuid[] IS NULL OR e.memory_id = ANY ($8))
    AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
    AND (m.kind = 2) = p.episodic AND m.user_id = p.user_id AND m.visibility = p.visibility
    AND (m.visibility = 2 OR m.agent_id = $7)
  ORDER BY cosine DESC LIMIT $10
) AS n
JOIN memories m ON m.namespace_id = $1 AND m.memory_id = n.memory_id
WHERE n.cosine >= $11

-- name: rows
SELECT {of_m} FROM memories m WHERE m.namespace_id = $1 AND m.memory_id = ANY ($2::uuid[])
