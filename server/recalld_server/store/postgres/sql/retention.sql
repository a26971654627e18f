-- name: written
SELECT {aged} FROM memories m WHERE m.namespace_id = $1 AND m.state = 1 AND m.kind = $2::smallint AND m.create_time < $3
  AND (m.expire_time IS NULL OR m.expire_time > now())
ORDER BY m.create_time, m.memory_id LIMIT $4

-- name: doubtful
SELECT {aged} FROM memories m WHERE m.namespace_id = $1 AND m.state = 1 AND m.kind <> 1 AND m.confidence < $2
  AND m.use_count = 0 AND m.create_time < $3 AND (m.expire_time IS NULL OR m.expire_time > now())
ORDER BY m.create_time, m.memory_id LIMIT $4

-- name: idle
SELECT {aged} FROM memories m WHERE m.namespace_id = $1 AND m.state = 1 AND m.kind = 1
  AND greatest(m.update_time, m.last_use_time) < $2 AND (m.expire_time IS NULL OR m.expire_time > now())
  AND NOT EXISTS (SELECT FROM sessions s WHERE s.namespace_id = $1 AND s.session_id = m.session_id AND s.state = 1
    AND s.expire_time > now())
ORDER BY m.create_time, m.memory_id LIMIT $3

-- name: weakest
WITH strengths AS (
  SELECT m.*, m.importance * (1 + ln(1 + m.use_count::float8))
    * power(2::float8, -greatest(0, extract(epoch FROM now() - greatest(m.create_time, m.last_use_time)) / 86400)::float8 / $3)
    AS strength
  FROM memories m WHERE m.namespace_id = $1 AND m.state = 1 AND m.kind = 2 AND m.user_id <> ''
    AND (m.expire_time IS NULL OR m.expire_time > now())
), places AS (
  SELECT s.*, row_number() OVER (
    PARTITION BY s.user_id ORDER BY s.strength DESC, s.create_time DESC, s.memory_id DESC) AS place
  FROM strengths s
)
SELECT {aged}, m.strength FROM places m WHERE m.place > $2 ORDER BY m.strength, m.create_time, m.memory_id LIMIT $4

-- name: episodes
SELECT coalesce(sum(n), 0)::bigint FROM counts WHERE namespace_id = $1 AND kind = 2 AND state = 1

-- name: forgotten
SELECT memory_id FROM memories WHERE namespace_id = $1 AND state = 5 AND update_time < $2
ORDER BY update_time, memory_id LIMIT $3

-- name: claim
SELECT * FROM claim_retention($1, $2)

-- name: with_forgotten
SELECT * FROM namespaces_with_forgotten($1, $2)
