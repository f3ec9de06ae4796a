import { findPersonActor } from '../../people/auth/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { ActingPerson, Actor, PersonActor } from '../../platform/http/actor.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import {
  callPeriodConditions,
  countCallsAndWords,
  estimateCheckCost,
  TRANSCRIPT_EXISTS_CONDITION,
  parseCallPeriod,
  type CallPeriod,
} from '../backtests/estimate.ts'
import { CHECK_PRIORITY } from '../checks/check-requests.ts'
import { analysisMessages } from '../checks/messages.ts'
import { loadPublishedRuleSets, ruleSetScopeConditions } from '../checks/published-sets.ts'
import { deleteCachedModelReplies } from '../model/reply-cache.ts'
import { loadRuleSetRow } from '../rule-sets/service.ts'
import type { RuleSetScope, Rule } from '../rules/types.ts'
import { analysisRunMessages } from './messages.ts'
import type { AnalysisRunJson } from './schema.ts'

/** A recheck requests this many checks at once, as soon as fewer are unfinished. */
const CHECK_BATCH_SIZE = 500

interface AnalysisRunRow extends Pick<AnalysisRunJson, 'id' | 'state' | 'ruleSetId' | 'estimate' | 'progress'> {
  from: Date
  to: Date
  personId: string
  personName: string
  createdAt: Date
  confirmedAt: Date | null
  finishedAt: Date | null
}

const ANALYSIS_RUN_COLUMNS_SQL = `
  n.id, n.state, n.from_at AS "from", n.to_at AS "to", n.rule_set_id AS "ruleSetId", n.estimate,
  n.person_id AS "personId", n.person_name AS "personName", n.created_at AS "createdAt",
  n.confirmed_at AS "confirmedAt", n.finished_at AS "finishedAt",
  (SELECT json_build_object('queued', count(*), 'waiting', count(*) FILTER (WHERE a.status IN ('QUEUED', 'PROCESSING')),
            'done', count(*) FILTER (WHERE a.status = 'DONE'), 'skipped', count(*) FILTER (WHERE a.status = 'SKIPPED'),
            'failed', count(*) FILTER (WHERE a.status = 'FAILED'))
     FROM analysis_run_checks c JOIN analyses a ON a.id = c.analysis_id WHERE c.run_id = n.id) AS progress`

function presentAnalysisRun({
  personId,
  personName,
  from,
  to,
  createdAt,
  confirmedAt,
  finishedAt,
  ...row
}: AnalysisRunRow): AnalysisRunJson {
  return {
    ...row,
    from: from.toISOString(),
    to: to.toISOString(),
    person: { id: personId, name: personName },
    createdAt: createdAt.toISOString(),
    confirmedAt: confirmedAt && confirmedAt.toISOString(),
    finishedAt: finishedAt && finishedAt.toISOString(),
  }
}

/** An owner sees all rechecks, a department head only their own. */
const visibleRunConditions = (me: ActingPerson): SqlConditions =>
  me.role === 'owner' ? [] : toConditions(['n.person_id = ?::uuid', me.id])

/**
 * Loads a recheck with its progress.
 * @param lock serializes changes until the transaction ends
 * @throws HttpError 404 if the person cannot see it
 */
export async function loadAnalysisRun(sql: Sql, me: ActingPerson, id: string, lock = false): Promise<AnalysisRunJson> {
  if (lock) await sql.query({ text: 'SELECT FROM analysis_runs WHERE id = $1 FOR UPDATE', values: [id] })
  const p = new SqlParameters()
  const conditions = p.and([...toConditions(['n.id = ?::uuid', id]), ...visibleRunConditions(me)])
  const { rows } = await sql.query<AnalysisRunRow>({
    text: `SELECT ${ANALYSIS_RUN_COLUMNS_SQL} FROM analysis_runs n WHERE ${conditions}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(analysisRunMessages.noRun())
  return presentAnalysisRun(rows[0])
}

/** Lists the rechecks that a person can see, newest first. */
export async function listAnalysisRuns({ pool }: Core, me: ActingPerson, page: PageRequest) {
  const p = new SqlParameters()
  const from = `analysis_runs n WHERE ${p.and(visibleRunConditions(me))}`
  const result = await listPage<AnalysisRunRow>(
    pool,
    { select: ANALYSIS_RUN_COLUMNS_SQL, from, order: 'n.id DESC', values: p.values },
    page,
  )
  return { ...result, items: result.items.map(presentAnalysisRun) }
}

/**
 * Stores a recheck of the calls of a period with its estimated cost. It starts after a confirmation.
 * @throws HttpError 400, 404 for an unknown rule set, 409 if the call check is off
 */
export async function createAnalysisRun(
  core: Core,
  actor: PersonActor,
  { ruleSetId, ...period }: CallPeriod & { ruleSetId?: string | null },
): Promise<AnalysisRunJson> {
  const { config, pool, db } = core
  const { person } = actor
  if (config.ANALYSIS_PROVIDER === 'none') throw conflictError(analysisMessages.off())
  const { from, to } = parseCallPeriod(core, period)
  const set = ruleSetId ? await loadRuleSetRow(pool, person, ruleSetId) : undefined
  const callCounts = await countCallsAndWords(pool, [
    ...callPeriodConditions(actor, { from, to }),
    ...ruleSetScopeConditions(set?.applies),
  ])
  const estimate = estimateCheckCost(
    config,
    callCounts,
    await loadUsualRules(pool, set?.mode === 'score' ? set.id : undefined),
  )
  const id = generateId()
  return runInTransaction(db, async (sql) => {
    await insertRow(sql, 'analysis_runs', {
      id,
      state: 'estimated',
      from_at: from,
      to_at: to,
      rule_set_id: ruleSetId,
      estimate,
      person_id: person.id,
      person_name: person.name,
      scope: { role: person.role },
    })
    const details = { after: { from, to, ruleSetId, calls: estimate.calls } }
    await recordAuditChange(sql, actor, { action: 'analysis.run', details })
    return loadAnalysisRun(sql, person, id)
  })
}

/** Loads the rules that an estimate assumes for each call: of one score set, by default the first, and of every label set. */
async function loadUsualRules(sql: Sql, setId?: string): Promise<Rule[][]> {
  const sets = await loadPublishedRuleSets(sql)
  const scores = sets.filter(({ body }) => body.mode === 'score')
  const score = scores.find(({ id }) => id === setId) ?? scores[0]
  const labels = sets.filter(({ body }) => body.mode === 'label')
  return [...(score ? [score] : []), ...labels].map(({ body }) => body.rules)
}

/** Starts an estimated recheck. @throws HttpError 404, 409 if it has already started or ended */
export function confirmAnalysisRun(core: Core, actor: PersonActor, id: string): Promise<AnalysisRunJson> {
  return runInTransaction(core.db, async (sql) => {
    const { state, estimate } = await loadAnalysisRun(sql, actor.person, id, true)
    if (state !== 'estimated') throw conflictError(analysisRunMessages.notBegun({ state }))
    await sql.query({
      text: `UPDATE analysis_runs SET state = 'running', confirmed_at = now() WHERE id = $1`,
      values: [id],
    })
    const details = { after: { id, calls: estimate.calls } }
    await recordAuditChange(sql, actor, { action: 'analysis.run-confirm', details })
    return loadAnalysisRun(sql, actor.person, id)
  })
}

/**
 * Stops a recheck. Finished checks remain, and so do checks that someone else requested.
 * @throws HttpError 404, 409 if it has ended
 */
export function cancelAnalysisRun(core: Core, actor: PersonActor, id: string): Promise<AnalysisRunJson> {
  return runInTransaction(core.db, async (sql) => {
    const { state } = await loadAnalysisRun(sql, actor.person, id, true)
    if (state !== 'estimated' && state !== 'running') throw conflictError(analysisRunMessages.ended())
    await finishAnalysisRun(sql, id, 'cancelled')
    await cancelChecks(sql, id)
    await recordAuditChange(sql, actor, { action: 'analysis.run-cancel', details: { after: { id } } })
    return loadAnalysisRun(sql, actor.person, id)
  })
}

const finishAnalysisRun = (sql: Sql, id: string, state: 'done' | 'cancelled') =>
  sql.query({ text: 'UPDATE analysis_runs SET state = $2, finished_at = now() WHERE id = $1', values: [id, state] })

/** Cancels the checks that only this recheck requested. Shared checks continue. */
async function cancelChecks(sql: Sql, runId: string): Promise<void> {
  // Lock the checks first, so that the next statement sees rechecks that joined or were cancelled meanwhile.
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT a.id FROM analyses a JOIN analysis_run_checks c ON c.analysis_id = a.id
            WHERE c.run_id = $1 AND a.status IN ('QUEUED', 'PROCESSING') ORDER BY a.id FOR UPDATE OF a`,
    values: [runId],
  })
  const unfinished = rows.map(({ id }) => id)
  // Cancel running checks too: otherwise a failed attempt would be retried and paid again.
  const cancelled = await sql.query<{ id: string }>({
    text: `UPDATE analyses a SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
            WHERE a.id = ANY($1::uuid[]) AND a.run_id IS NOT NULL
              AND NOT EXISTS (SELECT FROM analysis_run_checks c JOIN analysis_runs n ON n.id = c.run_id
                               WHERE c.analysis_id = a.id AND n.state = 'running')
            RETURNING id`,
    values: [unfinished],
  })
  const ids = cancelled.rows.map(({ id }) => id)
  await deleteCachedModelReplies(sql, ids)
  await sql.query({
    text: `DELETE FROM analysis_run_checks
            WHERE run_id = $1 AND analysis_id = ANY($2::uuid[]) AND analysis_id <> ALL($3::uuid[])`,
    values: [runId, unfinished, ids],
  })
}

interface RunningAnalysisRun extends Pick<AnalysisRunRow, 'id' | 'from' | 'to' | 'personId'> {
  cursor: string | null
  isQueued: boolean
  applies: RuleSetScope | null
}

/** Queues the next checks of each running recheck, and ends rechecks whose checks are all requested and finished. */
export async function advanceAnalysisRuns(core: Core): Promise<void> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT id FROM analysis_runs WHERE state = 'running' ORDER BY id`,
  })
  let requested = 0
  for (const { id } of rows) requested += await runInTransaction(core.db, (sql) => advanceAnalysisRun(core, sql, id))
  if (requested > 0) core.notify('analysis')
}

/** @returns the number of requested checks */
async function advanceAnalysisRun(core: Core, sql: Sql, id: string): Promise<number> {
  const { rows } = await sql.query<RunningAnalysisRun>({
    text: `SELECT n.id, n.from_at AS "from", n.to_at AS "to", n.cursor, n.is_queued AS "isQueued", n.person_id AS "personId",
                  s.applies
             FROM analysis_runs n LEFT JOIN rule_sets s ON s.id = n.rule_set_id
            WHERE n.id = $1 AND n.state = 'running' FOR UPDATE OF n SKIP LOCKED`,
    values: [id],
  })
  const run = rows[0]
  if (!run) return 0
  // With OR instead of IN, each part uses a partial index. Few checks are queued.
  const { rows: counts } = await sql.query<{ waiting: number }>({
    text: `SELECT count(*)::int AS waiting FROM analysis_run_checks c JOIN analyses a ON a.id = c.analysis_id
            WHERE c.run_id = $1 AND (a.status = 'QUEUED' OR a.status = 'PROCESSING')`,
    values: [id],
  })
  const { waiting } = counts[0]!
  if (!run.isQueued) return waiting < CHECK_BATCH_SIZE ? requestChecks(core, sql, run) : 0
  if (waiting === 0) await finishAnalysisRun(sql, id, 'done')
  return 0
}

/** Requests checks of the next calls that the person who started the recheck can still see. */
async function requestChecks(core: Core, sql: Sql, run: RunningAnalysisRun): Promise<number> {
  const actor: Actor = (await findPersonActor(core, run.personId)) ?? { kind: 'nobody' }
  const p = new SqlParameters()
  const conditions = p.and([
    ...callPeriodConditions(actor, run),
    ...ruleSetScopeConditions(run.applies ?? {}),
    ...toConditions(['r.id > ?::uuid', run.cursor ?? undefined]),
    TRANSCRIPT_EXISTS_CONDITION,
  ])
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${conditions} ORDER BY r.id LIMIT ${CHECK_BATCH_SIZE}`,
    values: p.values,
  })
  const ids = rows.map(({ id }) => id)
  // Join a queued check instead of adding one, because it will use the current rules when it runs.
  await sql.query({
    text: `WITH waiting AS (
             SELECT id, recording_id FROM analyses WHERE recording_id = ANY($2::uuid[]) AND status = 'QUEUED'
                FOR UPDATE SKIP LOCKED),
           added AS (
             INSERT INTO analyses (id, recording_id, priority, run_id) SELECT c.id, c.recording_id, $3, $4
               FROM unnest($1::uuid[], $2::uuid[]) AS c (id, recording_id)
              WHERE c.recording_id NOT IN (SELECT recording_id FROM waiting)
             RETURNING id)
           INSERT INTO analysis_run_checks (run_id, analysis_id)
           SELECT $4, id FROM added
            UNION ALL
           (SELECT DISTINCT ON (recording_id) $4, id FROM waiting ORDER BY recording_id, id DESC)`,
    values: [ids.map(generateId), ids, CHECK_PRIORITY.recheck, run.id],
  })
  await sql.query({
    text: 'UPDATE analysis_runs SET cursor = coalesce($2::uuid, cursor), is_queued = $3 WHERE id = $1',
    values: [run.id, ids.at(-1) ?? null, ids.length < CHECK_BATCH_SIZE],
  })
  return ids.length
}
