-- name: held
SELECT kind, state, sum(n)::bigint AS n, sum(bytes)::bigint AS bytes, sum(confidence) AS confidence,
  sum(found)::bigint AS found, sum(waiting)::bigint AS waiting, sum(failed)::bigint AS failed
FROM (
  SELECT kind, state, n, content_bytes AS bytes, confidence_sum AS confidence, found, waiting, failed FROM counts
  WHERE namespace_id = ANY ($1::uuid[])
  UNION ALL
  -- what has expired and was not swept yet: no longer ACTIVE, but EXPIRED
  SELECT past.kind, moved.state, moved.sign * past.n, 0, moved.sign * past.confidence, moved.sign * past.found, 0, 0
  FROM (VALUES (1::smallint, -1), (6::smallint, 1)) AS moved(state, sign) CROSS JOIN (
    SELECT kind, n, confidence_sum AS confidence, found FROM expiring
    WHERE namespace_id = ANY ($1::uuid[]) AND slot < expiry_slot(now())
    UNION ALL
    SELECT kind, 1, confidence,
      (EXISTS (SELECT FROM found f WHERE f.namespace_id = m.namespace_id AND f.memory_id = m.memory_id))::int
    FROM memories m
    WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND expire_time >= expiry_slot(now()) AND expire_time <= now()
  ) AS past
) AS held GROUP BY kind, state ORDER BY kind, state

-- name: days
SELECT day::timestamp AT TIME ZONE 'UTC' AS day, sum(n)::bigint AS created FROM created_days
WHERE namespace_id = ANY ($1::uuid[]) AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
  AND day::timestamp < ($3::timestamptz AT TIME ZONE 'UTC') GROUP BY 1 ORDER BY 1

-- name: searches
SELECT day, milliseconds, searches, used FROM search_figures($1::uuid[], $2, $3)

-- name: others
SELECT reviews.waiting AS reviews, reviews.conflicts,
  (SELECT coalesce(sum(n), 0)::bigint FROM duplicates WHERE namespace_id = ANY ($1::uuid[])) AS duplicates,
  (SELECT coalesce(sum(tokens), 0)::bigint FROM spent_hours
    WHERE namespace_id = ANY ($1::uuid[]) AND hour >= date_trunc('hour', $2::timestamptz, 'UTC') AND hour < $3) AS tokens,
  (SELECT coalesce(extract(epoch FROM now() - min(oldest.create_time)), 0)::float8
    FROM counts c CROSS JOIN LATERAL (
      SELECT m.create_time FROM memories m
      WHERE m.namespace_id = c.namespace_id AND m.state = 1 AND m.index_state = 1 ORDER BY m.create_time LIMIT 1
    ) AS oldest
    WHERE c.namespace_id = ANY ($1::uuid[]) AND c.state = 1 AND c.waiting > 0) AS queue_age
FROM (
  SELECT coalesce(sum(n), 0)::bigint AS waiting, coalesce(sum(n) FILTER (WHERE type = 2), 0)::bigint AS conflicts FROM (
    SELECT type, n FROM open_reviews WHERE namespace_id = ANY ($1::uuid[]) AND hour > now()
    UNION ALL
    SELECT type, 1 FROM reviews
    WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND expire_time > now()
      AND expire_time < date_trunc('hour', now(), 'UTC') + interval '1 hour'
  ) AS open
) AS reviews
