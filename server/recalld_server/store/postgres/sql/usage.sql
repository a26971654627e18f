-- name: log
INSERT INTO searches (tenant_id, search_id, agent_id, namespace_ids, memory_ids, milliseconds, create_time)
SELECT $1, s.search_id, s.agent_id, s.namespace_ids::uuid[], s.memory_ids::uuid[], s.milliseconds, s.create_time
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::real[], $7::timestamptz[])
  AS s(search_id, agent_id, namespace_ids, memory_ids, milliseconds, create_time)
ON CONFLICT DO NOTHING

-- name: found
INSERT INTO found (namespace_id, memory_id)
SELECT m.namespace_id, m.memory_id
FROM unnest($1::uuid[], $2::uuid[]) AS f(namespace_id, memory_id) CROSS JOIN LATERAL (
  SELECT namespace_id, memory_id FROM memories WHERE namespace_id = f.namespace_id AND memory_id = f.memory_id OFFSET 0
) AS m
ORDER BY 1, 2
ON CONFLICT DO NOTHING

-- name: find
SELECT s.search_id, s.memory_ids, array(
  SELECT n.name FROM unnest(s.namespace_ids) WITH ORDINALITY AS x(id, place)
  JOIN namespaces n ON n.namespace_id = x.id ORDER BY x.place) AS namespaces
FROM searches s WHERE s.tenant_id = $1 AND s.search_id = $2

-- name: mark
WITH search AS (
  SELECT memory_ids, used FROM searches WHERE tenant_id = $1 AND search_id = $2 FOR UPDATE
), hits AS (
  SELECT m.memory_id, m.memory_id <> ALL (search.used) AS fresh
  FROM search, memories m
  WHERE m.namespace_id = $3 AND m.memory_id = ANY ($4::uuid[]) AND m.memory_id = ANY (search.memory_ids)
), marked AS (
  UPDATE searches SET used = used || array(SELECT memory_id FROM hits WHERE fresh)
  WHERE tenant_id = $1 AND search_id = $2 AND EXISTS (SELECT FROM hits WHERE fresh)
)
SELECT memory_id, fresh FROM hits

-- name: duplicates
WITH seen AS (
  SELECT memory_id, count(*) AS n FROM unnest($2::uuid[]) AS memory_id GROUP BY 1
)
INSERT INTO duplicates (namespace_id, audience, n)
SELECT $1, CASE m.visibility WHEN 2 THEN '' ELSE m.agent_id END, sum(seen.n)
FROM seen CROSS JOIN LATERAL (
  SELECT visibility, agent_id FROM memories WHERE namespace_id = $1 AND memory_id = seen.memory_id OFFSET 0
) AS m
GROUP BY 2 ORDER BY 2
ON CONFLICT (namespace_id, audience) DO UPDATE SET n = duplicates.n + excluded.n
