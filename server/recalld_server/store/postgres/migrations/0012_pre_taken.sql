-- Which ids the memories of a namespace have, whoever may see these: a trial of a write says of an id what the write would.
CREATE FUNCTION taken_ids(ns uuid, wanted uuid[]) RETURNS TABLE (memory_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path FROM CURRENT AS $$
  SELECT m.memory_id FROM memories m
  WHERE m.namespace_id = ns AND ns = ANY (current_namespaces()) AND m.memory_id = ANY (wanted)
$$;
SELECT give_to_definer('taken_ids');
