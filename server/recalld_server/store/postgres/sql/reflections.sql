-- name: add
INSERT INTO reflections (namespace_id, reflection_id, agent_id, actor, state, scope, targets, dry_run, due_time, start_time)
VALUES ($1, $2, $3, $4, $5::smallint, $6::jsonb, $7::smallint[], $8, CASE WHEN $9 THEN NULL ELSE now() END,
  CASE WHEN $9 THEN now() END)
ON CONFLICT DO NOTHING RETURNING reflection_id

-- name: trace
UPDATE reflections SET traceparent = $3 WHERE namespace_id = $1 AND reflection_id = $2

-- name: traceparent
SELECT traceparent FROM reflections WHERE namespace_id = $1 AND reflection_id = $2

-- name: begin
UPDATE reflections SET attempts = $3, state = 2 WHERE namespace_id = $1 AND reflection_id = $2 AND state IN (1, 2)

-- name: get
SELECT agent_id, actor, state, scope, targets, dry_run, progress, counts, skipped, error, create_time, start_time, end_time
FROM reflections WHERE namespace_id = $1 AND reflection_id = $2

-- name: waiting
SELECT j.agent_id, j.session_id, j.create_time FROM session_jobs j WHERE j.namespace_id = $1 AND j.job_id = $2

-- name: insights
SELECT i.category, coalesce(m.content, i.content) AS content, i.confidence, i.source_ids, i.support, i.outcome,
  coalesce(m.counterfactual, i.counterfactual) AS counterfactual, i.memory_id, i.review_id, i.visibility, i.agent_id
FROM reflection_insights i LEFT JOIN LATERAL (
  SELECT content, counterfactual FROM memories WHERE namespace_id = $1 AND memory_id = i.memory_id OFFSET 0
) AS m ON true
WHERE i.namespace_id = $1 AND i.reflection_id = $2 ORDER BY i.place

-- name: position
SELECT position FROM reflections WHERE namespace_id = $1 AND reflection_id = $2

-- name: looked_at
SELECT r.source_id, array_agg(r.target) AS targets
FROM unnest($2::uuid[], $3::bigint[]) AS s(source_id, revision)
JOIN reflected_sources r ON r.namespace_id = $1 AND r.source_id = s.source_id AND r.revision >= s.revision
WHERE r.target = ANY ($4::smallint[]) GROUP BY 1

-- name: new_memories
SELECT {of_m} FROM memories m
WHERE m.namespace_id = $1 AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now()) AND m.source_ids = '{}'
  AND ($3::timestamptz IS NULL OR (m.create_time, m.memory_id) < ($3, $4::uuid))
  AND cardinality($2::smallint[]) > (
    SELECT count(*) FROM reflected_sources r WHERE r.namespace_id = $1 AND r.source_id = m.memory_id
      AND r.target = ANY ($2) AND r.revision >= m.revision)
ORDER BY m.create_time DESC, m.memory_id DESC LIMIT $5

-- name: sessions_between
SELECT s.session_id, s.user_id FROM sessions s
WHERE s.namespace_id = $1 AND s.session_id > $2
  -- nothing is said after it was stored, but much may have been said before
  AND ($3::timestamptz IS NULL OR s.update_time >= $3)
  AND EXISTS (
    SELECT FROM session_turns t WHERE t.namespace_id = $1 AND t.session_id = s.session_id
      AND ($3 IS NULL OR t.event_time >= $3) AND ($4::timestamptz IS NULL OR t.event_time < $4)
      AND (cardinality($5::smallint[]) = 0 OR cardinality($5) > (
        SELECT count(*) FROM reflected_sources r WHERE r.namespace_id = $1 AND r.source_id = t.turn_id
          AND r.target = ANY ($5))))
ORDER BY s.session_id LIMIT $6

-- name: private_agents
SELECT DISTINCT agent_id FROM memories WHERE namespace_id = $1 AND visibility = 1 AND state = 1 ORDER BY 1

-- name: hold
SELECT counts, skipped FROM reflections WHERE namespace_id = $1 AND reflection_id = $2 AND attempts = $3 AND state = 2 FOR UPDATE

-- name: advance
WITH spent AS (
  INSERT INTO spent_hours (namespace_id, hour, tokens)
  SELECT $1, date_trunc('hour', now(), 'UTC'), $7::bigint WHERE $7::bigint > 0
  ON CONFLICT (namespace_id, hour) DO UPDATE SET tokens = spent_hours.tokens + excluded.tokens
)
UPDATE reflections SET position = $3::jsonb, progress = greatest(progress, $4), counts = $5::jsonb, skipped = $6::jsonb,
  tokens = tokens + $7, calls = calls + $8
WHERE namespace_id = $1 AND reflection_id = $2

-- name: add_insights
INSERT INTO reflection_insights (namespace_id, reflection_id, memory_id, review_id, visibility, agent_id, category,
  content, counterfactual, confidence, source_ids, support, outcome)
SELECT $1, $2, i.memory_id, i.review_id, i.visibility, i.agent_id, i.category, i.content,
  i.counterfactual, i.confidence, ARRAY(SELECT jsonb_array_elements_text(i.source_ids)::uuid), i.support, i.outcome
FROM unnest($3::uuid[], $4::uuid[], $5::smallint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::float8[],
    $11::jsonb[], $12::int[], $13::text[]) WITH ORDINALITY
  AS i(memory_id, review_id, visibility, agent_id, category, content, counterfactual, confidence, source_ids, support,
    outcome, place)
ORDER BY i.place

-- name: note_looked_at
INSERT INTO reflected_sources (namespace_id, source_id, target, revision)
SELECT $1, s.source_id, t.target, s.revision
FROM unnest($2::uuid[], $3::bigint[]) AS s(source_id, revision), unnest($4::smallint[]) AS t(target)
ORDER BY 2, 3
ON CONFLICT (namespace_id, source_id, target) DO UPDATE SET revision = excluded.revision

-- name: end
UPDATE reflections SET state = $3::smallint, error = $4, end_time = now(), due_time = NULL,
  progress = CASE WHEN $3 = 3 THEN 1 ELSE progress END
WHERE namespace_id = $1 AND reflection_id = $2

-- name: cancel
UPDATE reflections SET state = 5, end_time = now(), due_time = NULL
WHERE namespace_id = $1 AND reflection_id = $2 AND state IN (1, 2) RETURNING reflection_id

-- name: rest
UPDATE reflections SET due_time = now() + $4::interval
WHERE namespace_id = $1 AND reflection_id = $2 AND attempts = $3 AND state = 2 AND due_time IS NOT NULL

-- name: derived
SELECT {of_m} FROM lexical_candidates($1, $2::int[], $4, false, NULL) c CROSS JOIN LATERAL (
  SELECT * FROM memories WHERE namespace_id = $1 AND memory_id = c.memory_id OFFSET 0
) AS m
WHERE m.source_ids && $3::uuid[]

-- name: free_sources
DELETE FROM reflected_sources WHERE namespace_id = $1 AND source_id = ANY ($2::uuid[])

-- name: drop_insights
DELETE FROM reflection_insights
WHERE namespace_id = $1 AND (memory_id = ANY ($2::uuid[]) OR (memory_id IS NULL AND source_ids && $2::uuid[]))

-- name: take_tick
INSERT INTO reflection_schedules AS s (namespace_id, line, time_zone, tick) VALUES ($1, $2, $3, $4)
ON CONFLICT (namespace_id) DO UPDATE SET line = excluded.line, time_zone = excluded.time_zone, tick = excluded.tick
  WHERE s.tick < excluded.tick
RETURNING namespace_id
