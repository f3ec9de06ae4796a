import type { Sql } from '../../platform/db/sql.ts'
import { randomUUID } from 'node:crypto'
import { Temporal } from 'temporal-polyfill'
import type { DataSource } from 'typeorm'
import { v7 } from 'uuid'
import { loadCalls } from '../../check/checks/call.ts'
import { analysisQueue } from '../../check/checks/queue.ts'
import { judge } from '../../check/rules/judge.ts'
import { publishedSets, setsFor, type PublishedSet } from '../../check/checks/sets.ts'
import { storeCheck } from '../../check/checks/store.ts'
import { makeWeeklyReports } from '../../reports/weekly/make.ts'
import type { Config } from '../../platform/config/config.ts'
import { pool, transaction } from '../../platform/db/db.ts'
import { transcriptionMessages } from '../../calls/transcription/messages.ts'
import { newId } from '../../platform/lib/ids.ts'
import { DEPARTMENTS, makeCompany, MANAGERS, STAGES, type DemoCall, type DemoDeal } from './company.ts'
import { DEMO, insertMarker, refuseOverRealData } from './marker.ts'
import { insertPortalCalls } from './portal-calls.ts'

const BATCH = 100
/** Of so many weeks there is a report. */
const WEEKS_WITH_REPORT = 13
/** Checks that are stored at once. */
const AT_ONCE = 4

/**
 * Fills an empty instance with an invented company. Its texts are judged by the published rules, as the queue does.
 * @throws Error where there is anything that is not of a demo, or a demo already
 */
export async function fillDemo(db: DataSource, config: Config, count: number): Promise<{ deals: number }> {
  const { calls, deals } = makeCompany(count)
  const sets = await publishedSets(pool(db))
  if (sets.length === 0) throw new Error('there are no published rules yet: start the service once, then try again')
  await transaction(db, async (sql) => {
    await refuseOverRealData(sql)
    await insertMarker(sql)
    await insertDepartments(sql)
    await insertDeals(sql, deals)
  })
  for (let from = 0; from < calls.length; from += BATCH) {
    const ids = await transaction(db, (sql) => insertCalls(sql, calls.slice(from, from + BATCH)))
    await checkCalls(db, config, sets, ids)
  }
  await pool(db).query({ text: 'SELECT add_up_recording_counts(), add_up_rule_counts(), add_up_deal_calls(100000)' })
  await makeReports(db, config)
  return { deals: deals.length }
}

/**
 * As if the service had made them Monday by Monday. One that it made while the calls came in tells of half of them: by their
 * invented times they came in time.
 */
async function makeReports(db: DataSource, config: Config): Promise<void> {
  await pool(db).query({ text: 'DELETE FROM weekly_reports' })
  const now = Temporal.Now.instant()
  for (let ago = WEEKS_WITH_REPORT - 1; ago >= 0; ago--) {
    await makeWeeklyReports({ db, pool: pool(db), config }, now.subtract({ hours: 168 * ago }))
  }
}

async function insertDepartments(sql: Sql): Promise<void> {
  for (const [n, { id, name, language }] of DEPARTMENTS.entries()) {
    const managers = MANAGERS.filter(({ department }) => department.id === id)
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
      values: [funnelId, JSON.stringify(STAGES.map((stage, sort) => ({ ...stage, name: stage.name[language], sort })))],
    })
  }
}

async function insertDeals(sql: Sql, deals: DemoDeal[]): Promise<void> {
  await sql.query({
    text: `
      WITH given AS (
        SELECT * FROM json_to_recordset($1) AS d (id bigint, title text, "funnelId" bigint, stage text, before text, outcome text,
          amount numeric, currency text, responsible text, "createdAt" timestamptz, "closedAt" timestamptz)),
      made AS (
        INSERT INTO crm_deals (id, title, funnel_id, stage_id, outcome, amount, currency, responsible_id, created_at,
                               updated_at, moved_at, closed_at)
        SELECT id, title, "funnelId", stage, outcome, amount, currency, responsible, "createdAt",
               coalesce("closedAt", "createdAt"), coalesce("closedAt", "createdAt"), "closedAt" FROM given)
      INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
      SELECT id, id, 1, "funnelId", before, 'open', "createdAt" FROM given
       UNION ALL
      SELECT id + 1000000, id, 3, "funnelId", stage, outcome, "closedAt" FROM given WHERE "closedAt" IS NOT NULL`,
    values: [JSON.stringify(deals)],
  })
}

/** Inserts calls with their texts and links; returns the ids of those that have a text. */
async function insertCalls(sql: Sql, calls: DemoCall[]): Promise<string[]> {
  const { rows } = await sql.query({ text: 'SELECT FROM settings WHERE name = $1 FOR KEY SHARE', values: [DEMO] })
  if (!rows[0]) throw new Error('the demo was removed meanwhile')
  const given = calls.map(rowOf)
  await sql.query({
    text: `
      INSERT INTO recordings (id, status, source, external_call_id, phone_number, manager_name, direction, call_started_at,
                              file_name, storage_key, size_bytes, duration_seconds, error_code, error_message, created_at,
                              started_at, finished_at, attempts)
      SELECT id, CASE WHEN text = '' THEN 'FAILED' ELSE 'DONE' END, 'upload', "externalCallId", phone, manager, direction, at,
             "externalCallId" || '.wav', 'demo/' || id, 0, "durationSeconds", error, reason,
             at + interval '5 min', at + interval '6 min', at + interval '7 min', 1
        FROM json_to_recordset($1) AS c (id uuid, "externalCallId" text, phone text, manager text, direction text, at timestamptz,
             text text, "durationSeconds" double precision, error text, reason text)`,
    values: [JSON.stringify(given)],
  })
  await sql.query({
    text: `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments, created_at)
           SELECT id, text, 'demo', 'greedy', language, segments, at + interval '7 min'
             FROM json_to_recordset($1) AS c (id uuid, text text, language text, segments json, at timestamptz)
            WHERE text <> ''`,
    values: [JSON.stringify(given)],
  })
  await sql.query({
    text: `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by)
           SELECT id, "dealId", 'activity' FROM json_to_recordset($1) AS c (id uuid, "dealId" bigint) WHERE "dealId" IS NOT NULL`,
    values: [JSON.stringify(given)],
  })
  await insertPortalCalls(sql, given)
  return given.filter(({ text }) => text !== '').map(({ id }) => id)
}

function rowOf(call: DemoCall) {
  const isBroken = call.segments.length === 0
  return {
    ...call,
    id: v7({ msecs: call.at.getTime() + 300_000 }),
    text: call.segments.map(({ text }) => text).join('\n'),
    error: isBroken ? 'UNSUPPORTED_AUDIO' : null,
    reason: isBroken ? transcriptionMessages.unsupportedAudio({ said: 'demo' }).text : null,
  }
}

/**
 * Checks calls and stores the results as the queue does, under a claim for each call. The schedule would take a
 * longer claim for a sign that the clock was set back.
 */
async function checkCalls(db: DataSource, config: Config, sets: PublishedSet[], ids: string[]): Promise<void> {
  const token = randomUUID()
  const jobs = new Map(ids.map((recordingId) => [recordingId, newId()]))
  await pool(db).query({
    text: `INSERT INTO analyses (id, recording_id, status, attempts, attempt_token, lease_until, started_at)
           SELECT unnest($1::uuid[]), unnest($2::uuid[]), 'PROCESSING', 1, $3, now() + make_interval(secs => $4), now()`,
    values: [[...jobs.values()], [...jobs.keys()], token, 2 * analysisQueue.leaseSeconds],
  })
  const calls = await loadCalls(pool(db), ids)
  // What it costs, and who judges, is the same whatever provider is set: nothing leaves this server for a demo.
  const core = { db, config: { ...config, ANALYSIS_PROVIDER: 'rules' as const } }
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = calls.pop(); next; next = calls.pop()) {
        const call = next
        const { score, labels } = setsFor(sets, call)
        const judged = async (set: PublishedSet) => ({ set, judgement: await judge(set.body, call.dialogue) })
        const result = {
          call,
          score: score && (await judged(score)),
          labels: [] as Awaited<ReturnType<typeof judged>>[],
        }
        for (const set of labels) result.labels.push(await judged(set))
        const claim = { queue: analysisQueue, id: jobs.get(call.recordingId)!, token, attempt: 1 }
        await storeCheck(core, claim, result)
      }
    }),
  )
}
