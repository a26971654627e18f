-- name: log
WITH logged AS (
  INSERT INTO searches (tenant_id, search_id, agent_id, namespace_ids, memory_ids, milliseconds, create_time)
  SELECT $1, s.search_id, s.agent_id, s.namespace_ids::uuid[], s.memory_ids::uuid[], s.milliseconds, s.create_time
  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::real[], $7::timestamptz[])
    AS s(search_id, agent_id, namespace_ids, memory_ids, milliseconds, create_time)
  ON CONFLICT DO NOTHING
  RETURNING namespace_ids, milliseconds, create_time
), placed AS (
  SELECT search_place(namespace_ids) AS place, namespace_ids, date_trunc('hour', create_time, 'UTC') AS hour,
    latency_band(milliseconds) AS band
  FROM logged
), places AS (
  INSERT INTO search_places (tenant_id, namespace_id, place)
  SELECT DISTINCT $1::uuid, n, place FROM placed, unnest(namespace_ids) AS n ORDER BY 2, 3
  ON CONFLICT DO NOTHING
)
INSERT INTO search_hours (tenant_id, place, hour, band, n)
SELECT $1, place, hour, band, count(*) FROM placed GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
ON CONFLICT (tenant_id, place, hour, band) DO UPDATE SET n = search_hours.n + excluded.n

-- name: first_found
SELECT m.namespace_id, m.memory_id
FROM unnest($1::uuid[], $2::uuid[]) AS f(namespace_id, memory_id) CROSS JOIN LATERAL (
  SELECT namespace_id, memory_id FROM memories WHERE namespace_id = f.namespace_id AND memory_id = f.memory_id OFFSET 0
) AS m
WHERE NOT EXISTS (SELECT FROM found o WHERE o.namespace_id = f.namespace_id AND o.memory_id = f.memory_id)

-- name: found
WITH fresh AS (
  INSERT INTO found (namespace_id, memory_id)
  SELECT $1, memory_id FROM memories WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) ORDER BY 2
  ON CONFLICT DO NOTHING
  RETURNING memory_id
), standing AS (
  SELECT CASE m.visibility WHEN 2 THEN '' ELSE m.agent_id END AS audience, m.kind, m.state, expiry_slot(m.expire_time) AS slot
  FROM fresh CROSS JOIN LATERAL (
    SELECT * FROM memories WHERE namespace_id = $1 AND memory_id = fresh.memory_id OFFSET 0
  ) AS m
), counted AS (
  UPDATE counts c SET found = c.found + s.n
  FROM (SELECT audience, kind, state, count(*) AS n FROM standing GROUP BY 1, 2, 3) AS s
  WHERE c.namespace_id = $1 AND c.audience = s.audience AND c.kind = s.kind AND c.state = s.state
)
UPDATE expiring e SET found = e.found + s.n
FROM (SELECT slot, audience, kind, count(*) AS n FROM standing WHERE state = 1 GROUP BY 1, 2, 3) AS s
WHERE e.namespace_id = $1 AND e.slot = s.slot AND e.audience = s.audience AND e.kind = s.kind

-- name: find
SELECT s.search_id, s.memory_ids, array(
  SELECT n.name FROM unnest(s.namespace_ids) WITH ORDINALITY AS x(id, place)
  JOIN namespaces n ON n.namespace_id = x.id ORDER BY x.place) AS namespaces
FROM searches s WHERE s.tenant_id = $1 AND s.search_id = $2

-- name: mark
WITH search AS (
  SELECT memory_ids, used, helped, search_place(namespace_ids) AS place, date_trunc('hour', create_time, 'UTC') AS hour,
    latency_band(milliseconds) AS band
  FROM searches WHERE tenant_id = $1 AND search_id = $2 FOR UPDATE
), hits AS (
  SELECT m.memory_id, m.memory_id <> ALL (search.used) AS fresh
  FROM search, memories m
  WHERE m.namespace_id = $3 AND m.memory_id = ANY ($4::uuid[]) AND m.memory_id = ANY (search.memory_ids)
), marked AS (
  UPDATE searches SET helped = true, used = used || array(SELECT memory_id FROM hits WHERE fresh)
  WHERE tenant_id = $1 AND search_id = $2 AND EXISTS (SELECT FROM hits WHERE fresh)
), counted AS (
  UPDATE search_hours h SET used = h.used + 1 FROM search s
  WHERE NOT s.helped AND EXISTS (SELECT FROM hits WHERE fresh)
    AND h.tenant_id = $1 AND h.place = s.place AND h.hour = s.hour AND h.band = s.band
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
