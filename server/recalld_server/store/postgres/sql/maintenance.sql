-- name: to_count
SELECT tenant_id, namespace_id FROM namespaces_to_count($1::smallint, $2, $3)

-- name: lock
SELECT pg_advisory_xact_lock(hashtextextended($1, 0)), {hash_joins}

-- name: count_terms
WITH fresh AS MATERIALIZED (
  SELECT term, count(*)::int AS df FROM memories, unnest(terms) AS term
  WHERE namespace_id = $1 AND state = 1 AND term >= 0
  GROUP BY term HAVING count(*) > 1  -- a term that is missing counts as one that hardly occurs
), gone AS (
  DELETE FROM term_stats t WHERE t.namespace_id = $1 AND NOT EXISTS (SELECT FROM fresh f WHERE f.term = t.term)
)
INSERT INTO term_stats AS t (namespace_id, term, df) SELECT $1, term, df FROM fresh
ON CONFLICT (namespace_id, term) DO UPDATE SET df = excluded.df WHERE t.df <> excluded.df

-- name: count_memories
INSERT INTO namespace_statistics (namespace_id, model_id, live, mean)
SELECT $1, $2::smallint, count(*), avg(e.embedding)
FROM memories m LEFT JOIN embeddings e
  ON e.namespace_id = $1 AND e.memory_id = m.memory_id AND e.model_id = $2::smallint
WHERE m.namespace_id = $1 AND m.state = 1
ON CONFLICT (namespace_id) DO UPDATE SET live = excluded.live, mean = excluded.mean, update_time = now(),
  ann = namespace_statistics.ann AND namespace_statistics.model_id = excluded.model_id, model_id = excluded.model_id

-- name: large
SELECT tenant_id, namespace_id FROM large_namespaces($1::smallint, $2)

-- name: turn_on
WITH fresh AS (
  SELECT memory_id FROM embeddings WHERE namespace_id = $1 AND model_id = $2::smallint AND NOT ann
  LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE embeddings e SET ann = true FROM fresh
WHERE e.namespace_id = $1 AND e.model_id = $2::smallint AND e.memory_id = fresh.memory_id

-- name: fresh
SELECT count(*) FROM embeddings WHERE namespace_id = $1 AND model_id = $2::smallint AND NOT ann

-- name: use_ann
UPDATE namespace_statistics SET ann = true WHERE namespace_id = $1 AND model_id = $2::smallint AND NOT ann

-- name: with_expired
SELECT tenant_id, namespace_id FROM namespaces_with_expired($1)

-- name: expired
SELECT memory_id FROM memories WHERE namespace_id = $1 AND state = 1 AND expire_time <= now() ORDER BY memory_id LIMIT $2

-- name: expired_slots
DELETE FROM expiring WHERE namespace_id = $1 AND slot < expiry_slot(now()) AND n = 0
