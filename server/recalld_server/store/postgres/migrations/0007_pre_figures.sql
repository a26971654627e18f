-- What an operator sees of all tenants together: numbers, and no name of anybody.
CREATE POLICY definer ON counts TO recalld_definer USING (true);
GRANT SELECT ON counts TO recalld_definer;

-- The span of the call that asked for it, when somebody traces it.
ALTER TABLE reflections ADD COLUMN traceparent text;

CREATE FUNCTION operator_figures()
  RETURNS TABLE (figure text, queue text, kind smallint, state smallint, amount double precision)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 40 SET search_path FROM CURRENT AS $$
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

SELECT give_to_definer('operator_figures');
