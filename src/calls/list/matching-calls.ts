import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { parseDayOrTime } from '../../platform/lib/time.ts'
import { createRecordingSelection } from './create-selection.ts'
import type { RecordingFilterValues } from './filters.ts'
import { recordingSelectionCondition } from './selection.ts'

/** A call with its time, by which lists select days. */
export interface TimedCall {
  id: string
  callAt: Date
}

/** Returns the ids of those of the given calls that the actor's list with these filters contains. */
export async function selectMatchingCalls(
  core: Core,
  sql: Sql,
  actor: Actor,
  filters: RecordingFilterValues,
  calls: readonly TimedCall[],
): Promise<string[]> {
  const wantedIds = filters.ids?.map((id) => id.toLowerCase())
  const ids = calls.map(({ id }) => id).filter((id) => wantedIds?.includes(id) ?? true)
  if (ids.length === 0) return []
  const values = { ...filters, ids, ...narrowToDaysOf(calls, filters, core.config.APP_TIMEZONE) }
  const selection = await createRecordingSelection(core, sql, actor, values, { transcripts: false })
  const p = new SqlParameters()
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM recordings r WHERE ${p.and(recordingSelectionCondition(selection))} ORDER BY r.id`,
    values: p.values,
  })
  return rows.map(({ id }) => id)
}

/** Narrows the time range to that of the calls, so that a search reads only their days. `dateTo` is exclusive. */
function narrowToDaysOf(
  calls: readonly TimedCall[],
  { dateFrom, dateTo }: RecordingFilterValues,
  timeZone: string,
): Pick<RecordingFilterValues, 'dateFrom' | 'dateTo'> {
  const parse = (text: string | undefined, unlimited: number) =>
    text === undefined ? unlimited : parseDayOrTime(text, timeZone)!.getTime()
  const times = calls.map(({ callAt }) => callAt.getTime())
  const from = Math.max(Math.min(...times), parse(dateFrom, -Infinity))
  const to = Math.min(Math.max(...times) + 1, parse(dateTo, Infinity))
  return { dateFrom: new Date(from).toISOString(), dateTo: new Date(to).toISOString() }
}
