import type { Core } from '../platform/core.ts'
import { CALL_COUNTS_SQL } from './definitions/calls.ts'
import { sumField } from './definitions/figures.ts'
import { queryRows } from './query-rows.ts'
import type { CallCounts, ReportFrame } from './schema.ts'
import { callScopeCondition, type ReportQuery, type ReportScope } from './scope.ts'

/**
 * Loads the fields that every report begins with: period, filters and number of calls.
 * @param callCounts counts of the calls in groups, if the report loads them anyway
 */
export async function loadReportFrame(
  core: Core,
  scope: ReportScope,
  query: ReportQuery,
  callCounts: Promise<CallCounts[]> = countCalls(core, scope),
): Promise<ReportFrame> {
  const { from, to, timeZone, complete } = scope.period
  const [counts, linked] = await Promise.all([callCounts, countLinkedCalls(core, scope)])
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
      calls: sumField(counts, 'calls'),
      done: sumField(counts, 'done'),
      checked: sumField(counts, 'checked'),
      linked,
    },
  }
}

const countCalls = ({ pool }: Core, scope: ReportScope): Promise<CallCounts[]> =>
  queryRows(pool, (p) => `SELECT ${CALL_COUNTS_SQL} FROM recordings r WHERE ${callScopeCondition(p, scope)}`)

/**
 * Counts distinct calls, because a call can have several unambiguous links. Links store the manager and time of the call, so no
 * join is necessary.
 */
async function countLinkedCalls({ pool }: Core, scope: ReportScope): Promise<number> {
  const rows = await queryRows<{ linked: number }>(
    pool,
    (p) => `SELECT count(*)::int AS linked FROM (
             SELECT DISTINCT r.call_at, r.recording_id FROM crm_call_deals r WHERE NOT r.ambiguous AND ${callScopeCondition(p, scope)}) r`,
  )
  return rows[0]!.linked
}
