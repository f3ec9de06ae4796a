-- Most calls are about a deal and made by its responsible manager while it is open.
CREATE TABLE bench.calls AS
SELECT n, CASE WHEN about THEN d.id END AS deal, CASE WHEN about THEN d.user_id ELSE 1 + n % 100 END AS user_id,
       CASE WHEN about THEN '+37529' || lpad(d.contact::text, 7, '0') ELSE '+37533' || lpad((n::bigint * 7919 % 10000000)::text, 7, '0') END AS phone,
       CASE WHEN about THEN d.created + (coalesce(d.closed, now()) - d.created) * random()
            ELSE now() - 400 * random() * interval '1 day' END AS at,
       round((10 + exp(3.2 + random() * 2.6))::numeric) AS seconds, random() < 0.96 AS done, d.outcome
  FROM (SELECT n, 1 + n % :deals AS deal_id, random() < 0.7 AS about FROM generate_series(0, :calls - 1) n) c
  JOIN bench.deals d ON d.id = c.deal_id;
INSERT INTO recordings (id, status, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                        file_name, storage_key, size_bytes, duration_seconds, score, error_message, created_at, started_at,
                        finished_at, attempts)
SELECT uuidv7(at - now()), CASE WHEN done THEN 'DONE' ELSE 'FAILED' END, 'crm', 'externalCall.' || n, phone, m.name,
       CASE WHEN n % 9 < 5 THEN 'INBOUND' ELSE 'OUTBOUND' END, at, 'call-' || n || '.mp3', 'seed/' || n, seconds * 4000, seconds,
       CASE WHEN done THEN round((100 * sqrt(random()) * CASE outcome WHEN 'won' THEN 1 ELSE 0.93 END)::numeric, 1) END,
       CASE WHEN NOT done THEN 'The recognizer did not answer' END,
       at + interval '5 min', at + interval '6 min', at + interval '7 min', 1
  FROM bench.calls c JOIN managers m ON m.crm_user_id = c.user_id::text ORDER BY at;
ANALYZE recordings;
