-- name: get
SELECT {review} FROM reviews r WHERE r.namespace_id = $1 AND r.review_id = $2

-- name: list
SELECT {review} FROM reviews r
WHERE r.namespace_id = $1 AND $2 = CASE WHEN r.state = 1 AND r.expire_time <= now() THEN 3 ELSE r.state END
  AND ($3::timestamptz IS NULL OR (r.create_time, r.review_id) > ($3, $4))
ORDER BY r.create_time, r.review_id LIMIT $5

-- name: members
SELECT review_id, memory_id FROM review_memories
WHERE namespace_id = $1 AND review_id = ANY ($2::uuid[]) ORDER BY review_id, place, memory_id

-- name: open
WITH review AS (
  INSERT INTO reviews (namespace_id, review_id, type, state, visibility, agent_id, expire_time)
  SELECT $1, $2, $3, 1, visibility, agent_id, $5 FROM memories WHERE namespace_id = $1 AND memory_id = ($4::uuid[])[1]
  RETURNING type, visibility, agent_id, expire_time
), counted AS (
  INSERT INTO open_reviews (namespace_id, hour, audience, type, n)
  SELECT $1, date_trunc('hour', expire_time, 'UTC'), CASE visibility WHEN 2 THEN '' ELSE agent_id END, type, 1 FROM review
  ON CONFLICT (namespace_id, hour, audience, type) DO UPDATE SET n = open_reviews.n + 1
)
INSERT INTO review_memories (namespace_id, review_id, memory_id, visibility, agent_id, place)
SELECT $1, $2, m.memory_id, m.visibility, m.agent_id, n.place
FROM unnest($4::uuid[]) WITH ORDINALITY AS n(memory_id, place) CROSS JOIN LATERAL (
  SELECT memory_id, visibility, agent_id FROM memories WHERE namespace_id = $1 AND memory_id = n.memory_id OFFSET 0
) AS m

-- name: close
WITH closed AS (
  UPDATE reviews SET state = $3::smallint, decision = $4::smallint, actor = $5, reason = $6, resolve_time = now()
  WHERE namespace_id = $1 AND review_id = $2 AND state = 1
  RETURNING review_id, type, visibility, agent_id, expire_time
), counted AS (
  UPDATE open_reviews o SET n = o.n - 1 FROM closed c
  WHERE o.namespace_id = $1 AND o.hour = date_trunc('hour', c.expire_time, 'UTC') AND o.type = c.type
    AND o.audience = CASE c.visibility WHEN 2 THEN '' ELSE c.agent_id END
), swept AS (
  DELETE FROM open_reviews WHERE namespace_id = $1 AND hour < now() - interval '1 hour' AND n = 0
), members AS (
  SELECT array_agg(memory_id) AS ids FROM closed JOIN review_memories USING (review_id) WHERE namespace_id = $1
)
UPDATE memories m SET conflicts_with = array(SELECT x FROM unnest(m.conflicts_with) AS x WHERE x <> ALL (members.ids))
FROM members WHERE m.namespace_id = $1 AND m.memory_id = ANY (members.ids) AND m.conflicts_with && members.ids

-- name: judge
UPDATE memories SET state = coalesce($3::smallint, state), confidence = coalesce($4, confidence), revision = revision + 1,
  update_time = greatest(update_time, now())
WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])

-- name: overdue
SELECT * FROM overdue_reviews($1)
