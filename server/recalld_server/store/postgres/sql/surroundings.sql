-- name: head
SELECT h.change_sequence, h.swept_sequence, h.live, h.words, coalesce(s.ann, false) AS ann,
  {plan_once}, {hash_joins}, {index_orders}, {effort}
FROM namespace_heads h LEFT JOIN namespace_statistics s ON s.namespace_id = h.namespace_id AND s.model_id = $2
WHERE h.namespace_id = $1

-- name: met
SELECT {of_m}, p.place
FROM unnest($2::int[], $3::bytea[], $4::boolean[], $5::text[], $6::smallint[])
  AS p(place, content_hash, episodic, user_id, visibility)
CROSS JOIN LATERAL (
  SELECT * FROM memories m
  WHERE m.namespace_id = $1 AND m.state = 1 AND (m.kind = 2) = p.episodic AND m.user_id = p.user_id
    AND (CASE m.visibility WHEN 2 THEN '' ELSE m.agent_id END) = (CASE p.visibility WHEN 2 THEN '' ELSE $7::text END)
    AND m.content_hash = p.content_hash OFFSET 0
) AS m
WHERE (m.expire_time IS NULL OR m.expire_time > now())
UNION ALL
SELECT {of_m}, NULL
FROM unnest($8::uuid[]) AS n(memory_id)
CROSS JOIN LATERAL (
  SELECT * FROM memories m WHERE m.namespace_id = $1 AND m.memory_id = n.memory_id OFFSET 0
) AS m
WHERE m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
