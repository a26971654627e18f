-- name: statistics
SELECT h.live, s.live AS counted, s.mean, coalesce(s.ann, false) AS ann, t.terms, t.frequencies,
  set_config('plan_cache_mode', CASE WHEN $5 OR h.live <= $4 THEN 'force_generic_plan' ELSE 'force_custom_plan' END, true),
  CASE WHEN s.ann OR h.live > $4 THEN {index_orders} END,
  {hash_joins}
FROM namespace_heads h
LEFT JOIN namespace_statistics s ON s.namespace_id = h.namespace_id AND s.model_id = $3
LEFT JOIN LATERAL (
  SELECT array_agg(term) AS terms, array_agg(df) AS frequencies
  FROM term_stats WHERE namespace_id = $1 AND term = ANY ($2::int[])
) AS t ON true
WHERE h.namespace_id = $1

-- name: count_frequencies
SELECT term, df FROM term_frequencies($1, $2::int[])

-- name: average_vector
SELECT avg(e.embedding) FROM memories m JOIN embeddings e
  ON e.namespace_id = $1 AND e.memory_id = m.memory_id AND e.model_id = $2::smallint
WHERE m.namespace_id = $1 AND m.state = 1
