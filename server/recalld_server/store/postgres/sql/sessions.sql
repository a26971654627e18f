-- name: get
SELECT {session} FROM sessions s WHERE s.namespace_id = $1 AND s.session_id = $2

-- name: list
SELECT {session} FROM sessions s
WHERE s.namespace_id = $1 AND ($2 = '' OR s.user_id = $2)
  AND ($3::smallint IS NULL OR $3 = CASE WHEN s.state = 1 AND s.expire_time > now() THEN 1 ELSE 2 END)
  AND ($4::timestamptz IS NULL OR (s.create_time, s.session_id) < ($4, $5))
ORDER BY s.create_time DESC, s.session_id DESC LIMIT $6

-- name: turns
SELECT {turn} FROM session_turns t
WHERE t.namespace_id = $1 AND t.session_id = $2 AND t.sequence > $3 AND ($4::bigint IS NULL OR t.sequence <= $4)
ORDER BY t.sequence LIMIT $5

-- name: latest_turns
SELECT {turn} FROM (
  SELECT l.*,
    sum(l.tokens) OVER back AS tokens_back,
    sum(octet_length(l.content) + octet_length(l.tool_calls::text)) OVER back AS bytes_back
  FROM (
    SELECT * FROM session_turns WHERE namespace_id = $1 AND session_id = $2 ORDER BY sequence DESC LIMIT $3
  ) AS l
  WINDOW back AS (ORDER BY l.sequence DESC)
) AS t
WHERE ($4::bigint IS NULL OR t.tokens_back <= $4) AND t.bytes_back <= $5
ORDER BY t.sequence

-- name: turns_by_id
SELECT {turn}, t.session_id FROM session_turns t WHERE t.namespace_id = $1 AND t.turn_id = ANY ($2::uuid[])

-- name: open
INSERT INTO sessions AS s (namespace_id, session_id, agent_id, user_id, expire_time)
VALUES ($1, $2, $3, $4, now() + $5::interval)
ON CONFLICT (namespace_id, session_id) DO UPDATE SET user_id = CASE s.user_id WHEN '' THEN excluded.user_id ELSE s.user_id END
RETURNING {session}

-- name: count_turns
UPDATE sessions s SET turn_count = s.turn_count + $3, update_time = now(), expire_time = now() + $4::interval
WHERE s.namespace_id = $1 AND s.session_id = $2
RETURNING {session}

-- name: append
INSERT INTO session_turns (namespace_id, session_id, sequence, turn_id, role, content, agent_id, event_time, speaker,
  tool_calls, tokens)
SELECT $1, $2, $3 + n.place, n.turn_id, n.role, n.content, n.agent_id, n.event_time, n.speaker, n.tool_calls, n.tokens
FROM unnest($4::uuid[], $5::smallint[], $6::text[], $7::text[], $8::timestamptz[], $9::text[], $10::jsonb[], $11::int[])
  WITH ORDINALITY AS n(turn_id, role, content, agent_id, event_time, speaker, tool_calls, tokens, place)

-- name: put_variables
UPDATE sessions s SET variables = $3::jsonb, revision = s.revision + 1, update_time = now(), expire_time = now() + $4::interval
WHERE s.namespace_id = $1 AND s.session_id = $2
RETURNING {session}

-- name: end
UPDATE sessions s SET state = 2, expire_time = least(s.expire_time, now())
WHERE s.namespace_id = $1 AND s.session_id = $2
RETURNING {session}

-- name: settle
UPDATE sessions SET settled = true WHERE namespace_id = $1 AND session_id = $2 AND state = 2

-- name: ask
INSERT INTO session_jobs AS j (namespace_id, job_id, session_id, agent_id, reason, due_time)
SELECT $1, $2, s.session_id, CASE $4 WHEN '*' THEN s.agent_id ELSE $4 END, $5, now() + $6::interval
FROM sessions s WHERE s.namespace_id = $1 AND s.session_id = $3
ON CONFLICT (namespace_id, session_id) WHERE attempts = 0 DO UPDATE SET
  due_time = CASE j.reason WHEN 'idle' THEN excluded.due_time ELSE least(j.due_time, excluded.due_time) END,
  reason = CASE excluded.reason WHEN 'idle' THEN j.reason ELSE excluded.reason END,
  agent_id = excluded.agent_id
RETURNING job_id

-- name: withdraw
WITH gone AS (DELETE FROM session_jobs WHERE namespace_id = $1 AND session_id = $2 AND attempts = 0)
UPDATE sessions SET asked_turn = turn_count WHERE namespace_id = $1 AND session_id = $2

-- name: hold
SELECT FROM sessions WHERE namespace_id = $1 AND session_id = ANY ($2::text[]) ORDER BY session_id FOR UPDATE

-- name: finish
WITH gone AS (
  DELETE FROM session_jobs WHERE namespace_id = $1 AND job_id = $2 AND attempts = $3 RETURNING session_id, up_to_turn
)
UPDATE sessions s SET reflected_turn = greatest(s.reflected_turn, gone.up_to_turn)
FROM gone WHERE s.namespace_id = $1 AND s.session_id = gone.session_id
RETURNING true

-- name: rest
UPDATE session_jobs SET due_time = now() + $4::interval, attempts = attempts - CASE WHEN $5 OR attempts = 1 THEN 0 ELSE 1 END
WHERE namespace_id = $1 AND job_id = $2 AND attempts = $3

-- name: of_people
SELECT session_id FROM sessions
WHERE namespace_id = $1 AND (session_id = ANY ($2::text[]) OR (user_id <> '' AND user_id = ANY ($3::text[])))
ORDER BY session_id FOR UPDATE

-- name: erase
WITH gone AS (
  DELETE FROM sessions WHERE namespace_id = $1 AND session_id = ANY ($2::text[]) RETURNING 1
), said AS (
  DELETE FROM session_turns WHERE namespace_id = $1 AND (session_id = ANY ($2::text[]) OR turn_id = ANY ($3::uuid[]))
  RETURNING session_id
), thinned AS (
  UPDATE sessions SET erasures = erasures + 1
  WHERE namespace_id = $1 AND session_id <> ALL ($2::text[]) AND session_id IN (SELECT session_id FROM said)
  RETURNING session_id
), jobs AS (
  DELETE FROM session_jobs WHERE namespace_id = $1 AND session_id = ANY ($2::text[]) RETURNING 1
)
SELECT (SELECT count(*) FROM gone) AS sessions, (SELECT count(*) FROM said) AS turns, (SELECT count(*) FROM jobs) AS session_jobs,
  erase_session_answers($1, $2::text[]) AS session_answers,
  array(SELECT unnest($2::text[]) UNION SELECT session_id FROM thinned) AS session_ids

-- name: claim
SELECT * FROM claim_session_jobs($1, $2)

-- name: unsettled
SELECT * FROM unsettled_sessions($1)
