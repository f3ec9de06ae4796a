import { managerFilterCondition } from '../../calls/list/filters/managers.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { generateId, toUniqueIds } from '../../platform/lib/ids.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { parseDayOrTime, parsePeriodEnd } from '../../platform/lib/time.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { calibrationMessages } from './messages.ts'
import { findCommonCallsCondition } from './people.ts'
import type { CalibrationJson } from './schema.ts'
import { loadCalibration } from './service.ts'
import { MAX_CALIBRATIONS, MIN_CALIBRATION_PEOPLE } from './values.ts'

interface CallSelection {
  recordingIds?: string[]
  random?: { calls: number; manager?: string; from?: string; to?: string }
}

interface NewCalibration extends CallSelection {
  name: string
  participantIds: string[]
}

/** Creates a calibration. @throws HttpError 400 naming the field, 409 if the actor has too many calibrations */
export function createCalibration(
  { db, config }: Core,
  actor: PersonActor,
  { name, participantIds, ...selection }: NewCalibration,
): Promise<CalibrationJson> {
  const id = generateId()
  const people = toUniqueIds(participantIds)
  return runInTransaction(db, async (sql) => {
    const checks = await chooseChecks(sql, actor, people, parseSelection(selection, config.APP_TIMEZONE))
    await requireSpace(sql, actor)
    await insertRow(sql, 'calibrations', { id, creator_id: actor.person.id, name: normalizeWhitespace(name) })
    await sql.query({
      text: 'INSERT INTO calibration_people (calibration_id, person_id) SELECT $1, unnest($2::uuid[])',
      values: [id, people],
    })
    await sql.query({
      text: 'INSERT INTO calibration_calls (calibration_id, analysis_id) SELECT $1, unnest($2::uuid[])',
      values: [id, checks],
    })
    const calibration = await loadCalibration(sql, actor, id)
    await recordAuditChange(sql, actor, {
      action: 'calibration.create',
      object: { type: 'calibration', id, name: calibration.name },
      details: {
        after: { selectedCalls: calibration.calls, participants: calibration.participants.map((one) => one.name) },
      },
    })
    return calibration
  })
}

interface ParsedSelection {
  /** The error if too few calls match. */
  noCalls: Message
  conditions: SqlConditions
  /** How many calls are taken at most, and how many must match. */
  limit: number
  minimum: number
}

/** Parses the chosen or the random calls. @throws HttpError 400 unless exactly one of both is given */
function parseSelection({ recordingIds, random }: CallSelection, timeZone: string): ParsedSelection {
  if (recordingIds && !random) {
    const ids = toUniqueIds(recordingIds)
    const conditions = toConditions(['r.id = ANY(?::uuid[])', ids])
    const noCalls = calibrationMessages.unknownCalls().withField('recordingIds')
    return { noCalls, conditions, limit: ids.length, minimum: ids.length }
  }
  if (!random || recordingIds) throw badRequestError([calibrationMessages.oneChoice().withField('recordingIds')])
  const { calls, manager, from, to } = random
  const conditions = [
    ...(manager === undefined ? [] : managerFilterCondition({ manager })),
    ...toConditions(
      ['r.call_at >= ?::timestamptz', from && parseDayOrTime(from, timeZone)],
      ['r.call_at < ?::timestamptz', to && parsePeriodEnd(to, timeZone)],
    ),
  ]
  const noCalls = calibrationMessages.noCalls().withField('random.calls')
  return { noCalls, conditions, limit: calls, minimum: 1 }
}

/**
 * Chooses the current checks of calls that the actor and all participants see.
 * The calls of the actor are tested first. So the error about the participants is the same for unknown people and for people
 * who do not see the calls.
 */
async function chooseChecks(
  sql: Sql,
  actor: PersonActor,
  people: string[],
  { noCalls, conditions, limit, minimum }: ParsedSelection,
): Promise<string[]> {
  const visible = [...visibleRecordingsCondition(actor), ...conditions]
  if ((await selectChecks(sql, visible, limit)).length < minimum) throw badRequestError([noCalls])
  const common = people.length < MIN_CALIBRATION_PEOPLE ? undefined : await findCommonCallsCondition(sql, people)
  const checks = common ? await selectChecks(sql, [...visible, ...common], limit) : []
  if (checks.length < minimum) throw badRequestError([calibrationMessages.people().withField('participantIds')])
  return checks
}

/** Selects random current checks with rules, without invented ones. The lock prevents the deletion of their calls meanwhile. */
async function selectChecks(sql: Sql, conditions: SqlConditions, limit: number): Promise<string[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT a.id FROM recordings r JOIN analyses a ON a.recording_id = r.id AND a.is_current
            WHERE a.status = 'DONE' AND a.provider <> 'mock'
              AND EXISTS (SELECT FROM findings f WHERE f.analysis_id = a.id AND NOT f.is_label) AND ${p.and(conditions)}
            ORDER BY random() LIMIT ${p.add(limit)} FOR KEY SHARE OF r`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

async function requireSpace(sql: Sql, { person }: PersonActor): Promise<void> {
  const { rowCount } = await sql.query({
    text: 'SELECT FROM calibrations WHERE creator_id = $1',
    values: [person.id],
  })
  if (rowCount! >= MAX_CALIBRATIONS) throw conflictError(calibrationMessages.tooMany({ limit: MAX_CALIBRATIONS }))
}
