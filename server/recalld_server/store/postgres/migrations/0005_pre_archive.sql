-- Forgetting that takes its time, what it must reach beside the memories, and the archive. No text is kept here.

-- What was ordered to be forgotten, and how far it has come. Finished erasures stay: each is the receipt.
CREATE TABLE forget_orders (
  namespace_id uuid NOT NULL,
  order_id uuid NOT NULL,
  agent_id text NOT NULL,
  actor text NOT NULL,
  mode smallint NOT NULL CHECK (mode BETWEEN 1 AND 3),
  reason text NOT NULL,
  -- Whose sessions end with it; emptied when it is finished.
  user_ids text[] NOT NULL,
  session_ids text[] NOT NULL,
  changed bigint NOT NULL DEFAULT 0,
  counts jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(counts) = 'object'),
  create_time timestamptz NOT NULL DEFAULT now(),
  -- Nobody works on it when this has passed.
  due_time timestamptz NOT NULL,
  finish_time timestamptz,
  PRIMARY KEY (namespace_id, order_id)
);
CREATE INDEX forget_orders_unfinished ON forget_orders (namespace_id, due_time) WHERE finish_time IS NULL;

CREATE TABLE forget_items (
  namespace_id uuid NOT NULL,
  order_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  PRIMARY KEY (namespace_id, order_id, memory_id)
);

-- An archived memory whose history, vectors and lexical form are in the archive only.
ALTER TABLE memories ADD COLUMN cold boolean NOT NULL DEFAULT false;

-- Files of the archive; what their manifests say is made from this.
CREATE TABLE archive_segments (
  namespace_id uuid NOT NULL,
  segment_id uuid NOT NULL,
  month date NOT NULL,
  -- Of the compressed file.
  sha256 bytea NOT NULL,
  bytes bigint NOT NULL,
  records int NOT NULL,
  -- Holds a memory that was erased, and is to be written anew without it.
  dirty boolean NOT NULL DEFAULT false,
  create_time timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (namespace_id, segment_id)
);

CREATE TABLE archived (
  namespace_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  segment_id uuid NOT NULL,
  PRIMARY KEY (namespace_id, memory_id)
);
CREATE INDEX archived_by_segment ON archived (namespace_id, segment_id);

-- The last scheduled run of the rules of retention, named by the time that it was due.
CREATE TABLE retention_runs (
  namespace_id uuid PRIMARY KEY,
  tick timestamptz NOT NULL
);

-- Memories by the day (UTC) on which they were written, whatever became of them; audience as in counts.
CREATE TABLE created_days (
  namespace_id uuid NOT NULL,
  audience text NOT NULL,
  day date NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (namespace_id, day, audience)
) WITH (fillfactor = 50);

CREATE INDEX memories_hidden ON memories (namespace_id, update_time) WHERE state = 5;
CREATE INDEX memories_to_archive ON memories (namespace_id, update_time) WHERE state = 4 AND NOT cold;
CREATE INDEX searches_by_memory ON searches USING gin (memory_ids);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['forget_orders', 'forget_items', 'archive_segments', 'archived', 'retention_runs'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY scope ON %I USING (namespace_id = ANY ((SELECT current_namespaces())::uuid[]))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO recalld_app', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['forget_orders', 'archive_segments', 'revisions', 'retention_runs', 'embeddings'] LOOP
    EXECUTE format('CREATE POLICY definer ON %I TO recalld_definer USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO recalld_definer', name);
  END LOOP;
END $$;
ALTER TABLE created_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON created_days USING (namespace_id = ANY ((SELECT current_namespaces())::uuid[])
  AND (audience = '' OR audience = (SELECT current_agent()) OR (SELECT current_agent()) = '*'));
GRANT SELECT, INSERT, UPDATE, DELETE ON created_days TO recalld_app;
GRANT UPDATE (due_time) ON forget_orders TO recalld_definer;
GRANT DELETE ON forget_orders TO recalld_definer;
GRANT INSERT, UPDATE ON retention_runs TO recalld_definer;
GRANT UPDATE (memory_ids, used) ON searches TO recalld_definer;

-- Answers that a retry would get may hold the text, whoever asked. Call it while the history is still there.
CREATE FUNCTION erase_answers(ns uuid, ids uuid[]) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM requests r USING (
      SELECT DISTINCT v.request_key AS key FROM revisions v
      WHERE ns = ANY (current_namespaces()) AND v.namespace_id = ns AND v.memory_id = ANY (ids)
        AND v.request_key IS NOT NULL) AS h
    WHERE r.agent_id = h.key[1] AND r.method = h.key[2] AND r.request_id = h.key[3] AND r.tenant_id IN (
      SELECT current_tenant() UNION SELECT n.tenant_id FROM namespaces n WHERE n.namespace_id = ns
      UNION SELECT t.tenant_id FROM grants g JOIN tenants t ON t.name = g.grantee WHERE g.namespace_id = ns)
    RETURNING 1
  ) SELECT count(*) FROM gone
$$;

-- What was found by any agent's searches.
CREATE FUNCTION erase_from_searches(ns uuid, ids uuid[]) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
  SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  n bigint;
BEGIN
  IF NOT coalesce(ns = ANY (current_namespaces()), false) THEN RETURN 0; END IF;
  UPDATE searches s SET
    memory_ids = array(SELECT x FROM unnest(s.memory_ids) WITH ORDINALITY AS u(x, place) WHERE x <> ALL (ids) ORDER BY place),
    used = array(SELECT x FROM unnest(s.used) AS x WHERE x <> ALL (ids))
  WHERE s.memory_ids && ids AND ns = ANY (s.namespace_ids);
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

-- Orders that nobody works on, taken for as long as the lease.
CREATE FUNCTION claim_forget_orders(at_most bigint, lease interval)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, agent_id text, order_id uuid)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT o.namespace_id, o.order_id FROM forget_orders o
    WHERE o.finish_time IS NULL AND is_due(o.due_time) ORDER BY o.due_time LIMIT at_most FOR UPDATE SKIP LOCKED
  ), held AS (
    UPDATE forget_orders o SET due_time = now() + lease FROM due
    WHERE o.namespace_id = due.namespace_id AND o.order_id = due.order_id
    RETURNING o.namespace_id, o.order_id, o.agent_id
  )
  SELECT n.tenant_id, h.namespace_id, n.name, h.agent_id, h.order_id FROM held h JOIN namespaces n USING (namespace_id)
$$;
-- What a retry may still ask for is kept for a day, and receipts of erasures for good.
CREATE FUNCTION sweep_forget_orders(older interval) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (DELETE FROM forget_orders WHERE mode <> 3 AND finish_time < now() - older RETURNING 1)
  SELECT count(*) FROM gone
$$;
-- Namespaces with memories that were forgotten longer ago than the namespace keeps them.
CREATE FUNCTION namespaces_with_forgotten(days int, at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, policy text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT n.tenant_id, n.namespace_id, n.name, n.policy::text FROM namespaces n
  WHERE EXISTS (
    SELECT FROM memories m WHERE m.namespace_id = n.namespace_id AND m.state = 5
      AND m.update_time < now() - make_interval(days => coalesce((n.policy ->> 'forget_window_days')::int, days)))
  LIMIT at_most
$$;
-- Namespaces with memories that are to go to the archive, or with files of it that hold what was erased.
CREATE FUNCTION namespaces_to_archive(before timestamptz, at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT n.tenant_id, n.namespace_id, n.name FROM namespaces n
  WHERE EXISTS (
      SELECT FROM memories m WHERE m.namespace_id = n.namespace_id AND m.state = 4 AND NOT m.cold
        AND m.update_time < before)
    OR EXISTS (SELECT FROM archive_segments s WHERE s.namespace_id = n.namespace_id AND s.dirty)
  LIMIT at_most
$$;
-- Namespaces whose rules were not applied at this tick, taken. The tick is claimed, not a lock held: whoever comes later,
-- with whatever clock of its own, finds it taken.
CREATE FUNCTION claim_retention(every interval, at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, policy text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH tick AS (SELECT date_bin(every, now(), 'epoch'::timestamptz) AS at), due AS (
    SELECT n.namespace_id FROM namespaces n CROSS JOIN tick
      LEFT JOIN retention_runs r ON r.namespace_id = n.namespace_id
    WHERE r.tick IS NULL OR r.tick < tick.at ORDER BY n.namespace_id LIMIT at_most
  ), claimed AS (
    INSERT INTO retention_runs AS r (namespace_id, tick) SELECT due.namespace_id, tick.at FROM due, tick
    ON CONFLICT (namespace_id) DO UPDATE SET tick = excluded.tick WHERE r.tick < excluded.tick
    RETURNING r.namespace_id
  )
  SELECT n.tenant_id, n.namespace_id, n.name, n.policy::text FROM claimed JOIN namespaces n USING (namespace_id)
$$;

-- Memories that have no vector of a model, though they are indexed; by namespace and id, from the one after.
CREATE FUNCTION memories_without_vectors(model smallint, after_ns uuid, after_id uuid, at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, memory_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan AS $$
  SELECT n.tenant_id, m.namespace_id, n.name, m.memory_id
  FROM memories m JOIN namespaces n USING (namespace_id)
  WHERE (m.namespace_id, m.memory_id) > (after_ns, after_id) AND m.index_state = 2 AND NOT m.cold AND NOT EXISTS (
    SELECT FROM embeddings e
    WHERE e.namespace_id = m.namespace_id AND e.memory_id = m.memory_id AND e.model_id = model)
  ORDER BY m.namespace_id, m.memory_id LIMIT at_most
$$;
CREATE FUNCTION known_segments(wanted uuid[]) RETURNS SETOF uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT segment_id FROM archive_segments WHERE segment_id = ANY (wanted)
$$;
CREATE FUNCTION every_namespace() RETURNS TABLE (tenant_id uuid, namespace_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT tenant_id, namespace_id FROM namespaces ORDER BY namespace_id
$$;
-- How many memories are indexed, and how many of these have a vector of a model.
CREATE FUNCTION vectors_of(model smallint) RETURNS TABLE (indexed bigint, embedded bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT (SELECT count(*) FROM memories WHERE index_state = 2 AND NOT cold),
    (SELECT count(*) FROM embeddings WHERE model_id = model)
$$;

SELECT give_to_definer('erase_answers', 'erase_from_searches', 'claim_forget_orders', 'sweep_forget_orders',
  'namespaces_with_forgotten', 'namespaces_to_archive', 'claim_retention', 'memories_without_vectors', 'vectors_of',
  'every_namespace', 'known_segments');
