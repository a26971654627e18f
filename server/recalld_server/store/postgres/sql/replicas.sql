-- name: position
SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint END AS position,
  (SELECT system_identifier FROM pg_control_system()) AS system

-- name: replayed
SELECT pg_is_in_recovery() AS standby,
  coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint, 0) AS position,
  (SELECT system_identifier FROM pg_control_system()) AS system
