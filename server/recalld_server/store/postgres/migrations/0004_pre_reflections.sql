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
  place int NOT NULL,
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

DO $$
DECLARE
  name text;
  in_namespace constant text := 'namespace_id = ANY ((SELECT current_namespaces())::uuid[])';
BEGIN
  FOREACH name IN ARRAY ARRAY['reflections', 'reflection_insights', 'reflected_sources'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO recalld_app', name);
    EXECUTE format('CREATE POLICY definer ON %I TO recalld_definer USING (true)', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['reflections', 'reflected_sources'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (%s)', name, in_namespace);
  END LOOP;
  EXECUTE format('CREATE POLICY scope ON reflection_insights USING (%s AND (visibility = 2
    OR agent_id = (SELECT current_agent()) OR (SELECT current_agent()) = ''*''))', in_namespace);
END $$;
GRANT SELECT, DELETE ON reflections, reflection_insights TO recalld_definer;
GRANT UPDATE (attempts, due_time, state, start_time) ON reflections TO recalld_definer;

-- Reflections that are due, taken for as long as the lease; each counts as an attempt.
CREATE FUNCTION claim_reflections(at_most bigint, lease interval) RETURNS TABLE (
    tenant_id uuid, namespace_id uuid, namespace text, agent_id text, reflection_id uuid, attempts int)
  LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 5 SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT r.namespace_id, r.reflection_id FROM reflections r WHERE r.due_time <= now()
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

DO $$
DECLARE
  f regprocedure;
BEGIN
  GRANT CREATE ON SCHEMA recalld TO recalld_definer;
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'recalld'::regnamespace AND prosecdef
      AND proname IN ('claim_reflections', 'sweep_reflections') LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO recalld_definer', f);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM public', f);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO recalld_app', f);
  END LOOP;
  REVOKE CREATE ON SCHEMA recalld FROM recalld_definer;
END $$;
