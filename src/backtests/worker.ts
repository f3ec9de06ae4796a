import { randomUUID } from 'node:crypto'
import { loadCalls, type Call } from '../analysis/call.ts'
import { appliesTo } from '../analysis/rules/applies.ts'
import { judge } from '../analysis/rules/judge.ts'
import type { RuleSetBody, Verdict } from '../analysis/rules/types.ts'
import type { Core } from '../core.ts'
import { transaction, type Sql } from '../db.ts'
import { addCall, type Change, type Figures } from './figures.ts'

/** Calls between two looks whether it goes on: so often the figures are shown anew. */
const CALLS_A_PAGE = 25

const LEASE_SECONDS = 30

interface Claimed {
  id: string
  token: string
  ruleSetId: string
  draft: RuleSetBody
  published: RuleSetBody | null
  recordingIds: string[]
  done: number
  figures: Figures
}

/** Works on backtests that run, one after the other; another process goes on with one whose process died. */
export async function workBacktests(core: Core): Promise<void> {
  for (;;) {
    const claimed = await claim(core.pool)
    if (!claimed) return
    while (await nextPage(core, claimed)) continue
  }
}

async function claim(sql: Sql): Promise<Claimed | undefined> {
  const { rows } = await sql.query<Claimed>({
    text: `UPDATE backtests SET run_token = $1, lease_until = now() + make_interval(secs => $2)
            WHERE id = (SELECT id FROM backtests WHERE state = 'running' AND (lease_until IS NULL OR lease_until < now())
                         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
           RETURNING id, run_token AS token, rule_set_id AS "ruleSetId", draft, published, recording_ids AS "recordingIds",
                     done, figures`,
    values: [randomUUID(), LEASE_SECONDS],
  })
  return rows[0]
}

/** Judges some calls by both versions and stores what that adds. @returns whether there is more to do */
async function nextPage(core: Core, run: Claimed): Promise<boolean> {
  const ids = run.recordingIds.slice(run.done, run.done + CALLS_A_PAGE)
  const calls = await loadCalls(core.pool, ids)
  const people = await decisions(core.pool, run.ruleSetId, ids)
  const changed: { recordingId: string; oldScore: number | null; newScore: number | null; changes: Change[] }[] = []
  for (const call of calls) {
    const found = await compare(run, call, people)
    if (found && found.changes.length > 0) changed.push({ recordingId: call.recordingId, ...found })
  }
  run.figures.skipped += ids.length - calls.length
  run.done += ids.length
  const isDone = run.done >= run.recordingIds.length
  return (await store(core, run, changed, isDone)) && !isDone
}

async function compare({ draft, published, figures }: Claimed, call: Call, people: Decisions) {
  if (!appliesTo(draft, call.dialogue, call.departmentId)) {
    figures.skipped++
    return undefined
  }
  const before = published && (await judge(published, call.dialogue))
  const after = await judge(draft, call.dialogue)
  const said = people.get(`${call.recordingId} ${call.transcriptHash}`) ?? new Map<string, Verdict>()
  return { oldScore: before?.score ?? null, newScore: after.score, changes: addCall(figures, after, before, said) }
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

/** @returns whether the run is still ours */
async function store(
  core: Core,
  { id, token, done, figures }: Claimed,
  changed: object[],
  isDone: boolean,
): Promise<boolean> {
  return transaction(core.db, async (sql) => {
    const { rowCount } = await sql.query({
      text: `UPDATE backtests SET done = $3, figures = $4, lease_until = now() + make_interval(secs => $5),
                    state = CASE WHEN $6 THEN 'done' ELSE state END, finished_at = CASE WHEN $6 THEN now() END
              WHERE id = $1 AND run_token = $2 AND state = 'running'`,
      values: [id, token, done, JSON.stringify(figures), LEASE_SECONDS, isDone],
    })
    if (rowCount !== 1) return false
    // A call that was deleted meanwhile is not told of.
    await sql.query({
      text: `INSERT INTO backtest_calls (backtest_id, recording_id, old_score, new_score, changes)
             SELECT $1, c."recordingId", c."oldScore", c."newScore", c.changes
               FROM jsonb_to_recordset($2::jsonb) AS c ("recordingId" uuid, "oldScore" real, "newScore" real, changes jsonb)
               JOIN recordings r ON r.id = c."recordingId"`,
      values: [id, JSON.stringify(changed)],
    })
    return true
  })
}
