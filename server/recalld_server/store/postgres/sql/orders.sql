-- name: get
SELECT order_id, mode, actor, reason, user_ids, session_ids, changed, counts::text AS counts, create_time, finish_time
FROM forget_orders WHERE namespace_id = $1 AND order_id = $2

-- name: open
WITH opened AS (
  INSERT INTO forget_orders (namespace_id, order_id, agent_id, actor, mode, reason, user_ids, session_ids, due_time)
  VALUES ($1, $2, $3, $4, $5::smallint, $6, $7::text[], $8::text[], now() + $9::interval)
)
INSERT INTO forget_items (namespace_id, order_id, memory_id) SELECT $1, $2, unnest($10::uuid[])

-- name: next
DELETE FROM forget_items WHERE namespace_id = $1 AND order_id = $2 AND memory_id IN (
  SELECT memory_id FROM forget_items WHERE namespace_id = $1 AND order_id = $2 ORDER BY memory_id LIMIT $3)
RETURNING memory_id

-- name: note
UPDATE forget_orders o SET changed = o.changed + $3, due_time = now() + $6::interval,
  counts = (SELECT coalesce(jsonb_object_agg(key, n), '{}') FROM (
    SELECT key, sum(value::bigint) AS n
    FROM (SELECT * FROM jsonb_each_text(o.counts) UNION ALL SELECT * FROM jsonb_each_text($4::jsonb)) AS each
    GROUP BY key) AS summed),
  finish_time = CASE WHEN $5 THEN now() END,
  user_ids = CASE WHEN $5 THEN '{}' ELSE o.user_ids END,
  session_ids = CASE WHEN $5 THEN '{}' ELSE o.session_ids END,
  reason = CASE WHEN $5 AND o.mode = 3 THEN '' ELSE o.reason END
WHERE o.namespace_id = $1 AND o.order_id = $2

-- name: traces
WITH places AS (
  DELETE FROM archived WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) RETURNING segment_id
), marked AS (
  UPDATE archive_segments SET dirty = true
  WHERE namespace_id = $1 AND segment_id IN (SELECT segment_id FROM places)
)
SELECT erase_answers($1, $2::uuid[]) AS requests, erase_from_searches($1, $2::uuid[]) AS searches,
  (SELECT count(*) FROM places) AS archive

-- name: claim
SELECT * FROM claim_forget_orders($1, $2)

-- name: sweep
SELECT sweep_forget_orders($1)
