-- The change counters of namespaces that are being watched, for the server's own look-out.
CREATE FUNCTION change_heads(wanted uuid[]) RETURNS TABLE (namespace_id uuid, change_sequence bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT h.namespace_id, h.change_sequence FROM namespace_heads h WHERE h.namespace_id = ANY (wanted)
$$;

-- What a tenant may use, by the names of the settings; what is not named is as the server's settings say.
ALTER TABLE tenants ADD COLUMN limits jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(limits) = 'object');

-- For the operator's command line: a tenant cannot change its own.
CREATE FUNCTION set_tenant_limits(wanted text, given jsonb) RETURNS boolean
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH changed AS (UPDATE tenants SET limits = given WHERE name = wanted RETURNING 1) SELECT EXISTS (SELECT FROM changed)
$$;

CREATE FUNCTION tenant_limits(wanted text) RETURNS jsonb
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT limits FROM tenants WHERE name = wanted
$$;

-- All that the tenant of the transaction keeps, private memories of every agent included: sums, no names.
CREATE FUNCTION tenant_stock() RETURNS TABLE (memories bigint, stored_bytes bigint)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path FROM CURRENT AS $$
  SELECT coalesce(sum(c.n), 0)::bigint, coalesce(sum(c.content_bytes), 0)::bigint
  FROM namespaces n JOIN counts c USING (namespace_id) WHERE n.tenant_id = current_tenant()
$$;

CREATE POLICY stock ON counts TO recalld_definer USING (true);
GRANT SELECT ON counts TO recalld_definer;
GRANT UPDATE (limits) ON tenants TO recalld_definer;

SELECT give_to_definer('change_heads', 'set_tenant_limits', 'tenant_limits', 'tenant_stock');
