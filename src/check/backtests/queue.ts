import type { Sql } from '../../platform/db/sql.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { loadCalls, type Call } from '../checks/check.ts'
import { appliesTo } from '../checks/sets.ts'
import { judge } from '../rules/judge.ts'
import type { RuleSetBody, Verdict } from '../rules/types.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { endJob } from '../../platform/queue/claims.ts'
import { ClaimLost, type Job, type Queue } from '../../platform/queue/queue.ts'
import { addCall, type Figures } from './figures.ts'
import { backtestMessages } from './messages.ts'

/** Backtests. They run page by page; another worker resumes after the last page. */
export const backtestsQueue: Queue<void> = {
  name: 'backtests',
  isUnlisted: true,
  table: 'backtests',
  order: 'priority DESC, created_at, id',
  concurrency: () => 1,
  attempts: () => 3,
  firstPauseSeconds: () => 2,
  leaseSeconds: 30,
  startsOver: true, // at its next page: those before it are stored
  messages: {
    workerDied: backtestMessages.workerDied(),
    broken: backtestMessages.broken(),
  },
  run: runBacktest,
  store: async ({ pool }, claim) => ((await endJob(pool, claim, 'DONE')) ? 'done' : 'lost'),
}

/** Calls between two checks whether it still runs, after which the figures are updated. */
const CALLS_A_PAGE = 25
/** The pause after a page as a multiple of its duration. Without pauses a backtest makes lists eight times as slow. */
const REST = 2

interface Run {
  id: string
  token: string
  ruleSetId: string
  draft: RuleSetBody
  published: RuleSetBody | null
  recordingIds: string[]
  done: number
  figures: Figures
}

/** Judges the calls of a backtest page by page, resuming where an earlier attempt ended. */
async function runBacktest(core: Core, { id, token, signal }: Job): Promise<void> {
  const run = await load(core.pool, id, token)
  while (run.done < run.recordingIds.length) {
    signal.throwIfAborted()
    const began = performance.now()
    await nextPage(core, run)
    if (run.done < run.recordingIds.length) await pause(REST * (performance.now() - began), undefined, { signal })
  }
}

async function load(sql: Sql, id: string, token: string): Promise<Run> {
  const { rows } = await sql.query<Run>({
    text: `SELECT id, attempt_token AS token, rule_set_id AS "ruleSetId", draft, published, recording_ids AS "recordingIds",
                  done, figures
             FROM backtests WHERE id = $1 AND attempt_token = $2`,
    values: [id, token],
  })
  if (!rows[0]) throw new ClaimLost()
  return rows[0]
}

/** Judges some calls by both versions and stores the results. @throws ClaimLost */
async function nextPage(core: Core, run: Run): Promise<void> {
  const ids = run.recordingIds.slice(run.done, run.done + CALLS_A_PAGE)
  const calls = await loadCalls(core.pool, ids)
  const people = await decisions(core.pool, run.ruleSetId, ids)
  const changed: object[] = []
  for (const call of calls) {
    const found = await compare(run, call, people)
    if (found?.hasChanged) changed.push(found)
  }
  run.figures.skipped += ids.length - calls.length
  run.done += ids.length
  await store(core, run, changed)
}

async function compare({ draft, published, figures }: Run, call: Call, people: Decisions) {
  if (!appliesTo(draft, call)) {
    figures.skipped++
    return undefined
  }
  const before = published && (await judge(published, call.dialogue))
  const after = await judge(draft, call.dialogue)
  const said = people.get(`${call.recordingId} ${call.transcriptHash}`) ?? new Map<string, Verdict>()
  const [oldScore, newScore] = [before?.score ?? null, after.score]
  return { recordingId: call.recordingId, oldScore, newScore, ...addCall(figures, after, before, said) }
}

/** The last decisions of people by call and text, and then by rule. */
type Decisions = ReadonlyMap<string, ReadonlyMap<string, Verdict>>

async function decisions(sql: Sql, ruleSetId: string, ids: string[]): Promise<Decisions> {
  const { rows } = await sql.query<{ call: string; rule: string; verdict: Verdict }>({
    text: `SELECT DISTINCT ON (recording_id, transcript_hash, rule_key)
                  recording_id || ' ' || transcript_hash AS call, rule_key AS rule, verdict
             FROM reviews WHERE rule_set_id = $1 AND recording_id = ANY($2::uuid[]) AND kind = 'verdict'
            ORDER BY recording_id, transcript_hash, rule_key, id DESC`,
    values: [ruleSetId, ids],
  })
  const calls = new Map<string, Map<string, Verdict>>()
  for (const { call, rule, verdict } of rows) calls.set(call, (calls.get(call) ?? new Map()).set(rule, verdict))
  return calls
}

/** @throws ClaimLost */
async function store(core: Core, { id, token, done, figures }: Run, changed: object[]): Promise<void> {
  await transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE backtests SET done = $3, figures = $4
              WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
      values: [id, token, done, JSON.stringify(figures)],
    })
    if (rowCount !== 1) throw new ClaimLost()
    // Skip calls that were deleted meanwhile.
    await sql.query({
      text: `INSERT INTO backtest_calls (backtest_id, recording_id, old_score, new_score, changes)
             SELECT $1, c."recordingId", c."oldScore", c."newScore", c.changes
               FROM jsonb_to_recordset($2::jsonb) AS c ("recordingId" uuid, "oldScore" real, "newScore" real, changes jsonb)
               JOIN recordings r ON r.id = c."recordingId"`,
      values: [id, JSON.stringify(changed)],
    })
  })
}
