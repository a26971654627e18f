-- A plan serves namespaces of every size. Made for a small one, where every index that begins with the namespace looks as good as
-- another and every join as cheap, it takes time quadratic in a large one; made for a large one, it is as fast in a small
-- one. So the planner is told that there are few namespaces, each with much in it: from the first row on, where
-- PostgreSQL can be told before it has counted (18), and else from its first ANALYZE on. A migration with new tables asks again.
CREATE FUNCTION expect_large_namespaces() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
END $$;
REVOKE ALL ON FUNCTION expect_large_namespaces() FROM public;
SELECT expect_large_namespaces();
