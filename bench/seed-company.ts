import pg from 'pg'
import { dropTextIndexes } from './seed.ts'
import { managers } from './words.ts'

/** Calls and deals lie within so many days: a year holds nine tenths of them. */
const DAYS = 400
const MANAGERS = 100
/** One funnel and a fifth of the managers each. */
export const DEPARTMENTS = 5
/** Findings of a checked call, without its labels. */
const RULES = 9

export interface CompanySize {
  calls: number
  deals: number
  /** Without checks of the calls it takes a third of the time. */
  unchecked?: boolean
}

/**
 * Fills a migrated database whose rules are published with a company, made by Postgres itself: deals with clients and
 * stages, calls with checks, seven tenths of them linked to a deal, each as the portal told of it.
 */
export async function seedCompany(databaseUrl: string, { calls, deals, unchecked }: CompanySize): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'`)
  await client.query(PEOPLE, [managers.slice(0, MANAGERS)])
  await client.query(PLACES)
  await client.query(`SELECT setseed(0.5)`)
  await client.query(DEALS.replaceAll(':deals', String(deals)))
  const slowIndexes = await dropTextIndexes(client)
  await client.query(CALLS.replaceAll(':calls', String(calls)).replaceAll(':deals', String(deals)))
  for (const index of slowIndexes) await client.query(index)
  // What is made here needs no second look at its references, and is counted at once below.
  await client.query('SET session_replication_role = replica')
  await client.query(LINKS)
  if (!unchecked) await client.query(CHECKS)
  await client.query('SET session_replication_role = origin')
  if (!unchecked) await client.query(COUNTS)
  await client.query('SELECT add_up_recording_counts()')
  await client.query('SELECT add_up_deal_calls($1)', [2 * deals])
  // What is not on the disk yet cannot be marked as visible to all.
  await client.query('RESET synchronous_commit')
  await client.query('DROP SCHEMA bench CASCADE')
  await client.query('VACUUM ANALYZE')
  await client.end()
}

const PEOPLE = `
  WITH given AS (SELECT name, n::text AS user_id, 1 + (n - 1) % ${DEPARTMENTS} AS department
                   FROM unnest($1::text[]) WITH ORDINALITY AS m (name, n)),
  made AS (INSERT INTO managers (name, crm_user_id) SELECT name, user_id FROM given RETURNING id, name, crm_user_id),
  departments AS (
    INSERT INTO departments (id, name, funnels)
    SELECT uuidv7(), 'Department ' || n, ARRAY[n::bigint] FROM generate_series(1, ${DEPARTMENTS}) n RETURNING id, funnels[1] AS n),
  users AS (INSERT INTO crm_users (id, name, active) SELECT user_id, name, true FROM given)
  INSERT INTO crm_roster (user_id, department_id, manager_id)
  SELECT g.user_id, d.id, m.id FROM given g JOIN made m ON m.crm_user_id = g.user_id JOIN departments d ON d.n = g.department`

const PLACES = `
  CREATE SCHEMA bench;
  INSERT INTO department_managers (name, department_id, crm_user_id)
  SELECT m.name, r.department_id, r.user_id FROM crm_roster r JOIN managers m ON m.id = r.manager_id;
  INSERT INTO crm_funnels (id, name) SELECT n, 'Funnel ' || n FROM generate_series(1, ${DEPARTMENTS}) n;
  INSERT INTO crm_stages (funnel_id, id, name, outcome)
  SELECT n, 'C' || n || ':' || code, name, outcome FROM generate_series(1, ${DEPARTMENTS}) n,
         (VALUES ('NEW', 'New', 'open'), ('TALK', 'Talks', 'open'), ('OFFER', 'Offer', 'open'), ('WON', 'Won', 'won'),
                 ('LOSE', 'Lost', 'lost'), ('DEAR', 'Too dear', 'lost'), ('LATER', 'Not now', 'lost'), ('OTHER', 'Chose another', 'lost'))
         AS s (code, name, outcome);
`

/** Two deals a client; half of the deals are over within two weeks, some take months. */
const DEALS = `
  CREATE TABLE bench.deals AS
  SELECT id, user_id, 1 + (user_id - 1) % ${DEPARTMENTS} AS funnel, created,
         CASE WHEN created + length < now() THEN created + length END AS closed,
         CASE WHEN created + length < now() THEN CASE WHEN dice < 0.45 THEN 'won' ELSE 'lost' END ELSE 'open' END AS outcome,
         dice, 1 + (id - 1) / 2 AS contact
    FROM (SELECT id, 1 + id % ${MANAGERS} AS user_id, random() AS dice, now() - ${DAYS} * random() * interval '1 day' AS created,
                 exp(2.6 + 0.8 * random_normal()) * interval '1 day' AS length
            FROM generate_series(1, :deals) id) d;
  INSERT INTO crm_deals (id, title, funnel_id, stage_id, outcome, amount, currency, responsible_id, contact_ids, created_at,
                         updated_at, moved_at, closed_at, changed_at)
  SELECT id, 'Deal ' || id, funnel,
         'C' || funnel || ':' || CASE outcome WHEN 'won' THEN 'WON' WHEN 'open' THEN (ARRAY['NEW', 'TALK', 'OFFER'])[1 + id % 3]
           ELSE (ARRAY['LOSE', 'DEAR', 'LATER', 'OTHER'])[1 + id % 4] END,
         outcome, round((100 * exp(3 * dice))::numeric, 2), CASE WHEN id % 5 = 0 THEN 'USD' ELSE 'BYN' END, user_id::text,
         ARRAY[contact], created, coalesce(closed, created), coalesce(closed, created), closed, coalesce(closed, created)
    FROM bench.deals ORDER BY id;
  INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
  SELECT 4 * d.id + step, d.id, least(2, step + 1), funnel, 'C' || funnel || ':' || (ARRAY['NEW', 'TALK', 'OFFER'])[1 + step],
         'open', created + (coalesce(closed, now()) - created) * step / 3
    FROM bench.deals d, generate_series(0, 2) step
   UNION ALL
  SELECT 4 * d.id + 3, d.id, 3, d.funnel, c.stage_id, d.outcome, closed
    FROM bench.deals d JOIN crm_deals c ON c.id = d.id WHERE closed IS NOT NULL;
  INSERT INTO crm_contacts (kind, id, due_at, read_at)
  SELECT DISTINCT 'contact', contact, now() + interval '7 days', now() FROM bench.deals;
  INSERT INTO crm_phones (kind, contact_id, phone)
  SELECT 'contact', id, '+37529' || lpad(id::text, 7, '0') FROM crm_contacts;
  CREATE INDEX ON bench.deals (id);
  ANALYZE bench.deals;
`

/** Most calls are about a deal, made by whoever is responsible while it is open; the others come from anybody at any time. */
const CALLS = `
  CREATE TABLE bench.calls AS
  SELECT n, CASE WHEN about THEN d.id END AS deal, CASE WHEN about THEN d.user_id ELSE 1 + n % ${MANAGERS} END AS user_id,
         CASE WHEN about THEN '+37529' || lpad(d.contact::text, 7, '0') ELSE '+37533' || lpad((n::bigint * 7919 % 10000000)::text, 7, '0') END AS phone,
         CASE WHEN about THEN d.created + (coalesce(d.closed, now()) - d.created) * random()
              ELSE now() - ${DAYS} * random() * interval '1 day' END AS at,
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
`

const LINKS = `
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
`

/** By one version of one set of rules, with two fifths of the calls given a reason of refusal. */
const CHECKS = `
  CREATE TABLE bench.versions AS
  SELECT v.id, s.mode, v.rules FROM rule_set_versions v JOIN rule_sets s ON s.id = v.rule_set_id
   WHERE s.key IN ('incoming-sales', 'refusal-reasons') AND v.state = 'published';
  CREATE TABLE bench.rules AS
  SELECT mode = 'label' AS is_label, v.id AS version, rule ->> 'key' AS key, n, count(*) OVER (PARTITION BY mode) AS of
    FROM bench.versions v, jsonb_array_elements(v.rules) WITH ORDINALITY AS r (rule, n)
   WHERE mode = 'label' OR n <= ${RULES};
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
`

/** As the migration counts what is there. */
const COUNTS = `
  INSERT INTO rule_counts
  SELECT floor(extract(epoch FROM r.call_at) / 86400), r.manager_id, f.version_id, f.rule_key, f.is_label,
         count(*) FILTER (WHERE f.verdict = 'met'), count(*) FILTER (WHERE f.verdict = 'missed'),
         count(*) FILTER (WHERE f.verdict = 'not_applicable'), count(*) FILTER (WHERE f.verdict = 'unknown')
    FROM analyses a JOIN recordings r ON r.id = a.recording_id JOIN findings f ON f.analysis_id = a.id
   GROUP BY 1, 2, 3, 4, 5;
`
