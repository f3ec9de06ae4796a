import type { Core } from '../platform/core.ts'
import { CALL_COUNTS_SQL } from './definitions/calls.ts'
import { total } from './definitions/figures.ts'
import { queryRows } from './query-rows.ts'
import type { CallCounts, Frame } from './schema.ts'
import { callsInScope, type ReportQuery, type Scope } from './scope.ts'

/** Creates the frame of a report. @param counting counts of the calls in any groups, if the report reads them anyway */
export async function makeFrame(
  core: Core,
  scope: Scope,
  query: ReportQuery,
  counting: Promise<CallCounts[]> = countCalls(core, scope),
): Promise<Frame> {
  const { from, to, timeZone, complete } = scope.period
  const [counts, linked] = await Promise.all([counting, countLinkedCalls(core, scope)])
  return {
    period: {
      from: from.toString(),
      to: to.toString(),
      timezone: timeZone,
      complete,
      asOf: new Date().toISOString(),
    },
    filters: {
      manager: query.manager ?? null,
      department: query.department ?? null,
      funnel: query.funnel ?? null,
    },
    coverage: {
      calls: total(counts, 'calls'),
      done: total(counts, 'done'),
      checked: total(counts, 'checked'),
      linked,
    },
  }
}

const countCalls = ({ pool }: Core, scope: Scope): Promise<CallCounts[]> =>
  queryRows(pool, (p) => `SELECT ${CALL_COUNTS_SQL} FROM recordings r WHERE ${callsInScope(p, scope)}`)

/** Counts calls with an unambiguous deal. Links repeat the manager and time of their call; a call can have several. */
async function countLinkedCalls({ pool }: Core, scope: Scope): Promise<number> {
  const rows = await queryRows<{ linked: number }>(
    pool,
    (p) => `SELECT count(*)::int AS linked FROM (
             SELECT DISTINCT r.call_at, r.recording_id FROM crm_call_deals r WHERE NOT r.ambiguous AND ${callsInScope(p, scope)}) r`,
  )
  return rows[0]!.linked
}
