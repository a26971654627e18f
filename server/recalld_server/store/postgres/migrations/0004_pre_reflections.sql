-- Reflections: what was asked, what became of it, and which sources need not be looked at again.

CREATE TABLE reflections (
  namespace_id uuid NOT NULL,
  reflection_id uuid NOT NULL,
  -- Whose private memories it may read; '*': everybody's, each agent's by itself.
  agent_id text NOT NULL,
  actor text NOT NULL,
  state smallint NOT NULL CHECK (state BETWEEN 1 AND 5),
  scope jsonb NOT NULL,
  targets smallint[] NOT NULL,
  dry_run boolean NOT NULL,
  progress double precision NOT NULL DEFAULT 0,
  counts jsonb NOT NULL DEFAULT '{}',
  skipped jsonb NOT NULL DEFAULT '{}',
  position jsonb NOT NULL DEFAULT '{}',
  tokens bigint NOT NULL DEFAULT 0,
  calls bigint NOT NULL DEFAULT 0,
  error text NOT NULL DEFAULT '',
  attempts int NOT NULL DEFAULT 0,
  -- Waits, is held by a worker, or rests, until then; null: it ended, or is held by its session's job.
  due_time timestamptz,
  create_time timestamptz NOT NULL DEFAULT now(),
  start_time timestamptz,
  end_time timestamptz,
  PRIMARY KEY (namespace_id, reflection_id)
);
CREATE INDEX reflections_due ON reflections (namespace_id, due_time) WHERE due_time IS NOT NULL;
CREATE INDEX reflections_by_time ON reflections (namespace_id, create_time);

CREATE TABLE reflection_insights (
  namespace_id uuid NOT NULL,
  reflection_id uuid NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  memory_id uuid,
  review_id uuid,
  visibility smallint NOT NULL,
  agent_id text NOT NULL,
  category text NOT NULL,
  -- Of a dry run alone; else the memory has it.
  content text NOT NULL,
  counterfactual text NOT NULL,
  confidence double precision NOT NULL,
  source_ids uuid[] NOT NULL,
  support int NOT NULL,
  outcome text NOT NULL,
  PRIMARY KEY (namespace_id, reflection_id, place)
);

-- Sources that were looked at, by target, in that revision.
CREATE TABLE reflected_sources (
  namespace_id uuid NOT NULL,
  source_id uuid NOT NULL,
  target smallint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (namespace_id, source_id, target)
);

-- The last time of a schedule that was taken; the line and the zone that it was reckoned with.
CREATE TABLE reflection_schedules (
  namespace_id uuid PRIMARY KEY,
  line text NOT NULL,
  time_zone text NOT NULL,
  tick timestamptz NOT NULL
);
CREATE INDEX namespaces_scheduled ON namespaces (namespace_id) WHERE policy ->> 'reflection_schedule' <> '';

DO $$
DECLARE
  name text;
  in_namespace constant text := 'namespace_id = ANY ((SELECT current_namespaces())::uuid[])';
BEGIN
  FOREACH name IN ARRAY ARRAY['reflections', 'reflection_insights', 'reflected_sources', 'reflection_schedules'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO recalld_app', name);
    EXECUTE format('CREATE POLICY definer ON %I TO recalld_definer USING (true)', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['reflections', 'reflected_sources', 'reflection_schedules'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (%s)', name, in_namespace);
  END LOOP;
  EXECUTE format('CREATE POLICY scope ON reflection_insights USING (%s AND (visibility = 2
    OR agent_id = (SELECT current_agent()) OR (SELECT current_agent()) = ''*''))', in_namespace);
END $$;
GRANT SELECT, DELETE ON reflections, reflection_insights TO recalld_definer;
GRANT SELECT ON reflection_schedules TO recalld_definer;
GRANT UPDATE (attempts, due_time, state, start_time) ON reflections TO recalld_definer;

-- Reflections that are due, taken for as long as the lease; each counts as an attempt.
CREATE FUNCTION claim_reflections(at_most bigint, lease interval) RETURNS TABLE (
    tenant_id uuid, namespace_id uuid, namespace text, agent_id text, reflection_id uuid, attempts int)
  LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 5 SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT r.namespace_id, r.reflection_id FROM reflections r WHERE is_due(r.due_time)
    ORDER BY r.due_time, r.reflection_id LIMIT at_most FOR UPDATE SKIP LOCKED
  ), held AS (
    UPDATE reflections r SET attempts = r.attempts + 1, due_time = now() + lease, state = 2,
      start_time = coalesce(r.start_time, now())
    FROM due WHERE r.namespace_id = due.namespace_id AND r.reflection_id = due.reflection_id
    RETURNING r.namespace_id, r.reflection_id, r.agent_id, r.attempts, r.create_time
  )
  SELECT n.tenant_id, h.namespace_id, n.name, h.agent_id, h.reflection_id, h.attempts
  FROM held h JOIN namespaces n USING (namespace_id) ORDER BY h.create_time
$$;

-- What the reflections of the current tenant have used of chat models.
CREATE FUNCTION reflection_tokens(since interval) RETURNS bigint
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT coalesce(sum(r.tokens), 0)::bigint FROM reflections r JOIN namespaces n USING (namespace_id)
  WHERE n.tenant_id = current_tenant() AND r.create_time > now() - since
$$;

CREATE FUNCTION scheduled_namespaces() RETURNS TABLE (
    tenant_id uuid, namespace_id uuid, namespace text, line text, time_zone text, known boolean, tick timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 20 SET search_path FROM CURRENT AS $$
  SELECT n.tenant_id, n.namespace_id, n.name, p.line, p.time_zone,
    coalesce(s.line = p.line AND s.time_zone = p.time_zone, false), s.tick
  FROM namespaces n
  CROSS JOIN LATERAL (SELECT n.policy ->> 'reflection_schedule' AS line, coalesce(n.policy ->> 'time_zone', 'UTC') AS time_zone) AS p
  LEFT JOIN reflection_schedules s USING (namespace_id)
  WHERE n.policy ->> 'reflection_schedule' <> ''
$$;

CREATE FUNCTION sweep_reflections(older interval) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM reflections WHERE end_time < now() - CASE WHEN dry_run THEN least(older, interval '1 day') ELSE older END
    RETURNING namespace_id, reflection_id
  ), insights AS (
    DELETE FROM reflection_insights i USING gone g
    WHERE i.namespace_id = g.namespace_id AND i.reflection_id = g.reflection_id
  ) SELECT count(*) FROM gone
$$;

SELECT give_to_definer('claim_reflections', 'reflection_tokens', 'scheduled_namespaces', 'sweep_reflections');
