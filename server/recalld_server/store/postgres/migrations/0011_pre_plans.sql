-- What happened in a span of time is found by when it happened, which an import of old notes may be years before it was written.
CREATE INDEX memories_by_event ON memories (namespace_id, event_time, memory_id);

-- One plan for any terms. That rows are dear makes it one by the index of terms, which brings in the fewest, even where the planner
-- expects few rows in a namespace: it counts a table only after it has grown.
ALTER FUNCTION lexical_candidates SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION lexical_candidates SET cpu_tuple_cost = 1000;
