-- The change counters of namespaces that are being watched, for the server's own look-out.
CREATE FUNCTION change_heads(wanted uuid[]) RETURNS TABLE (namespace_id uuid, change_sequence bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT h.namespace_id, h.change_sequence FROM namespace_heads h WHERE h.namespace_id = ANY (wanted)
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA recalld TO recalld_definer;
  ALTER FUNCTION change_heads OWNER TO recalld_definer;
  REVOKE ALL ON FUNCTION change_heads FROM public;
  GRANT EXECUTE ON FUNCTION change_heads TO recalld_app;
  REVOKE CREATE ON SCHEMA recalld FROM recalld_definer;
END $$;
