--
-- PostgreSQL database dump
--

\restrict 36PXCtwCvCKopgBaXKrDNXJCrtTSzWZMemX5AEwjrV7Q7bgCSLNFllA3rW5snq1

-- Dumped from database version 18.6
-- Dumped by pg_dump version 18.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: recalld; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA recalld;


ALTER SCHEMA recalld OWNER TO postgres;

--
-- Name: btree_gin; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA recalld;


--
-- Name: vector; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA recalld;


--
-- Name: moment; Type: DOMAIN; Schema: recalld; Owner: postgres
--

CREATE DOMAIN recalld.moment AS timestamp with time zone
	CONSTRAINT moment_check CHECK (((VALUE = ANY (ARRAY['infinity'::timestamp with time zone, '-infinity'::timestamp with time zone])) OR ((VALUE >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (VALUE <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))));


ALTER DOMAIN recalld.moment OWNER TO postgres;

--
-- Name: new_memory; Type: TYPE; Schema: recalld; Owner: postgres
--

CREATE TYPE recalld.new_memory AS (
	memory_id uuid,
	content text,
	kind smallint,
	state smallint,
	visibility smallint,
	agent_id text,
	create_time timestamp with time zone,
	update_time timestamp with time zone,
	event_time timestamp with time zone,
	revision bigint,
	user_id text,
	session_id text,
	speaker text,
	tags text[],
	entities text[],
	tool_calls jsonb,
	importance double precision,
	confidence double precision,
	metadata jsonb,
	counterfactual text,
	source_ids uuid[],
	superseded_by uuid,
	supersedes uuid[],
	conflicts_with uuid[],
	expire_time timestamp with time zone,
	valid_from timestamp with time zone,
	valid_until timestamp with time zone,
	use_count integer,
	last_use_time timestamp with time zone,
	index_state smallint,
	index_error text,
	content_hash bytea,
	terms integer[],
	lex recalld.sparsevec,
	words integer,
	embedding recalld.halfvec,
	text_embedding recalld.halfvec,
	request_key text[]
);


ALTER TYPE recalld.new_memory OWNER TO postgres;

--
-- Name: all_tenants(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.all_tenants() RETURNS TABLE(name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT name FROM tenants
$$;


ALTER FUNCTION recalld.all_tenants() OWNER TO recalld_definer;

--
-- Name: audit_changes(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.audit_changes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
BEGIN
  IF coalesce(current_setting('recalld.action', true), '') = '' THEN RETURN NULL; END IF;
  PERFORM note_audit(n.tenant_id, n.name, array_agg(DISTINCT f.memory_id::text), 'OK')
    FROM fresh f JOIN namespaces n USING (namespace_id) GROUP BY n.namespace_id;
  RETURN NULL;
END $$;


ALTER FUNCTION recalld.audit_changes() OWNER TO recalld_definer;

--
-- Name: change_heads(uuid[]); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.change_heads(wanted uuid[]) RETURNS TABLE(namespace_id uuid, change_sequence bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT h.namespace_id, h.change_sequence FROM namespace_heads h WHERE h.namespace_id = ANY (wanted)
$$;


ALTER FUNCTION recalld.change_heads(wanted uuid[]) OWNER TO recalld_definer;

--
-- Name: claim_forget_orders(bigint, interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.claim_forget_orders(at_most bigint, lease interval) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, agent_id text, order_id uuid)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.claim_forget_orders(at_most bigint, lease interval) OWNER TO recalld_definer;

--
-- Name: claim_index_jobs(bigint, interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.claim_index_jobs(at_most bigint, lease interval) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, agent_id text, memory_id uuid, attempts integer, traceparent text)
    LANGUAGE sql SECURITY DEFINER ROWS 20
    SET search_path TO 'recalld'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    AS $$
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


ALTER FUNCTION recalld.claim_index_jobs(at_most bigint, lease interval) OWNER TO recalld_definer;

--
-- Name: claim_reflections(bigint, interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.claim_reflections(at_most bigint, lease interval) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, agent_id text, reflection_id uuid, attempts integer)
    LANGUAGE sql SECURITY DEFINER ROWS 5
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.claim_reflections(at_most bigint, lease interval) OWNER TO recalld_definer;

--
-- Name: claim_retention(interval, bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.claim_retention(every interval, at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, policy text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.claim_retention(every interval, at_most bigint) OWNER TO recalld_definer;

--
-- Name: claim_session_jobs(bigint, interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.claim_session_jobs(at_most bigint, lease interval) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, agent_id text, job_id uuid, session_id text, user_id text, reason text, after_turn bigint, up_to_turn bigint, attempts integer)
    LANGUAGE sql SECURITY DEFINER ROWS 20
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.claim_session_jobs(at_most bigint, lease interval) OWNER TO recalld_definer;

--
-- Name: current_agent(); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.current_agent() RETURNS text
    LANGUAGE sql STABLE
    RETURN NULLIF(current_setting('recalld.agent_id'::text, true), ''::text);


ALTER FUNCTION recalld.current_agent() OWNER TO postgres;

--
-- Name: current_namespaces(); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.current_namespaces() RETURNS uuid[]
    LANGUAGE sql STABLE
    RETURN (NULLIF(current_setting('recalld.namespace_ids'::text, true), ''::text))::uuid[];


ALTER FUNCTION recalld.current_namespaces() OWNER TO postgres;

--
-- Name: current_tenant(); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.current_tenant() RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (NULLIF(current_setting('recalld.tenant_id'::text, true), ''::text))::uuid;


ALTER FUNCTION recalld.current_tenant() OWNER TO postgres;

--
-- Name: ensure_tenant(text); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.ensure_tenant(wanted text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.ensure_tenant(wanted text) OWNER TO recalld_definer;

--
-- Name: erase_answers(uuid, uuid[]); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.erase_answers(ns uuid, ids uuid[]) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.erase_answers(ns uuid, ids uuid[]) OWNER TO recalld_definer;

--
-- Name: erase_from_searches(uuid, uuid[]); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.erase_from_searches(ns uuid, ids uuid[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'recalld'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
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


ALTER FUNCTION recalld.erase_from_searches(ns uuid, ids uuid[]) OWNER TO recalld_definer;

--
-- Name: erase_namespace(uuid); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.erase_namespace(gone uuid) RETURNS TABLE(kind text, removed bigint)
    LANGUAGE plpgsql
    SET search_path TO 'recalld'
    AS $_$
BEGIN
  PERFORM FROM namespace_heads h WHERE h.namespace_id = gone FOR UPDATE;
  kind := 'grants';
  DELETE FROM grants g WHERE g.namespace_id = gone;
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;
  -- From here on within the namespace, as every agent.
  PERFORM set_config('recalld.namespace_ids', '{' || gone || '}', true), set_config('recalld.agent_id', '*', true);
  kind := 'requests';
  -- What was answered about a memory, and about a session.
  DELETE FROM requests r WHERE r.tenant_id = current_tenant() AND (r.answer ->> 'namespace_id' = gone::text
    OR ARRAY[r.agent_id, r.method, r.request_id] IN (
      SELECT v.request_key FROM revisions v WHERE v.namespace_id = gone AND v.request_key IS NOT NULL));
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;
  FOR kind IN
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'
    WHERE c.relnamespace = 'recalld'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname NOT IN ('grants', 'namespaces', 'namespace_heads')
    ORDER BY 1
  LOOP
    EXECUTE format('DELETE FROM %I WHERE namespace_id = $1', kind) USING gone;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN NEXT;
  END LOOP;
  DELETE FROM namespace_heads h WHERE h.namespace_id = gone;
  DELETE FROM namespaces n WHERE n.namespace_id = gone;
END $_$;


ALTER FUNCTION recalld.erase_namespace(gone uuid) OWNER TO postgres;

--
-- Name: erase_session_answers(uuid, text[]); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.erase_session_answers(ns uuid, wanted text[]) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH gone AS (
    DELETE FROM requests WHERE ns = ANY (current_namespaces()) AND tenant_id = current_tenant()
      AND answer ->> 'namespace_id' = ns::text AND answer ->> 'session_id' = ANY (wanted)
    RETURNING 1
  ) SELECT count(*) FROM gone
$$;


ALTER FUNCTION recalld.erase_session_answers(ns uuid, wanted text[]) OWNER TO recalld_definer;

--
-- Name: every_namespace(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.every_namespace() RETURNS TABLE(tenant_id uuid, namespace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT tenant_id, namespace_id FROM namespaces ORDER BY namespace_id
$$;


ALTER FUNCTION recalld.every_namespace() OWNER TO recalld_definer;

--
-- Name: expect_large_namespaces(); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.expect_large_namespaces() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'recalld'
    AS $_$
DECLARE
  each record;
  few constant real := 8;
BEGIN
  FOR each IN
    SELECT c.relname::text AS name, c.relkind = 'p' AS parent,
      EXISTS (SELECT FROM pg_attribute m WHERE m.attrelid = c.oid AND m.attname = 'memory_id' AND NOT m.attisdropped) AS of_memories
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id' AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN namespace_id SET (n_distinct = %s, n_distinct_inherited = %s)', each.name, few, few);
    IF current_setting('server_version_num')::int >= 180000 THEN
      EXECUTE 'SELECT pg_restore_attribute_stats(''schemaname'', current_schema()::text, ''relname'', $1, ''attname'', ''namespace_id'',
        ''inherited'', $2, ''null_frac'', 0::real, ''avg_width'', 16, ''n_distinct'', $3)' USING each.name, each.parent, few;
      IF each.of_memories THEN
        EXECUTE 'SELECT pg_restore_attribute_stats(''schemaname'', current_schema()::text, ''relname'', $1, ''attname'', ''memory_id'',
          ''inherited'', $2, ''null_frac'', 0::real, ''avg_width'', 16, ''n_distinct'', $3)' USING each.name, each.parent, -0.5::real;
      END IF;
    END IF;
  END LOOP;
END $_$;


ALTER FUNCTION recalld.expect_large_namespaces() OWNER TO postgres;

--
-- Name: expiry_slot(timestamp with time zone); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.expiry_slot(at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN isfinite(at) THEN date_bin('00:00:10'::interval, at, '1970-01-01 00:00:00+00'::timestamp with time zone) ELSE NULL::timestamp with time zone END;


ALTER FUNCTION recalld.expiry_slot(at timestamp with time zone) OWNER TO postgres;

--
-- Name: find_key(text); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.find_key(wanted text) RETURNS TABLE(key_id text, tenant_id uuid, tenant text, agent_id text, roles smallint[], namespaces text[], description text, create_time timestamp with time zone, expire_time timestamp with time zone, last_use_time timestamp with time zone, revoke_time timestamp with time zone, confined boolean, secret_hash bytea)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'recalld'
    AS $$
  SELECT k.key_id, k.tenant_id, t.name, k.agent_id, k.roles, k.namespaces, k.description,
    k.create_time, k.expire_time, k.last_use_time, k.revoke_time, k.confined, k.secret_hash
  FROM keys k JOIN tenants t USING (tenant_id) WHERE k.key_id = wanted
$$;


ALTER FUNCTION recalld.find_key(wanted text) OWNER TO recalld_definer;

--
-- Name: find_namespace(text, text, text[]); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.find_namespace(wanted text, agent text, held text[]) RETURNS TABLE(tenant_id uuid, namespace_id uuid, name text, description text, policy jsonb, revision bigint, create_time timestamp with time zone, update_time timestamp with time zone, live bigint, roles smallint[], ends timestamp with time zone[], recursive boolean[])
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'recalld'
    AS $$
  WITH me AS (SELECT t.tenant_id, t.name FROM tenants t WHERE t.tenant_id = current_tenant()),
  named AS (
    SELECT n.*, true AS own FROM me JOIN namespaces n USING (tenant_id) WHERE n.name = wanted
    UNION ALL
    SELECT n.*, false FROM me, tenants t JOIN namespaces n USING (tenant_id)
    WHERE t.name = split_part(wanted, '/', 1) AND t.tenant_id <> me.tenant_id
      AND n.name = substr(wanted, length(t.name) + 2)
  ), granted AS (
    SELECT x.namespace_id, array_agg(g.role) AS roles, array_agg(g.expire_time) AS ends,
      array_agg(g.recursive) AS recursive
    FROM named x JOIN namespaces a ON a.tenant_id = x.tenant_id AND a.name = ANY (paths_to(x.name))
    JOIN grants g ON g.namespace_id = a.namespace_id
    WHERE (a.namespace_id = x.namespace_id OR g.recursive) AND (g.expire_time IS NULL OR g.expire_time > now())
      AND CASE g.grantee_type WHEN 1 THEN x.own AND g.grantee = agent WHEN 2 THEN x.own AND g.grantee = ANY (held)
        ELSE NOT x.own AND g.grantee = (SELECT me.name FROM me) END
    GROUP BY x.namespace_id
  )
  SELECT x.tenant_id, x.namespace_id, x.name, x.description, x.policy, x.revision, x.create_time, x.update_time,
    h.live, coalesce(g.roles, '{}'), coalesce(g.ends, '{}'), coalesce(g.recursive, '{}')
  FROM named x JOIN namespace_heads h USING (namespace_id) LEFT JOIN granted g USING (namespace_id)
  WHERE x.own OR g.roles IS NOT NULL
  ORDER BY x.own DESC LIMIT 1
$$;


ALTER FUNCTION recalld.find_namespace(wanted text, agent text, held text[]) OWNER TO recalld_definer;

--
-- Name: find_tenant(text); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.find_tenant(wanted text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT tenant_id FROM tenants WHERE name = wanted
$$;


ALTER FUNCTION recalld.find_tenant(wanted text) OWNER TO recalld_definer;

--
-- Name: give_to_definer(text[]); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.give_to_definer(VARIADIC names text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.give_to_definer(VARIADIC names text[]) OWNER TO postgres;

--
-- Name: is_due(timestamp with time zone); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.is_due(due timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN ((due <= now()) OR (due > (now() + '01:00:00'::interval)));


ALTER FUNCTION recalld.is_due(due timestamp with time zone) OWNER TO postgres;

--
-- Name: known_models(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.known_models() RETURNS TABLE(model_id smallint, name text, dimensions integer, active boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT model_id, name, dimensions, active FROM models ORDER BY model_id
$$;


ALTER FUNCTION recalld.known_models() OWNER TO recalld_definer;

--
-- Name: known_segments(uuid[]); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.known_segments(wanted uuid[]) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT segment_id FROM archive_segments WHERE segment_id = ANY (wanted)
$$;


ALTER FUNCTION recalld.known_segments(wanted uuid[]) OWNER TO recalld_definer;

--
-- Name: large_namespaces(smallint, bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.large_namespaces(model smallint, smallest bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT h.tenant_id, h.namespace_id
  FROM namespace_heads h JOIN namespace_statistics s ON s.namespace_id = h.namespace_id AND s.model_id = model
  WHERE h.live >= smallest OR s.ann
$$;


ALTER FUNCTION recalld.large_namespaces(model smallint, smallest bigint) OWNER TO recalld_definer;

--
-- Name: latency_band(double precision); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.latency_band(milliseconds double precision) RETURNS smallint
    LANGUAGE sql IMMUTABLE
    RETURN (floor((ln(GREATEST(milliseconds, (0.01)::double precision)) / ln((1.05)::double precision))))::smallint;


ALTER FUNCTION recalld.latency_band(milliseconds double precision) OWNER TO postgres;

--
-- Name: lexical_candidates(uuid, integer[], recalld.sparsevec, boolean, bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.lexical_candidates(ns uuid, wanted integer[], query recalld.sparsevec, live_only boolean, at_most bigint) RETURNS TABLE(memory_id uuid, score double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 500
    SET search_path TO 'recalld'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    AS $$
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


ALTER FUNCTION recalld.lexical_candidates(ns uuid, wanted integer[], query recalld.sparsevec, live_only boolean, at_most bigint) OWNER TO recalld_definer;

--
-- Name: memories_without_vectors(smallint, uuid, uuid, bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.memories_without_vectors(model smallint, after_ns uuid, after_id uuid, at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, memory_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
  SELECT n.tenant_id, m.namespace_id, n.name, m.memory_id
  FROM memories m JOIN namespaces n USING (namespace_id)
  WHERE (m.namespace_id, m.memory_id) > (after_ns, after_id) AND m.index_state = 2 AND NOT m.cold AND NOT EXISTS (
    SELECT FROM embeddings e
    WHERE e.namespace_id = m.namespace_id AND e.memory_id = m.memory_id AND e.model_id = model)
  ORDER BY m.namespace_id, m.memory_id LIMIT at_most
$$;


ALTER FUNCTION recalld.memories_without_vectors(model smallint, after_ns uuid, after_id uuid, at_most bigint) OWNER TO recalld_definer;

--
-- Name: milliseconds_of(smallint); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.milliseconds_of(band smallint) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    RETURN power((1.05)::double precision, ((band)::double precision + (0.5)::double precision));


ALTER FUNCTION recalld.milliseconds_of(band smallint) OWNER TO postgres;

--
-- Name: namespaces_to_archive(timestamp with time zone, bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.namespaces_to_archive(before timestamp with time zone, at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT n.tenant_id, n.namespace_id, n.name FROM namespaces n
  WHERE EXISTS (
      SELECT FROM memories m WHERE m.namespace_id = n.namespace_id AND m.state = 4 AND NOT m.cold
        AND m.update_time < before)
    OR EXISTS (SELECT FROM archive_segments s WHERE s.namespace_id = n.namespace_id AND s.dirty)
  LIMIT at_most
$$;


ALTER FUNCTION recalld.namespaces_to_archive(before timestamp with time zone, at_most bigint) OWNER TO recalld_definer;

--
-- Name: namespaces_to_count(smallint, bigint, bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.namespaces_to_count(model smallint, smallest bigint, at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT h.tenant_id, h.namespace_id
  FROM namespace_heads h LEFT JOIN namespace_statistics s ON s.namespace_id = h.namespace_id AND s.model_id = model
  WHERE (s.live IS NULL AND h.live >= smallest) OR abs(h.live - s.live) > s.live / 10
  ORDER BY h.live LIMIT at_most
$$;


ALTER FUNCTION recalld.namespaces_to_count(model smallint, smallest bigint, at_most bigint) OWNER TO recalld_definer;

--
-- Name: namespaces_with_expired(bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.namespaces_with_expired(at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT h.tenant_id, h.namespace_id
  FROM (SELECT DISTINCT e.namespace_id FROM expiring e WHERE e.slot <= now() LIMIT at_most) AS due
  JOIN namespace_heads h USING (namespace_id)
$$;


ALTER FUNCTION recalld.namespaces_with_expired(at_most bigint) OWNER TO recalld_definer;

--
-- Name: namespaces_with_forgotten(integer, bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.namespaces_with_forgotten(days integer, at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, policy text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT n.tenant_id, n.namespace_id, n.name, n.policy::text FROM namespaces n
  WHERE EXISTS (
    SELECT FROM memories m WHERE m.namespace_id = n.namespace_id AND m.state = 5
      AND m.update_time < now() - make_interval(days => coalesce((n.policy ->> 'forget_window_days')::int, days)))
  LIMIT at_most
$$;


ALTER FUNCTION recalld.namespaces_with_forgotten(days integer, at_most bigint) OWNER TO recalld_definer;

--
-- Name: note_audit(uuid, text, text[], text); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.note_audit(tenant uuid, place text, targets text[], ending text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  INSERT INTO audit AS a (tenant_id, event_id, key_id, agent_id, action, namespace, target_ids, outcome)
  SELECT tenant, current_setting('recalld.event_id')::uuid, current_setting('recalld.key_id'),
    current_setting('recalld.actor_id'), current_setting('recalld.action'), place, targets, ending
  WHERE tenant = current_tenant()
  ON CONFLICT (tenant_id, event_id) DO UPDATE SET target_ids =
    a.target_ids || array(SELECT t FROM unnest(excluded.target_ids) AS t WHERE t <> ALL (a.target_ids))
$$;


ALTER FUNCTION recalld.note_audit(tenant uuid, place text, targets text[], ending text) OWNER TO recalld_definer;

--
-- Name: note_key_use(text, timestamp with time zone); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.note_key_use(wanted text, moment timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  UPDATE keys SET last_use_time = greatest(last_use_time, moment) WHERE key_id = wanted
$$;


ALTER FUNCTION recalld.note_key_use(wanted text, moment timestamp with time zone) OWNER TO recalld_definer;

--
-- Name: operator_figures(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.operator_figures() RETURNS TABLE(figure text, queue text, kind smallint, state smallint, amount double precision)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 40
    SET search_path TO 'recalld'
    AS $$
  WITH waiting AS (
    SELECT 'index' AS queue, create_time, index_state = 3 AS failed FROM memories WHERE state = 1 AND index_state <> 2
    UNION ALL SELECT 'session', create_time, false FROM session_jobs
    UNION ALL SELECT 'forget', create_time, false FROM forget_orders WHERE finish_time IS NULL
    UNION ALL SELECT 'reflection', create_time, state = 4 FROM reflections
      WHERE due_time IS NOT NULL OR (state = 4 AND end_time > now() - interval '1 day')
  ), figures AS (
    SELECT w.queue, count(*) FILTER (WHERE NOT w.failed) AS depth,
      coalesce(extract(epoch FROM now() - min(w.create_time) FILTER (WHERE NOT w.failed)), 0) AS age,
      count(*) FILTER (WHERE w.failed) AS failed
    FROM waiting w GROUP BY w.queue
  ), queues AS (
    SELECT q.queue, coalesce(f.depth, 0) AS depth, coalesce(f.age, 0) AS age, coalesce(f.failed, 0) AS failed
    FROM (VALUES ('index'), ('session'), ('forget'), ('reflection')) AS q (queue) LEFT JOIN figures f USING (queue)
  )
  SELECT 'memories', '', c.kind, c.state, sum(c.n)::float8 FROM counts c GROUP BY c.kind, c.state HAVING sum(c.n) > 0
  UNION ALL SELECT 'depth', queue, NULL, NULL, depth::float8 FROM queues
  UNION ALL SELECT 'age', queue, NULL, NULL, age::float8 FROM queues
  UNION ALL SELECT 'failed', queue, NULL, NULL, failed::float8 FROM queues
$$;


ALTER FUNCTION recalld.operator_figures() OWNER TO recalld_definer;

--
-- Name: overdue_reviews(bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.overdue_reviews(at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, review_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.overdue_reviews(at_most bigint) OWNER TO recalld_definer;

--
-- Name: paths_to(text); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.paths_to(name text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN ARRAY(SELECT array_to_string((string_to_array(paths_to.name, '/'::text))[:n.n], '/'::text) AS array_to_string FROM generate_series(1, cardinality(string_to_array(paths_to.name, '/'::text))) n(n));


ALTER FUNCTION recalld.paths_to(name text) OWNER TO postgres;

--
-- Name: readable_namespaces(text, text[], text[], text, text, bigint, boolean); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.readable_namespaces(agent text, held text[], places text[], parent text, after text, at_most bigint, own boolean) RETURNS TABLE(namespace_id uuid, name text, description text, policy jsonb, revision bigint, create_time timestamp with time zone, update_time timestamp with time zone, live bigint)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 50
    SET search_path TO 'recalld'
    AS $$
  WITH me AS (SELECT t.tenant_id, t.name FROM tenants t WHERE t.tenant_id = current_tenant()),
  granted AS (
    SELECT DISTINCT n.namespace_id, n.tenant_id = me.tenant_id AS own
    FROM me JOIN grants g ON g.grantee = ANY (held || agent || me.name) JOIN namespaces a USING (namespace_id)
    JOIN namespaces n ON n.tenant_id = a.tenant_id
      AND (n.namespace_id = a.namespace_id OR (g.recursive AND starts_with(n.name, a.name || '/')))
    WHERE (g.expire_time IS NULL OR g.expire_time > now())
      AND CASE g.grantee_type WHEN 1 THEN g.grantee = agent AND g.tenant_id = me.tenant_id
        WHEN 2 THEN g.grantee = ANY (held) AND g.tenant_id = me.tenant_id
        ELSE g.grantee = me.name AND g.tenant_id <> me.tenant_id END
  ), known AS (
    SELECT n.namespace_id, n.name COLLATE "C" AS name FROM me JOIN namespaces n USING (tenant_id)
    WHERE places IS NULL OR n.name = ANY (places)
      OR n.namespace_id IN (SELECT g.namespace_id FROM granted g WHERE g.own)
    UNION ALL
    SELECT n.namespace_id, (t.name || '/' || n.name) COLLATE "C" FROM me, granted g
    JOIN namespaces n USING (namespace_id) JOIN tenants t ON t.tenant_id = n.tenant_id
    WHERE NOT readable_namespaces.own AND NOT g.own AND (places IS NULL OR t.name || '/' || n.name = ANY (places))
      AND NOT EXISTS (SELECT FROM namespaces o WHERE o.tenant_id = me.tenant_id AND o.name = t.name || '/' || n.name)
  )
  SELECT n.namespace_id, k.name, n.description, n.policy, n.revision, n.create_time, n.update_time, h.live
  FROM known k JOIN namespaces n USING (namespace_id) JOIN namespace_heads h USING (namespace_id)
  WHERE k.name > after COLLATE "C" AND (parent = '' OR k.name = parent OR starts_with(k.name, parent || '/'))
  ORDER BY k.name LIMIT at_most
$$;


ALTER FUNCTION recalld.readable_namespaces(agent text, held text[], places text[], parent text, after text, at_most bigint, own boolean) OWNER TO recalld_definer;

--
-- Name: reflection_tokens(interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.reflection_tokens(since interval) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT coalesce(sum(r.tokens), 0)::bigint FROM reflections r JOIN namespaces n USING (namespace_id)
  WHERE n.tenant_id = current_tenant() AND r.create_time > now() - since
$$;


ALTER FUNCTION recalld.reflection_tokens(since interval) OWNER TO recalld_definer;

--
-- Name: retry_failed_indexing(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.retry_failed_indexing() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.retry_failed_indexing() OWNER TO recalld_definer;

--
-- Name: scheduled_namespaces(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.scheduled_namespaces() RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, line text, time_zone text, known boolean, tick timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'recalld'
    AS $$
  SELECT n.tenant_id, n.namespace_id, n.name, p.line, p.time_zone,
    coalesce(s.line = p.line AND s.time_zone = p.time_zone, false), s.tick
  FROM namespaces n
  CROSS JOIN LATERAL (SELECT n.policy ->> 'reflection_schedule' AS line, coalesce(n.policy ->> 'time_zone', 'UTC') AS time_zone) AS p
  LEFT JOIN reflection_schedules s USING (namespace_id)
  WHERE n.policy ->> 'reflection_schedule' <> ''
$$;


ALTER FUNCTION recalld.scheduled_namespaces() OWNER TO recalld_definer;

--
-- Name: search_figures(uuid[], timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.search_figures(ns uuid[], since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(day timestamp with time zone, milliseconds double precision, searches bigint, used bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.search_figures(ns uuid[], since timestamp with time zone, until timestamp with time zone) OWNER TO recalld_definer;

--
-- Name: search_place(uuid[]); Type: FUNCTION; Schema: recalld; Owner: postgres
--

CREATE FUNCTION recalld.search_place(namespaces uuid[]) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    RETURN (md5((ARRAY(SELECT DISTINCT n.n FROM unnest(search_place.namespaces) n(n) ORDER BY n.n))::text))::uuid;


ALTER FUNCTION recalld.search_place(namespaces uuid[]) OWNER TO postgres;

--
-- Name: set_tenant_limits(text, jsonb); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.set_tenant_limits(wanted text, given jsonb) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH changed AS (UPDATE tenants SET limits = given WHERE name = wanted RETURNING 1) SELECT EXISTS (SELECT FROM changed)
$$;


ALTER FUNCTION recalld.set_tenant_limits(wanted text, given jsonb) OWNER TO recalld_definer;

--
-- Name: sweep_audit(interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.sweep_audit(older interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH gone AS (DELETE FROM audit WHERE create_time < now() - older RETURNING 1) SELECT count(*) FROM gone
$$;


ALTER FUNCTION recalld.sweep_audit(older interval) OWNER TO recalld_definer;

--
-- Name: sweep_changes(interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.sweep_changes(older interval) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
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


ALTER FUNCTION recalld.sweep_changes(older interval) OWNER TO recalld_definer;

--
-- Name: sweep_forget_orders(interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.sweep_forget_orders(older interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH gone AS (DELETE FROM forget_orders WHERE mode <> 3 AND finish_time < now() - older RETURNING 1)
  SELECT count(*) FROM gone
$$;


ALTER FUNCTION recalld.sweep_forget_orders(older interval) OWNER TO recalld_definer;

--
-- Name: sweep_index_jobs(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.sweep_index_jobs() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH gone AS (
    DELETE FROM index_jobs j WHERE is_due(j.due) AND NOT EXISTS (
      SELECT FROM memories m WHERE m.namespace_id = j.namespace_id AND m.memory_id = j.memory_id
        AND m.state = 1 AND m.index_state = 1)
    RETURNING 1
  ) SELECT count(*) FROM gone
$$;


ALTER FUNCTION recalld.sweep_index_jobs() OWNER TO recalld_definer;

--
-- Name: sweep_reflections(interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.sweep_reflections(older interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH gone AS (
    DELETE FROM reflections WHERE end_time < now() - CASE WHEN dry_run THEN least(older, interval '1 day') ELSE older END
    RETURNING namespace_id, reflection_id
  ), insights AS (
    DELETE FROM reflection_insights i USING gone g
    WHERE i.namespace_id = g.namespace_id AND i.reflection_id = g.reflection_id
  ) SELECT count(*) FROM gone
$$;


ALTER FUNCTION recalld.sweep_reflections(older interval) OWNER TO recalld_definer;

--
-- Name: sweep_requests(interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.sweep_requests(older interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH gone AS (DELETE FROM requests WHERE create_time < now() - older RETURNING 1) SELECT count(*) FROM gone
$$;


ALTER FUNCTION recalld.sweep_requests(older interval) OWNER TO recalld_definer;

--
-- Name: sweep_searches(interval); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.sweep_searches(older interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  WITH gone AS (
    DELETE FROM searches WHERE create_time < now() - older RETURNING 1
  ), hours AS (
    DELETE FROM search_hours WHERE hour < now() - older - interval '1 hour'
  ) SELECT count(*) FROM gone
$$;


ALTER FUNCTION recalld.sweep_searches(older interval) OWNER TO recalld_definer;

--
-- Name: tenant_limits(text); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.tenant_limits(wanted text) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT limits FROM tenants WHERE name = wanted
$$;


ALTER FUNCTION recalld.tenant_limits(wanted text) OWNER TO recalld_definer;

--
-- Name: tenant_stock(); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.tenant_stock() RETURNS TABLE(memories bigint, stored_bytes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'recalld'
    AS $$
  SELECT coalesce(sum(c.n), 0)::bigint, coalesce(sum(c.content_bytes), 0)::bigint
  FROM namespaces n JOIN counts c USING (namespace_id) WHERE n.tenant_id = current_tenant()
$$;


ALTER FUNCTION recalld.tenant_stock() OWNER TO recalld_definer;

--
-- Name: term_frequencies(uuid, integer[]); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.term_frequencies(ns uuid, wanted integer[]) RETURNS TABLE(term integer, df bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'recalld'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  IF NOT coalesce(ns = ANY (current_namespaces()), false) THEN RETURN; END IF;
  RETURN QUERY
    SELECT t, count(*)
    FROM memories m, unnest(m.terms) AS t
    WHERE m.namespace_id = ns AND m.terms && wanted AND m.state = 1 AND t = ANY (wanted)
    GROUP BY t;
END $$;


ALTER FUNCTION recalld.term_frequencies(ns uuid, wanted integer[]) OWNER TO recalld_definer;

--
-- Name: unsettled_sessions(bigint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.unsettled_sessions(at_most bigint) RETURNS TABLE(tenant_id uuid, namespace_id uuid, namespace text, session_id text)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
    SET search_path TO 'recalld'
    AS $$
  SELECT n.tenant_id, s.namespace_id, n.name, s.session_id
  FROM sessions s JOIN namespaces n USING (namespace_id)
  WHERE NOT s.settled AND s.expire_time <= now() ORDER BY s.expire_time LIMIT at_most
$$;


ALTER FUNCTION recalld.unsettled_sessions(at_most bigint) OWNER TO recalld_definer;

--
-- Name: vectors_of(smallint); Type: FUNCTION; Schema: recalld; Owner: recalld_definer
--

CREATE FUNCTION recalld.vectors_of(model smallint) RETURNS TABLE(indexed bigint, embedded bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'recalld'
    AS $$
  SELECT (SELECT count(*) FROM memories WHERE index_state = 2 AND NOT cold),
    (SELECT count(*) FROM embeddings WHERE model_id = model)
$$;


ALTER FUNCTION recalld.vectors_of(model smallint) OWNER TO recalld_definer;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: archive_segments; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.archive_segments (
    namespace_id uuid NOT NULL,
    segment_id uuid NOT NULL,
    month date NOT NULL,
    sha256 bytea NOT NULL,
    bytes bigint NOT NULL,
    records integer NOT NULL,
    dirty boolean DEFAULT false NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY recalld.archive_segments ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.archive_segments FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.archive_segments OWNER TO postgres;

--
-- Name: archived; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.archived (
    namespace_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    segment_id uuid NOT NULL
);
ALTER TABLE ONLY recalld.archived ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.archived FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.archived OWNER TO postgres;

--
-- Name: audit; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.audit (
    tenant_id uuid NOT NULL,
    event_id uuid NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    key_id text NOT NULL,
    agent_id text NOT NULL,
    action text NOT NULL,
    namespace text NOT NULL COLLATE pg_catalog."C",
    target_ids text[] NOT NULL,
    outcome text NOT NULL
);

ALTER TABLE ONLY recalld.audit FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.audit OWNER TO postgres;

--
-- Name: changes; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.changes (
    namespace_id uuid NOT NULL,
    sequence bigint NOT NULL,
    type smallint NOT NULL,
    memory_id uuid NOT NULL,
    visibility smallint NOT NULL,
    agent_id text NOT NULL,
    actor text NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY recalld.changes ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.changes FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.changes OWNER TO postgres;

--
-- Name: counts; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.counts (
    namespace_id uuid NOT NULL,
    audience text NOT NULL,
    kind smallint NOT NULL,
    state smallint NOT NULL,
    n bigint NOT NULL,
    content_bytes bigint NOT NULL,
    confidence_sum double precision NOT NULL,
    found bigint DEFAULT 0 NOT NULL,
    waiting bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY recalld.counts ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.counts FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.counts OWNER TO postgres;

--
-- Name: created_days; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.created_days (
    namespace_id uuid NOT NULL,
    audience text NOT NULL,
    day date NOT NULL,
    n bigint NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY recalld.created_days ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.created_days FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.created_days OWNER TO postgres;

--
-- Name: duplicates; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.duplicates (
    namespace_id uuid NOT NULL,
    audience text NOT NULL,
    n bigint NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY recalld.duplicates ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.duplicates FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.duplicates OWNER TO postgres;

--
-- Name: embeddings; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings (
    namespace_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    model_id smallint NOT NULL,
    visibility smallint NOT NULL,
    agent_id text NOT NULL,
    ann boolean NOT NULL,
    embedding recalld.halfvec NOT NULL,
    text_embedding recalld.halfvec
)
PARTITION BY HASH (namespace_id);
ALTER TABLE ONLY recalld.embeddings ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.embeddings FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings OWNER TO postgres;

--
-- Name: embeddings_0; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_0 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_0 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_0 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_0 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_0 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_0 OWNER TO postgres;

--
-- Name: embeddings_1; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_1 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_1 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_1 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_1 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_1 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_1 OWNER TO postgres;

--
-- Name: embeddings_2; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_2 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_2 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_2 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_2 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_2 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_2 OWNER TO postgres;

--
-- Name: embeddings_3; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_3 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_3 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_3 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_3 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_3 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_3 OWNER TO postgres;

--
-- Name: embeddings_4; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_4 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_4 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_4 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_4 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_4 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_4 OWNER TO postgres;

--
-- Name: embeddings_5; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_5 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_5 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_5 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_5 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_5 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_5 OWNER TO postgres;

--
-- Name: embeddings_6; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_6 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_6 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_6 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_6 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_6 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_6 OWNER TO postgres;

--
-- Name: embeddings_7; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.embeddings_7 (
    namespace_id uuid CONSTRAINT embeddings_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT embeddings_memory_id_not_null NOT NULL,
    model_id smallint CONSTRAINT embeddings_model_id_not_null NOT NULL,
    visibility smallint CONSTRAINT embeddings_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT embeddings_agent_id_not_null NOT NULL,
    ann boolean CONSTRAINT embeddings_ann_not_null NOT NULL,
    embedding recalld.halfvec CONSTRAINT embeddings_embedding_not_null NOT NULL,
    text_embedding recalld.halfvec
);
ALTER TABLE ONLY recalld.embeddings_7 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);
ALTER TABLE ONLY recalld.embeddings_7 ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY recalld.embeddings_7 ALTER COLUMN text_embedding SET STORAGE MAIN;

ALTER TABLE ONLY recalld.embeddings_7 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.embeddings_7 OWNER TO postgres;

--
-- Name: expiring; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.expiring (
    namespace_id uuid NOT NULL,
    slot timestamp with time zone NOT NULL,
    audience text NOT NULL,
    kind smallint NOT NULL,
    n bigint NOT NULL,
    confidence_sum double precision NOT NULL,
    found bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY recalld.expiring ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.expiring FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.expiring OWNER TO postgres;

--
-- Name: forget_items; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.forget_items (
    namespace_id uuid NOT NULL,
    order_id uuid NOT NULL,
    memory_id uuid NOT NULL
);
ALTER TABLE ONLY recalld.forget_items ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.forget_items FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.forget_items OWNER TO postgres;

--
-- Name: forget_orders; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.forget_orders (
    namespace_id uuid NOT NULL,
    order_id uuid NOT NULL,
    agent_id text NOT NULL,
    actor text NOT NULL,
    mode smallint NOT NULL,
    reason text NOT NULL,
    user_ids text[] NOT NULL,
    session_ids text[] NOT NULL,
    changed bigint DEFAULT 0 NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    due_time timestamp with time zone NOT NULL,
    finish_time timestamp with time zone,
    CONSTRAINT forget_orders_counts_check CHECK ((jsonb_typeof(counts) = 'object'::text)),
    CONSTRAINT forget_orders_mode_check CHECK (((mode >= 1) AND (mode <= 3)))
);
ALTER TABLE ONLY recalld.forget_orders ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.forget_orders FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.forget_orders OWNER TO postgres;

--
-- Name: found; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.found (
    namespace_id uuid NOT NULL,
    memory_id uuid NOT NULL
);
ALTER TABLE ONLY recalld.found ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.found FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.found OWNER TO postgres;

--
-- Name: grants; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.grants (
    namespace_id uuid NOT NULL,
    grant_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    grantee_type smallint NOT NULL,
    grantee text NOT NULL,
    role smallint NOT NULL,
    recursive boolean NOT NULL,
    expire_time timestamp with time zone,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL
);
ALTER TABLE ONLY recalld.grants ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.grants FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.grants OWNER TO postgres;

--
-- Name: index_jobs; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.index_jobs (
    namespace_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    attempts integer NOT NULL,
    due timestamp with time zone NOT NULL,
    traceparent text
);
ALTER TABLE ONLY recalld.index_jobs ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.index_jobs FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.index_jobs OWNER TO postgres;

--
-- Name: keys; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.keys (
    key_id text NOT NULL,
    tenant_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    agent_id text NOT NULL,
    roles smallint[] NOT NULL,
    namespaces text[] NOT NULL,
    confined boolean DEFAULT false NOT NULL,
    description text NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    expire_time timestamp with time zone,
    last_use_time timestamp with time zone,
    revoke_time timestamp with time zone,
    created_by text NOT NULL
);

ALTER TABLE ONLY recalld.keys FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.keys OWNER TO postgres;

--
-- Name: memories; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories (
    namespace_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    content text NOT NULL,
    kind smallint NOT NULL,
    state smallint NOT NULL,
    visibility smallint NOT NULL,
    agent_id text NOT NULL,
    create_time recalld.moment NOT NULL,
    update_time recalld.moment NOT NULL,
    event_time recalld.moment NOT NULL,
    revision bigint NOT NULL,
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
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer NOT NULL,
    last_use_time recalld.moment,
    index_state smallint NOT NULL,
    index_error text NOT NULL,
    content_hash bytea NOT NULL,
    terms integer[] NOT NULL,
    lex recalld.sparsevec(1048576) NOT NULL,
    words integer NOT NULL,
    cold boolean DEFAULT false NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
)
PARTITION BY HASH (namespace_id);
ALTER TABLE ONLY recalld.memories ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories OWNER TO postgres;

--
-- Name: memories_0; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_0 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_0 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_0 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_0 OWNER TO postgres;

--
-- Name: memories_1; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_1 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_1 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_1 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_1 OWNER TO postgres;

--
-- Name: memories_2; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_2 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_2 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_2 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_2 OWNER TO postgres;

--
-- Name: memories_3; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_3 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_3 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_3 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_3 OWNER TO postgres;

--
-- Name: memories_4; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_4 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_4 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_4 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_4 OWNER TO postgres;

--
-- Name: memories_5; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_5 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_5 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_5 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_5 OWNER TO postgres;

--
-- Name: memories_6; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_6 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_6 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_6 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_6 OWNER TO postgres;

--
-- Name: memories_7; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.memories_7 (
    namespace_id uuid CONSTRAINT memories_namespace_id_not_null NOT NULL,
    memory_id uuid CONSTRAINT memories_memory_id_not_null NOT NULL,
    content text CONSTRAINT memories_content_not_null NOT NULL,
    kind smallint CONSTRAINT memories_kind_not_null NOT NULL,
    state smallint CONSTRAINT memories_state_not_null NOT NULL,
    visibility smallint CONSTRAINT memories_visibility_not_null NOT NULL,
    agent_id text CONSTRAINT memories_agent_id_not_null NOT NULL,
    create_time recalld.moment CONSTRAINT memories_create_time_not_null NOT NULL,
    update_time recalld.moment CONSTRAINT memories_update_time_not_null NOT NULL,
    event_time recalld.moment CONSTRAINT memories_event_time_not_null NOT NULL,
    revision bigint CONSTRAINT memories_revision_not_null NOT NULL,
    user_id text CONSTRAINT memories_user_id_not_null NOT NULL,
    session_id text CONSTRAINT memories_session_id_not_null NOT NULL,
    speaker text CONSTRAINT memories_speaker_not_null NOT NULL,
    tags text[] CONSTRAINT memories_tags_not_null NOT NULL,
    entities text[] CONSTRAINT memories_entities_not_null NOT NULL,
    tool_calls jsonb CONSTRAINT memories_tool_calls_not_null NOT NULL,
    importance double precision CONSTRAINT memories_importance_not_null NOT NULL,
    confidence double precision CONSTRAINT memories_confidence_not_null NOT NULL,
    metadata jsonb CONSTRAINT memories_metadata_not_null NOT NULL,
    counterfactual text CONSTRAINT memories_counterfactual_not_null NOT NULL,
    source_ids uuid[] CONSTRAINT memories_source_ids_not_null NOT NULL,
    superseded_by uuid,
    supersedes uuid[] CONSTRAINT memories_supersedes_not_null NOT NULL,
    conflicts_with uuid[] CONSTRAINT memories_conflicts_with_not_null NOT NULL,
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer CONSTRAINT memories_use_count_not_null NOT NULL,
    last_use_time recalld.moment,
    index_state smallint CONSTRAINT memories_index_state_not_null NOT NULL,
    index_error text CONSTRAINT memories_index_error_not_null NOT NULL,
    content_hash bytea CONSTRAINT memories_content_hash_not_null NOT NULL,
    terms integer[] CONSTRAINT memories_terms_not_null NOT NULL,
    lex recalld.sparsevec(1048576) CONSTRAINT memories_lex_not_null NOT NULL,
    words integer CONSTRAINT memories_words_not_null NOT NULL,
    cold boolean DEFAULT false CONSTRAINT memories_cold_not_null NOT NULL,
    CONSTRAINT memories_index_state_check CHECK (((index_state >= 1) AND (index_state <= 3))),
    CONSTRAINT memories_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_state_check CHECK (((state >= 1) AND (state <= 7))),
    CONSTRAINT memories_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text)),
    CONSTRAINT memories_visibility_check CHECK ((visibility = ANY (ARRAY[1, 2])))
);
ALTER TABLE ONLY recalld.memories_7 ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.memories_7 FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.memories_7 OWNER TO postgres;

--
-- Name: migrations; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.migrations (
    name text NOT NULL,
    checksum text NOT NULL,
    apply_time timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY recalld.migrations FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.migrations OWNER TO postgres;

--
-- Name: models; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.models (
    model_id smallint NOT NULL,
    name text NOT NULL,
    dimensions integer NOT NULL,
    active boolean NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT models_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4000)))
);

ALTER TABLE ONLY recalld.models FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.models OWNER TO postgres;

--
-- Name: namespace_heads; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.namespace_heads (
    namespace_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    change_sequence bigint DEFAULT 0 NOT NULL,
    swept_sequence bigint DEFAULT 0 NOT NULL,
    live bigint DEFAULT 0 NOT NULL,
    words bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY recalld.namespace_heads ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.namespace_heads FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.namespace_heads OWNER TO postgres;

--
-- Name: namespace_statistics; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.namespace_statistics (
    namespace_id uuid NOT NULL,
    live bigint NOT NULL,
    mean recalld.halfvec,
    model_id smallint,
    ann boolean DEFAULT false NOT NULL,
    update_time timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY recalld.namespace_statistics ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.namespace_statistics FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.namespace_statistics OWNER TO postgres;

--
-- Name: namespaces; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.namespaces (
    namespace_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL,
    policy jsonb NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    update_time timestamp with time zone DEFAULT now() NOT NULL,
    created_by text NOT NULL,
    CONSTRAINT namespaces_policy_check CHECK ((jsonb_typeof(policy) = 'object'::text))
);
ALTER TABLE ONLY recalld.namespaces ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.namespaces FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.namespaces OWNER TO postgres;

--
-- Name: open_reviews; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.open_reviews (
    namespace_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    audience text NOT NULL,
    type smallint NOT NULL,
    n bigint NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY recalld.open_reviews ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.open_reviews FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.open_reviews OWNER TO postgres;

--
-- Name: reflected_sources; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.reflected_sources (
    namespace_id uuid NOT NULL,
    source_id uuid NOT NULL,
    target smallint NOT NULL,
    revision bigint NOT NULL
);
ALTER TABLE ONLY recalld.reflected_sources ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.reflected_sources FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.reflected_sources OWNER TO postgres;

--
-- Name: reflection_insights; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.reflection_insights (
    namespace_id uuid NOT NULL,
    reflection_id uuid NOT NULL,
    place bigint NOT NULL,
    memory_id uuid,
    review_id uuid,
    visibility smallint NOT NULL,
    agent_id text NOT NULL,
    category text NOT NULL,
    content text NOT NULL,
    counterfactual text NOT NULL,
    confidence double precision NOT NULL,
    source_ids uuid[] NOT NULL,
    support integer NOT NULL,
    outcome text NOT NULL
);
ALTER TABLE ONLY recalld.reflection_insights ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.reflection_insights FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.reflection_insights OWNER TO postgres;

--
-- Name: reflection_insights_place_seq; Type: SEQUENCE; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.reflection_insights ALTER COLUMN place ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME recalld.reflection_insights_place_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: reflection_schedules; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.reflection_schedules (
    namespace_id uuid NOT NULL,
    line text NOT NULL,
    time_zone text NOT NULL,
    tick timestamp with time zone NOT NULL
);
ALTER TABLE ONLY recalld.reflection_schedules ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.reflection_schedules FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.reflection_schedules OWNER TO postgres;

--
-- Name: reflections; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.reflections (
    namespace_id uuid NOT NULL,
    reflection_id uuid NOT NULL,
    agent_id text NOT NULL,
    actor text NOT NULL,
    state smallint NOT NULL,
    scope jsonb NOT NULL,
    targets smallint[] NOT NULL,
    dry_run boolean NOT NULL,
    progress double precision DEFAULT 0 NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    skipped jsonb DEFAULT '{}'::jsonb NOT NULL,
    "position" jsonb DEFAULT '{}'::jsonb NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    calls bigint DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_time timestamp with time zone,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    start_time timestamp with time zone,
    end_time timestamp with time zone,
    traceparent text,
    CONSTRAINT reflections_state_check CHECK (((state >= 1) AND (state <= 5)))
);
ALTER TABLE ONLY recalld.reflections ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.reflections FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.reflections OWNER TO postgres;

--
-- Name: requests; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.requests (
    tenant_id uuid NOT NULL,
    agent_id text NOT NULL,
    method text NOT NULL,
    request_id text NOT NULL,
    fingerprint bytea NOT NULL,
    answer jsonb,
    create_time timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY recalld.requests FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.requests OWNER TO postgres;

--
-- Name: retention_runs; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.retention_runs (
    namespace_id uuid NOT NULL,
    tick timestamp with time zone NOT NULL
);
ALTER TABLE ONLY recalld.retention_runs ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.retention_runs FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.retention_runs OWNER TO postgres;

--
-- Name: review_memories; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.review_memories (
    namespace_id uuid NOT NULL,
    review_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    visibility smallint NOT NULL,
    agent_id text NOT NULL,
    place smallint DEFAULT 1 NOT NULL
);
ALTER TABLE ONLY recalld.review_memories ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.review_memories FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.review_memories OWNER TO postgres;

--
-- Name: reviews; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.reviews (
    namespace_id uuid NOT NULL,
    review_id uuid NOT NULL,
    type smallint NOT NULL,
    state smallint NOT NULL,
    visibility smallint NOT NULL,
    agent_id text NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    expire_time timestamp with time zone NOT NULL,
    decision smallint,
    actor text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    resolve_time timestamp with time zone
);
ALTER TABLE ONLY recalld.reviews ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.reviews FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.reviews OWNER TO postgres;

--
-- Name: revisions; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.revisions (
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
    create_time recalld.moment NOT NULL,
    update_time recalld.moment NOT NULL,
    event_time recalld.moment NOT NULL,
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
    expire_time recalld.moment,
    valid_from recalld.moment,
    valid_until recalld.moment,
    use_count integer NOT NULL,
    last_use_time recalld.moment,
    index_state smallint NOT NULL,
    index_error text NOT NULL
);
ALTER TABLE ONLY recalld.revisions ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.revisions FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.revisions OWNER TO postgres;

--
-- Name: search_hours; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.search_hours (
    tenant_id uuid NOT NULL,
    place uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    band smallint NOT NULL,
    n bigint NOT NULL,
    used bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY recalld.search_hours FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.search_hours OWNER TO postgres;

--
-- Name: search_places; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.search_places (
    tenant_id uuid NOT NULL,
    namespace_id uuid NOT NULL,
    place uuid NOT NULL
);
ALTER TABLE ONLY recalld.search_places ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.search_places FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.search_places OWNER TO postgres;

--
-- Name: searches; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.searches (
    tenant_id uuid NOT NULL,
    search_id uuid NOT NULL,
    agent_id text NOT NULL,
    namespace_ids uuid[] NOT NULL,
    memory_ids uuid[] NOT NULL,
    used uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    helped boolean DEFAULT false NOT NULL,
    milliseconds real NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY recalld.searches FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.searches OWNER TO postgres;

--
-- Name: session_jobs; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.session_jobs (
    namespace_id uuid NOT NULL,
    job_id uuid NOT NULL,
    session_id text NOT NULL COLLATE pg_catalog."C",
    agent_id text NOT NULL,
    reason text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    up_to_turn bigint,
    due_time timestamp with time zone NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY recalld.session_jobs ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.session_jobs FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.session_jobs OWNER TO postgres;

--
-- Name: session_turns; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.session_turns (
    namespace_id uuid NOT NULL,
    session_id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    turn_id uuid NOT NULL,
    role smallint NOT NULL,
    content text NOT NULL,
    agent_id text NOT NULL,
    event_time recalld.moment NOT NULL,
    speaker text NOT NULL,
    tool_calls jsonb NOT NULL,
    tokens integer NOT NULL,
    CONSTRAINT session_turns_role_check CHECK (((role >= 1) AND (role <= 4))),
    CONSTRAINT session_turns_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text))
);
ALTER TABLE ONLY recalld.session_turns ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.session_turns FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.session_turns OWNER TO postgres;

--
-- Name: sessions; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.sessions (
    namespace_id uuid NOT NULL,
    session_id text NOT NULL COLLATE pg_catalog."C",
    state smallint DEFAULT 1 NOT NULL,
    agent_id text NOT NULL,
    user_id text NOT NULL,
    turn_count bigint DEFAULT 0 NOT NULL,
    asked_turn bigint DEFAULT 0 NOT NULL,
    reflected_turn bigint DEFAULT 0 NOT NULL,
    variables jsonb DEFAULT '{}'::jsonb NOT NULL,
    revision bigint DEFAULT 0 NOT NULL,
    erasures integer DEFAULT 0 NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    update_time timestamp with time zone DEFAULT now() NOT NULL,
    expire_time timestamp with time zone NOT NULL,
    settled boolean DEFAULT false NOT NULL,
    CONSTRAINT sessions_state_check CHECK ((state = ANY (ARRAY[1, 2]))),
    CONSTRAINT sessions_variables_check CHECK ((jsonb_typeof(variables) = 'object'::text))
)
WITH (fillfactor='70');
ALTER TABLE ONLY recalld.sessions ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.sessions FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.sessions OWNER TO postgres;

--
-- Name: spent_hours; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.spent_hours (
    namespace_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    tokens bigint NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY recalld.spent_hours ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.spent_hours FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.spent_hours OWNER TO postgres;

--
-- Name: tenants; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.tenants (
    tenant_id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    create_time timestamp with time zone DEFAULT now() NOT NULL,
    limits jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT tenants_limits_check CHECK ((jsonb_typeof(limits) = 'object'::text))
);

ALTER TABLE ONLY recalld.tenants FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.tenants OWNER TO postgres;

--
-- Name: term_stats; Type: TABLE; Schema: recalld; Owner: postgres
--

CREATE TABLE recalld.term_stats (
    namespace_id uuid NOT NULL,
    term integer NOT NULL,
    df integer NOT NULL
);
ALTER TABLE ONLY recalld.term_stats ALTER COLUMN namespace_id SET (n_distinct=8, n_distinct_inherited=8);

ALTER TABLE ONLY recalld.term_stats FORCE ROW LEVEL SECURITY;


ALTER TABLE recalld.term_stats OWNER TO postgres;

--
-- Name: embeddings_0; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_0 FOR VALUES WITH (modulus 8, remainder 0);


--
-- Name: embeddings_1; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_1 FOR VALUES WITH (modulus 8, remainder 1);


--
-- Name: embeddings_2; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_2 FOR VALUES WITH (modulus 8, remainder 2);


--
-- Name: embeddings_3; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_3 FOR VALUES WITH (modulus 8, remainder 3);


--
-- Name: embeddings_4; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_4 FOR VALUES WITH (modulus 8, remainder 4);


--
-- Name: embeddings_5; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_5 FOR VALUES WITH (modulus 8, remainder 5);


--
-- Name: embeddings_6; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_6 FOR VALUES WITH (modulus 8, remainder 6);


--
-- Name: embeddings_7; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings ATTACH PARTITION recalld.embeddings_7 FOR VALUES WITH (modulus 8, remainder 7);


--
-- Name: memories_0; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_0 FOR VALUES WITH (modulus 8, remainder 0);


--
-- Name: memories_1; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_1 FOR VALUES WITH (modulus 8, remainder 1);


--
-- Name: memories_2; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_2 FOR VALUES WITH (modulus 8, remainder 2);


--
-- Name: memories_3; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_3 FOR VALUES WITH (modulus 8, remainder 3);


--
-- Name: memories_4; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_4 FOR VALUES WITH (modulus 8, remainder 4);


--
-- Name: memories_5; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_5 FOR VALUES WITH (modulus 8, remainder 5);


--
-- Name: memories_6; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_6 FOR VALUES WITH (modulus 8, remainder 6);


--
-- Name: memories_7; Type: TABLE ATTACH; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories ATTACH PARTITION recalld.memories_7 FOR VALUES WITH (modulus 8, remainder 7);


--
-- Data for Name: archive_segments; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.archive_segments (namespace_id, segment_id, month, sha256, bytes, records, dirty, create_time) FROM stdin;
\.


--
-- Data for Name: archived; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.archived (namespace_id, memory_id, segment_id) FROM stdin;
\.


--
-- Data for Name: audit; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.audit (tenant_id, event_id, create_time, key_id, agent_id, action, namespace, target_ids, outcome) FROM stdin;
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-dabb-7485-bddd-a6dbf7bc0449	2026-11-30 17:14:57.083575+00	4ee2d30987186302	ann	CreateKey		{8efb610ddb7d0db8}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-dc00-7f87-8a6c-90793caa81ec	2026-11-30 17:14:57.413601+00	8efb610ddb7d0db8	ben	Write	inside	{01a22d73-db71-7083-94c2-5ae385cc9125}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-dcaa-7469-a0e3-b80f545d8663	2026-11-30 17:14:57.578572+00	4ee2d30987186302	ann	Write	inside	{01a22d73-dc8e-762a-a22f-defc6aea5c00}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-dd26-77bf-8f60-160c7248b396	2026-11-30 17:14:57.704504+00	4ee2d30987186302	ann	Write	inside	{01a22d73-dcf1-7309-81e8-57411669361b}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-dd52-7bf2-bd48-13bb8115a258	2026-11-30 17:14:57.746935+00	4ee2d30987186302	ann	Write	inside	{01a22d73-dd4b-7608-93f8-54dee04034d0}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-dd6c-7a6b-ad15-4fd2b98ae251	2026-11-30 17:14:57.777564+00	4ee2d30987186302	ann	Update	inside	{01a22d73-dd4b-7608-93f8-54dee04034d0}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-def1-792e-b6b4-a896128e6860	2026-11-30 17:14:58.161565+00	4ee2d30987186302	ann	Write	inside	{01a22d73-de01-71ba-ab49-64fa60b0a94e}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-df14-7a56-a4a4-6e263d84c24f	2026-11-30 17:14:58.196436+00	4ee2d30987186302	ann	Forget	inside	{01a22d73-de01-71ba-ab49-64fa60b0a94e}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-df81-75f3-90dc-8ddde3a26b08	2026-11-30 17:14:58.30543+00	4ee2d30987186302	ann	Write	inside	{01a22d73-df7b-766a-aed4-c2753f465b4e}	OK
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	01a22d73-df94-70c0-8d3f-9d05363976b3	2026-11-30 17:14:58.324736+00	4ee2d30987186302	ann	Forget	inside	{01a22d73-df7b-766a-aed4-c2753f465b4e}	OK
\.


--
-- Data for Name: changes; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.changes (namespace_id, sequence, type, memory_id, visibility, agent_id, actor, create_time) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	1	1	01a22d73-db71-7083-94c2-5ae385cc9125	1	ben	ben	2026-11-30 17:14:57.413601+00
01a22d73-d9b8-7521-91dd-0543487b1496	2	1	01a22d73-dc8e-762a-a22f-defc6aea5c00	2	ann	ann	2026-11-30 17:14:57.578572+00
01a22d73-d9b8-7521-91dd-0543487b1496	3	1	01a22d73-dcf1-7309-81e8-57411669361b	2	ann	ann	2026-11-30 17:14:57.704504+00
01a22d73-d9b8-7521-91dd-0543487b1496	4	1	01a22d73-dd4b-7608-93f8-54dee04034d0	2	ann	ann	2026-11-30 17:14:57.746935+00
01a22d73-d9b8-7521-91dd-0543487b1496	5	2	01a22d73-dd4b-7608-93f8-54dee04034d0	2	ann	ann	2026-11-30 17:14:57.777564+00
01a22d73-d9b8-7521-91dd-0543487b1496	6	1	01a22d73-de01-71ba-ab49-64fa60b0a94e	2	ann	ann	2026-11-30 17:14:58.161565+00
01a22d73-d9b8-7521-91dd-0543487b1496	7	4	01a22d73-de01-71ba-ab49-64fa60b0a94e	2	ann	ann	2026-11-30 17:14:58.196436+00
01a22d73-d9b8-7521-91dd-0543487b1496	8	1	01a22d73-df7b-766a-aed4-c2753f465b4e	2	ann	ann	2026-11-30 17:14:58.30543+00
01a22d73-d9b8-7521-91dd-0543487b1496	9	4	01a22d73-df7b-766a-aed4-c2753f465b4e	2	ann	ann	2026-11-30 17:14:58.324736+00
\.


--
-- Data for Name: counts; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.counts (namespace_id, audience, kind, state, n, content_bytes, confidence_sum, found, waiting, failed) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	ben	3	1	1	39	1	0	0	0
01a22d73-d9b8-7521-91dd-0543487b1496		3	1	3	151	3	0	0	0
01a22d73-d9b8-7521-91dd-0543487b1496		3	5	1	45	1	0	0	0
01a22d73-d9b8-7521-91dd-0543487b1496		2	1	0	0	0	0	0	0
01a22d73-d9b8-7521-91dd-0543487b1496		2	4	1	36	1	0	0	0
\.


--
-- Data for Name: created_days; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.created_days (namespace_id, audience, day, n) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	ben	2026-11-30	1
01a22d73-d9b8-7521-91dd-0543487b1496		2026-11-30	5
\.


--
-- Data for Name: duplicates; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.duplicates (namespace_id, audience, n) FROM stdin;
\.


--
-- Data for Name: embeddings_0; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_0 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
\.


--
-- Data for Name: embeddings_1; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_1 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
\.


--
-- Data for Name: embeddings_2; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_2 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
\.


--
-- Data for Name: embeddings_3; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_3 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
\.


--
-- Data for Name: embeddings_4; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_4 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
\.


--
-- Data for Name: embeddings_5; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_5 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
\.


--
-- Data for Name: embeddings_6; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_6 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
\.


--
-- Data for Name: embeddings_7; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.embeddings_7 (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-db71-7083-94c2-5ae385cc9125	1	1	ben	f	[0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0.2685547,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0.3173828,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.2685547,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0.1586914,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0.1586914,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0.3173828,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1586914,0,0,0,0,0,0,0.1586914,0.1586914,0]	\N
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dc8e-762a-a22f-defc6aea5c00	1	2	ann	f	[0,0,0,0,0,0,0.26586914,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0.13293457,0.22509766,0,0,0,0,0,0,0,0,0.13293457,0.13293457,0,0,0,0,0,0.13293457,0.13293457,0,0,0.26586914,0,0,0,0,0,0.13293457,0.13293457,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0.13293457,0,0,0,0,0.26586914,0.26586914,0,0,0,0,0.13293457,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0.22509766,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0.13293457,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0.22509766,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0.13293457,0.13293457,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0.13293457,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0.13293457,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]	\N
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dcf1-7309-81e8-57411669361b	1	2	ann	f	[0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0.15100098,0.15100098,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.30200195,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0.25561523,0,0,0.15100098,0.15100098,0,0,0,0,0,0,0,0,0.15100098,0.15100098,0,0,0,0.15100098,0,0,0,0,0,0,0,0.15100098,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0.15100098,0,0,0,0,0,0,0,0,0,0.15100098,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0.15100098,0,0.15100098,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0.15100098,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0]	\N
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dd4b-7608-93f8-54dee04034d0	1	2	ann	f	[0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0.15100098,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0.30200195,0,0,0,0,0,0.15100098,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.30200195,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0.25561523,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0.15100098,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0.15100098,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0.15100098,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0,0,0,0,0.15100098,0,0,0,0,0,0.15100098,0.15100098,0,0,0,0,0.15100098,0,0,0,0.15100098,0.15100098,0,0,0,0,0,0,0,0,0,0]	\N
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-de01-71ba-ab49-64fa60b0a94e	1	2	ann	f	[0,0,0,0,0.15270996,0,0,0,0,0,0.15270996,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0,0.15270996,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0.15270996,0,0,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0.15270996,0,0,0,0,0,0,0,0,0,0,0.15270996,0.15270996,0,0.15270996,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.25854492,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0,0.30541992,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0.15270996,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0.15270996,0,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0,0,0,0,0,0,0.15270996,0,0,0.15270996,0,0,0,0,0,0,0,0.15270996,0,0,0,0,0,0,0,0.30541992,0.15270996,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15270996,0]	\N
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-df7b-766a-aed4-c2753f465b4e	1	2	ann	f	[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.31201172,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0.26416016,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0.31201172,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0.41992188,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0,0,0,0,0,0,0,0,0.31201172,0,0,0,0,0,0,0,0,0,0,0,0,0.15600586,0,0,0,0.15600586,0.15600586,0,0]	\N
\.


--
-- Data for Name: expiring; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.expiring (namespace_id, slot, audience, kind, n, confidence_sum, found) FROM stdin;
\.


--
-- Data for Name: forget_items; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.forget_items (namespace_id, order_id, memory_id) FROM stdin;
\.


--
-- Data for Name: forget_orders; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.forget_orders (namespace_id, order_id, agent_id, actor, mode, reason, user_ids, session_ids, changed, counts, create_time, due_time, finish_time) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-df1c-7c88-84d2-f93b0dad14d8	ann	ann	2		{}	{}	1	{}	2026-11-30 17:14:58.196436+00	2026-11-30 17:15:28.196436+00	2026-11-30 17:14:58.196436+00
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-df96-70a6-a05d-ab700d62ed40	ann	ann	1		{}	{}	1	{}	2026-11-30 17:14:58.324736+00	2026-11-30 17:15:28.324736+00	2026-11-30 17:14:58.324736+00
\.


--
-- Data for Name: found; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.found (namespace_id, memory_id) FROM stdin;
\.


--
-- Data for Name: grants; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.grants (namespace_id, grant_id, tenant_id, grantee_type, grantee, role, recursive, expire_time, create_time, created_by) FROM stdin;
\.


--
-- Data for Name: index_jobs; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.index_jobs (namespace_id, memory_id, attempts, due, traceparent) FROM stdin;
\.


--
-- Data for Name: keys; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.keys (key_id, tenant_id, secret_hash, agent_id, roles, namespaces, confined, description, create_time, expire_time, last_use_time, revoke_time, created_by) FROM stdin;
4ee2d30987186302	c096dfc9-3fd6-4b56-9e87-983f0860ea6a	\\x66d620fdb64920408a6dfe8ae10e38e7a6578aab830a3b4eccfd0457e195a237	ann	{4}	{}	f		2026-11-30 17:14:56.834092+00	\N	2026-11-30 17:14:57.07955+00	\N	
8efb610ddb7d0db8	c096dfc9-3fd6-4b56-9e87-983f0860ea6a	\\x9b8aae0276ca3263ba73ad79a382ad595ea901b4fbf40d060c33b9cb6d8a8052	ben	{2}	{inside}	f		2026-11-30 17:14:57.083575+00	\N	2026-11-30 17:14:57.161427+00	\N	ann
\.


--
-- Data for Name: memories_0; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_0 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
\.


--
-- Data for Name: memories_1; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_1 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
\.


--
-- Data for Name: memories_2; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_2 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
\.


--
-- Data for Name: memories_3; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_3 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
\.


--
-- Data for Name: memories_4; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_4 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
\.


--
-- Data for Name: memories_5; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_5 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
\.


--
-- Data for Name: memories_6; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_6 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
\.


--
-- Data for Name: memories_7; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.memories_7 (namespace_id, memory_id, content, kind, state, visibility, agent_id, create_time, update_time, event_time, revision, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error, content_hash, terms, lex, words, cold) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-db71-7083-94c2-5ae385cc9125	ben's locker is 17 本的柜子是17号	3	1	1	ben	2026-11-30 17:14:57.228456+00	2026-11-30 17:14:57.228456+00	2026-11-30 17:14:57.228456+00	1				{}	{}	[]	0.5	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.228456+00	\N	0	\N	2		\\x0ad7d9c6fca169558698f30c50f3dfe18d7cd0ab7664fe62184239f1247b6b13	{50900,166647,330078,335626,351262,361163,403653,406800,594787,611840,773603,969622,1003182}	{50901:1.1058142,166648:1.1058142,330079:1.1058142,335627:1.1058142,351263:1.1058142,361164:1.1058142,403654:1.1058142,406801:1.1058142,594788:1.1058142,611841:1.3979887,773604:1.1058142,969623:1.1058142,1003183:1.1058142}/1048576	7	f
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dc8e-762a-a22f-defc6aea5c00	The boiler was serviced in May. 锅炉五月份检修过。	3	1	2	ann	2026-11-30 17:14:57.549784+00	2026-11-30 17:14:57.549784+00	2026-11-30 17:14:57.549784+00	1				{house,房子}	{}	[]	0.5	1	{"floor": 2}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.549784+00	\N	0	\N	2		\\xb437e3f141f140cfdbc8625fd61056a231e75016fa483d65b08ae30c365035cd	{-486588019,-18388327,35222,69776,76723,191973,222307,231751,285539,327979,328552,356357,426546,460404,573670,591474,637619,695135,904087,979527}	{35223:1.0083717,69777:1.0083717,76724:1.0083717,191974:1.0083717,222308:1.0083717,231752:1.0083717,285540:1.0083717,327980:1.0083717,328553:1.0083717,356358:1.0083717,426547:1.0083717,460405:1.0083717,573671:1.0083717,591475:1.0083717,637620:1.0083717,695136:1.0083717,904088:1.0083717,979528:1.0083717}/1048576	8	f
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dcf1-7309-81e8-57411669361b	会议室的投影仪坏了 the projector is broken	3	1	2	ann	2026-11-30 17:14:57.649122+00	2026-11-30 17:14:57.649122+00	2026-11-30 17:14:57.649122+00	1				{house,房子}	{}	[]	0.5	1	{"floor": 2}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.649122+00	\N	0	\N	2		\\x0924d0073e66b4d822ef52d63f34a41ce5a8f2d535e8d07f7a0d6527c7cad104	{-486588019,-18388327,49758,55218,97144,112745,115103,153962,200945,226502,312929,487477,500467,533009,554463,594787,658788,705225,919233,929817,943343}	{49759:1.0146571,55219:1.0146571,97145:1.0146571,112746:1.0146571,115104:1.0146571,153963:1.0146571,200946:1.0146571,226503:1.0146571,312930:1.0146571,487478:1.0146571,500468:1.0146571,533010:1.0146571,554464:1.0146571,594788:1.0146571,658789:1.0146571,705226:1.0146571,919234:1.0146571,929818:1.0146571,943344:1.0146571}/1048576	8	f
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dd4b-7608-93f8-54dee04034d0	The gate code is 2805 大门密码是2805	3	1	2	ann	2026-11-30 17:14:57.739583+00	2026-11-30 17:14:57.767706+00	2026-11-30 17:14:57.739583+00	2	lin			{}	{}	[]	0.85	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.739583+00	\N	0	\N	2		\\xa6f27e71d961e0a8f9f24b513641997486cfb7b16f53d277f48c7efe07de741d	{69863,130025,375824,562727,565226,631911,773603,789284,819204,878911,930695,1038156}	{69864:1.0376931,130026:1.0376931,375825:1.0376931,562728:1.0376931,565227:1.0376931,631912:1.0376931,773604:1.0376931,789285:1.0376931,819205:1.0376931,878912:1.0376931,930696:1.0376931,1038157:1.3422892}/1048576	7	f
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-de01-71ba-ab49-64fa60b0a94e	a parcel waits at the desk 前台有个包裹	3	5	2	ann	2026-11-30 17:14:57.920926+00	2026-11-30 17:14:58.196436+00	2026-11-30 17:14:57.920926+00	2				{}	{}	[]	0.5	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.920926+00	\N	0	\N	2		\\xe08da39f9339e2473874bb1b157456a09e2665126df9ca020a27d0ac89ad4361	{144094,199835,209085,356680,360584,372801,468397,496482,501558,615510,886018,926885,958320,1002346,1016076}	{144095:1.0376931,199836:1.0376931,209086:1.0376931,356681:1.0376931,360585:1.0376931,372802:1.0376931,468398:1.0376931,496483:1.0376931,501559:1.0376931,615511:1.0376931,886019:1.0376931,926886:1.0376931,958321:1.0376931,1002347:1.0376931,1016077:1.0376931}/1048576	7	f
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-df7b-766a-aed4-c2753f465b4e	the old canteen menu 旧食堂菜单	2	4	2	ann	2026-11-30 17:14:58.299237+00	2026-11-30 17:14:58.324736+00	2026-11-30 17:14:58.299237+00	2				{}	{}	[]	0.4	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:58.299237+00	\N	0	\N	2		\\x6cc395a6f8af169209529968cbc41197e464bf71b66ecdc2fa7bd7ab3242b8c3	{159337,232991,248630,330256,339524,354399,584102,650189,742904,788240,806036,834713}	{159338:1.0617993,232992:1.0617993,248631:1.0617993,330257:1.0617993,339525:1.0617993,354400:1.0617993,584103:1.0617993,650190:1.0617993,742905:1.0617993,788241:1.0617993,806037:1.0617993,834714:1.0617993}/1048576	6	f
\.


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.migrations (name, checksum, apply_time) FROM stdin;
0001_pre_schema	600bf8ea1f0176137456fe815b775b1066d007209f5d011174c223fd7afcb1c4	2026-11-30 17:14:55.810787+00
0002_pre_tenancy	90accb2f2652b760eb75f73140efc28e83b11ff2f67e7ebdc77dcc09d177f7be	2026-11-30 17:14:56.260728+00
0003_pre_sessions	29c9cb4aec185bff248215aee0ef49f6dc6b0daef51d7a8130979356cf2b1f2e	2026-11-30 17:14:56.313188+00
0004_pre_reflections	ea4fdefd3348d5b9965a21900e2547615f7c8a3003261f96657b36827a986a71	2026-11-30 17:14:56.366221+00
0005_pre_archive	a992ef815a38cfb5c58a30f53f47821726b854a31f05116c6477fba9ff7dc9e7	2026-11-30 17:14:56.410638+00
0006_pre_limits	2e2ac7f4a0e84511617c2090c6607410cf03731ca1be1d161b462f94a75593bf	2026-11-30 17:14:56.512846+00
0007_pre_figures	468d0e36cdc50af0b02f23b307cb696df4e3a3dfad67bda0b8a440f21da6ca33	2026-11-30 17:14:56.532856+00
0008_pre_planner	f580e9b63839aede4b71f6b53ed0c7d7152abba4d95a3e0adf0cc92bdf882095	2026-11-30 17:14:56.543627+00
0009_pre_counters	3db146296eb3eee9f8583ba937718b83d0ae6399c082a0c044fdba9a02e36812	2026-11-30 17:14:56.601391+00
\.


--
-- Data for Name: models; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.models (model_id, name, dimensions, active, create_time) FROM stdin;
1	hash:384:1	384	t	2026-11-30 17:14:56.762791+00
\.


--
-- Data for Name: namespace_heads; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.namespace_heads (namespace_id, tenant_id, change_sequence, swept_sequence, live, words) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	c096dfc9-3fd6-4b56-9e87-983f0860ea6a	9	0	4	30
\.


--
-- Data for Name: namespace_statistics; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.namespace_statistics (namespace_id, live, mean, model_id, ann, update_time) FROM stdin;
\.


--
-- Data for Name: namespaces; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.namespaces (namespace_id, tenant_id, name, description, policy, revision, create_time, update_time, created_by) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	c096dfc9-3fd6-4b56-9e87-983f0860ea6a	inside		{}	1	2026-11-30 17:14:56.820899+00	2026-11-30 17:14:56.820899+00	
\.


--
-- Data for Name: open_reviews; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.open_reviews (namespace_id, hour, audience, type, n) FROM stdin;
\.


--
-- Data for Name: reflected_sources; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.reflected_sources (namespace_id, source_id, target, revision) FROM stdin;
\.


--
-- Data for Name: reflection_insights; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.reflection_insights (namespace_id, reflection_id, place, memory_id, review_id, visibility, agent_id, category, content, counterfactual, confidence, source_ids, support, outcome) FROM stdin;
\.


--
-- Data for Name: reflection_schedules; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.reflection_schedules (namespace_id, line, time_zone, tick) FROM stdin;
\.


--
-- Data for Name: reflections; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.reflections (namespace_id, reflection_id, agent_id, actor, state, scope, targets, dry_run, progress, counts, skipped, "position", tokens, calls, error, attempts, due_time, create_time, start_time, end_time, traceparent) FROM stdin;
\.


--
-- Data for Name: requests; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.requests (tenant_id, agent_id, method, request_id, fingerprint, answer, create_time) FROM stdin;
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.NamespaceService/CreateKey	0947cff2-5143-478f-9c9c-8a3445181a52	\\xf8bebff1ef1f7b71fc735c23620df2f98ef9aa5f6e20eaf602513a91480bf570	{"answer": {"roles": [2], "key_id": "8efb610ddb7d0db8", "tenant": "default", "agent_id": "ben", "confined": false, "tenant_id": "c096dfc9-3fd6-4b56-9e87-983f0860ea6a", "namespaces": ["inside"], "create_time": "2026-11-30T17:14:57.083575+00:00", "description": "", "expire_time": null, "revoke_time": null, "last_use_time": null}}	2026-11-30 17:14:57.083575+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ben	recalld.v1.MemoryService/Write	1396970b-d81d-48ab-a262-d6f865a15d2d	\\x9e9952a7410a65bcb214263728d6ca5b21cf49a5b51639400992835b50b66559	{"answer": [{"etag": "\\"1-85cc9125\\"", "reason": "nothing_near", "outcome": 1, "related": [], "revision": 1, "memory_id": "01a22d73-db71-7083-94c2-5ae385cc9125", "review_id": null, "importance": 0.5, "index_state": 2, "importance_threshold": 0.0}]}	2026-11-30 17:14:57.413601+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Write	a2fcddf2-a4e6-4973-89dd-8802d825da43	\\xd8784dadf5e112bf19e16ad27b70056a532d4a91dc606170a4179490582ca162	{"answer": [{"etag": "\\"1-6aea5c00\\"", "reason": "nothing_near", "outcome": 1, "related": [], "revision": 1, "memory_id": "01a22d73-dc8e-762a-a22f-defc6aea5c00", "review_id": null, "importance": 0.5, "index_state": 2, "importance_threshold": 0.0}]}	2026-11-30 17:14:57.578572+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Write	3198dadb-174c-41b1-80fd-265e024aaca9	\\xf2ad01fc51375de64054b5589443cadc6e6447749f110145271791767a6d033e	{"answer": [{"etag": "\\"1-1669361b\\"", "reason": "nothing_near", "outcome": 1, "related": [], "revision": 1, "memory_id": "01a22d73-dcf1-7309-81e8-57411669361b", "review_id": null, "importance": 0.5, "index_state": 2, "importance_threshold": 0.0}]}	2026-11-30 17:14:57.704504+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Write	4e210870-ff25-42b6-ac67-515ea0536a9a	\\x51d23ef7f1cd7231866748ffcdcffb8eef7da554f5fb6472a8d591caa21cdab8	{"answer": [{"etag": "\\"1-e04034d0\\"", "reason": "nothing_near", "outcome": 1, "related": [], "revision": 1, "memory_id": "01a22d73-dd4b-7608-93f8-54dee04034d0", "review_id": null, "importance": 0.85, "index_state": 2, "importance_threshold": 0.0}]}	2026-11-30 17:14:57.746935+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Update	8a12d2ea-93a3-40c3-b188-100191d94435	\\xd62b264f70f06557399b23558e40e0d6e362417f9f21afb98a2d77810e24f16c	{"answer": {"kind": 3, "tags": [], "state": 1, "content": "The gate code is 2805 大门密码是2805", "speaker": "", "user_id": "lin", "agent_id": "ann", "entities": [], "metadata": {}, "revision": 2, "memory_id": "01a22d73-dd4b-7608-93f8-54dee04034d0", "namespace": "inside", "use_count": 0, "confidence": 1.0, "event_time": "2026-11-30T17:14:57.739583Z", "importance": 0.85, "session_id": "", "source_ids": [], "supersedes": [], "tool_calls": [], "valid_from": "2026-11-30T17:14:57.739583Z", "visibility": 2, "create_time": "2026-11-30T17:14:57.739583Z", "expire_time": null, "index_error": "", "index_state": 2, "update_time": "2026-11-30T17:14:57.767706Z", "valid_until": null, "last_use_time": null, "superseded_by": null, "conflicts_with": [], "counterfactual": ""}}	2026-11-30 17:14:57.777564+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Write	5e65c6ce-96f2-4fcb-881e-7ff714e29b61	\\xd575c23a2d464c8fe7ce691c5fe29311c61c920a0d5b7b8fcbd9d264b4890602	{"answer": [{"etag": "\\"1-60b0a94e\\"", "reason": "too_far", "outcome": 1, "related": [], "revision": 1, "memory_id": "01a22d73-de01-71ba-ab49-64fa60b0a94e", "review_id": null, "importance": 0.5, "index_state": 2, "importance_threshold": 0.0}]}	2026-11-30 17:14:58.161565+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Forget	fb2b3c3b-b474-4dba-ae75-824aeb0bf1d9	\\x86220d485b2753ed753470ca6f653258eb2c47f0d0d27ee8aafe42622eccfa99	{"answer": {"digest": "", "order_id": "01a22d73-df1c-7c88-84d2-f93b0dad14d8", "memory_ids": ["01a22d73-de01-71ba-ab49-64fa60b0a94e"], "skipped_ids": []}}	2026-11-30 17:14:58.196436+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Write	5acc9071-095c-461e-b010-3025e6e21c11	\\xb244f79fd830bbef43bc462b6fbbd7764c7e366cf7a411573a970cb35c7b3f62	{"answer": [{"etag": "\\"1-3f465b4e\\"", "reason": "nothing_near", "outcome": 1, "related": [], "revision": 1, "memory_id": "01a22d73-df7b-766a-aed4-c2753f465b4e", "review_id": null, "importance": 0.4, "index_state": 2, "importance_threshold": 0.0}]}	2026-11-30 17:14:58.30543+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.MemoryService/Forget	3d8a4bae-f14b-4cad-98a9-df45c5b7c9a3	\\xf969dc75bf89b3dab04032d74b8bf01a3ced54dfe282b99dbec1375aa8d08ab8	{"answer": {"digest": "", "order_id": "01a22d73-df96-70a6-a05d-ab700d62ed40", "memory_ids": ["01a22d73-df7b-766a-aed4-c2753f465b4e"], "skipped_ids": []}}	2026-11-30 17:14:58.324736+00
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	ann	recalld.v1.SessionService/AppendTurns	df50fe81-cca4-4b36-8926-9e85806ceb2b	\\xf319d6f86ba2fb8d5921a6e760fd2e9d21f38a55133fa89289acbf998ecc8ff7	{"answer": {"session": {"state": 1, "user_id": "", "agent_id": "ann", "erasures": 0, "revision": 0, "namespace": "inside", "variables": {}, "asked_turn": 0, "session_id": "s-1", "turn_count": 2, "create_time": "2026-11-30T17:14:58.345379Z", "expire_time": "2026-11-30T19:14:58.345379Z", "update_time": "2026-11-30T17:14:58.345379Z", "reflected_turn": 0}, "turn_ids": ["01a22d73-dfa8-70ef-b014-6777b6fe2626", "01a22d73-dfa8-7c8e-9fe1-fcd4ea66eee8"], "reflection_id": null}, "session_id": "s-1", "namespace_id": "01a22d73-d9b8-7521-91dd-0543487b1496"}	2026-11-30 17:14:58.345379+00
\.


--
-- Data for Name: retention_runs; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.retention_runs (namespace_id, tick) FROM stdin;
\.


--
-- Data for Name: review_memories; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.review_memories (namespace_id, review_id, memory_id, visibility, agent_id, place) FROM stdin;
\.


--
-- Data for Name: reviews; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.reviews (namespace_id, review_id, type, state, visibility, agent_id, create_time, expire_time, decision, actor, reason, resolve_time) FROM stdin;
\.


--
-- Data for Name: revisions; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.revisions (namespace_id, memory_id, revision, action, actor, reason, request_key, content, kind, state, visibility, agent_id, create_time, update_time, event_time, user_id, session_id, speaker, tags, entities, tool_calls, importance, confidence, metadata, counterfactual, source_ids, superseded_by, supersedes, conflicts_with, expire_time, valid_from, valid_until, use_count, last_use_time, index_state, index_error) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-db71-7083-94c2-5ae385cc9125	1	write	ben		{ben,recalld.v1.MemoryService/Write,1396970b-d81d-48ab-a262-d6f865a15d2d}	ben's locker is 17 本的柜子是17号	3	1	1	ben	2026-11-30 17:14:57.228456+00	2026-11-30 17:14:57.228456+00	2026-11-30 17:14:57.228456+00				{}	{}	[]	0.5	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.228456+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dc8e-762a-a22f-defc6aea5c00	1	write	ann		{ann,recalld.v1.MemoryService/Write,a2fcddf2-a4e6-4973-89dd-8802d825da43}	The boiler was serviced in May. 锅炉五月份检修过。	3	1	2	ann	2026-11-30 17:14:57.549784+00	2026-11-30 17:14:57.549784+00	2026-11-30 17:14:57.549784+00				{house,房子}	{}	[]	0.5	1	{"floor": 2}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.549784+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dcf1-7309-81e8-57411669361b	1	write	ann		{ann,recalld.v1.MemoryService/Write,3198dadb-174c-41b1-80fd-265e024aaca9}	会议室的投影仪坏了 the projector is broken	3	1	2	ann	2026-11-30 17:14:57.649122+00	2026-11-30 17:14:57.649122+00	2026-11-30 17:14:57.649122+00				{house,房子}	{}	[]	0.5	1	{"floor": 2}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.649122+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dd4b-7608-93f8-54dee04034d0	1	write	ann		{ann,recalld.v1.MemoryService/Write,4e210870-ff25-42b6-ac67-515ea0536a9a}	The gate code is 4711 大门密码是4711	3	1	2	ann	2026-11-30 17:14:57.739583+00	2026-11-30 17:14:57.739583+00	2026-11-30 17:14:57.739583+00	lin			{}	{}	[]	0.85	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.739583+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dd4b-7608-93f8-54dee04034d0	2	update	ann	changed 改了	{ann,recalld.v1.MemoryService/Update,8a12d2ea-93a3-40c3-b188-100191d94435}	The gate code is 2805 大门密码是2805	3	1	2	ann	2026-11-30 17:14:57.739583+00	2026-11-30 17:14:57.767706+00	2026-11-30 17:14:57.739583+00	lin			{}	{}	[]	0.85	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.739583+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-de01-71ba-ab49-64fa60b0a94e	1	write	ann		{ann,recalld.v1.MemoryService/Write,5e65c6ce-96f2-4fcb-881e-7ff714e29b61}	a parcel waits at the desk 前台有个包裹	3	1	2	ann	2026-11-30 17:14:57.920926+00	2026-11-30 17:14:57.920926+00	2026-11-30 17:14:57.920926+00				{}	{}	[]	0.5	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.920926+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-de01-71ba-ab49-64fa60b0a94e	2	forget	ann		{ann,recalld.v1.MemoryService/Forget,fb2b3c3b-b474-4dba-ae75-824aeb0bf1d9}	a parcel waits at the desk 前台有个包裹	3	5	2	ann	2026-11-30 17:14:57.920926+00	2026-11-30 17:14:58.196436+00	2026-11-30 17:14:57.920926+00				{}	{}	[]	0.5	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:57.920926+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-df7b-766a-aed4-c2753f465b4e	1	write	ann		{ann,recalld.v1.MemoryService/Write,5acc9071-095c-461e-b010-3025e6e21c11}	the old canteen menu 旧食堂菜单	2	1	2	ann	2026-11-30 17:14:58.299237+00	2026-11-30 17:14:58.299237+00	2026-11-30 17:14:58.299237+00				{}	{}	[]	0.4	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:58.299237+00	\N	0	\N	2	
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-df7b-766a-aed4-c2753f465b4e	2	archive	ann		{ann,recalld.v1.MemoryService/Forget,3d8a4bae-f14b-4cad-98a9-df45c5b7c9a3}	the old canteen menu 旧食堂菜单	2	4	2	ann	2026-11-30 17:14:58.299237+00	2026-11-30 17:14:58.324736+00	2026-11-30 17:14:58.299237+00				{}	{}	[]	0.4	1	{}		{}	\N	{}	{}	\N	2026-11-30 17:14:58.299237+00	\N	0	\N	2	
\.


--
-- Data for Name: search_hours; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.search_hours (tenant_id, place, hour, band, n, used) FROM stdin;
\.


--
-- Data for Name: search_places; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.search_places (tenant_id, namespace_id, place) FROM stdin;
\.


--
-- Data for Name: searches; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.searches (tenant_id, search_id, agent_id, namespace_ids, memory_ids, used, helped, milliseconds, create_time) FROM stdin;
\.


--
-- Data for Name: session_jobs; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.session_jobs (namespace_id, job_id, session_id, agent_id, reason, attempts, up_to_turn, due_time, create_time) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	01a22d73-dfbf-7a7e-9c51-5f2d3af4f626	s-1	ann	idle	0	\N	2026-11-30 17:19:58.345379+00	2026-11-30 17:14:58.345379+00
\.


--
-- Data for Name: session_turns; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.session_turns (namespace_id, session_id, sequence, turn_id, role, content, agent_id, event_time, speaker, tool_calls, tokens) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	s-1	1	01a22d73-dfa8-70ef-b014-6777b6fe2626	1	Where is the boiler? 锅炉在哪里？	ann	2026-11-30 17:14:58.344669+00		[]	12
01a22d73-d9b8-7521-91dd-0543487b1496	s-1	2	01a22d73-dfa8-7c8e-9fe1-fcd4ea66eee8	1	in the cellar 在地下室	ann	2026-11-30 17:14:58.344776+00		[]	8
\.


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.sessions (namespace_id, session_id, state, agent_id, user_id, turn_count, asked_turn, reflected_turn, variables, revision, erasures, create_time, update_time, expire_time, settled) FROM stdin;
01a22d73-d9b8-7521-91dd-0543487b1496	s-1	1	ann		2	0	0	{}	0	0	2026-11-30 17:14:58.345379+00	2026-11-30 17:14:58.345379+00	2026-11-30 19:14:58.345379+00	f
\.


--
-- Data for Name: spent_hours; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.spent_hours (namespace_id, hour, tokens) FROM stdin;
\.


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.tenants (tenant_id, name, create_time, limits) FROM stdin;
c096dfc9-3fd6-4b56-9e87-983f0860ea6a	default	2026-11-30 17:14:56.804782+00	{}
\.


--
-- Data for Name: term_stats; Type: TABLE DATA; Schema: recalld; Owner: postgres
--

COPY recalld.term_stats (namespace_id, term, df) FROM stdin;
\.


--
-- Name: reflection_insights_place_seq; Type: SEQUENCE SET; Schema: recalld; Owner: postgres
--

SELECT pg_catalog.setval('recalld.reflection_insights_place_seq', 1, false);


--
-- Name: archive_segments archive_segments_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.archive_segments
    ADD CONSTRAINT archive_segments_pkey PRIMARY KEY (namespace_id, segment_id);


--
-- Name: archived archived_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.archived
    ADD CONSTRAINT archived_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant_id, event_id);


--
-- Name: changes changes_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (namespace_id, sequence);


--
-- Name: counts counts_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.counts
    ADD CONSTRAINT counts_pkey PRIMARY KEY (namespace_id, audience, kind, state);


--
-- Name: created_days created_days_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.created_days
    ADD CONSTRAINT created_days_pkey PRIMARY KEY (namespace_id, day, audience);


--
-- Name: duplicates duplicates_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.duplicates
    ADD CONSTRAINT duplicates_pkey PRIMARY KEY (namespace_id, audience);


--
-- Name: embeddings embeddings_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings
    ADD CONSTRAINT embeddings_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_0 embeddings_0_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_0
    ADD CONSTRAINT embeddings_0_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_1 embeddings_1_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_1
    ADD CONSTRAINT embeddings_1_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_2 embeddings_2_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_2
    ADD CONSTRAINT embeddings_2_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_3 embeddings_3_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_3
    ADD CONSTRAINT embeddings_3_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_4 embeddings_4_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_4
    ADD CONSTRAINT embeddings_4_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_5 embeddings_5_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_5
    ADD CONSTRAINT embeddings_5_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_6 embeddings_6_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_6
    ADD CONSTRAINT embeddings_6_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: embeddings_7 embeddings_7_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.embeddings_7
    ADD CONSTRAINT embeddings_7_pkey PRIMARY KEY (namespace_id, memory_id, model_id);


--
-- Name: expiring expiring_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.expiring
    ADD CONSTRAINT expiring_pkey PRIMARY KEY (namespace_id, slot, audience, kind);


--
-- Name: forget_items forget_items_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.forget_items
    ADD CONSTRAINT forget_items_pkey PRIMARY KEY (namespace_id, order_id, memory_id);


--
-- Name: forget_orders forget_orders_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.forget_orders
    ADD CONSTRAINT forget_orders_pkey PRIMARY KEY (namespace_id, order_id);


--
-- Name: found found_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.found
    ADD CONSTRAINT found_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: grants grants_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (namespace_id, grant_id);


--
-- Name: index_jobs index_jobs_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.index_jobs
    ADD CONSTRAINT index_jobs_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: keys keys_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (key_id);


--
-- Name: memories memories_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_0 memories_0_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_0
    ADD CONSTRAINT memories_0_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_1 memories_1_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_1
    ADD CONSTRAINT memories_1_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_2 memories_2_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_2
    ADD CONSTRAINT memories_2_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_3 memories_3_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_3
    ADD CONSTRAINT memories_3_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_4 memories_4_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_4
    ADD CONSTRAINT memories_4_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_5 memories_5_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_5
    ADD CONSTRAINT memories_5_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_6 memories_6_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_6
    ADD CONSTRAINT memories_6_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: memories_7 memories_7_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.memories_7
    ADD CONSTRAINT memories_7_pkey PRIMARY KEY (namespace_id, memory_id);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);


--
-- Name: models models_name_key; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.models
    ADD CONSTRAINT models_name_key UNIQUE (name);


--
-- Name: models models_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (model_id);


--
-- Name: namespace_heads namespace_heads_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.namespace_heads
    ADD CONSTRAINT namespace_heads_pkey PRIMARY KEY (namespace_id);


--
-- Name: namespace_statistics namespace_statistics_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.namespace_statistics
    ADD CONSTRAINT namespace_statistics_pkey PRIMARY KEY (namespace_id);


--
-- Name: namespaces namespaces_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.namespaces
    ADD CONSTRAINT namespaces_pkey PRIMARY KEY (namespace_id);


--
-- Name: namespaces namespaces_tenant_id_name_key; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.namespaces
    ADD CONSTRAINT namespaces_tenant_id_name_key UNIQUE (tenant_id, name);


--
-- Name: open_reviews open_reviews_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.open_reviews
    ADD CONSTRAINT open_reviews_pkey PRIMARY KEY (namespace_id, hour, audience, type);


--
-- Name: reflected_sources reflected_sources_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.reflected_sources
    ADD CONSTRAINT reflected_sources_pkey PRIMARY KEY (namespace_id, source_id, target);


--
-- Name: reflection_insights reflection_insights_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.reflection_insights
    ADD CONSTRAINT reflection_insights_pkey PRIMARY KEY (namespace_id, reflection_id, place);


--
-- Name: reflection_schedules reflection_schedules_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.reflection_schedules
    ADD CONSTRAINT reflection_schedules_pkey PRIMARY KEY (namespace_id);


--
-- Name: reflections reflections_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.reflections
    ADD CONSTRAINT reflections_pkey PRIMARY KEY (namespace_id, reflection_id);


--
-- Name: requests requests_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (tenant_id, agent_id, method, request_id);


--
-- Name: retention_runs retention_runs_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.retention_runs
    ADD CONSTRAINT retention_runs_pkey PRIMARY KEY (namespace_id);


--
-- Name: review_memories review_memories_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.review_memories
    ADD CONSTRAINT review_memories_pkey PRIMARY KEY (namespace_id, review_id, memory_id);


--
-- Name: reviews reviews_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (namespace_id, review_id);


--
-- Name: revisions revisions_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (namespace_id, memory_id, revision);


--
-- Name: search_hours search_hours_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.search_hours
    ADD CONSTRAINT search_hours_pkey PRIMARY KEY (tenant_id, place, hour, band);


--
-- Name: search_places search_places_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.search_places
    ADD CONSTRAINT search_places_pkey PRIMARY KEY (tenant_id, namespace_id, place);


--
-- Name: searches searches_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.searches
    ADD CONSTRAINT searches_pkey PRIMARY KEY (tenant_id, search_id);


--
-- Name: session_jobs session_jobs_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.session_jobs
    ADD CONSTRAINT session_jobs_pkey PRIMARY KEY (namespace_id, job_id);


--
-- Name: session_turns session_turns_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.session_turns
    ADD CONSTRAINT session_turns_pkey PRIMARY KEY (namespace_id, session_id, sequence);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (namespace_id, session_id);


--
-- Name: spent_hours spent_hours_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.spent_hours
    ADD CONSTRAINT spent_hours_pkey PRIMARY KEY (namespace_id, hour);


--
-- Name: tenants tenants_name_key; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.tenants
    ADD CONSTRAINT tenants_name_key UNIQUE (name);


--
-- Name: tenants tenants_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);


--
-- Name: term_stats term_stats_pkey; Type: CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.term_stats
    ADD CONSTRAINT term_stats_pkey PRIMARY KEY (namespace_id, term);


--
-- Name: archived_by_segment; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX archived_by_segment ON recalld.archived USING btree (namespace_id, segment_id);


--
-- Name: audit_by_agent; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX audit_by_agent ON recalld.audit USING btree (tenant_id, agent_id, event_id);


--
-- Name: audit_by_namespace; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX audit_by_namespace ON recalld.audit USING btree (tenant_id, namespace, event_id);


--
-- Name: audit_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX audit_by_time ON recalld.audit USING brin (create_time);


--
-- Name: embeddings_ann_1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_ann_1 ON ONLY recalld.embeddings USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_0_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_0_embedding_idx ON recalld.embeddings_0 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_fresh; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_fresh ON ONLY recalld.embeddings USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_0_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_0_namespace_id_model_id_idx ON recalld.embeddings_0 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_1_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_1_embedding_idx ON recalld.embeddings_1 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_1_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_1_namespace_id_model_id_idx ON recalld.embeddings_1 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_2_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_2_embedding_idx ON recalld.embeddings_2 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_2_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_2_namespace_id_model_id_idx ON recalld.embeddings_2 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_3_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_3_embedding_idx ON recalld.embeddings_3 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_3_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_3_namespace_id_model_id_idx ON recalld.embeddings_3 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_4_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_4_embedding_idx ON recalld.embeddings_4 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_4_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_4_namespace_id_model_id_idx ON recalld.embeddings_4 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_5_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_5_embedding_idx ON recalld.embeddings_5 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_5_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_5_namespace_id_model_id_idx ON recalld.embeddings_5 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_6_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_6_embedding_idx ON recalld.embeddings_6 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_6_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_6_namespace_id_model_id_idx ON recalld.embeddings_6 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: embeddings_7_embedding_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_7_embedding_idx ON recalld.embeddings_7 USING hnsw (((embedding)::recalld.halfvec(384)) recalld.halfvec_ip_ops) WITH (m='16', ef_construction='64') WHERE (ann AND (model_id = 1));


--
-- Name: embeddings_7_namespace_id_model_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX embeddings_7_namespace_id_model_id_idx ON recalld.embeddings_7 USING btree (namespace_id, model_id) WHERE (NOT ann);


--
-- Name: forget_orders_unfinished; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX forget_orders_unfinished ON recalld.forget_orders USING btree (namespace_id, due_time) WHERE (finish_time IS NULL);


--
-- Name: grants_by_grantee; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX grants_by_grantee ON recalld.grants USING btree (grantee, grantee_type);


--
-- Name: keys_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX keys_by_time ON recalld.keys USING btree (tenant_id, create_time DESC, key_id DESC);


--
-- Name: memories_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_by_time ON ONLY recalld.memories USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_0_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_create_time_memory_id_idx ON recalld.memories_0 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_by_expiry; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_by_expiry ON ONLY recalld.memories USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_0_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_expire_time_idx ON recalld.memories_0 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_live_text; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_live_text ON ONLY recalld.memories USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_0_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_0_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_0 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_to_index; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_to_index ON ONLY recalld.memories USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_0_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_index_state_create_time_idx ON recalld.memories_0 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_by_session; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_by_session ON ONLY recalld.memories USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_0_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_0 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_by_terms; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_by_terms ON ONLY recalld.memories USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_0_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_terms_idx ON recalld.memories_0 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_hidden; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_hidden ON ONLY recalld.memories USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_0_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_update_time_idx ON recalld.memories_0 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_to_archive; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_to_archive ON ONLY recalld.memories USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_0_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_update_time_idx1 ON recalld.memories_0 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_by_user; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_by_user ON ONLY recalld.memories USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_0_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_0_namespace_id_user_id_create_time_idx ON recalld.memories_0 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_1_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_create_time_memory_id_idx ON recalld.memories_1 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_1_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_expire_time_idx ON recalld.memories_1 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_1_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_1_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_1 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_1_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_index_state_create_time_idx ON recalld.memories_1 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_1_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_1 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_1_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_terms_idx ON recalld.memories_1 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_1_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_update_time_idx ON recalld.memories_1 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_1_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_update_time_idx1 ON recalld.memories_1 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_1_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_1_namespace_id_user_id_create_time_idx ON recalld.memories_1 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_2_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_create_time_memory_id_idx ON recalld.memories_2 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_2_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_expire_time_idx ON recalld.memories_2 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_2_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_2_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_2 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_2_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_index_state_create_time_idx ON recalld.memories_2 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_2_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_2 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_2_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_terms_idx ON recalld.memories_2 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_2_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_update_time_idx ON recalld.memories_2 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_2_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_update_time_idx1 ON recalld.memories_2 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_2_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_2_namespace_id_user_id_create_time_idx ON recalld.memories_2 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_3_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_create_time_memory_id_idx ON recalld.memories_3 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_3_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_expire_time_idx ON recalld.memories_3 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_3_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_3_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_3 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_3_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_index_state_create_time_idx ON recalld.memories_3 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_3_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_3 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_3_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_terms_idx ON recalld.memories_3 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_3_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_update_time_idx ON recalld.memories_3 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_3_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_update_time_idx1 ON recalld.memories_3 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_3_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_3_namespace_id_user_id_create_time_idx ON recalld.memories_3 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_4_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_create_time_memory_id_idx ON recalld.memories_4 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_4_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_expire_time_idx ON recalld.memories_4 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_4_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_4_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_4 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_4_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_index_state_create_time_idx ON recalld.memories_4 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_4_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_4 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_4_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_terms_idx ON recalld.memories_4 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_4_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_update_time_idx ON recalld.memories_4 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_4_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_update_time_idx1 ON recalld.memories_4 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_4_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_4_namespace_id_user_id_create_time_idx ON recalld.memories_4 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_5_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_create_time_memory_id_idx ON recalld.memories_5 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_5_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_expire_time_idx ON recalld.memories_5 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_5_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_5_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_5 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_5_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_index_state_create_time_idx ON recalld.memories_5 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_5_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_5 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_5_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_terms_idx ON recalld.memories_5 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_5_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_update_time_idx ON recalld.memories_5 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_5_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_update_time_idx1 ON recalld.memories_5 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_5_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_5_namespace_id_user_id_create_time_idx ON recalld.memories_5 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_6_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_create_time_memory_id_idx ON recalld.memories_6 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_6_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_expire_time_idx ON recalld.memories_6 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_6_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_6_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_6 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_6_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_index_state_create_time_idx ON recalld.memories_6 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_6_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_6 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_6_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_terms_idx ON recalld.memories_6 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_6_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_update_time_idx ON recalld.memories_6 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_6_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_update_time_idx1 ON recalld.memories_6 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_6_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_6_namespace_id_user_id_create_time_idx ON recalld.memories_6 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: memories_7_namespace_id_create_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_create_time_memory_id_idx ON recalld.memories_7 USING btree (namespace_id, create_time, memory_id);


--
-- Name: memories_7_namespace_id_expire_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_expire_time_idx ON recalld.memories_7 USING btree (namespace_id, expire_time) WHERE ((state = 1) AND (expire_time IS NOT NULL));


--
-- Name: memories_7_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX memories_7_namespace_id_expr_user_id_agent_id_content_hash_idx ON recalld.memories_7 USING btree (namespace_id, ((kind = 2)), user_id, (
CASE visibility
    WHEN 2 THEN ''::text
    ELSE agent_id
END), content_hash) WHERE (state = 1);


--
-- Name: memories_7_namespace_id_index_state_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_index_state_create_time_idx ON recalld.memories_7 USING btree (namespace_id, index_state, create_time) WHERE ((state = 1) AND (index_state <> 2));


--
-- Name: memories_7_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_session_id_event_time_memory_id_idx ON recalld.memories_7 USING btree (namespace_id, session_id, event_time, memory_id) WHERE (session_id <> ''::text);


--
-- Name: memories_7_namespace_id_terms_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_terms_idx ON recalld.memories_7 USING gin (namespace_id, terms) WITH (gin_pending_list_limit='512');


--
-- Name: memories_7_namespace_id_update_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_update_time_idx ON recalld.memories_7 USING btree (namespace_id, update_time) WHERE (state = 5);


--
-- Name: memories_7_namespace_id_update_time_idx1; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_update_time_idx1 ON recalld.memories_7 USING btree (namespace_id, update_time) WHERE ((state = 4) AND (NOT cold));


--
-- Name: memories_7_namespace_id_user_id_create_time_idx; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX memories_7_namespace_id_user_id_create_time_idx ON recalld.memories_7 USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: namespaces_scheduled; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX namespaces_scheduled ON recalld.namespaces USING btree (namespace_id) WHERE ((policy ->> 'reflection_schedule'::text) <> ''::text);


--
-- Name: one_active_model; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX one_active_model ON recalld.models USING btree (active) WHERE active;


--
-- Name: reflections_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX reflections_by_time ON recalld.reflections USING btree (namespace_id, create_time);


--
-- Name: reflections_due; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX reflections_due ON recalld.reflections USING btree (namespace_id, due_time) WHERE (due_time IS NOT NULL);


--
-- Name: requests_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX requests_by_time ON recalld.requests USING brin (create_time);


--
-- Name: review_memories_by_memory; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX review_memories_by_memory ON recalld.review_memories USING btree (namespace_id, memory_id);


--
-- Name: reviews_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX reviews_by_time ON recalld.reviews USING btree (namespace_id, create_time, review_id);


--
-- Name: reviews_open; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX reviews_open ON recalld.reviews USING btree (namespace_id, expire_time) WHERE (state = 1);


--
-- Name: searches_by_memory; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX searches_by_memory ON recalld.searches USING gin (memory_ids);


--
-- Name: searches_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX searches_by_time ON recalld.searches USING btree (tenant_id, create_time);


--
-- Name: session_jobs_waiting; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX session_jobs_waiting ON recalld.session_jobs USING btree (namespace_id, session_id) WHERE (attempts = 0);


--
-- Name: session_turns_by_id; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE UNIQUE INDEX session_turns_by_id ON recalld.session_turns USING btree (namespace_id, turn_id);


--
-- Name: sessions_by_time; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX sessions_by_time ON recalld.sessions USING btree (namespace_id, create_time, session_id);


--
-- Name: sessions_by_user; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX sessions_by_user ON recalld.sessions USING btree (namespace_id, user_id, create_time) WHERE (user_id <> ''::text);


--
-- Name: sessions_to_settle; Type: INDEX; Schema: recalld; Owner: postgres
--

CREATE INDEX sessions_to_settle ON recalld.sessions USING btree (namespace_id, expire_time) WHERE (NOT settled);


--
-- Name: embeddings_0_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_0_embedding_idx;


--
-- Name: embeddings_0_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_0_namespace_id_model_id_idx;


--
-- Name: embeddings_0_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_0_pkey;


--
-- Name: embeddings_1_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_1_embedding_idx;


--
-- Name: embeddings_1_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_1_namespace_id_model_id_idx;


--
-- Name: embeddings_1_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_1_pkey;


--
-- Name: embeddings_2_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_2_embedding_idx;


--
-- Name: embeddings_2_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_2_namespace_id_model_id_idx;


--
-- Name: embeddings_2_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_2_pkey;


--
-- Name: embeddings_3_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_3_embedding_idx;


--
-- Name: embeddings_3_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_3_namespace_id_model_id_idx;


--
-- Name: embeddings_3_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_3_pkey;


--
-- Name: embeddings_4_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_4_embedding_idx;


--
-- Name: embeddings_4_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_4_namespace_id_model_id_idx;


--
-- Name: embeddings_4_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_4_pkey;


--
-- Name: embeddings_5_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_5_embedding_idx;


--
-- Name: embeddings_5_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_5_namespace_id_model_id_idx;


--
-- Name: embeddings_5_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_5_pkey;


--
-- Name: embeddings_6_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_6_embedding_idx;


--
-- Name: embeddings_6_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_6_namespace_id_model_id_idx;


--
-- Name: embeddings_6_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_6_pkey;


--
-- Name: embeddings_7_embedding_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_ann_1 ATTACH PARTITION recalld.embeddings_7_embedding_idx;


--
-- Name: embeddings_7_namespace_id_model_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_fresh ATTACH PARTITION recalld.embeddings_7_namespace_id_model_id_idx;


--
-- Name: embeddings_7_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.embeddings_pkey ATTACH PARTITION recalld.embeddings_7_pkey;


--
-- Name: memories_0_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_0_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_0_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_0_namespace_id_expire_time_idx;


--
-- Name: memories_0_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_0_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_0_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_0_namespace_id_index_state_create_time_idx;


--
-- Name: memories_0_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_0_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_0_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_0_namespace_id_terms_idx;


--
-- Name: memories_0_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_0_namespace_id_update_time_idx;


--
-- Name: memories_0_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_0_namespace_id_update_time_idx1;


--
-- Name: memories_0_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_0_namespace_id_user_id_create_time_idx;


--
-- Name: memories_0_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_0_pkey;


--
-- Name: memories_1_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_1_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_1_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_1_namespace_id_expire_time_idx;


--
-- Name: memories_1_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_1_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_1_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_1_namespace_id_index_state_create_time_idx;


--
-- Name: memories_1_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_1_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_1_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_1_namespace_id_terms_idx;


--
-- Name: memories_1_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_1_namespace_id_update_time_idx;


--
-- Name: memories_1_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_1_namespace_id_update_time_idx1;


--
-- Name: memories_1_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_1_namespace_id_user_id_create_time_idx;


--
-- Name: memories_1_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_1_pkey;


--
-- Name: memories_2_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_2_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_2_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_2_namespace_id_expire_time_idx;


--
-- Name: memories_2_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_2_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_2_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_2_namespace_id_index_state_create_time_idx;


--
-- Name: memories_2_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_2_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_2_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_2_namespace_id_terms_idx;


--
-- Name: memories_2_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_2_namespace_id_update_time_idx;


--
-- Name: memories_2_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_2_namespace_id_update_time_idx1;


--
-- Name: memories_2_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_2_namespace_id_user_id_create_time_idx;


--
-- Name: memories_2_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_2_pkey;


--
-- Name: memories_3_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_3_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_3_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_3_namespace_id_expire_time_idx;


--
-- Name: memories_3_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_3_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_3_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_3_namespace_id_index_state_create_time_idx;


--
-- Name: memories_3_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_3_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_3_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_3_namespace_id_terms_idx;


--
-- Name: memories_3_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_3_namespace_id_update_time_idx;


--
-- Name: memories_3_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_3_namespace_id_update_time_idx1;


--
-- Name: memories_3_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_3_namespace_id_user_id_create_time_idx;


--
-- Name: memories_3_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_3_pkey;


--
-- Name: memories_4_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_4_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_4_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_4_namespace_id_expire_time_idx;


--
-- Name: memories_4_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_4_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_4_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_4_namespace_id_index_state_create_time_idx;


--
-- Name: memories_4_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_4_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_4_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_4_namespace_id_terms_idx;


--
-- Name: memories_4_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_4_namespace_id_update_time_idx;


--
-- Name: memories_4_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_4_namespace_id_update_time_idx1;


--
-- Name: memories_4_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_4_namespace_id_user_id_create_time_idx;


--
-- Name: memories_4_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_4_pkey;


--
-- Name: memories_5_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_5_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_5_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_5_namespace_id_expire_time_idx;


--
-- Name: memories_5_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_5_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_5_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_5_namespace_id_index_state_create_time_idx;


--
-- Name: memories_5_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_5_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_5_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_5_namespace_id_terms_idx;


--
-- Name: memories_5_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_5_namespace_id_update_time_idx;


--
-- Name: memories_5_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_5_namespace_id_update_time_idx1;


--
-- Name: memories_5_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_5_namespace_id_user_id_create_time_idx;


--
-- Name: memories_5_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_5_pkey;


--
-- Name: memories_6_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_6_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_6_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_6_namespace_id_expire_time_idx;


--
-- Name: memories_6_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_6_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_6_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_6_namespace_id_index_state_create_time_idx;


--
-- Name: memories_6_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_6_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_6_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_6_namespace_id_terms_idx;


--
-- Name: memories_6_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_6_namespace_id_update_time_idx;


--
-- Name: memories_6_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_6_namespace_id_update_time_idx1;


--
-- Name: memories_6_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_6_namespace_id_user_id_create_time_idx;


--
-- Name: memories_6_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_6_pkey;


--
-- Name: memories_7_namespace_id_create_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_time ATTACH PARTITION recalld.memories_7_namespace_id_create_time_memory_id_idx;


--
-- Name: memories_7_namespace_id_expire_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_expiry ATTACH PARTITION recalld.memories_7_namespace_id_expire_time_idx;


--
-- Name: memories_7_namespace_id_expr_user_id_agent_id_content_hash_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_live_text ATTACH PARTITION recalld.memories_7_namespace_id_expr_user_id_agent_id_content_hash_idx;


--
-- Name: memories_7_namespace_id_index_state_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_index ATTACH PARTITION recalld.memories_7_namespace_id_index_state_create_time_idx;


--
-- Name: memories_7_namespace_id_session_id_event_time_memory_id_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_session ATTACH PARTITION recalld.memories_7_namespace_id_session_id_event_time_memory_id_idx;


--
-- Name: memories_7_namespace_id_terms_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_terms ATTACH PARTITION recalld.memories_7_namespace_id_terms_idx;


--
-- Name: memories_7_namespace_id_update_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_hidden ATTACH PARTITION recalld.memories_7_namespace_id_update_time_idx;


--
-- Name: memories_7_namespace_id_update_time_idx1; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_to_archive ATTACH PARTITION recalld.memories_7_namespace_id_update_time_idx1;


--
-- Name: memories_7_namespace_id_user_id_create_time_idx; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_by_user ATTACH PARTITION recalld.memories_7_namespace_id_user_id_create_time_idx;


--
-- Name: memories_7_pkey; Type: INDEX ATTACH; Schema: recalld; Owner: postgres
--

ALTER INDEX recalld.memories_pkey ATTACH PARTITION recalld.memories_7_pkey;


--
-- Name: changes audited; Type: TRIGGER; Schema: recalld; Owner: postgres
--

CREATE TRIGGER audited AFTER INSERT ON recalld.changes REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION recalld.audit_changes();


--
-- Name: keys keys_tenant_id_fkey; Type: FK CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.keys
    ADD CONSTRAINT keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES recalld.tenants(tenant_id);


--
-- Name: namespaces namespaces_tenant_id_fkey; Type: FK CONSTRAINT; Schema: recalld; Owner: postgres
--

ALTER TABLE ONLY recalld.namespaces
    ADD CONSTRAINT namespaces_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES recalld.tenants(tenant_id);


--
-- Name: archive_segments; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.archive_segments ENABLE ROW LEVEL SECURITY;

--
-- Name: archived; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.archived ENABLE ROW LEVEL SECURITY;

--
-- Name: audit; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.audit ENABLE ROW LEVEL SECURITY;

--
-- Name: changes; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.changes ENABLE ROW LEVEL SECURITY;

--
-- Name: counts; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.counts ENABLE ROW LEVEL SECURITY;

--
-- Name: created_days; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.created_days ENABLE ROW LEVEL SECURITY;

--
-- Name: archive_segments definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.archive_segments TO recalld_definer USING (true);


--
-- Name: audit definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.audit TO recalld_definer USING (true);


--
-- Name: changes definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.changes TO recalld_definer USING (true);


--
-- Name: counts definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.counts TO recalld_definer USING (true);


--
-- Name: embeddings definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.embeddings TO recalld_definer USING (true);


--
-- Name: expiring definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.expiring TO recalld_definer USING (true);


--
-- Name: forget_orders definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.forget_orders TO recalld_definer USING (true);


--
-- Name: grants definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.grants TO recalld_definer USING (true);


--
-- Name: index_jobs definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.index_jobs TO recalld_definer USING (true);


--
-- Name: keys definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.keys TO recalld_definer USING (true);


--
-- Name: memories definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.memories TO recalld_definer USING (true);


--
-- Name: models definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.models TO recalld_definer USING (true);


--
-- Name: namespace_heads definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.namespace_heads TO recalld_definer USING (true);


--
-- Name: namespace_statistics definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.namespace_statistics TO recalld_definer USING (true);


--
-- Name: namespaces definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.namespaces TO recalld_definer USING (true);


--
-- Name: reflected_sources definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.reflected_sources TO recalld_definer USING (true);


--
-- Name: reflection_insights definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.reflection_insights TO recalld_definer USING (true);


--
-- Name: reflection_schedules definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.reflection_schedules TO recalld_definer USING (true);


--
-- Name: reflections definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.reflections TO recalld_definer USING (true);


--
-- Name: requests definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.requests TO recalld_definer USING (true);


--
-- Name: retention_runs definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.retention_runs TO recalld_definer USING (true);


--
-- Name: review_memories definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.review_memories TO recalld_definer USING (true);


--
-- Name: reviews definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.reviews TO recalld_definer USING (true);


--
-- Name: revisions definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.revisions TO recalld_definer USING (true);


--
-- Name: search_hours definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.search_hours TO recalld_definer USING (true);


--
-- Name: search_places definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.search_places TO recalld_definer USING (true);


--
-- Name: searches definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.searches TO recalld_definer USING (true);


--
-- Name: session_jobs definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.session_jobs TO recalld_definer USING (true);


--
-- Name: sessions definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.sessions TO recalld_definer USING (true);


--
-- Name: tenants definer; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY definer ON recalld.tenants TO recalld_definer USING (true);


--
-- Name: duplicates; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.duplicates ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_0; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_0 ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_1; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_1 ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_2; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_2 ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_3; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_3 ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_4; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_4 ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_5; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_5 ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_6; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_6 ENABLE ROW LEVEL SECURITY;

--
-- Name: embeddings_7; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.embeddings_7 ENABLE ROW LEVEL SECURITY;

--
-- Name: expiring; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.expiring ENABLE ROW LEVEL SECURITY;

--
-- Name: forget_items; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.forget_items ENABLE ROW LEVEL SECURITY;

--
-- Name: forget_orders; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.forget_orders ENABLE ROW LEVEL SECURITY;

--
-- Name: found; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.found ENABLE ROW LEVEL SECURITY;

--
-- Name: grants; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.grants ENABLE ROW LEVEL SECURITY;

--
-- Name: index_jobs; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.index_jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: keys; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.keys ENABLE ROW LEVEL SECURITY;

--
-- Name: memories; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_0; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_0 ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_1; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_1 ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_2; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_2 ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_3; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_3 ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_4; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_4 ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_5; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_5 ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_6; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_6 ENABLE ROW LEVEL SECURITY;

--
-- Name: memories_7; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.memories_7 ENABLE ROW LEVEL SECURITY;

--
-- Name: migrations; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.migrations ENABLE ROW LEVEL SECURITY;

--
-- Name: models; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.models ENABLE ROW LEVEL SECURITY;

--
-- Name: namespace_heads; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.namespace_heads ENABLE ROW LEVEL SECURITY;

--
-- Name: namespace_statistics; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.namespace_statistics ENABLE ROW LEVEL SECURITY;

--
-- Name: namespaces; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.namespaces ENABLE ROW LEVEL SECURITY;

--
-- Name: open_reviews; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.open_reviews ENABLE ROW LEVEL SECURITY;

--
-- Name: reflected_sources; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.reflected_sources ENABLE ROW LEVEL SECURITY;

--
-- Name: reflection_insights; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.reflection_insights ENABLE ROW LEVEL SECURITY;

--
-- Name: reflection_schedules; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.reflection_schedules ENABLE ROW LEVEL SECURITY;

--
-- Name: reflections; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.reflections ENABLE ROW LEVEL SECURITY;

--
-- Name: requests; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.requests ENABLE ROW LEVEL SECURITY;

--
-- Name: retention_runs; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.retention_runs ENABLE ROW LEVEL SECURITY;

--
-- Name: review_memories; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.review_memories ENABLE ROW LEVEL SECURITY;

--
-- Name: reviews; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.reviews ENABLE ROW LEVEL SECURITY;

--
-- Name: revisions; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.revisions ENABLE ROW LEVEL SECURITY;

--
-- Name: archive_segments scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.archive_segments USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: archived scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.archived USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: audit scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.audit USING (((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)) AND (( SELECT recalld.current_namespaces() AS current_namespaces) IS NULL)));


--
-- Name: changes scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.changes USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((visibility = 2) OR ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text)))));


--
-- Name: counts scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.counts USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((audience = ''::text) OR (audience = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: created_days scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.created_days USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((audience = ''::text) OR (audience = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: duplicates scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.duplicates USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((audience = ''::text) OR (audience = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: embeddings scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.embeddings USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((visibility = 2) OR ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text)))));


--
-- Name: expiring scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.expiring USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((audience = ''::text) OR (audience = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: forget_items scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.forget_items USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: forget_orders scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.forget_orders USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: found scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.found USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: grants scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.grants USING (((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)) AND (( SELECT recalld.current_namespaces() AS current_namespaces) IS NULL)));


--
-- Name: index_jobs scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.index_jobs USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: keys scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.keys USING (((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)) AND (( SELECT recalld.current_namespaces() AS current_namespaces) IS NULL)));


--
-- Name: memories scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.memories USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((visibility = 2) OR ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text)))));


--
-- Name: models scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.models USING ((( SELECT recalld.current_tenant() AS current_tenant) IS NOT NULL));


--
-- Name: namespace_heads scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.namespace_heads USING ((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)));


--
-- Name: namespace_statistics scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.namespace_statistics USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: namespaces scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.namespaces USING ((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)));


--
-- Name: open_reviews scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.open_reviews USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((audience = ''::text) OR (audience = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: reflected_sources scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.reflected_sources USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: reflection_insights scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.reflection_insights USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((visibility = 2) OR (agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: reflection_schedules scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.reflection_schedules USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: reflections scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.reflections USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: requests scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.requests USING (((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)) AND ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: retention_runs scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.retention_runs USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: review_memories scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.review_memories USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((visibility = 2) OR ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text)))));


--
-- Name: reviews scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.reviews USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((visibility = 2) OR ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text)))));


--
-- Name: revisions scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.revisions USING (((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])) AND ((visibility = 2) OR ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text)))));


--
-- Name: search_hours scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.search_hours USING ((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)));


--
-- Name: search_places scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.search_places USING ((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)));


--
-- Name: searches scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.searches USING (((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)) AND ((agent_id = ( SELECT recalld.current_agent() AS current_agent)) OR (( SELECT recalld.current_agent() AS current_agent) = '*'::text))));


--
-- Name: session_jobs scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.session_jobs USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: session_turns scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.session_turns USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: sessions scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.sessions USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: spent_hours scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.spent_hours USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: tenants scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.tenants USING ((tenant_id = ( SELECT recalld.current_tenant() AS current_tenant)));


--
-- Name: term_stats scope; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY scope ON recalld.term_stats USING ((namespace_id = ANY (( SELECT recalld.current_namespaces() AS current_namespaces)::uuid[])));


--
-- Name: search_hours; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.search_hours ENABLE ROW LEVEL SECURITY;

--
-- Name: search_places; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.search_places ENABLE ROW LEVEL SECURITY;

--
-- Name: searches; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.searches ENABLE ROW LEVEL SECURITY;

--
-- Name: session_jobs; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.session_jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: session_turns; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.session_turns ENABLE ROW LEVEL SECURITY;

--
-- Name: sessions; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.sessions ENABLE ROW LEVEL SECURITY;

--
-- Name: spent_hours; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.spent_hours ENABLE ROW LEVEL SECURITY;

--
-- Name: counts stock; Type: POLICY; Schema: recalld; Owner: postgres
--

CREATE POLICY stock ON recalld.counts TO recalld_definer USING (true);


--
-- Name: tenants; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.tenants ENABLE ROW LEVEL SECURITY;

--
-- Name: term_stats; Type: ROW SECURITY; Schema: recalld; Owner: postgres
--

ALTER TABLE recalld.term_stats ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA recalld; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA recalld TO recalld_app;
GRANT USAGE ON SCHEMA recalld TO recalld_definer;


--
-- Name: FUNCTION all_tenants(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.all_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.all_tenants() TO recalld_app;


--
-- Name: FUNCTION audit_changes(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.audit_changes() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.audit_changes() TO recalld_app;


--
-- Name: FUNCTION change_heads(wanted uuid[]); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.change_heads(wanted uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.change_heads(wanted uuid[]) TO recalld_app;


--
-- Name: FUNCTION claim_forget_orders(at_most bigint, lease interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.claim_forget_orders(at_most bigint, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.claim_forget_orders(at_most bigint, lease interval) TO recalld_app;


--
-- Name: FUNCTION claim_index_jobs(at_most bigint, lease interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.claim_index_jobs(at_most bigint, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.claim_index_jobs(at_most bigint, lease interval) TO recalld_app;


--
-- Name: FUNCTION claim_reflections(at_most bigint, lease interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.claim_reflections(at_most bigint, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.claim_reflections(at_most bigint, lease interval) TO recalld_app;


--
-- Name: FUNCTION claim_retention(every interval, at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.claim_retention(every interval, at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.claim_retention(every interval, at_most bigint) TO recalld_app;


--
-- Name: FUNCTION claim_session_jobs(at_most bigint, lease interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.claim_session_jobs(at_most bigint, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.claim_session_jobs(at_most bigint, lease interval) TO recalld_app;


--
-- Name: FUNCTION ensure_tenant(wanted text); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.ensure_tenant(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.ensure_tenant(wanted text) TO recalld_app;


--
-- Name: FUNCTION erase_answers(ns uuid, ids uuid[]); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.erase_answers(ns uuid, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.erase_answers(ns uuid, ids uuid[]) TO recalld_app;


--
-- Name: FUNCTION erase_from_searches(ns uuid, ids uuid[]); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.erase_from_searches(ns uuid, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.erase_from_searches(ns uuid, ids uuid[]) TO recalld_app;


--
-- Name: FUNCTION erase_session_answers(ns uuid, wanted text[]); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.erase_session_answers(ns uuid, wanted text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.erase_session_answers(ns uuid, wanted text[]) TO recalld_app;


--
-- Name: FUNCTION every_namespace(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.every_namespace() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.every_namespace() TO recalld_app;


--
-- Name: FUNCTION expect_large_namespaces(); Type: ACL; Schema: recalld; Owner: postgres
--

REVOKE ALL ON FUNCTION recalld.expect_large_namespaces() FROM PUBLIC;


--
-- Name: FUNCTION find_key(wanted text); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.find_key(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.find_key(wanted text) TO recalld_app;


--
-- Name: FUNCTION find_namespace(wanted text, agent text, held text[]); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.find_namespace(wanted text, agent text, held text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.find_namespace(wanted text, agent text, held text[]) TO recalld_app;


--
-- Name: FUNCTION find_tenant(wanted text); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.find_tenant(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.find_tenant(wanted text) TO recalld_app;


--
-- Name: FUNCTION give_to_definer(VARIADIC names text[]); Type: ACL; Schema: recalld; Owner: postgres
--

REVOKE ALL ON FUNCTION recalld.give_to_definer(VARIADIC names text[]) FROM PUBLIC;


--
-- Name: FUNCTION known_models(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.known_models() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.known_models() TO recalld_app;


--
-- Name: FUNCTION known_segments(wanted uuid[]); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.known_segments(wanted uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.known_segments(wanted uuid[]) TO recalld_app;


--
-- Name: FUNCTION large_namespaces(model smallint, smallest bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.large_namespaces(model smallint, smallest bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.large_namespaces(model smallint, smallest bigint) TO recalld_app;


--
-- Name: FUNCTION lexical_candidates(ns uuid, wanted integer[], query recalld.sparsevec, live_only boolean, at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.lexical_candidates(ns uuid, wanted integer[], query recalld.sparsevec, live_only boolean, at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.lexical_candidates(ns uuid, wanted integer[], query recalld.sparsevec, live_only boolean, at_most bigint) TO recalld_app;


--
-- Name: FUNCTION memories_without_vectors(model smallint, after_ns uuid, after_id uuid, at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.memories_without_vectors(model smallint, after_ns uuid, after_id uuid, at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.memories_without_vectors(model smallint, after_ns uuid, after_id uuid, at_most bigint) TO recalld_app;


--
-- Name: FUNCTION namespaces_to_archive(before timestamp with time zone, at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.namespaces_to_archive(before timestamp with time zone, at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.namespaces_to_archive(before timestamp with time zone, at_most bigint) TO recalld_app;


--
-- Name: FUNCTION namespaces_to_count(model smallint, smallest bigint, at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.namespaces_to_count(model smallint, smallest bigint, at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.namespaces_to_count(model smallint, smallest bigint, at_most bigint) TO recalld_app;


--
-- Name: FUNCTION namespaces_with_expired(at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.namespaces_with_expired(at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.namespaces_with_expired(at_most bigint) TO recalld_app;


--
-- Name: FUNCTION namespaces_with_forgotten(days integer, at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.namespaces_with_forgotten(days integer, at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.namespaces_with_forgotten(days integer, at_most bigint) TO recalld_app;


--
-- Name: FUNCTION note_audit(tenant uuid, place text, targets text[], ending text); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.note_audit(tenant uuid, place text, targets text[], ending text) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.note_audit(tenant uuid, place text, targets text[], ending text) TO recalld_app;


--
-- Name: FUNCTION note_key_use(wanted text, moment timestamp with time zone); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.note_key_use(wanted text, moment timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.note_key_use(wanted text, moment timestamp with time zone) TO recalld_app;


--
-- Name: FUNCTION operator_figures(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.operator_figures() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.operator_figures() TO recalld_app;


--
-- Name: FUNCTION overdue_reviews(at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.overdue_reviews(at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.overdue_reviews(at_most bigint) TO recalld_app;


--
-- Name: FUNCTION readable_namespaces(agent text, held text[], places text[], parent text, after text, at_most bigint, own boolean); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.readable_namespaces(agent text, held text[], places text[], parent text, after text, at_most bigint, own boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.readable_namespaces(agent text, held text[], places text[], parent text, after text, at_most bigint, own boolean) TO recalld_app;


--
-- Name: FUNCTION reflection_tokens(since interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.reflection_tokens(since interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.reflection_tokens(since interval) TO recalld_app;


--
-- Name: FUNCTION retry_failed_indexing(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.retry_failed_indexing() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.retry_failed_indexing() TO recalld_app;


--
-- Name: FUNCTION scheduled_namespaces(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.scheduled_namespaces() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.scheduled_namespaces() TO recalld_app;


--
-- Name: FUNCTION search_figures(ns uuid[], since timestamp with time zone, until timestamp with time zone); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.search_figures(ns uuid[], since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.search_figures(ns uuid[], since timestamp with time zone, until timestamp with time zone) TO recalld_app;


--
-- Name: FUNCTION set_tenant_limits(wanted text, given jsonb); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.set_tenant_limits(wanted text, given jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.set_tenant_limits(wanted text, given jsonb) TO recalld_app;


--
-- Name: FUNCTION sweep_audit(older interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.sweep_audit(older interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.sweep_audit(older interval) TO recalld_app;


--
-- Name: FUNCTION sweep_changes(older interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.sweep_changes(older interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.sweep_changes(older interval) TO recalld_app;


--
-- Name: FUNCTION sweep_forget_orders(older interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.sweep_forget_orders(older interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.sweep_forget_orders(older interval) TO recalld_app;


--
-- Name: FUNCTION sweep_index_jobs(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.sweep_index_jobs() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.sweep_index_jobs() TO recalld_app;


--
-- Name: FUNCTION sweep_reflections(older interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.sweep_reflections(older interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.sweep_reflections(older interval) TO recalld_app;


--
-- Name: FUNCTION sweep_requests(older interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.sweep_requests(older interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.sweep_requests(older interval) TO recalld_app;


--
-- Name: FUNCTION sweep_searches(older interval); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.sweep_searches(older interval) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.sweep_searches(older interval) TO recalld_app;


--
-- Name: FUNCTION tenant_limits(wanted text); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.tenant_limits(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.tenant_limits(wanted text) TO recalld_app;


--
-- Name: FUNCTION tenant_stock(); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.tenant_stock() FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.tenant_stock() TO recalld_app;


--
-- Name: FUNCTION term_frequencies(ns uuid, wanted integer[]); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.term_frequencies(ns uuid, wanted integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.term_frequencies(ns uuid, wanted integer[]) TO recalld_app;


--
-- Name: FUNCTION unsettled_sessions(at_most bigint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.unsettled_sessions(at_most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.unsettled_sessions(at_most bigint) TO recalld_app;


--
-- Name: FUNCTION vectors_of(model smallint); Type: ACL; Schema: recalld; Owner: recalld_definer
--

REVOKE ALL ON FUNCTION recalld.vectors_of(model smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION recalld.vectors_of(model smallint) TO recalld_app;


--
-- Name: TABLE archive_segments; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.archive_segments TO recalld_app;
GRANT SELECT ON TABLE recalld.archive_segments TO recalld_definer;


--
-- Name: TABLE archived; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.archived TO recalld_app;


--
-- Name: TABLE audit; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT ON TABLE recalld.audit TO recalld_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.audit TO recalld_definer;


--
-- Name: TABLE changes; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.changes TO recalld_app;
GRANT SELECT,DELETE ON TABLE recalld.changes TO recalld_definer;


--
-- Name: TABLE counts; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.counts TO recalld_app;
GRANT SELECT ON TABLE recalld.counts TO recalld_definer;


--
-- Name: COLUMN counts.waiting; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(waiting) ON TABLE recalld.counts TO recalld_definer;


--
-- Name: COLUMN counts.failed; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(failed) ON TABLE recalld.counts TO recalld_definer;


--
-- Name: TABLE created_days; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.created_days TO recalld_app;


--
-- Name: TABLE duplicates; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.duplicates TO recalld_app;


--
-- Name: TABLE embeddings; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.embeddings TO recalld_app;
GRANT SELECT ON TABLE recalld.embeddings TO recalld_definer;


--
-- Name: TABLE expiring; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.expiring TO recalld_app;
GRANT SELECT ON TABLE recalld.expiring TO recalld_definer;


--
-- Name: TABLE forget_items; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.forget_items TO recalld_app;


--
-- Name: TABLE forget_orders; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.forget_orders TO recalld_app;
GRANT SELECT,DELETE ON TABLE recalld.forget_orders TO recalld_definer;


--
-- Name: COLUMN forget_orders.due_time; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(due_time) ON TABLE recalld.forget_orders TO recalld_definer;


--
-- Name: TABLE found; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.found TO recalld_app;


--
-- Name: TABLE grants; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.grants TO recalld_app;
GRANT SELECT ON TABLE recalld.grants TO recalld_definer;


--
-- Name: TABLE index_jobs; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.index_jobs TO recalld_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.index_jobs TO recalld_definer;


--
-- Name: TABLE keys; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.keys TO recalld_app;
GRANT SELECT ON TABLE recalld.keys TO recalld_definer;


--
-- Name: COLUMN keys.last_use_time; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(last_use_time) ON TABLE recalld.keys TO recalld_definer;


--
-- Name: TABLE memories; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.memories TO recalld_app;
GRANT SELECT ON TABLE recalld.memories TO recalld_definer;


--
-- Name: COLUMN memories.index_state; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(index_state) ON TABLE recalld.memories TO recalld_definer;


--
-- Name: COLUMN memories.index_error; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(index_error) ON TABLE recalld.memories TO recalld_definer;


--
-- Name: TABLE models; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT ON TABLE recalld.models TO recalld_app;
GRANT SELECT ON TABLE recalld.models TO recalld_definer;


--
-- Name: TABLE namespace_heads; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.namespace_heads TO recalld_app;
GRANT SELECT ON TABLE recalld.namespace_heads TO recalld_definer;


--
-- Name: COLUMN namespace_heads.swept_sequence; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(swept_sequence) ON TABLE recalld.namespace_heads TO recalld_definer;


--
-- Name: TABLE namespace_statistics; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.namespace_statistics TO recalld_app;
GRANT SELECT ON TABLE recalld.namespace_statistics TO recalld_definer;


--
-- Name: TABLE namespaces; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.namespaces TO recalld_app;
GRANT SELECT ON TABLE recalld.namespaces TO recalld_definer;


--
-- Name: TABLE open_reviews; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.open_reviews TO recalld_app;


--
-- Name: TABLE reflected_sources; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.reflected_sources TO recalld_app;


--
-- Name: TABLE reflection_insights; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.reflection_insights TO recalld_app;
GRANT SELECT,DELETE ON TABLE recalld.reflection_insights TO recalld_definer;


--
-- Name: TABLE reflection_schedules; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.reflection_schedules TO recalld_app;
GRANT SELECT ON TABLE recalld.reflection_schedules TO recalld_definer;


--
-- Name: TABLE reflections; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.reflections TO recalld_app;
GRANT SELECT,DELETE ON TABLE recalld.reflections TO recalld_definer;


--
-- Name: COLUMN reflections.state; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(state) ON TABLE recalld.reflections TO recalld_definer;


--
-- Name: COLUMN reflections.attempts; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(attempts) ON TABLE recalld.reflections TO recalld_definer;


--
-- Name: COLUMN reflections.due_time; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(due_time) ON TABLE recalld.reflections TO recalld_definer;


--
-- Name: COLUMN reflections.start_time; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(start_time) ON TABLE recalld.reflections TO recalld_definer;


--
-- Name: TABLE requests; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.requests TO recalld_app;
GRANT SELECT,DELETE ON TABLE recalld.requests TO recalld_definer;


--
-- Name: TABLE retention_runs; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.retention_runs TO recalld_app;
GRANT SELECT,INSERT,UPDATE ON TABLE recalld.retention_runs TO recalld_definer;


--
-- Name: TABLE review_memories; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.review_memories TO recalld_app;
GRANT SELECT ON TABLE recalld.review_memories TO recalld_definer;


--
-- Name: TABLE reviews; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.reviews TO recalld_app;
GRANT SELECT ON TABLE recalld.reviews TO recalld_definer;


--
-- Name: TABLE revisions; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.revisions TO recalld_app;
GRANT SELECT ON TABLE recalld.revisions TO recalld_definer;


--
-- Name: TABLE search_hours; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.search_hours TO recalld_app;
GRANT SELECT,DELETE ON TABLE recalld.search_hours TO recalld_definer;


--
-- Name: TABLE search_places; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.search_places TO recalld_app;
GRANT SELECT ON TABLE recalld.search_places TO recalld_definer;


--
-- Name: TABLE searches; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.searches TO recalld_app;
GRANT SELECT,DELETE ON TABLE recalld.searches TO recalld_definer;


--
-- Name: COLUMN searches.memory_ids; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(memory_ids) ON TABLE recalld.searches TO recalld_definer;


--
-- Name: COLUMN searches.used; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(used) ON TABLE recalld.searches TO recalld_definer;


--
-- Name: TABLE session_jobs; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.session_jobs TO recalld_app;
GRANT SELECT ON TABLE recalld.session_jobs TO recalld_definer;


--
-- Name: COLUMN session_jobs.attempts; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(attempts) ON TABLE recalld.session_jobs TO recalld_definer;


--
-- Name: COLUMN session_jobs.up_to_turn; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(up_to_turn) ON TABLE recalld.session_jobs TO recalld_definer;


--
-- Name: COLUMN session_jobs.due_time; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(due_time) ON TABLE recalld.session_jobs TO recalld_definer;


--
-- Name: TABLE session_turns; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.session_turns TO recalld_app;


--
-- Name: TABLE sessions; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.sessions TO recalld_app;
GRANT SELECT ON TABLE recalld.sessions TO recalld_definer;


--
-- Name: COLUMN sessions.asked_turn; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(asked_turn) ON TABLE recalld.sessions TO recalld_definer;


--
-- Name: TABLE spent_hours; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.spent_hours TO recalld_app;


--
-- Name: TABLE tenants; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT ON TABLE recalld.tenants TO recalld_app;
GRANT SELECT,INSERT ON TABLE recalld.tenants TO recalld_definer;


--
-- Name: COLUMN tenants.limits; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT UPDATE(limits) ON TABLE recalld.tenants TO recalld_definer;


--
-- Name: TABLE term_stats; Type: ACL; Schema: recalld; Owner: postgres
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE recalld.term_stats TO recalld_app;


--
-- PostgreSQL database dump complete
--

\unrestrict 36PXCtwCvCKopgBaXKrDNXJCrtTSzWZMemX5AEwjrV7Q7bgCSLNFllA3rW5snq1

