-- Grants as they are looked up, and who did what.

-- Keys and grants belong to transactions about the tenant: one that works within namespaces sees none of them.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['keys', 'grants'] LOOP
    EXECUTE format('ALTER POLICY scope ON %I USING (tenant_id = (SELECT current_tenant())
      AND (SELECT current_namespaces()) IS NULL)', name);
  END LOOP;
  CREATE POLICY definer ON grants TO recalld_definer USING (true);
END $$;
CREATE INDEX grants_by_grantee ON grants (grantee, grantee_type);

-- Written by the functions below alone: the server can add to it and read it, and change nothing that was written.
CREATE TABLE audit (
  tenant_id uuid NOT NULL,
  -- A UUIDv7: in the order of time.
  event_id uuid NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  key_id text NOT NULL,
  agent_id text NOT NULL,
  action text NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  target_ids text[] NOT NULL,
  outcome text NOT NULL,
  PRIMARY KEY (tenant_id, event_id)
);
CREATE INDEX audit_by_namespace ON audit (tenant_id, namespace, event_id);
CREATE INDEX audit_by_agent ON audit (tenant_id, agent_id, event_id);
CREATE INDEX audit_by_time ON audit USING brin (create_time);
ALTER TABLE audit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON audit USING (tenant_id = (SELECT current_tenant()) AND (SELECT current_namespaces()) IS NULL);
CREATE POLICY definer ON audit TO recalld_definer USING (true);

-- One row for each transaction that acts for a caller; what it says more than once is added to the row.
CREATE FUNCTION note_audit(tenant uuid, place text, targets text[], ending text) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO audit AS a (tenant_id, event_id, key_id, agent_id, action, namespace, target_ids, outcome)
  SELECT tenant, current_setting('recalld.event_id')::uuid, current_setting('recalld.key_id'),
    current_setting('recalld.actor_id'), current_setting('recalld.action'), place, targets, ending
  WHERE tenant = current_tenant()
  ON CONFLICT (tenant_id, event_id) DO UPDATE SET target_ids =
    a.target_ids || array(SELECT t FROM unnest(excluded.target_ids) AS t WHERE t <> ALL (a.target_ids))
$$;

-- Every change of a memory passes here, so that none can be made without being written down.
CREATE FUNCTION audit_changes() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF coalesce(current_setting('recalld.action', true), '') = '' THEN RETURN NULL; END IF;
  PERFORM note_audit(n.tenant_id, n.name, array_agg(DISTINCT f.memory_id::text), 'OK')
    FROM fresh f JOIN namespaces n USING (namespace_id) GROUP BY n.namespace_id;
  RETURN NULL;
END $$;
CREATE TRIGGER audited AFTER INSERT ON changes
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION audit_changes();

CREATE FUNCTION sweep_audit(older interval) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (DELETE FROM audit WHERE create_time < now() - older RETURNING 1) SELECT count(*) FROM gone
$$;

CREATE FUNCTION find_tenant(wanted text) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT tenant_id FROM tenants WHERE name = wanted
$$;
-- For operators; nothing that a caller can ask leads here.
CREATE FUNCTION all_tenants() RETURNS TABLE (name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT name FROM tenants
$$;

-- `team/a/b` lies on the paths team, team/a and team/a/b.
CREATE FUNCTION paths_to(name text) RETURNS text[] LANGUAGE sql IMMUTABLE
  RETURN array(SELECT array_to_string((string_to_array(name, '/'))[:n], '/')
    FROM generate_series(1, cardinality(string_to_array(name, '/'))) AS n);

-- What a name means to the current tenant: a namespace of its own, else one that another tenant shares with it, as
-- TENANT/NAME; with the grants on it for this agent, for these roles, or for the tenant.
CREATE FUNCTION find_namespace(wanted text, agent text, held text[]) RETURNS TABLE (
    tenant_id uuid, namespace_id uuid, name text, description text, policy jsonb, revision bigint,
    create_time timestamptz, update_time timestamptz, live bigint,
    roles smallint[], ends timestamptz[], recursive boolean[])
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path FROM CURRENT AS $$
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

-- Those that a principal may read, by the names that it knows them by. `places`: where its roles apply; NULL: everywhere.
-- `own`: without those of other tenants.
CREATE FUNCTION readable_namespaces(agent text, held text[], places text[], parent text, after text, at_most bigint, own boolean)
  RETURNS TABLE (namespace_id uuid, name text, description text, policy jsonb, revision bigint,
    create_time timestamptz, update_time timestamptz, live bigint)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 50 SET search_path FROM CURRENT AS $$
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

-- Erases all that a namespace holds, in whatever table. Its writers are waited for, and find it gone.
CREATE FUNCTION erase_namespace(gone uuid) RETURNS TABLE (kind text, removed bigint)
  LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
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
END $$;

GRANT SELECT ON audit TO recalld_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON audit TO recalld_definer;
GRANT SELECT ON grants TO recalld_definer;

SELECT give_to_definer('note_audit', 'audit_changes', 'sweep_audit', 'find_tenant', 'all_tenants', 'find_namespace',
  'readable_namespaces');
