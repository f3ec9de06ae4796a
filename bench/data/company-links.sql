-- Calls of the CRM, and their links to deals as if found by phone number.
INSERT INTO crm_calls (id, call_id, user_id, phone_number, phone, type, duration_seconds, started_at, failed_code, entity_type,
                       entity_id, file_id, loaded_file_id, load_state, recording_id, loaded_at)
SELECT row_number() OVER (ORDER BY r.id), r.external_call_id, c.user_id::text, c.phone, c.phone, 1 + n % 2, seconds, at, '200',
       NULL, NULL, n + 1, n + 1, 'received', r.id, at + interval '5 min'
  FROM bench.calls c JOIN recordings r ON r.external_call_id = 'externalCall.' || c.n ORDER BY r.id;
INSERT INTO crm_call_deals (recording_id, deal_id, linked_by, ambiguous, call_at, manager_id)
SELECT r.id, c.deal, 'phone', n % 50 = 0, r.call_at, r.manager_id FROM bench.calls c JOIN recordings r ON r.external_call_id = 'externalCall.' || c.n
 WHERE c.deal IS NOT NULL ORDER BY r.id;
INSERT INTO crm_matches (recording_id, state, attempts, due_at, matched_at)
SELECT r.id, CASE WHEN c.deal IS NULL THEN 'none' WHEN n % 50 = 0 THEN 'ambiguous' ELSE 'linked' END, 3, NULL, now()
  FROM bench.calls c JOIN recordings r ON r.external_call_id = 'externalCall.' || c.n ORDER BY r.id;
ANALYZE crm_calls, crm_call_deals, crm_matches;
