-- name: counts
SELECT kind, state, sum(n)::bigint AS n, sum(content_bytes)::bigint AS bytes, sum(confidence_sum) AS confidence
FROM counts WHERE namespace_id = ANY ($1::uuid[]) GROUP BY kind, state HAVING sum(n) > 0 ORDER BY kind, state

-- name: expired
SELECT kind, count(*) AS n, coalesce(sum(confidence), 0) AS confidence FROM memories
WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND expire_time <= now() GROUP BY kind

-- name: days
SELECT date_trunc('day', create_time, 'UTC') AS day, count(*) AS created FROM memories
WHERE namespace_id = ANY ($1::uuid[]) AND create_time >= $2 AND create_time < $3 GROUP BY 1 ORDER BY 1

-- name: searches
SELECT date_trunc('day', create_time, 'UTC') AS day, count(*) AS searches, count(*) FILTER (WHERE used <> '{}') AS used,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) AS p50
FROM searches
WHERE tenant_id = $1 AND create_time >= $3 AND create_time < $4 AND namespace_ids && $2::uuid[]
GROUP BY GROUPING SETS ((1), ())

-- name: reviews
SELECT count(*) AS waiting, count(*) FILTER (WHERE type = 1) AS conflicts FROM reviews
WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND expire_time > now()

-- name: queue
SELECT count(*) FILTER (WHERE index_state = 1) AS waiting, min(create_time) FILTER (WHERE index_state = 1) AS oldest,
  count(*) FILTER (WHERE index_state = 3) AS failed
FROM memories WHERE namespace_id = ANY ($1::uuid[]) AND state = 1 AND index_state <> 2
