import { findPersonActor } from '../../people/auth/actor.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError, notFoundError } from '../../platform/errors.ts'
import type { ActingPerson, Actor, PersonActor } from '../../platform/http/actor.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { parseDayOrTime, parsePeriodEnd } from '../../platform/lib/time.ts'
import { speakerMessages } from './messages.ts'
import type { SeparationRunJson } from './runs-schema.ts'
import { enqueueSeparations, HAS_SPEAKER_PER_CHANNEL_SQL, SEPARATION_PRIORITY } from './separations.ts'

/** A run queues this many calls at once, whenever fewer of its separations than this are waiting. */
const BATCH_SIZE = 500
/** Measured seconds of separation, including decoding, per second of audio. */
const SECONDS_PER_AUDIO_SECOND = 0.02

interface RunRow extends Pick<SeparationRunJson, 'id' | 'state' | 'estimate' | 'progress'> {
  from: Date
  to: Date
  personId: string
  personName: string
  createdAt: Date
  confirmedAt: Date | null
  finishedAt: Date | null
}

const PROGRESS_SQL = `
  (SELECT jsonb_build_object('queued', count(*), 'waiting', count(*) FILTER (WHERE s.status IN ('QUEUED', 'PROCESSING')),
            'done', count(*) FILTER (WHERE s.status = 'DONE'), 'failed', count(*) FILTER (WHERE s.status = 'FAILED'))
     FROM separations s WHERE s.run_id = n.id)`

const RUN_COLUMNS = `
  n.id, n.state, n.from_at AS "from", n.to_at AS "to", n.estimate, n.person_id AS "personId", n.person_name AS "personName",
  n.created_at AS "createdAt", n.confirmed_at AS "confirmedAt", n.finished_at AS "finishedAt",
  coalesce(n.progress, ${PROGRESS_SQL}) AS progress`

function presentRun({ personId, personName, ...row }: RunRow): SeparationRunJson {
  return {
    ...row,
    from: row.from.toISOString(),
    to: row.to.toISOString(),
    person: { id: personId, name: personName },
    createdAt: row.createdAt.toISOString(),
    confirmedAt: row.confirmedAt && row.confirmedAt.toISOString(),
    finishedAt: row.finishedAt && row.finishedAt.toISOString(),
  }
}

/** Returns conditions on separation_runs n. An owner sees all runs, a head their own. */
const visibleRunConditions = (me: ActingPerson): SqlConditions =>
  me.role === 'owner' ? [] : toConditions(['n.person_id = ?::uuid', me.id])

/**
 * Loads a run with its progress.
 * @param lock true locks the run until the end of the transaction
 * @throws HttpError 404 if the person cannot see the run
 */
export async function loadSeparationRun(
  sql: Sql,
  me: ActingPerson,
  id: string,
  lock = false,
): Promise<SeparationRunJson> {
  if (lock) await sql.query({ text: 'SELECT FROM separation_runs WHERE id = $1 FOR UPDATE', values: [id] })
  const p = new SqlParameters()
  const conditions = p.and([...toConditions(['n.id = ?::uuid', id]), ...visibleRunConditions(me)])
  const { rows } = await sql.query<RunRow>({
    text: `SELECT ${RUN_COLUMNS} FROM separation_runs n WHERE ${conditions}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(speakerMessages.noRun())
  return presentRun(rows[0])
}

/** Lists the runs that a person can see, newest first. */
export async function listSeparationRuns({ pool }: Core, me: ActingPerson, page: PageRequest) {
  const p = new SqlParameters()
  const from = `separation_runs n WHERE ${p.and(visibleRunConditions(me))}`
  const query = { select: RUN_COLUMNS, from, order: 'n.id DESC', values: p.values }
  const result = await listPage<RunRow>(pool, query, page)
  return { ...result, items: result.items.map(presentRun) }
}

/** Returns conditions on visible recordings r of a period: on one channel, with word times, and without separated voices. */
const separableCallConditions = (actor: Actor, { from, to }: { from: Date; to: Date }): SqlConditions => [
  ...toConditions([`r.status = ?`, 'DONE'], ['r.call_at >= ?::timestamptz', from], ['r.call_at < ?::timestamptz', to]),
  ...visibleRecordingsCondition(actor),
  { sql: `r.speakers ->> 'method' IS DISTINCT FROM 'voices' AND NOT ${HAS_SPEAKER_PER_CHANNEL_SQL}`, values: [] },
  { sql: 'EXISTS (SELECT FROM transcripts t WHERE t.recording_id = r.id AND t.words IS NOT NULL)', values: [] },
]

/**
 * Creates a run for the calls of a period and estimates its duration. confirmSeparationRun() starts the run.
 * @throws HttpError 400 if the period ends before it begins
 */
export async function createSeparationRun(
  { config, pool, db }: Core,
  actor: PersonActor,
  period: { from: string; to: string },
): Promise<SeparationRunJson> {
  const from = parseDayOrTime(period.from, config.APP_TIMEZONE)!
  const to = parsePeriodEnd(period.to, config.APP_TIMEZONE)!
  if (from >= to) throw badRequestError([speakerMessages.backwards().withField('to')])
  const p = new SqlParameters()
  const { rows } = await pool.query<{ calls: number; checkedCalls: number; audioSeconds: number }>({
    text: `SELECT count(*)::int AS calls,
                  count(*) FILTER (WHERE EXISTS (SELECT FROM analyses a WHERE a.recording_id = r.id))::int AS "checkedCalls",
                  coalesce(sum(r.duration_seconds), 0)::float8 AS "audioSeconds"
             FROM recordings r WHERE ${p.and(separableCallConditions(actor, { from, to }))}`,
    values: p.values,
  })
  const { calls, checkedCalls, audioSeconds } = rows[0]!
  const estimate = { calls, checkedCalls, audioSeconds, seconds: Math.ceil(audioSeconds * SECONDS_PER_AUDIO_SECOND) }
  const id = generateId()
  const { person } = actor
  return runInTransaction(db, async (sql) => {
    await insertRow(sql, 'separation_runs', {
      id,
      state: 'estimated',
      from_at: from,
      to_at: to,
      estimate,
      person_id: person.id,
      person_name: person.name,
    })
    await recordAuditChange(sql, actor, { action: 'separation.run', details: { after: { from, to, calls } } })
    return loadSeparationRun(sql, person, id)
  })
}

/** Starts a run. @throws HttpError 404 if the person cannot see the run, 409 if it was started or cancelled before */
export function confirmSeparationRun(core: Core, actor: PersonActor, id: string): Promise<SeparationRunJson> {
  return runInTransaction(core.db, async (sql) => {
    const { state, estimate } = await loadSeparationRun(sql, actor.person, id, true)
    if (state !== 'estimated') throw conflictError(speakerMessages.runNotStarted())
    await sql.query({
      text: `UPDATE separation_runs SET state = 'running', confirmed_at = now() WHERE id = $1`,
      values: [id],
    })
    await recordAuditChange(sql, actor, {
      action: 'separation.run-confirm',
      details: { after: { id, calls: estimate.calls } },
    })
    return loadSeparationRun(sql, actor.person, id)
  })
}

/**
 * Stops a run. Separated calls, and separations that a person requested, stay.
 * @throws HttpError 404 if the person cannot see the run, 409 if it has ended
 */
export function cancelSeparationRun(core: Core, actor: PersonActor, id: string): Promise<SeparationRunJson> {
  return runInTransaction(core.db, async (sql) => {
    const { state } = await loadSeparationRun(sql, actor.person, id, true)
    if (state !== 'estimated' && state !== 'running') throw conflictError(speakerMessages.runEnded())
    await sql.query({
      text: `UPDATE separations SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
              WHERE run_id = $1 AND status IN ('QUEUED', 'PROCESSING')`,
      values: [id],
    })
    await finishRun(sql, id, 'cancelled')
    await recordAuditChange(sql, actor, { action: 'separation.run-cancel', details: { after: { id } } })
    return loadSeparationRun(sql, actor.person, id)
  })
}

/** Ends a run and stores its progress, because later runs can take over its rows of separations. */
const finishRun = (sql: Sql, id: string, state: 'done' | 'cancelled') =>
  sql.query({
    text: `UPDATE separation_runs n SET state = $2, finished_at = now(), progress = ${PROGRESS_SQL} WHERE id = $1`,
    values: [id, state],
  })

interface RunningRun extends Pick<RunRow, 'id' | 'from' | 'to' | 'personId'> {
  cursor: string | null
  isQueued: boolean
  waiting: number
}

/** Queues the next calls of each running run. Ends a run whose calls are all queued and finished. */
export async function advanceSeparationRuns(core: Core): Promise<void> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: `SELECT id FROM separation_runs WHERE state = 'running' ORDER BY id`,
  })
  for (const { id } of rows) await runInTransaction(core.db, (sql) => advanceRun(core, sql, id))
  if (rows.length > 0) core.notify('separation')
}

async function advanceRun(core: Core, sql: Sql, id: string): Promise<void> {
  const { rows } = await sql.query<RunningRun>({
    text: `SELECT n.id, n.from_at AS "from", n.to_at AS "to", n.cursor, n.is_queued AS "isQueued", n.person_id AS "personId",
                  (${PROGRESS_SQL} ->> 'waiting')::int AS waiting
             FROM separation_runs n WHERE n.id = $1 AND n.state = 'running' FOR UPDATE SKIP LOCKED`,
    values: [id],
  })
  const run = rows[0]
  if (!run) return
  if (!run.isQueued && run.waiting < BATCH_SIZE) await queueCalls(core, sql, run)
  else if (run.isQueued && run.waiting === 0) await finishRun(sql, id, 'done')
}

/** Queues the next calls that the person who started the run sees now. */
async function queueCalls(core: Core, sql: Sql, run: RunningRun): Promise<void> {
  const actor: Actor = (await findPersonActor(core, run.personId)) ?? { kind: 'nobody' }
  const p = new SqlParameters()
  const conditions = p.and([
    ...separableCallConditions(actor, run),
    ...toConditions(['r.id > ?::uuid', run.cursor ?? undefined]),
  ])
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${conditions} ORDER BY r.id LIMIT ${BATCH_SIZE}`,
    values: p.values,
  })
  const ids = rows.map(({ id }) => id)
  await enqueueSeparations(sql, ids, SEPARATION_PRIORITY.run, run.id)
  await sql.query({
    text: 'UPDATE separation_runs SET cursor = coalesce($2::uuid, cursor), is_queued = $3 WHERE id = $1',
    values: [run.id, ids.at(-1) ?? null, ids.length < BATCH_SIZE],
  })
}
