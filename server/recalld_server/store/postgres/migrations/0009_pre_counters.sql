-- Figures that are kept as things happen, so that nobody has to count rows for them. Each is held against a full count by
-- a test; the writers of a namespace keep them under the lock of its head.

-- The ten seconds in which something expires; NULL: it never does.
CREATE FUNCTION expiry_slot(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN isfinite(at) THEN date_bin('10 seconds', at, timestamptz '1970-01-01 00:00:00+00') END;

-- ACTIVE memories by when they expire: what has passed and was not swept yet is no longer live. Audience as in counts.
CREATE TABLE expiring (
  namespace_id uuid NOT NULL,
  slot timestamptz NOT NULL,
  audience text NOT NULL,
  kind smallint NOT NULL,
  n bigint NOT NULL,
  confidence_sum double precision NOT NULL,
  found bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace_id, slot, audience, kind)
) WITH (fillfactor = 50);

-- Open reviews by the hour in which they expire.
CREATE TABLE open_reviews (
  namespace_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  audience text NOT NULL,
  type smallint NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (namespace_id, hour, audience, type)
) WITH (fillfactor = 50);

-- Tokens of chat models by the hour in which they were spent.
CREATE TABLE spent_hours (
  namespace_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  tokens bigint NOT NULL,
  PRIMARY KEY (namespace_id, hour)
) WITH (fillfactor = 50);

-- A search may be about several namespaces, and counts once: a place is a set of namespaces that were searched together.
CREATE FUNCTION search_place(namespaces uuid[]) RETURNS uuid LANGUAGE sql IMMUTABLE
  RETURN md5(array(SELECT DISTINCT n FROM unnest(namespaces) AS n ORDER BY 1)::text)::uuid;

-- Which place a namespace is part of.
CREATE TABLE search_places (
  tenant_id uuid NOT NULL,
  namespace_id uuid NOT NULL,
  place uuid NOT NULL,
  PRIMARY KEY (tenant_id, namespace_id, place)
);

-- Searches of a place by hour and by how long they took: each band is 5 % wide, so that a median is off by 2.5 % at most.
CREATE TABLE search_hours (
  tenant_id uuid NOT NULL,
  place uuid NOT NULL,
  hour timestamptz NOT NULL,
  band smallint NOT NULL,
  n bigint NOT NULL,
  -- Of these, those with a hit that was marked as used.
  used bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, place, hour, band)
) WITH (fillfactor = 50);

CREATE FUNCTION latency_band(milliseconds double precision) RETURNS smallint LANGUAGE sql IMMUTABLE
  RETURN floor(ln(greatest(milliseconds, 0.01)) / ln(1.05::float8))::smallint;
CREATE FUNCTION milliseconds_of(band smallint) RETURNS double precision LANGUAGE sql IMMUTABLE
  RETURN power(1.05::float8, band + 0.5::float8);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['expiring', 'open_reviews', 'spent_hours', 'search_places', 'search_hours'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO recalld_app', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['expiring', 'open_reviews'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (namespace_id = ANY ((SELECT current_namespaces())::uuid[])
      AND (audience = '''' OR audience = (SELECT current_agent()) OR (SELECT current_agent()) = ''*''))', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['search_places', 'search_hours'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (tenant_id = (SELECT current_tenant()))', name);
  END LOOP;
  CREATE POLICY scope ON spent_hours USING (namespace_id = ANY ((SELECT current_namespaces())::uuid[]));
  FOREACH name IN ARRAY ARRAY['expiring', 'search_places', 'search_hours'] LOOP
    EXECUTE format('CREATE POLICY definer ON %I TO recalld_definer USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO recalld_definer', name);
  END LOOP;
END $$;
GRANT DELETE ON search_hours TO recalld_definer;
GRANT UPDATE (waiting, failed) ON counts TO recalld_definer;

-- Searches of every agent in these namespaces: their number and speed are the namespace's, what they found is not told.
-- Whole hours are counted already; of an hour that the range cuts, the searches themselves are looked at.
CREATE FUNCTION search_figures(ns uuid[], since timestamptz, until timestamptz)
  RETURNS TABLE (day timestamptz, milliseconds double precision, searches bigint, used bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH bounds AS (
    SELECT date_trunc('hour', since + interval '1 hour' - interval '1 microsecond', 'UTC') AS first_hour,
      date_trunc('hour', until, 'UTC') AS last_hour
  ), places AS (
    SELECT DISTINCT p.place FROM search_places p
    WHERE p.tenant_id = current_tenant() AND ns <@ current_namespaces() AND p.namespace_id = ANY (ns)
  ), counted AS (
    SELECT h.hour AS at, h.band, h.n, h.used
    FROM bounds b, places p JOIN search_hours h ON h.tenant_id = current_tenant() AND h.place = p.place
    WHERE h.hour >= b.first_hour AND h.hour < b.last_hour
    UNION ALL
    SELECT s.create_time, latency_band(s.milliseconds), 1, s.helped::int
    FROM bounds b
    CROSS JOIN LATERAL (VALUES (since, least(b.first_hour, until)), (greatest(b.first_hour, b.last_hour), until))
      AS cut (since, until)
    JOIN searches s ON s.tenant_id = current_tenant() AND s.create_time >= cut.since AND s.create_time < cut.until
    WHERE ns <@ current_namespaces() AND s.namespace_ids && ns
  )
  -- date_trunc looks up the time zone for each row, which takes most of the time
  SELECT date_bin('1 day', c.at, timestamptz '1970-01-01 00:00:00+00'), milliseconds_of(c.band), sum(c.n)::bigint, sum(c.used)::bigint
  FROM counted c GROUP BY 1, c.band
$$;

CREATE FUNCTION sweep_searches(older interval) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM searches WHERE create_time < now() - older RETURNING 1
  ), hours AS (
    DELETE FROM search_hours WHERE hour < now() - older - interval '1 hour'
  ) SELECT count(*) FROM gone
$$;

-- Namespaces with something to sweep: memories that have expired, and counters of a time that has passed.
CREATE FUNCTION namespaces_with_expired(at_most bigint) RETURNS TABLE (tenant_id uuid, namespace_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT h.tenant_id, h.namespace_id
  FROM (SELECT DISTINCT e.namespace_id FROM expiring e WHERE e.slot <= now() LIMIT at_most) AS due
  JOIN namespace_heads h USING (namespace_id)
$$;

-- Gives the memories that could not be indexed another round. The heads first, as by all who change counters.
CREATE FUNCTION retry_failed_indexing() RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  total bigint;
BEGIN
  PERFORM FROM namespace_heads h WHERE h.namespace_id IN (
      SELECT c.namespace_id FROM counts c WHERE c.state = 1 AND c.failed > 0)
    ORDER BY h.namespace_id FOR UPDATE;
  WITH again AS (
    UPDATE memories SET index_state = 1, index_error = '' WHERE state = 1 AND index_state = 3
    RETURNING namespace_id, memory_id, kind, CASE visibility WHEN 2 THEN '' ELSE agent_id END AS audience
  ), fresh AS (
    DELETE FROM index_jobs j USING again a WHERE j.namespace_id = a.namespace_id AND j.memory_id = a.memory_id
  ), counted AS (
    UPDATE counts c SET waiting = c.waiting + a.n, failed = c.failed - a.n
    FROM (SELECT g.namespace_id, g.audience, g.kind, count(*) AS n FROM again g GROUP BY 1, 2, 3) AS a
    WHERE c.namespace_id = a.namespace_id AND c.audience = a.audience AND c.kind = a.kind AND c.state = 1
  )
  SELECT count(*) INTO total FROM again;
  RETURN total;
END $$;

SELECT give_to_definer('search_figures', 'sweep_searches', 'namespaces_with_expired', 'retry_failed_indexing');

SELECT expect_large_namespaces();
