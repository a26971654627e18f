-- What happened in a span of time is found by when it happened, which an import of old notes may be years before it was written.
CREATE INDEX memories_by_event ON memories (namespace_id, event_time, memory_id);

-- One plan for any terms. That rows are dear makes it one by the index of terms, which brings in the fewest, even where the planner
-- expects few rows in a namespace: it counts a table only after it has grown.
ALTER FUNCTION lexical_candidates SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION lexical_candidates SET cpu_tuple_cost = 1000;

-- Each namespace has a time of its own within `every`: thousands that are due at the same moment would take a server from its callers. One
-- that is younger than its last time has nothing yet that a rule could let go of.
CREATE OR REPLACE FUNCTION claim_retention(every interval, at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, policy text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT n.namespace_id, tick.at FROM namespaces n
      CROSS JOIN LATERAL (
        SELECT date_bin(every, now(), 'epoch'::timestamptz + every * ((uuid_hash(n.namespace_id) & 65535) / 65536.0::float8)) AS at
      ) AS tick
      LEFT JOIN retention_runs r ON r.namespace_id = n.namespace_id
    WHERE n.create_time < tick.at AND (r.tick IS NULL OR r.tick < tick.at) ORDER BY n.namespace_id LIMIT at_most
  ), claimed AS (
    INSERT INTO retention_runs AS r (namespace_id, tick) SELECT due.namespace_id, due.at FROM due
    ON CONFLICT (namespace_id) DO UPDATE SET tick = excluded.tick WHERE r.tick < excluded.tick
    RETURNING r.namespace_id
  )
  SELECT n.tenant_id, n.namespace_id, n.name, n.policy::text FROM claimed JOIN namespaces n USING (namespace_id)
$$;
