-- What waits to be indexed by its counters, and of each namespace the oldest as the first by an index: nobody has to look at all
-- that waits, however much it is.
CREATE OR REPLACE FUNCTION operator_figures()
  RETURNS TABLE (figure text, queue text, kind smallint, state smallint, amount double precision)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 40 SET search_path FROM CURRENT AS $$
  WITH waiting AS (
    SELECT 'session' AS queue, create_time, false AS failed FROM session_jobs
    UNION ALL SELECT 'forget', create_time, false FROM forget_orders WHERE finish_time IS NULL
    UNION ALL SELECT 'reflection', create_time, state = 4 FROM reflections
      WHERE due_time IS NOT NULL OR (state = 4 AND end_time > now() - interval '1 day')
  ), figures AS (
    SELECT w.queue, count(*) FILTER (WHERE NOT w.failed) AS depth,
      coalesce(extract(epoch FROM now() - min(w.create_time) FILTER (WHERE NOT w.failed)), 0) AS age,
      count(*) FILTER (WHERE w.failed) AS failed
    FROM waiting w GROUP BY w.queue
    UNION ALL
    SELECT 'index', sum(c.waiting), coalesce(extract(epoch FROM now() - min(oldest.create_time)), 0), sum(c.failed)
    FROM counts c LEFT JOIN LATERAL (
      SELECT m.create_time FROM memories m
      WHERE m.namespace_id = c.namespace_id AND m.state = 1 AND m.index_state = 1 ORDER BY m.create_time LIMIT 1
    ) AS oldest ON c.waiting > 0
    WHERE c.state = 1
  ), queues AS (
    SELECT q.queue, coalesce(f.depth, 0) AS depth, coalesce(f.age, 0) AS age, coalesce(f.failed, 0) AS failed
    FROM (VALUES ('index'), ('session'), ('forget'), ('reflection')) AS q (queue) LEFT JOIN figures f USING (queue)
  )
  SELECT 'memories', '', c.kind, c.state, sum(c.n)::float8 FROM counts c GROUP BY c.kind, c.state HAVING sum(c.n) > 0
  UNION ALL SELECT 'depth', queue, NULL, NULL, depth::float8 FROM queues
  UNION ALL SELECT 'age', queue, NULL, NULL, age::float8 FROM queues
  UNION ALL SELECT 'failed', queue, NULL, NULL, failed::float8 FROM queues
$$;
