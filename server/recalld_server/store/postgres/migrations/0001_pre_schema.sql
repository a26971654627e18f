-- Everything that recalld keeps. Run with search_path = recalld and the schema of the vector extension.
-- Rows of a namespace have the namespace first in every key, so that the schema can be distributed by it.

-- The scope of a transaction, set by set_config(…, true). Afterwards the settings are empty: nothing is visible.
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE
  RETURN NULLIF(current_setting('recalld.tenant_id', true), '')::uuid;
CREATE FUNCTION current_namespaces() RETURNS uuid[] LANGUAGE sql STABLE
  RETURN NULLIF(current_setting('recalld.namespace_ids', true), '')::uuid[];
CREATE FUNCTION current_agent() RETURNS text LANGUAGE sql STABLE
  RETURN NULLIF(current_setting('recalld.agent_id', true), '');
-- Whether a job may be taken. None is put off or held for an hour: one that seems to be was put there before the clock was set
-- back, and must not wait until that time comes again.
CREATE FUNCTION is_due(due timestamptz) RETURNS boolean LANGUAGE sql STABLE
  RETURN due <= now() OR due > now() + interval '1 hour';

-- What the driver can read back; it takes the first and last moment of these years for the infinities.
CREATE DOMAIN moment AS timestamptz CHECK (
  VALUE IN ('infinity', '-infinity') OR VALUE BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00');

CREATE TABLE tenants (
  tenant_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE,
  create_time timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE keys (
  key_id text PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  secret_hash bytea NOT NULL,
  agent_id text NOT NULL,
  roles smallint[] NOT NULL,
  namespaces text[] NOT NULL,
  -- Grants add nothing beyond these namespaces.
  confined boolean NOT NULL DEFAULT false,
  description text NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  expire_time timestamptz,
  last_use_time timestamptz,
  revoke_time timestamptz,
  created_by text NOT NULL
);
CREATE INDEX keys_by_time ON keys (tenant_id, create_time DESC, key_id DESC);

CREATE TABLE models (
  model_id smallint PRIMARY KEY,
  name text NOT NULL UNIQUE,
  dimensions int NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
  active boolean NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX one_active_model ON models (active) WHERE active;

CREATE TABLE namespaces (
  namespace_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text COLLATE "C" NOT NULL,
  description text NOT NULL,
  policy jsonb NOT NULL CHECK (jsonb_typeof(policy) = 'object'),
  revision bigint NOT NULL DEFAULT 1,
  create_time timestamptz NOT NULL DEFAULT now(),
  update_time timestamptz NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  UNIQUE (tenant_id, name)
);

-- One row a namespace, locked by its writers: sequences of changes are gapless and in commit order.
CREATE TABLE namespace_heads (
  namespace_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  change_sequence bigint NOT NULL DEFAULT 0,
  -- Changes up to this one were swept away.
  swept_sequence bigint NOT NULL DEFAULT 0,
  live bigint NOT NULL DEFAULT 0,
  words bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- What the maintenance learns of a namespace; apart from the head, so that it never waits for writers.
CREATE TABLE namespace_statistics (
  namespace_id uuid PRIMARY KEY,
  live bigint NOT NULL,
  mean halfvec,
  model_id smallint,
  ann boolean NOT NULL DEFAULT false,
  update_time timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE term_stats (
  namespace_id uuid NOT NULL,
  term int NOT NULL,
  df int NOT NULL,
  PRIMARY KEY (namespace_id, term)
);

-- audience: '' for SHARED memories, else the agent.
CREATE TABLE counts (
  namespace_id uuid NOT NULL,
  audience text NOT NULL,
  kind smallint NOT NULL,
  state smallint NOT NULL,
  n bigint NOT NULL,
  content_bytes bigint NOT NULL,
  confidence_sum double precision NOT NULL,
  -- Of these, what a search has returned; of the live ones, what waits to be indexed, and what could not be.
  found bigint NOT NULL DEFAULT 0,
  waiting bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace_id, audience, kind, state)
) WITH (fillfactor = 50);

CREATE TABLE memories (
  namespace_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  content text NOT NULL,
  kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 4),
  state smallint NOT NULL CHECK (state BETWEEN 1 AND 7),
  visibility smallint NOT NULL CHECK (visibility IN (1, 2)),
  agent_id text NOT NULL,
  create_time moment NOT NULL,
  update_time moment NOT NULL,
  event_time moment NOT NULL,
  revision bigint NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  speaker text NOT NULL,
  tags text[] NOT NULL,
  entities text[] NOT NULL,
  tool_calls jsonb NOT NULL CHECK (jsonb_typeof(tool_calls) = 'array'),
  importance double precision NOT NULL,
  confidence double precision NOT NULL,
  metadata jsonb NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
  counterfactual text NOT NULL,
  source_ids uuid[] NOT NULL,
  superseded_by uuid,
  supersedes uuid[] NOT NULL,
  conflicts_with uuid[] NOT NULL,
  expire_time moment,
  valid_from moment,
  valid_until moment,
  use_count int NOT NULL,
  last_use_time moment,
  index_state smallint NOT NULL CHECK (index_state BETWEEN 1 AND 3),
  index_error text NOT NULL,
  content_hash bytea NOT NULL,
  -- Token ids of the text (0 and above) and hashed tags, entities and sources (below 0), for candidates.
  terms int[] NOT NULL,
  -- The stored half of BM25.
  lex sparsevec(1048576) NOT NULL,
  words int NOT NULL,
  PRIMARY KEY (namespace_id, memory_id)
) PARTITION BY HASH (namespace_id);

CREATE TABLE embeddings (
  namespace_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  model_id smallint NOT NULL,
  visibility smallint NOT NULL,
  agent_id text NOT NULL,
  -- In the HNSW index; false for all rows of a small namespace and for the fresh rows of a large one.
  ann boolean NOT NULL,
  embedding halfvec NOT NULL,
  -- Of the text alone, where `embedding` also carries its context.
  text_embedding halfvec,
  PRIMARY KEY (namespace_id, memory_id, model_id)
) PARTITION BY HASH (namespace_id);

DO $$
BEGIN
  FOR i IN 0..7 LOOP
    EXECUTE format('CREATE TABLE memories_%s PARTITION OF memories FOR VALUES WITH (MODULUS 8, REMAINDER %s)', i, i);
    EXECUTE format('CREATE TABLE embeddings_%s PARTITION OF embeddings FOR VALUES WITH (MODULUS 8, REMAINDER %s)', i, i);
    -- Vectors stay in the row: a scan of a namespace reads them all.
    EXECUTE format('ALTER TABLE embeddings_%s ALTER embedding SET STORAGE MAIN, ALTER text_embedding SET STORAGE MAIN', i);
  END LOOP;
END $$;

CREATE INDEX memories_by_time ON memories (namespace_id, create_time, memory_id);
CREATE UNIQUE INDEX memories_live_text ON memories
  (namespace_id, (kind = 2), user_id, (CASE visibility WHEN 2 THEN '' ELSE agent_id END), content_hash)
  WHERE state = 1;
CREATE INDEX memories_by_terms ON memories USING gin (namespace_id, terms) WITH (gin_pending_list_limit = 512);
CREATE INDEX memories_by_session ON memories (namespace_id, session_id, event_time, memory_id) WHERE session_id <> '';
CREATE INDEX memories_by_user ON memories (namespace_id, user_id, create_time) WHERE user_id <> '';
CREATE INDEX memories_by_expiry ON memories (namespace_id, expire_time) WHERE state = 1 AND expire_time IS NOT NULL;
CREATE INDEX memories_to_index ON memories (namespace_id, index_state, create_time) WHERE state = 1 AND index_state <> 2;
CREATE INDEX embeddings_fresh ON embeddings (namespace_id, model_id) WHERE NOT ann;

CREATE TABLE revisions (
  namespace_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  revision bigint NOT NULL,
  action text NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  request_key text[],
  content text NOT NULL,
  kind smallint NOT NULL,
  state smallint NOT NULL,
  visibility smallint NOT NULL,
  agent_id text NOT NULL,
  create_time moment NOT NULL,
  update_time moment NOT NULL,
  event_time moment NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  speaker text NOT NULL,
  tags text[] NOT NULL,
  entities text[] NOT NULL,
  tool_calls jsonb NOT NULL,
  importance double precision NOT NULL,
  confidence double precision NOT NULL,
  metadata jsonb NOT NULL,
  counterfactual text NOT NULL,
  source_ids uuid[] NOT NULL,
  superseded_by uuid,
  supersedes uuid[] NOT NULL,
  conflicts_with uuid[] NOT NULL,
  expire_time moment,
  valid_from moment,
  valid_until moment,
  use_count int NOT NULL,
  last_use_time moment,
  index_state smallint NOT NULL,
  index_error text NOT NULL,
  PRIMARY KEY (namespace_id, memory_id, revision)
);

CREATE TABLE changes (
  namespace_id uuid NOT NULL,
  sequence bigint NOT NULL,
  type smallint NOT NULL,
  memory_id uuid NOT NULL,
  visibility smallint NOT NULL,
  agent_id text NOT NULL,
  actor text NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (namespace_id, sequence)
);

CREATE TABLE reviews (
  namespace_id uuid NOT NULL,
  review_id uuid NOT NULL,
  type smallint NOT NULL,
  state smallint NOT NULL,
  visibility smallint NOT NULL,
  agent_id text NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  expire_time timestamptz NOT NULL,
  PRIMARY KEY (namespace_id, review_id)
);
CREATE INDEX reviews_open ON reviews (namespace_id, expire_time) WHERE state = 1;

CREATE TABLE review_memories (
  namespace_id uuid NOT NULL,
  review_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  visibility smallint NOT NULL,
  agent_id text NOT NULL,
  PRIMARY KEY (namespace_id, review_id, memory_id)
);
CREATE INDEX review_memories_by_memory ON review_memories (namespace_id, memory_id);

CREATE TABLE requests (
  tenant_id uuid NOT NULL,
  agent_id text NOT NULL,
  method text NOT NULL,
  request_id text NOT NULL,
  fingerprint bytea NOT NULL,
  answer jsonb,
  create_time timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, agent_id, method, request_id)
) WITH (fillfactor = 70);
CREATE INDEX requests_by_time ON requests USING brin (create_time);

CREATE TABLE searches (
  tenant_id uuid NOT NULL,
  search_id uuid NOT NULL,
  agent_id text NOT NULL,
  namespace_ids uuid[] NOT NULL,
  memory_ids uuid[] NOT NULL,
  used uuid[] NOT NULL DEFAULT '{}',
  -- Whether a hit was ever marked as used, erased though it may be.
  helped boolean NOT NULL DEFAULT false,
  milliseconds real NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, search_id)
);
CREATE INDEX searches_by_time ON searches (tenant_id, create_time);

-- Memories that a search has returned.
CREATE TABLE found (
  namespace_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  PRIMARY KEY (namespace_id, memory_id)
);

-- Writes that were not stored because a live memory says the same; audience as in counts.
CREATE TABLE duplicates (
  namespace_id uuid NOT NULL,
  audience text NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (namespace_id, audience)
) WITH (fillfactor = 50);

-- What was tried for memories that wait to be indexed. That one waits is said by its own index_state.
CREATE TABLE index_jobs (
  namespace_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  attempts int NOT NULL,
  -- Held by a worker, or resting, until then.
  due timestamptz NOT NULL,
  -- The span of the call that stored the memory, when somebody traces it.
  traceparent text,
  PRIMARY KEY (namespace_id, memory_id)
);

CREATE TABLE grants (
  namespace_id uuid NOT NULL,
  grant_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  grantee_type smallint NOT NULL,
  grantee text NOT NULL,
  role smallint NOT NULL,
  recursive boolean NOT NULL,
  expire_time timestamptz,
  create_time timestamptz NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  PRIMARY KEY (namespace_id, grant_id)
);

-- What a whole batch of new memories is passed as; a type of its own, so that the table can grow columns.
CREATE TYPE new_memory AS (
  memory_id uuid, content text, kind smallint, state smallint, visibility smallint, agent_id text,
  create_time timestamptz, update_time timestamptz, event_time timestamptz, revision bigint,
  user_id text, session_id text, speaker text, tags text[], entities text[], tool_calls jsonb,
  importance double precision, confidence double precision, metadata jsonb, counterfactual text,
  source_ids uuid[], superseded_by uuid, supersedes uuid[], conflicts_with uuid[],
  expire_time timestamptz, valid_from timestamptz, valid_until timestamptz,
  use_count int, last_use_time timestamptz, index_state smallint, index_error text,
  content_hash bytea, terms int[], lex sparsevec, words int, embedding halfvec, text_embedding halfvec,
  request_key text[]
);

-- The second wall: row-level security, forced, for owner and app alike. (SELECT …) is evaluated once a statement.
DO $$
DECLARE
  name text;
  in_namespace constant text := 'namespace_id = ANY ((SELECT current_namespaces())::uuid[])';
  in_tenant constant text := 'tenant_id = (SELECT current_tenant())';
  own constant text := '(agent_id = (SELECT current_agent()) OR (SELECT current_agent()) = ''*'')';
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'recalld' LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['memories', 'embeddings', 'revisions', 'changes', 'reviews', 'review_memories'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (%s AND (visibility = 2 OR %s))', name, in_namespace, own);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['namespace_statistics', 'term_stats', 'found', 'index_jobs'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (%s)', name, in_namespace);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['counts', 'duplicates'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (%s AND (audience = '''' OR audience = (SELECT current_agent())
      OR (SELECT current_agent()) = ''*''))', name, in_namespace);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['keys', 'namespaces', 'namespace_heads', 'grants'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (%s)', name, in_tenant);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['requests', 'searches'] LOOP
    EXECUTE format('CREATE POLICY scope ON %I USING (%s AND %s)', name, in_tenant, own);
  END LOOP;
  EXECUTE format('CREATE POLICY scope ON tenants USING (%s)', in_tenant);
  -- Which embedding model is in use is no tenant's data, yet nobody without a scope needs it from the table.
  CREATE POLICY scope ON models USING ((SELECT current_tenant()) IS NOT NULL);
  -- What the functions below may read; each checks the scope itself.
  FOREACH name IN ARRAY ARRAY['memories', 'keys', 'tenants', 'models', 'namespaces', 'namespace_heads',
      'namespace_statistics', 'requests', 'changes', 'searches', 'index_jobs'] LOOP
    EXECUTE format('CREATE POLICY definer ON %I TO recalld_definer USING (true)', name);
  END LOOP;
END $$;

-- `&&` is not leakproof: under row-level security no GIN index serves it. These functions check the scope first.
CREATE FUNCTION lexical_candidates(ns uuid, wanted int[], query sparsevec, live_only boolean, at_most bigint)
  RETURNS TABLE (memory_id uuid, score double precision)
  LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 500
  SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
BEGIN
  IF NOT coalesce(ns = ANY (current_namespaces()), false) THEN RETURN; END IF;
  RETURN QUERY
    SELECT m.memory_id, -(m.lex <#> query) AS score
    FROM memories m
    WHERE m.namespace_id = ns AND m.terms && wanted
      AND (m.visibility = 2 OR m.agent_id = current_agent() OR current_agent() = '*')
      AND (NOT live_only OR (m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())))
    ORDER BY score DESC, m.memory_id DESC
    LIMIT at_most;
END $$;

-- Live memories with each term, counted: for namespaces whose statistics were not gathered yet.
CREATE FUNCTION term_frequencies(ns uuid, wanted int[]) RETURNS TABLE (term int, df bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
  SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
BEGIN
  IF NOT coalesce(ns = ANY (current_namespaces()), false) THEN RETURN; END IF;
  RETURN QUERY
    SELECT t, count(*)
    FROM memories m, unnest(m.terms) AS t
    WHERE m.namespace_id = ns AND m.terms && wanted AND m.state = 1 AND t = ANY (wanted)
    GROUP BY t;
END $$;

-- The only look-up before a tenant is known.
CREATE FUNCTION find_key(wanted text) RETURNS TABLE (
    key_id text, tenant_id uuid, tenant text, agent_id text, roles smallint[], namespaces text[], description text,
    create_time timestamptz, expire_time timestamptz, last_use_time timestamptz, revoke_time timestamptz,
    confined boolean, secret_hash bytea)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path FROM CURRENT AS $$
  SELECT k.key_id, k.tenant_id, t.name, k.agent_id, k.roles, k.namespaces, k.description,
    k.create_time, k.expire_time, k.last_use_time, k.revoke_time, k.confined, k.secret_hash
  FROM keys k JOIN tenants t USING (tenant_id) WHERE k.key_id = wanted
$$;

CREATE FUNCTION note_key_use(wanted text, moment timestamptz) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE keys SET last_use_time = greatest(last_use_time, moment) WHERE key_id = wanted
$$;

CREATE FUNCTION ensure_tenant(wanted text) RETURNS uuid
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  result uuid;
BEGIN
  SELECT tenant_id INTO result FROM tenants WHERE name = wanted;
  IF result IS NULL THEN
    INSERT INTO tenants (name) VALUES (wanted) ON CONFLICT (name) DO NOTHING;
    SELECT tenant_id INTO result FROM tenants WHERE name = wanted;
  END IF;
  RETURN result;
END $$;

CREATE FUNCTION known_models() RETURNS TABLE (model_id smallint, name text, dimensions int, active boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT model_id, name, dimensions, active FROM models ORDER BY model_id
$$;

-- For the server's own maintenance: which namespaces need it. What is done there is done within their scope.
CREATE FUNCTION namespaces_to_count(model smallint, smallest bigint, at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT h.tenant_id, h.namespace_id
  FROM namespace_heads h LEFT JOIN namespace_statistics s ON s.namespace_id = h.namespace_id AND s.model_id = model
  WHERE (s.live IS NULL AND h.live >= smallest) OR abs(h.live - s.live) > s.live / 10
  ORDER BY h.live LIMIT at_most
$$;
CREATE FUNCTION large_namespaces(model smallint, smallest bigint) RETURNS TABLE (tenant_id uuid, namespace_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT h.tenant_id, h.namespace_id
  FROM namespace_heads h JOIN namespace_statistics s ON s.namespace_id = h.namespace_id AND s.model_id = model
  WHERE h.live >= smallest OR s.ann
$$;
CREATE FUNCTION sweep_requests(older interval) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (DELETE FROM requests WHERE create_time < now() - older RETURNING 1) SELECT count(*) FROM gone
$$;
-- The watermark first: its row lock keeps the namespace's writers, and so its sequences, out of the way.
CREATE FUNCTION sweep_changes(older interval) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  total bigint := 0;
  gone bigint;
  due record;
BEGIN
  FOR due IN SELECT c.namespace_id AS ns, max(c.sequence) AS last FROM changes c
      WHERE c.create_time < now() - older GROUP BY 1 ORDER BY 1 LOOP
    UPDATE namespace_heads h SET swept_sequence = greatest(h.swept_sequence, due.last) WHERE h.namespace_id = due.ns;
    DELETE FROM changes c WHERE c.namespace_id = due.ns AND c.sequence <= due.last;
    GET DIAGNOSTICS gone = ROW_COUNT;
    total := total + gone;
  END LOOP;
  RETURN total;
END $$;

-- Memories that wait to be indexed, the oldest first, taken for as long as the lease; each counts as an attempt.
CREATE FUNCTION claim_index_jobs(at_most bigint, lease interval)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, agent_id text, memory_id uuid, attempts int,
    traceparent text)
  LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 20
  SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
  WITH waiting AS (
    SELECT m.namespace_id, m.memory_id, m.agent_id, m.create_time
    FROM memories m LEFT JOIN index_jobs j ON j.namespace_id = m.namespace_id AND j.memory_id = m.memory_id
    WHERE m.state = 1 AND m.index_state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
      AND (j.due IS NULL OR is_due(j.due))
    ORDER BY m.create_time, m.memory_id LIMIT at_most
  ), claimed AS (
    INSERT INTO index_jobs AS j (namespace_id, memory_id, attempts, due)
    SELECT w.namespace_id, w.memory_id, 1, now() + lease FROM waiting w ORDER BY 1, 2
    ON CONFLICT (namespace_id, memory_id) DO UPDATE SET attempts = j.attempts + 1, due = excluded.due
      WHERE is_due(j.due)
    RETURNING j.namespace_id, j.memory_id, j.attempts, j.traceparent
  )
  SELECT n.tenant_id, c.namespace_id, n.name, w.agent_id, c.memory_id, c.attempts, c.traceparent
  FROM claimed c JOIN waiting w USING (namespace_id, memory_id) JOIN namespaces n USING (namespace_id)
  ORDER BY w.create_time, c.memory_id
$$;
-- Jobs of memories that no longer wait: they were forgotten, erased, ended or indexed in the meantime.
CREATE FUNCTION sweep_index_jobs() RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM index_jobs j WHERE is_due(j.due) AND NOT EXISTS (
      SELECT FROM memories m WHERE m.namespace_id = j.namespace_id AND m.memory_id = j.memory_id
        AND m.state = 1 AND m.index_state = 1)
    RETURNING 1
  ) SELECT count(*) FROM gone
$$;
GRANT USAGE ON SCHEMA recalld TO recalld_app, recalld_definer;
GRANT SELECT, INSERT, UPDATE, DELETE ON counts, changes, duplicates, embeddings, found, grants, index_jobs, keys,
  memories, namespace_heads, namespace_statistics, namespaces, requests, review_memories, reviews, revisions, searches, term_stats TO recalld_app;
GRANT SELECT ON tenants, models TO recalld_app;
GRANT SELECT ON models, namespaces, namespace_statistics TO recalld_definer;
GRANT SELECT, UPDATE (index_state, index_error) ON memories TO recalld_definer;
GRANT SELECT, INSERT, UPDATE, DELETE ON index_jobs TO recalld_definer;
GRANT SELECT, UPDATE (swept_sequence) ON namespace_heads TO recalld_definer;
GRANT SELECT, DELETE ON changes, requests, searches TO recalld_definer;
GRANT SELECT, INSERT ON tenants TO recalld_definer;
GRANT SELECT, UPDATE (last_use_time) ON keys TO recalld_definer;

-- Gives functions to the role that sees across scopes, and their use to the server alone.
CREATE FUNCTION give_to_definer(VARIADIC names text[]) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  f regprocedure;
BEGIN
  GRANT CREATE ON SCHEMA recalld TO recalld_definer;
  FOR f IN SELECT oid FROM pg_proc
    WHERE pronamespace = 'recalld'::regnamespace AND prosecdef AND proname = ANY (names) LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO recalld_definer', f);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM public', f);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO recalld_app', f);
  END LOOP;
  REVOKE CREATE ON SCHEMA recalld FROM recalld_definer;
END $$;
REVOKE ALL ON FUNCTION give_to_definer(text[]) FROM public;
SELECT give_to_definer(VARIADIC array(
  SELECT proname::text FROM pg_proc WHERE pronamespace = 'recalld'::regnamespace AND prosecdef));
