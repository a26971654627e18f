-- Working memory: sessions, their turns, and the look backs that are due; what is decided in reviews.

CREATE TABLE sessions (
  namespace_id uuid NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  state smallint NOT NULL DEFAULT 1 CHECK (state IN (1, 2)),
  agent_id text NOT NULL,
  user_id text NOT NULL,
  turn_count bigint NOT NULL DEFAULT 0,
  -- The last turn that a look back was begun for, and the last that one has finished with.
  asked_turn bigint NOT NULL DEFAULT 0,
  reflected_turn bigint NOT NULL DEFAULT 0,
  variables jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(variables) = 'object'),
  revision bigint NOT NULL DEFAULT 0,
  erasures int NOT NULL DEFAULT 0,
  create_time timestamptz NOT NULL DEFAULT now(),
  update_time timestamptz NOT NULL DEFAULT now(),
  expire_time timestamptz NOT NULL,
  -- Whether everything that ends with the session has been ended.
  settled boolean NOT NULL DEFAULT false,
  PRIMARY KEY (namespace_id, session_id)
) WITH (fillfactor = 70);
CREATE INDEX sessions_by_time ON sessions (namespace_id, create_time, session_id);
CREATE INDEX sessions_by_user ON sessions (namespace_id, user_id, create_time) WHERE user_id <> '';
CREATE INDEX sessions_to_settle ON sessions (namespace_id, expire_time) WHERE NOT settled;

CREATE TABLE session_turns (
  namespace_id uuid NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  turn_id uuid NOT NULL,
  role smallint NOT NULL CHECK (role BETWEEN 1 AND 4),
  content text NOT NULL,
  agent_id text NOT NULL,
  event_time moment NOT NULL,
  speaker text NOT NULL,
  tool_calls jsonb NOT NULL CHECK (jsonb_typeof(tool_calls) = 'array'),
  tokens int NOT NULL,
  PRIMARY KEY (namespace_id, session_id, sequence)
);
CREATE UNIQUE INDEX session_turns_by_id ON session_turns (namespace_id, turn_id);

CREATE TABLE session_jobs (
  namespace_id uuid NOT NULL,
  job_id uuid NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  reason text NOT NULL,
  -- 0: waits, and later turns join it. From the first attempt on its turns are settled.
  attempts int NOT NULL DEFAULT 0,
  up_to_turn bigint,
  -- Waits, is held by a worker, or rests, until then.
  due_time timestamptz NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (namespace_id, job_id)
);
CREATE UNIQUE INDEX session_jobs_waiting ON session_jobs (namespace_id, session_id) WHERE attempts = 0;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['sessions', 'session_turns', 'session_jobs'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY scope ON %I USING (namespace_id = ANY ((SELECT current_namespaces())::uuid[]))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO recalld_app', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['sessions', 'session_jobs'] LOOP
    EXECUTE format('CREATE POLICY definer ON %I TO recalld_definer USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO recalld_definer', name);
  END LOOP;
END $$;

ALTER TABLE reviews
  ADD COLUMN decision smallint,
  ADD COLUMN actor text NOT NULL DEFAULT '',
  ADD COLUMN reason text NOT NULL DEFAULT '',
  ADD COLUMN resolve_time timestamptz;
-- The new memory has the first place.
ALTER TABLE review_memories ADD COLUMN place smallint NOT NULL DEFAULT 1;
CREATE INDEX reviews_by_time ON reviews (namespace_id, create_time, review_id);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['reviews', 'review_memories'] LOOP
    EXECUTE format('CREATE POLICY definer ON %I TO recalld_definer USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO recalld_definer', name);
  END LOOP;
END $$;

GRANT UPDATE (asked_turn) ON sessions TO recalld_definer;
GRANT UPDATE (attempts, due_time, up_to_turn) ON session_jobs TO recalld_definer;

-- Look backs that are due, taken for as long as the lease; each counts as an attempt. The session's row is locked first, as
-- by all who change its jobs.
CREATE FUNCTION claim_session_jobs(at_most bigint, lease interval) RETURNS TABLE (
    tenant_id uuid, namespace_id uuid, namespace text, agent_id text, job_id uuid, session_id text, user_id text,
    reason text, after_turn bigint, up_to_turn bigint, attempts int)
  LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 20 SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT j.namespace_id, j.job_id, s.session_id, s.user_id, s.turn_count, s.reflected_turn
    FROM session_jobs j JOIN sessions s USING (namespace_id, session_id)
    WHERE is_due(j.due_time) AND NOT EXISTS (
      SELECT FROM session_jobs o WHERE o.namespace_id = j.namespace_id AND o.session_id = j.session_id
        AND o.attempts > 0 AND o.job_id <> j.job_id)
    ORDER BY j.due_time, j.job_id LIMIT at_most FOR UPDATE OF s SKIP LOCKED
  ), held AS (
    UPDATE session_jobs j SET attempts = j.attempts + 1, due_time = now() + lease,
      up_to_turn = coalesce(j.up_to_turn, due.turn_count)
    FROM due WHERE j.namespace_id = due.namespace_id AND j.job_id = due.job_id AND is_due(j.due_time)
    RETURNING j.namespace_id, j.job_id, j.session_id, j.agent_id, j.reason, j.up_to_turn, j.attempts, j.create_time,
      due.user_id, due.reflected_turn
  ), asked AS (
    UPDATE sessions s SET asked_turn = greatest(s.asked_turn, held.up_to_turn)
    FROM held WHERE s.namespace_id = held.namespace_id AND s.session_id = held.session_id
  )
  SELECT n.tenant_id, h.namespace_id, n.name, h.agent_id, h.job_id, h.session_id, h.user_id, h.reason,
    h.reflected_turn, h.up_to_turn, h.attempts
  FROM held h JOIN namespaces n USING (namespace_id) ORDER BY h.create_time, h.job_id
$$;

CREATE FUNCTION unsettled_sessions(at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, session_id text)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 20 SET search_path FROM CURRENT AS $$
  SELECT n.tenant_id, s.namespace_id, n.name, s.session_id
  FROM sessions s JOIN namespaces n USING (namespace_id)
  WHERE NOT s.settled AND s.expire_time <= now() ORDER BY s.expire_time LIMIT at_most
$$;

-- Nobody decided in time, or there is nothing to decide any more: an insight is judged while it is PENDING_REVIEW, a conflict
-- while two of its memories are ACTIVE.
CREATE FUNCTION overdue_reviews(at_most bigint)
  RETURNS TABLE (tenant_id uuid, namespace_id uuid, namespace text, review_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 20 SET search_path FROM CURRENT AS $$
  SELECT n.tenant_id, r.namespace_id, n.name, r.review_id
  FROM reviews r JOIN namespaces n USING (namespace_id)
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE m.state = 3) AS pending, count(*) FILTER (WHERE m.state = 1) AS active
    FROM review_memories l JOIN memories m ON m.namespace_id = l.namespace_id AND m.memory_id = l.memory_id
    WHERE l.namespace_id = r.namespace_id AND l.review_id = r.review_id
  ) AS held
  WHERE r.state = 1 AND (r.expire_time <= now() OR CASE r.type WHEN 1 THEN held.pending = 0 ELSE held.active < 2 END)
  ORDER BY r.create_time LIMIT at_most
$$;

-- What was answered about a session holds its variables, whoever asked.
CREATE FUNCTION erase_session_answers(ns uuid, wanted text[]) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM requests WHERE ns = ANY (current_namespaces()) AND tenant_id = current_tenant()
      AND answer ->> 'namespace_id' = ns::text AND answer ->> 'session_id' = ANY (wanted)
    RETURNING 1
  ) SELECT count(*) FROM gone
$$;

SELECT give_to_definer('claim_session_jobs', 'unsettled_sessions', 'overdue_reviews', 'erase_session_answers');
