-- name: lock
SELECT change_sequence FROM namespace_heads WHERE namespace_id = $1 FOR UPDATE

-- name: insert
WITH new AS MATERIALIZED (
  SELECT * FROM unnest($2::new_memory[]) WITH ORDINALITY
), stored AS (
  INSERT INTO memories (namespace_id, {columns}, content_hash, terms, lex, words)
  SELECT $1, {columns}, content_hash, terms, lex, words FROM new ORDER BY ordinality
  ON CONFLICT DO NOTHING
  RETURNING memory_id, kind, state, visibility, CASE visibility WHEN 2 THEN '' ELSE agent_id END AS audience, agent_id, confidence,
    words, octet_length(content) AS bytes, create_time, expiry_slot(expire_time) AS slot, index_state
), vectors AS (
  INSERT INTO embeddings (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding)
  SELECT $1, new.memory_id, $3, new.visibility, new.agent_id, false, new.embedding, new.text_embedding
  FROM new JOIN stored USING (memory_id) WHERE new.embedding IS NOT NULL
), kept AS (
  INSERT INTO revisions (namespace_id, {columns}, action, actor, reason, request_key)
  SELECT $1, {columns}, $5::text, $4, '', request_key
  FROM new WHERE $5 IS NOT NULL AND memory_id IN (SELECT memory_id FROM stored)
), head AS (
  UPDATE namespace_heads SET
    change_sequence = change_sequence + total.n, live = namespace_heads.live + total.live,
    words = namespace_heads.words + total.words
  FROM (SELECT count(*) AS n, count(*) FILTER (WHERE state = 1) AS live,
      coalesce(sum(words) FILTER (WHERE state = 1), 0) AS words FROM stored) AS total
  WHERE namespace_id = $1 AND total.n > 0
  RETURNING change_sequence - total.n AS before
), changed AS (
  INSERT INTO changes (namespace_id, sequence, type, memory_id, visibility, agent_id, actor)
  SELECT $1, head.before + row_number() OVER (ORDER BY new.ordinality), 1, memory_id, s.visibility, s.agent_id, $4
  FROM head, stored AS s JOIN new USING (memory_id)
), counted AS (
  INSERT INTO counts (namespace_id, audience, kind, state, n, content_bytes, confidence_sum, waiting, failed)
  SELECT $1, audience, kind, state, count(*), sum(bytes), sum(confidence),
    count(*) FILTER (WHERE state = 1 AND index_state = 1), count(*) FILTER (WHERE state = 1 AND index_state = 3)
  FROM stored GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
  ON CONFLICT (namespace_id, audience, kind, state) DO UPDATE SET n = counts.n + excluded.n,
    content_bytes = counts.content_bytes + excluded.content_bytes,
    confidence_sum = counts.confidence_sum + excluded.confidence_sum,
    waiting = counts.waiting + excluded.waiting, failed = counts.failed + excluded.failed
), ending AS (
  INSERT INTO expiring (namespace_id, slot, audience, kind, n, confidence_sum)
  SELECT $1, slot, audience, kind, count(*), sum(confidence)
  FROM stored WHERE state = 1 AND slot IS NOT NULL GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
  ON CONFLICT (namespace_id, slot, audience, kind) DO UPDATE SET n = expiring.n + excluded.n,
    confidence_sum = expiring.confidence_sum + excluded.confidence_sum
), dated AS (
  INSERT INTO created_days (namespace_id, day, audience, n)
  SELECT $1, (create_time AT TIME ZONE 'UTC')::date AS day, audience, count(*)
  FROM stored GROUP BY 2, 3 ORDER BY 2, 3
  ON CONFLICT (namespace_id, day, audience) DO UPDATE SET n = created_days.n + excluded.n
)
SELECT memory_id FROM stored

-- name: taken
SELECT memory_id FROM taken_ids($1, $2::uuid[])

-- name: twins
SELECT {of_m}, n.place
FROM unnest($2::int[], $3::boolean[], $4::text[], $5::smallint[], $6::text[], $7::bytea[])
  AS n(place, episodic, user_id, visibility, agent_id, content_hash)
CROSS JOIN LATERAL (
  SELECT * FROM memories m
  WHERE m.namespace_id = $1 AND m.state = 1 AND (m.kind = 2) = n.episodic AND m.user_id = n.user_id
    AND (CASE m.visibility WHEN 2 THEN '' ELSE m.agent_id END) = (CASE n.visibility WHEN 2 THEN '' ELSE n.agent_id END)
    AND m.content_hash = n.content_hash OFFSET 0
) AS m

-- name: expired_twins
SELECT DISTINCT t.memory_id FROM memories m CROSS JOIN LATERAL (
  SELECT * FROM memories t
  WHERE t.namespace_id = $1 AND t.state = 1 AND (t.kind = 2) = (m.kind = 2) AND t.user_id = m.user_id
    AND (CASE t.visibility WHEN 2 THEN '' ELSE t.agent_id END) = (CASE m.visibility WHEN 2 THEN '' ELSE m.agent_id END)
    AND t.content_hash = m.content_hash OFFSET 0
) AS t
WHERE m.namespace_id = $1 AND m.memory_id = ANY ($2::uuid[]) AND t.memory_id <> m.memory_id AND t.expire_time <= now()

-- name: set_state
UPDATE memories SET state = $3::smallint, revision = revision + 1, update_time = greatest(update_time, now())
WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])

-- name: supersede
UPDATE memories SET state = 2, superseded_by = $3, revision = revision + 1,
  update_time = greatest(update_time, now()), valid_until = greatest($4::timestamptz, valid_from)
WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])

-- name: supersedes
WITH linked AS (
  UPDATE memories SET supersedes = supersedes || $3::uuid[]
  WHERE namespace_id = $1 AND memory_id = $2
  RETURNING revision, supersedes
)
UPDATE revisions r SET supersedes = linked.supersedes FROM linked
WHERE r.namespace_id = $1 AND r.memory_id = $2 AND r.revision = linked.revision

-- name: conflicts
WITH linked AS (
  UPDATE memories m SET conflicts_with = array(
    SELECT DISTINCT other FROM unnest(m.conflicts_with || CASE m.memory_id WHEN $2 THEN $3::uuid[] ELSE ARRAY[$2::uuid] END) AS other)
  WHERE m.namespace_id = $1 AND (m.memory_id = $2 OR m.memory_id = ANY ($3::uuid[]))
  RETURNING memory_id, revision, conflicts_with
)
UPDATE revisions r SET conflicts_with = linked.conflicts_with FROM linked
WHERE r.namespace_id = $1 AND r.memory_id = linked.memory_id AND r.revision = linked.revision

-- name: replace
WITH new AS (SELECT * FROM unnest($2::new_memory[]))
UPDATE memories m SET
  content = n.content, kind = n.kind, state = n.state, update_time = greatest(n.update_time, m.update_time),
  event_time = n.event_time, revision = m.revision + 1, user_id = n.user_id, session_id = n.session_id,
  speaker = n.speaker, tags = n.tags, entities = n.entities, tool_calls = n.tool_calls, importance = n.importance,
  confidence = n.confidence, metadata = n.metadata, counterfactual = n.counterfactual, source_ids = n.source_ids,
  superseded_by = n.superseded_by, supersedes = n.supersedes, conflicts_with = n.conflicts_with,
  expire_time = n.expire_time, valid_from = n.valid_from, valid_until = n.valid_until,
  index_state = n.index_state, index_error = n.index_error,
  content_hash = n.content_hash, terms = n.terms, lex = n.lex, words = n.words
FROM new n
WHERE m.namespace_id = $1 AND m.memory_id = n.memory_id
RETURNING {of_m}, m.words, octet_length(m.content) AS bytes, expiry_slot(m.expire_time) AS slot

-- name: put_vector
WITH stale AS (
  -- of another model, for another text: whoever moves to that model makes it anew
  DELETE FROM embeddings WHERE namespace_id = $1 AND memory_id = $2 AND model_id <> $3
)
INSERT INTO embeddings (namespace_id, memory_id, model_id, visibility, agent_id, ann, embedding, text_embedding)
SELECT $1, $2, $3, visibility, agent_id, false, $4::halfvec, $5::halfvec
FROM memories WHERE namespace_id = $1 AND memory_id = $2
ON CONFLICT (namespace_id, memory_id, model_id)
DO UPDATE SET embedding = excluded.embedding, text_embedding = excluded.text_embedding, ann = false

-- name: drop_vectors
DELETE FROM embeddings WHERE namespace_id = $1 AND memory_id = $2

-- name: set_index
WITH before AS (
  SELECT memory_id, kind, CASE visibility WHEN 2 THEN '' ELSE agent_id END AS audience, index_state FROM memories
  WHERE namespace_id = $1 AND memory_id = $2 AND state = 1 AND (expire_time IS NULL OR expire_time > now()) FOR UPDATE
), counted AS (
  UPDATE counts c SET waiting = c.waiting + ($3 = 1)::int - (b.index_state = 1)::int,
    failed = c.failed + ($3 = 3)::int - (b.index_state = 3)::int
  FROM before b WHERE c.namespace_id = $1 AND c.audience = b.audience AND c.kind = b.kind AND c.state = 1
)
UPDATE memories m SET index_state = $3::smallint, index_error = $4
FROM before b WHERE m.namespace_id = $1 AND m.memory_id = b.memory_id
RETURNING m.memory_id

-- name: touch
UPDATE memories SET use_count = use_count + 1, last_use_time = now()
WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])

-- name: get
SELECT {of_m} FROM unnest($2::uuid[]) AS wanted (memory_id) CROSS JOIN LATERAL
  (SELECT * FROM memories m WHERE m.namespace_id = $1 AND m.memory_id = wanted.memory_id OFFSET 0) AS m

-- name: get_as_of
SELECT DISTINCT ON (m.memory_id) {of_m_then} FROM revisions m
WHERE m.namespace_id = $1 AND m.memory_id = ANY ($2::uuid[]) AND m.update_time <= $3::timestamptz
ORDER BY m.memory_id, m.revision DESC

-- name: revisions
SELECT {columns}, action, actor, reason FROM revisions
WHERE namespace_id = $1 AND memory_id = $2 AND ($4::bigint IS NULL OR revision < $4)
ORDER BY revision DESC LIMIT $3

-- name: previous_turn
SELECT {of_m} FROM memories m
WHERE m.namespace_id = $1 AND m.session_id = $2 AND m.session_id <> '' AND m.event_time <= $3
  AND m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())
ORDER BY m.event_time DESC, m.memory_id DESC LIMIT 1

-- name: average_length
SELECT CASE WHEN live > 0 THEN words::float8 / live ELSE 20 END FROM namespace_heads WHERE namespace_id = $1

-- name: changed_since
SELECT DISTINCT memory_id FROM changes WHERE namespace_id = $1 AND sequence > $2

-- name: changes
SELECT sequence, type, memory_id, actor, create_time FROM changes
WHERE namespace_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3

-- name: change_span
SELECT swept_sequence, change_sequence FROM namespace_heads WHERE namespace_id = $1

-- name: erase
WITH gone AS (
  DELETE FROM memories WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) RETURNING memory_id
), vectors AS (
  DELETE FROM embeddings WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) RETURNING 1
), history AS (
  DELETE FROM revisions WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) RETURNING 1
), recount AS (
  UPDATE namespace_statistics SET live = -1 WHERE namespace_id = $1
), jobs AS (
  DELETE FROM index_jobs WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])
), finds AS (
  DELETE FROM found WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[])
), links AS (
  DELETE FROM review_memories WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) RETURNING 1
)
SELECT (SELECT count(*) FROM gone) AS memories, (SELECT count(*) FROM vectors) AS vectors,
  (SELECT count(*) FROM history) AS revisions, (SELECT count(*) FROM links) AS links

-- name: unlink
UPDATE memories m SET
  superseded_by = CASE WHEN m.superseded_by = ANY ($3::uuid[]) THEN NULL ELSE m.superseded_by END,
  supersedes = array(SELECT x FROM unnest(m.supersedes) AS x WHERE x <> ALL ($3::uuid[])),
  conflicts_with = array(SELECT x FROM unnest(m.conflicts_with) AS x WHERE x <> ALL ($3::uuid[])),
  source_ids = array(SELECT x FROM unnest(m.source_ids) AS x WHERE x <> ALL ($3::uuid[]))
WHERE m.namespace_id = $1 AND m.memory_id = ANY ($2::uuid[])
