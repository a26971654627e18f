-- name: before_change
SELECT memory_id, kind, state, visibility, agent_id, confidence, words, octet_length(content) AS bytes, revision,
  expire_time IS NOT NULL AND expire_time <= now() AS expired, expiry_slot(expire_time) AS slot, index_state,
  EXISTS (SELECT FROM found f WHERE f.namespace_id = $1 AND f.memory_id = memories.memory_id) AS found
FROM memories WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) ORDER BY memory_id FOR UPDATE

-- name: record
WITH head AS (
  UPDATE namespace_heads SET change_sequence = change_sequence + cardinality($2::uuid[]), live = live + $3, words = words + $4
  WHERE namespace_id = $1
  RETURNING change_sequence - cardinality($2::uuid[]) AS before
), counted AS (
  INSERT INTO counts (namespace_id, audience, kind, state, n, content_bytes, confidence_sum, found, waiting, failed)
  SELECT $1, * FROM unnest($12::text[], $13::smallint[], $14::smallint[], $15::bigint[], $16::bigint[], $17::float8[],
    $18::bigint[], $19::bigint[], $20::bigint[])
  ON CONFLICT (namespace_id, audience, kind, state) DO UPDATE SET n = counts.n + excluded.n,
    content_bytes = counts.content_bytes + excluded.content_bytes,
    confidence_sum = counts.confidence_sum + excluded.confidence_sum,
    found = counts.found + excluded.found, waiting = counts.waiting + excluded.waiting, failed = counts.failed + excluded.failed
), ending AS (
  INSERT INTO expiring (namespace_id, slot, audience, kind, n, confidence_sum, found)
  SELECT $1, * FROM unnest($21::timestamptz[], $22::text[], $23::smallint[], $24::bigint[], $25::float8[], $26::bigint[])
  ON CONFLICT (namespace_id, slot, audience, kind) DO UPDATE SET n = expiring.n + excluded.n,
    confidence_sum = expiring.confidence_sum + excluded.confidence_sum, found = expiring.found + excluded.found
), changed AS (
  INSERT INTO changes (namespace_id, sequence, type, memory_id, visibility, agent_id, actor)
  SELECT $1, head.before + c.place, $5::smallint, c.memory_id, c.visibility, c.agent_id, $6
  FROM head, unnest($2::uuid[], $9::smallint[], $10::text[]) WITH ORDINALITY AS c(memory_id, visibility, agent_id, place)
)
INSERT INTO revisions (namespace_id, {columns}, action, actor, reason, request_key)
SELECT $1, {columns}, $7, $6, $8, $11::text[] FROM memories WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])
