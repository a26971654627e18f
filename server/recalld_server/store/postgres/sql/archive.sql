-- name: to_freeze
SELECT {of_m} FROM memories m WHERE m.namespace_id = $1 AND m.state = 4 AND NOT m.cold AND m.update_time < $2
ORDER BY m.update_time, m.memory_id LIMIT $3

-- name: segments
SELECT segment_id, month, sha256, bytes, records FROM archive_segments
WHERE namespace_id = $1 AND (dirty OR NOT $2) ORDER BY segment_id

-- name: members
SELECT memory_id FROM archived WHERE namespace_id = $1 AND segment_id = $2

-- name: segment_of
SELECT s.segment_id, s.month, s.sha256, s.bytes, s.records
FROM archived a JOIN archive_segments s ON s.namespace_id = a.namespace_id AND s.segment_id = a.segment_id
JOIN memories m ON m.namespace_id = a.namespace_id AND m.memory_id = a.memory_id
WHERE a.namespace_id = $1 AND a.memory_id = $2

-- name: freeze
WITH cold AS (
  UPDATE memories m SET cold = true, lex = '{}/1048576'::sparsevec,
    terms = array(SELECT t FROM unnest(m.terms) AS t WHERE t < 0)  -- what it was derived from is still asked
  FROM unnest($2::uuid[], $3::bigint[]) AS f(memory_id, revision)
  WHERE m.namespace_id = $1 AND m.memory_id = f.memory_id AND m.revision = f.revision AND m.state = 4 AND NOT m.cold
  RETURNING m.memory_id, m.revision
), vectors AS (
  DELETE FROM embeddings e USING cold WHERE e.namespace_id = $1 AND e.memory_id = cold.memory_id
), history AS (
  DELETE FROM revisions r USING cold
  WHERE r.namespace_id = $1 AND r.memory_id = cold.memory_id AND r.revision < cold.revision
), places AS (
  INSERT INTO archived (namespace_id, memory_id, segment_id) SELECT $1, memory_id, $4 FROM cold
), noted AS (
  INSERT INTO archive_segments (namespace_id, segment_id, month, sha256, bytes, records, dirty)
  SELECT $1, $4, $5::date, $6, $7, $8::int, (SELECT count(*) FROM cold) < $8::int
  WHERE EXISTS (SELECT FROM cold)
)
SELECT count(*) FROM cold

-- name: thaw
WITH new AS (SELECT * FROM unnest($2::new_memory[])), place AS (
  DELETE FROM archived a USING new WHERE a.namespace_id = $1 AND a.memory_id = new.memory_id
  RETURNING a.memory_id, a.segment_id
), marked AS (
  UPDATE archive_segments s SET dirty = true FROM place WHERE s.namespace_id = $1 AND s.segment_id = place.segment_id
), warm AS (
  UPDATE memories m SET cold = false, lex = n.lex, terms = n.terms, words = n.words,
    index_state = CASE WHEN $4 THEN m.index_state ELSE 1 END
  FROM new n JOIN place USING (memory_id) WHERE m.namespace_id = $1 AND m.memory_id = n.memory_id
  RETURNING m.memory_id, m.visibility, m.agent_id
), vectors AS (
  INSERT INTO embeddings (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding)
  SELECT $1, w.memory_id, $3::smallint, w.visibility, w.agent_id, false, n.embedding, n.text_embedding
  FROM warm w JOIN new n USING (memory_id) WHERE $4
)
SELECT count(*) FROM warm

-- name: drop_segment
DELETE FROM archive_segments WHERE namespace_id = $1 AND segment_id = $2

-- name: replace_segment
WITH moved AS (
  UPDATE archived SET segment_id = $3 WHERE namespace_id = $1 AND segment_id = $2 RETURNING memory_id
)
INSERT INTO archive_segments (namespace_id, segment_id, month, sha256, bytes, records, dirty)
SELECT $1, $3, $4::date, $5, $6, $7::int, (SELECT count(*) FROM moved) < $7::int

-- name: due
SELECT * FROM namespaces_to_archive($1::timestamptz, $2)

-- name: known
SELECT segment_id FROM known_segments($1::uuid[]) AS segment_id
