-- name: vectors
SELECT memory_id, embedding, text_embedding FROM embeddings
WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) AND model_id = $3::smallint

-- name: histories
SELECT {columns}, action, actor, reason FROM revisions
WHERE namespace_id = $1 AND memory_id = ANY ($2::uuid[]) ORDER BY memory_id, revision

-- name: adopt_history
INSERT INTO revisions (namespace_id, {columns}, action, actor, reason, request_key)
SELECT $1, {columns}, d.action, d.actor, d.reason, CASE WHEN d.request_id <> '' THEN ARRAY[$7::text, $8, d.request_id] END
FROM unnest($2::new_memory[]) WITH ORDINALITY AS r
JOIN unnest($3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS d(action, actor, reason, request_id, place)
  ON d.place = r.ordinality
