import type { Sql } from '../../platform/db/sql.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { loadCallsWithTranscripts, type CallWithTranscript } from '../checks/check-call.ts'
import { isRuleSetApplicable } from '../checks/published-sets.ts'
import { judgeCall } from '../rules/judge-call.ts'
import type { RuleSetBody, Verdict } from '../rules/types.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { endJob } from '../../platform/queue/claims.ts'
import { JobClaimLostError, type Job, type Queue } from '../../platform/queue/queue.ts'
import { addCallToBacktestFigures, type BacktestFigures } from './figures.ts'
import { backtestMessages } from './messages.ts'

/** The queue of test runs. A test run stores its position after each page, so another worker can resume it. */
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

/** Calls judged between two updates of the row, which also detect a lost claim. */
const CALLS_PER_PAGE = 25
/** The pause after a page as a multiple of its duration. Without pauses, a test run makes lists eight times as slow. */
const PAUSE_FACTOR = 2

interface BacktestRun {
  id: string
  token: string
  ruleSetId: string
  draft: RuleSetBody
  published: RuleSetBody | null
  recordingIds: string[]
  done: number
  figures: BacktestFigures
}

async function runBacktest(core: Core, { id, token, signal }: Job): Promise<void> {
  const run = await loadRun(core.pool, id, token)
  while (run.done < run.recordingIds.length) {
    signal.throwIfAborted()
    const startedAt = performance.now()
    await judgeNextPage(core, run)
    if (run.done < run.recordingIds.length)
      await pause(PAUSE_FACTOR * (performance.now() - startedAt), undefined, { signal })
  }
}

async function loadRun(sql: Sql, id: string, token: string): Promise<BacktestRun> {
  const { rows } = await sql.query<BacktestRun>({
    text: `SELECT id, attempt_token AS token, rule_set_id AS "ruleSetId", draft, published, recording_ids AS "recordingIds",
                  done, figures
             FROM backtests WHERE id = $1 AND attempt_token = $2`,
    values: [id, token],
  })
  if (!rows[0]) throw new JobClaimLostError()
  return rows[0]
}

/** Judges the next calls by both versions and stores the results. @throws JobClaimLostError */
async function judgeNextPage(core: Core, run: BacktestRun): Promise<void> {
  const ids = run.recordingIds.slice(run.done, run.done + CALLS_PER_PAGE)
  const calls = await loadCallsWithTranscripts(core.pool, ids)
  const reviewedVerdicts = await loadReviewedVerdicts(core.pool, run.ruleSetId, ids)
  const changed: object[] = []
  for (const call of calls) {
    const comparison = await compareVersions(run, call, reviewedVerdicts)
    if (comparison?.hasChanged) changed.push(comparison)
  }
  run.figures.skipped += ids.length - calls.length
  run.done += ids.length
  await storePage(core, run, changed)
}

async function compareVersions(
  { draft, published, figures }: BacktestRun,
  call: CallWithTranscript,
  reviewedVerdicts: ReviewedVerdicts,
) {
  if (!isRuleSetApplicable(draft, call)) {
    figures.skipped++
    return undefined
  }
  if (figures.precedingScopes?.some((applies) => isRuleSetApplicable({ applies }, call))) {
    figures.scoredByOthers = (figures.scoredByOthers ?? 0) + 1
    return undefined
  }
  const before = published && (await judgeCall(published, call.dialogue))
  const after = await judgeCall(draft, call.dialogue)
  const reviewed = reviewedVerdicts.get(`${call.recordingId} ${call.transcriptHash}`) ?? new Map<string, Verdict>()
  const [oldScore, newScore] = [before?.score ?? null, after.score]
  return {
    recordingId: call.recordingId,
    oldScore,
    newScore,
    ...addCallToBacktestFigures(figures, after, before, reviewed),
  }
}

/** The last verdict that a person gave, by call id with transcript hash, then by rule key. */
type ReviewedVerdicts = ReadonlyMap<string, ReadonlyMap<string, Verdict>>

async function loadReviewedVerdicts(sql: Sql, ruleSetId: string, ids: string[]): Promise<ReviewedVerdicts> {
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

/** @throws JobClaimLostError if another worker has the test run, or it was cancelled */
async function storePage(core: Core, { id, token, done, figures }: BacktestRun, changed: object[]): Promise<void> {
  await runInTransaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE backtests SET done = $3, figures = $4
              WHERE id = $1 AND attempt_token = $2 AND status = 'PROCESSING'`,
      values: [id, token, done, JSON.stringify(figures)],
    })
    if (rowCount !== 1) throw new JobClaimLostError()
    // The join skips calls that were deleted meanwhile.
    await sql.query({
      text: `INSERT INTO backtest_calls (backtest_id, recording_id, old_score, new_score, changes)
             SELECT $1, c."recordingId", c."oldScore", c."newScore", c.changes
               FROM jsonb_to_recordset($2::jsonb) AS c ("recordingId" uuid, "oldScore" real, "newScore" real, changes jsonb)
               JOIN recordings r ON r.id = c."recordingId"`,
      values: [id, JSON.stringify(changed)],
    })
  })
}
