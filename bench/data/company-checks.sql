-- Checks by the published versions of incoming-sales and refusal-reasons. Two fifths of the checked calls have a refusal reason.
CREATE TABLE bench.versions AS
SELECT v.id, s.mode, v.rules FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
 WHERE s.key IN ('incoming-sales', 'refusal-reasons') AND v.state = 'published';
CREATE TABLE bench.rules AS
SELECT mode = 'label' AS is_label, v.id AS version, rule ->> 'key' AS key, n, count(*) OVER (PARTITION BY mode) AS of
  FROM bench.versions v, jsonb_array_elements(v.rules) WITH ORDINALITY AS r (rule, n)
 WHERE mode = 'label' OR n <= 9;
INSERT INTO analyses (id, recording_id, status, provider, version_id, transcript_hash, score, score_auto, is_current,
                      created_at, started_at, finished_at)
SELECT uuidv7(finished_at - now()), r.id, 'DONE', 'rules', v.id, 'hash', score, score, true, finished_at, finished_at, finished_at
  FROM recordings r, bench.versions v WHERE r.score IS NOT NULL AND v.mode = 'score' ORDER BY r.id;
INSERT INTO findings (id, analysis_id, version_id, position, is_label, rule_key, rule_hash, machine_verdict,
                      machine_decided_by, verdict, decided_by, why, evidence)
SELECT uuidv7(), analysis, version, n, is_label, key, 'hash', verdict, 'rules', verdict, 'rules', '{"code": "found"}',
       CASE verdict WHEN 'met' THEN '[{"from": 12.4, "to": 15.1, "quote": "good afternoon, how can I help you"}]'::jsonb ELSE '[]' END
  FROM (SELECT a.id AS analysis, f.version, f.key, f.n, f.is_label,
               CASE WHEN f.is_label OR random() < 0.3 + a.score / 200 THEN 'met' WHEN random() < 0.85 THEN 'missed'
                    WHEN random() < 0.9 THEN 'not_applicable' ELSE 'unknown' END AS verdict
          FROM (SELECT *, random() AS dice, 1 + floor(random() * (SELECT of FROM bench.rules WHERE is_label LIMIT 1)) AS label FROM analyses) a
          JOIN bench.rules f ON NOT f.is_label OR (f.n = a.label AND a.dice < 0.4)
         ORDER BY a.id) f;
ANALYZE analyses, findings;

INSERT INTO rule_counts
SELECT floor(extract(epoch FROM r.call_at) / 86400), r.manager_id, f.version_id, f.rule_key, f.is_label,
       count(*) FILTER (WHERE f.verdict = 'met'), count(*) FILTER (WHERE f.verdict = 'missed'),
       count(*) FILTER (WHERE f.verdict = 'not_applicable'), count(*) FILTER (WHERE f.verdict = 'unknown')
  FROM analyses a JOIN recordings r ON r.id = a.recording_id JOIN findings f ON f.analysis_id = a.id
 GROUP BY 1, 2, 3, 4, 5;
