import type { Sql } from '../../platform/db/sql.ts'
import { randomUUID } from 'node:crypto'
import { Temporal } from 'temporal-polyfill'
import type { DataSource } from 'typeorm'
import { v7 } from 'uuid'
import { loadCallsWithTranscripts } from '../../check/checks/check-call.ts'
import { analysisQueue } from '../../check/checks/queue.ts'
import { judgeCall } from '../../check/rules/judge-call.ts'
import {
  explainMissingScore,
  loadPublishedRuleSets,
  selectApplicableRuleSets,
  type PublishedRuleSet,
} from '../../check/checks/published-sets.ts'
import { storeCheckResult } from '../../check/checks/store.ts'
import phrases from './phrases.json' with { type: 'json' }
import { storeWeeklyReports } from '../../reports/weekly/store-reports.ts'
import type { Config } from '../../platform/config/config.ts'
import { poolOf, runInTransaction } from '../../platform/db/db.ts'
import type { AudioProperties } from '../../calls/recordings/entity.ts'
import { transcriptionMessages } from '../../calls/transcription/messages.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { buildTsvector } from '../../platform/lib/search/terms.ts'
import {
  DEMO_DEPARTMENTS,
  generateDemoCompany,
  DEMO_MANAGERS,
  DEMO_STAGES,
  type DemoCall,
  type DemoDeal,
  FIRST_DEMO_CRM_ID,
  DEMO_ID_PREFIX,
} from './company.ts'
import { DEMO_SETTING_NAME, insertDemoMarker, requireInstanceWithoutData } from './marker.ts'

const BATCH_SIZE = 100
const REPORT_WEEKS = 13
const DISPUTES = 10
const CONCURRENT_CHECKS = 4

/**
 * Generates demo data, inserts it and checks the calls by the published rules.
 * @param count number of calls
 * @throws Error if the instance has data or no published rules
 */
export async function insertDemoData(db: DataSource, config: Config, count: number): Promise<{ deals: number }> {
  const { calls, deals } = generateDemoCompany(count)
  const sets = await loadPublishedRuleSets(poolOf(db))
  if (sets.length === 0) throw new Error('there are no published rules yet: start the service once, then try again')
  await runInTransaction(db, async (sql) => {
    await requireInstanceWithoutData(sql)
    await insertDemoMarker(sql)
    await insertDepartments(sql)
    await insertDeals(sql, deals)
  })
  for (let from = 0; from < calls.length; from += BATCH_SIZE) {
    const ids = await runInTransaction(db, (sql) => insertCalls(sql, calls.slice(from, from + BATCH_SIZE)))
    await checkCalls(db, config, sets, ids)
  }
  await insertDisputes(db)
  await poolOf(db).query({ text: 'SELECT add_up_recording_counts(), add_up_rule_counts(), add_up_deal_calls(100000)' })
  await generateReports(db, config)
  return { deals: deals.length }
}

/**
 * Stores the weekly reports of past weeks. Reports that the schedule stored during the fill are deleted, because they cover only
 * a part of the calls.
 */
async function generateReports(db: DataSource, config: Config): Promise<void> {
  await poolOf(db).query({ text: 'DELETE FROM weekly_reports' })
  const now = Temporal.Now.instant()
  for (let weeksAgo = REPORT_WEEKS - 1; weeksAgo >= 0; weeksAgo--) {
    await storeWeeklyReports({ db, pool: poolOf(db), config }, now.subtract({ hours: 168 * weeksAgo }))
  }
}

async function insertDepartments(sql: Sql): Promise<void> {
  for (const [n, { id, name, language }] of DEMO_DEPARTMENTS.entries()) {
    const managers = DEMO_MANAGERS.filter(({ department }) => department.id === id)
    const { funnelId } = managers[0]!
    await sql.query({
      text: 'INSERT INTO departments (id, name, funnels) VALUES ($1, $2, ARRAY[$3::bigint])',
      values: [id, name, funnelId],
    })
    await sql.query({
      text: `INSERT INTO managers (name, crm_user_id) SELECT name, "userId" FROM json_to_recordset($1) AS m (name text, "userId" text)`,
      values: [JSON.stringify(managers)],
    })
    await sql.query({
      text: 'INSERT INTO department_managers (name, department_id) SELECT unnest($1::text[]), $2',
      values: [managers.map((manager) => manager.name), id],
    })
    await sql.query({
      text: 'INSERT INTO crm_funnels (id, name, sort) VALUES ($1, $2, $3)',
      values: [funnelId, name, n],
    })
    await sql.query({
      text: `INSERT INTO crm_stages (funnel_id, id, name, sort, outcome)
             SELECT $1, id, name, sort, outcome FROM json_to_recordset($2) AS s (id text, name text, sort int, outcome text)`,
      values: [
        funnelId,
        JSON.stringify(DEMO_STAGES.map((stage, sort) => ({ ...stage, name: stage.name[language], sort }))),
      ],
    })
  }
}

async function insertDeals(sql: Sql, deals: DemoDeal[]): Promise<void> {
  await sql.query({
    text: `
      WITH given AS (
        SELECT * FROM json_to_recordset($1) AS d (id bigint, title text, "funnelId" bigint, stage text, "previousStage" text, outcome text,
          amount numeric, currency text, responsible text, "createdAt" timestamptz, "closedAt" timestamptz)),
      made AS (
        INSERT INTO crm_deals (id, title, funnel_id, stage_id, outcome, amount, currency, responsible_id, created_at,
                               updated_at, moved_at, closed_at)
        SELECT id, title, "funnelId", stage, outcome, amount, currency, responsible, "createdAt",
               coalesce("closedAt", "createdAt"), coalesce("closedAt", "createdAt"), "closedAt" FROM given)
      INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
      SELECT id, id, 1, "funnelId", "previousStage", 'open', "createdAt" FROM given
       UNION ALL
      SELECT id + 1000000, id, 3, "funnelId", stage, outcome, "closedAt" FROM given WHERE "closedAt" IS NOT NULL`,
    values: [JSON.stringify(deals)],
  })
}

async function insertCalls(sql: Sql, calls: DemoCall[]): Promise<string[]> {
  const { rows } = await sql.query({
    text: 'SELECT FROM settings WHERE name = $1 FOR KEY SHARE',
    values: [DEMO_SETTING_NAME],
  })
  if (!rows[0]) throw new Error('the demo was removed meanwhile')
  const callRows = await Promise.all(calls.map(toCallRow))
  await sql.query({
    text: `
      INSERT INTO recordings (id, status, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                              file_name, storage_key, size_bytes, duration_seconds, audio, error_code, error_message, created_at,
                              started_at, finished_at, attempts)
      SELECT id, CASE WHEN text = '' THEN 'FAILED' ELSE 'DONE' END, 'upload', "externalCallId", phone, manager, direction, at,
             "externalCallId" || '.wav', 'demo/' || id, 0, "durationSeconds", audio, error, reason,
             at + interval '5 min', at + interval '6 min', at + interval '7 min', 1
        FROM json_to_recordset($1) AS c (id uuid, "externalCallId" text, phone text, manager text, direction text, at timestamptz,
             text text, "durationSeconds" double precision, audio jsonb, error text, reason text)`,
    values: [JSON.stringify(callRows)],
  })
  await sql.query({
    text: `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments, search_terms, created_at)
           SELECT id, text, 'demo', 'greedy', language, segments, terms::tsvector, at + interval '7 min'
             FROM json_to_recordset($1) AS c (id uuid, text text, terms text, language text, segments json, at timestamptz)
            WHERE text <> ''`,
    values: [JSON.stringify(callRows)],
  })
  await sql.query({
    text: `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by)
           SELECT id, "dealId", 'activity' FROM json_to_recordset($1) AS c (id uuid, "dealId" bigint) WHERE "dealId" IS NOT NULL`,
    values: [JSON.stringify(callRows)],
  })
  await insertPortalCalls(sql, callRows)
  return callRows.filter(({ text }) => text !== '').map(({ id }) => id)
}

async function toCallRow(call: DemoCall) {
  const isBroken = call.segments.length === 0
  const text = call.segments.map((segment) => segment.text).join('\n')
  return {
    ...call,
    id: v7({ msecs: call.at.getTime() + 300_000 }),
    text,
    audio: isBroken ? null : measureDemoAudio(call),
    terms: await buildTsvector(text),
    error: isBroken ? 'UNSUPPORTED_AUDIO' : null,
    reason: isBroken ? transcriptionMessages.unsupportedAudio({ said: 'demo' }).text : null,
  }
}

/** Describes the audio that a call would have: one speaker per channel. */
function measureDemoAudio({ segments }: DemoCall): AudioProperties {
  const speechSeconds = [0, 1].map((side) =>
    segments.filter(({ channel }) => channel === side).reduce((sum, { start, end }) => sum + end - start, 0),
  )
  return { channels: 2, speechSeconds, silent: [false, false], identical: false, clipped: false }
}

async function checkCalls(db: DataSource, config: Config, sets: PublishedRuleSet[], ids: string[]): Promise<void> {
  const token = randomUUID()
  const jobs = new Map(ids.map((recordingId) => [recordingId, generateId()]))
  await poolOf(db).query({
    text: `INSERT INTO analyses (id, recording_id, status, attempts, attempt_token, lease_until, started_at)
           SELECT unnest($1::uuid[]), unnest($2::uuid[]), 'PROCESSING', 1, $3, now() + make_interval(secs => $4), now()`,
    // Twice the usual lease. The schedule shortens longer ones, because it assumes a clock change.
    values: [[...jobs.values()], [...jobs.keys()], token, 2 * analysisQueue.leaseSeconds],
  })
  // The demo uses the provider `rules`, so no transcript leaves this server.
  const core = { db, config: { ...config, ANALYSIS_PROVIDER: 'rules' as const }, checkListeners: [] }
  const calls = await loadCallsWithTranscripts(poolOf(db), ids)
  for (let from = 0; from < calls.length; from += CONCURRENT_CHECKS) {
    const checks = calls.slice(from, from + CONCURRENT_CHECKS).map(async (call) => {
      const judgeSet = async (set: PublishedRuleSet) => ({ set, judgement: await judgeCall(set.body, call.dialogue) })
      const { score, labels } = selectApplicableRuleSets(sets, call)
      const result = {
        call,
        score: score && (await judgeSet(score)),
        missingScore: score ? null : explainMissingScore(sets, call),
        labels: await Promise.all(labels.map(judgeSet)),
      }
      await storeCheckResult(core, { queue: analysisQueue, id: jobs.get(call.recordingId)!, token, attempt: 1 }, result)
    })
    await Promise.all(checks)
  }
}

/** Lets managers dispute a missed rule of their latest call. */
async function insertDisputes(db: DataSource): Promise<void> {
  await poolOf(db).query({
    text: `
      WITH latest AS (
        SELECT DISTINCT ON (r.manager_id)
               r.id AS recording_id, f.id AS finding_id, v.rule_set_id, f.rule_key, f.rule_hash, a.transcript_hash,
               f.machine_verdict, r.manager_name, t.language, r.call_at
          FROM recordings r JOIN transcripts t ON t.recording_id = r.id
          JOIN analyses a ON a.recording_id = r.id AND a.is_current
          JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label AND f.verdict = 'missed' AND f.waits IS NULL
          JOIN rule_set_versions v ON v.id = f.version_id
         ORDER BY r.manager_id, r.call_at DESC, r.id, f.position),
      chosen AS (SELECT *, row_number() OVER (ORDER BY call_at DESC)::int AS n FROM latest ORDER BY n LIMIT $2),
      made AS (
        INSERT INTO reviews (id, recording_id, finding_id, rule_set_id, rule_key, rule_hash, transcript_hash, kind,
                             machine_verdict, comment, person_id, person_name)
        SELECT new_id(), recording_id, finding_id, rule_set_id, rule_key, rule_hash, transcript_hash, 'dispute',
               machine_verdict, $1::json -> language ->> (n % json_array_length($1::json -> language)), new_id(), manager_name
          FROM chosen)
      UPDATE findings f SET waits = 'disputed' FROM chosen WHERE f.id = chosen.finding_id`,
    values: [JSON.stringify({ en: phrases.en.disputes, ru: phrases.ru.disputes }), DISPUTES],
  })
}

const CALL_TYPE_CODES = { OUTBOUND: 1, INBOUND: 2 }

/** Invents portal calls that were not loaded; one precedes every n-th call. */
const SKIPPED_CALLS = [
  { reason: 'unanswered', every: 5, durationSeconds: 0 },
  { reason: 'short', every: 13, durationSeconds: 8 },
  { reason: 'no-recording', every: 41, durationSeconds: 74 },
] as const

/**
 * Inserts the portal's call list for reconciliation. All calls are settled, so a portal that is connected later gets no requests
 * for them.
 */
async function insertPortalCalls(sql: Sql, calls: (DemoCall & { id: string })[]): Promise<void> {
  const users = new Map(DEMO_MANAGERS.map(({ name, userId }) => [name, userId]))
  const rows = calls.flatMap((call) => {
    const number = Number(call.externalCallId.slice(DEMO_ID_PREFIX.length))
    const type = CALL_TYPE_CODES[call.direction]
    const commonFields = { user: users.get(call.manager)!, phone: call.phone, type, failed: '200' }
    const receivedRow = {
      ...commonFields,
      at: call.at,
      state: 'received',
      recordingId: call.id,
      seconds: call.durationSeconds,
    }
    const skippedRows = SKIPPED_CALLS.filter(({ every }) => number % every === 0).map(
      ({ reason, durationSeconds }, n) => ({
        ...commonFields,
        at: new Date(call.at.getTime() - (n + 1) * 1_200_000),
        state: 'skipped',
        reason,
        seconds: durationSeconds,
        failed: reason === 'unanswered' ? '304' : '200',
      }),
    )
    return [receivedRow, ...skippedRows].map((row, n) => ({
      ...row,
      id: FIRST_DEMO_CRM_ID + number * (SKIPPED_CALLS.length + 1) + n,
      callId: n === 0 ? call.externalCallId : `${call.externalCallId}-${n}`,
    }))
  })
  await sql.query({
    text: `INSERT INTO crm_calls (id, call_id, user_id, phone_number, phone, type, duration_seconds, started_at, failed_code,
                                  load_state, skip_reason, recording_id)
           SELECT id, "callId", "user", phone, phone, type, seconds, at, failed, state, reason, "recordingId"
             FROM json_to_recordset($1) AS c (id bigint, "callId" text, "user" text, phone text, type smallint,
                  seconds double precision, at timestamptz, failed text, state text, reason text, "recordingId" uuid)`,
    values: [JSON.stringify(rows)],
  })
}
