-- name: before_change
SELECT memory_id, kind, state, visibility, agent_id, confidence, words, octet_length(content) AS bytes, revision,
  expire_time IS NOT NULL AND expire_time <= now() AS expired
FROM memories WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) ORDER BY memory_id FOR UPDATE

-- name: record
WITH head AS (
  UPDATE namespace_heads SET change_sequence = change_sequence + cardinality($2::uuid[]), live = live + $3, words = words + $4
  WHERE namespace_id = $1
  RETURNING change_sequence - cardinality($2::uuid[]) AS before
), counted AS (
  INSERT INTO counts (namespace_id, audience, kind, state, n, content_bytes, confidence_sum)
  SELECT $1, * FROM unnest($9::text[], $10::smallint[], $11::smallint[], $12::bigint[], $13::bigint[], $14::float8[])
  ON CONFLICT (namespace_id, audience, kind, state) DO UPDATE SET n = counts.n + excluded.n,
    content_bytes = counts.content_bytes + excluded.content_bytes,
    confidence_sum = counts.confidence_sum + excluded.confidence_sum
), changed AS (
  INSERT INTO changes (namespace_id, sequence, type, memory_id, visibility, agent_id, actor)
  SELECT $1, head.before + c.place, $5::smallint, c.memory_id, c.visibility, c.agent_id, $6
  FROM head, unnest($2::uuid[], $15::smallint[], $16::text[]) WITH ORDINALITY AS c(memory_id, visibility, agent_id, place)
)
INSERT INTO revisions (namespace_id, {columns}, action, actor, reason, request_key)
SELECT $1, {columns}, $7, $6, $8, $17::text[] FROM memories WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])
