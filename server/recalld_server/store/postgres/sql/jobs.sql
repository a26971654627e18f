-- name: claim
SELECT * FROM claim_index_jobs($1, $2)

-- name: trace
INSERT INTO index_jobs (namespace_id, memory_id, attempts, due, traceparent)
SELECT $1, memory_id, 0, now(), $3 FROM unnest($2::uuid[]) AS memory_id ON CONFLICT DO NOTHING

-- name: rest
UPDATE index_jobs j SET due = now() + $4::interval, attempts = j.attempts - CASE WHEN $5 THEN 0 ELSE 1 END
FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS held(namespace_id, memory_id, attempts)
WHERE j.namespace_id = held.namespace_id AND j.memory_id = held.memory_id AND j.attempts = held.attempts

-- name: done
DELETE FROM index_jobs WHERE namespace_id = $1 AND memory_id = $2

-- name: event
WITH head AS (
  UPDATE namespace_heads SET change_sequence = change_sequence + 1 WHERE namespace_id = $1 RETURNING change_sequence
)
INSERT INTO changes (namespace_id, sequence, type, memory_id, visibility, agent_id, actor)
SELECT $1, head.change_sequence, 2, m.memory_id, m.visibility, m.agent_id, $3
FROM head, memories m WHERE m.namespace_id = $1 AND m.memory_id = $2
