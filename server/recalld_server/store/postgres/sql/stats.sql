-- name: counts
SELECT kind, state, sum(n)::bigint AS n, sum(content_bytes)::bigint AS bytes, sum(confidence_sum) AS confidence
FROM counts WHERE namespace_id = ANY ($1::uuid[]) GROUP BY kind, state HAVING sum(n) > 0 ORDER BY kind, state

-- name: expired
SELECT kind, count(*) AS n, coalesce(sum(confidence), 0) AS confidence FROM memories
WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND expire_time <= now() GROUP BY kind

-- name: days
SELECT day::timestamp AT TIME ZONE 'UTC' AS day, sum(n)::bigint AS created FROM created_days
WHERE namespace_id = ANY ($1::uuid[]) AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
  AND day::timestamp < ($3::timestamptz AT TIME ZONE 'UTC') GROUP BY 1 ORDER BY 1

-- name: searches
SELECT day, searches, used, p50 FROM search_figures($1::uuid[], $2, $3)

-- name: found
SELECT count(*) FROM found f JOIN memories m ON m.namespace_id = f.namespace_id AND m.memory_id = f.memory_id
WHERE f.namespace_id = ANY ($1::uuid[]) AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())

-- name: duplicates
SELECT coalesce(sum(n), 0)::bigint FROM duplicates WHERE namespace_id = ANY ($1::uuid[])

-- name: reviews
SELECT count(*) AS waiting, count(*) FILTER (WHERE type = 2) AS conflicts FROM reviews
WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND expire_time > now()

-- name: queue
SELECT count(*) FILTER (WHERE index_state = 1) AS waiting, 
  coalesce(extract(epoch FROM now() - min(create_time) FILTER (WHERE index_state = 1)), 0)::float8 AS age,
  count(*) FILTER (WHERE index_state = 3) AS failed
FROM memories WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND index_state <> 2

-- name: model_tokens
SELECT coalesce(sum(tokens), 0)::bigint FROM reflections
WHERE namespace_id = ANY ($1::uuid[]) AND create_time >= $2 AND create_time < $3
