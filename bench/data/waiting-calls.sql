-- Calls that wait for a worker.
INSERT INTO recordings (id, source, storage_key, size_bytes, created_at, manager_name)
SELECT id, 'upload', 'inserted/' || id, 36, timestamptz '2026-01-01' + n * interval '1 second', 'Manager ' || n % 50
  FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, :count) AS n) AS calls;
