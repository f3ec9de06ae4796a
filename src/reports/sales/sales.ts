import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { CALL_COUNTS_SQL } from '../definitions/calls.ts'
import {
  CALLS_BY_DEAL_SQL,
  DEALS_FROM_SQL,
  dealScopeCondition,
  IMMATURE_COHORT_OPEN_SHARE,
} from '../definitions/deals.ts'
import { roundMeanFigure, computeRatio, roundToDigits, sumField } from '../definitions/figures.ts'
import { splitIntoWeeks } from '../../platform/lib/period.ts'
import { selectReportDealsSql, silentDealsSql } from '../deals/deals.ts'
import type { ListedDeal } from '../deals/schema.ts'
import { loadReportFrame } from '../report-frame.ts'
import { queryRows } from '../query-rows.ts'
import { defineReport } from '../define-report.ts'
import { dealsReportParameters, type CallCounts } from '../schema.ts'
import {
  callScopeCondition,
  loadManagerNames,
  loadReportScope,
  spanNumberSql,
  type ReportQuery,
  type ReportScope,
} from '../scope.ts'
import { salesReportExample, SalesReportSchema, type SalesFigures, type SalesReportJson } from './schema.ts'

export const salesReport = defineReport({
  name: 'sales',
  summary: 'Won and lost deals',
  description:
    'Deals of the CRM, by the person responsible. A deal is closed at the start of its last run in closed stages. ' +
    'Heads see the deals of their departments, managers their own.',
  query: dealsReportParameters,
  schema: SalesReportSchema,
  example: salesReportExample,
  make: makeSalesReport,
})

/**
 * Makes the report on won, lost and silent deals by week, manager and funnel.
 * @throws HttpError 400 for an invalid period
 */
export async function makeSalesReport(core: Core, actor: Actor, query: ReportQuery): Promise<SalesReportJson> {
  const scope = await loadReportScope(core, actor, query)
  const callCounts = countCallsByManager(core, scope)
  const [frame, closed, amounts, created, silentCounts, silent, callers] = await Promise.all([
    loadReportFrame(core, scope, query, callCounts),
    loadClosedDeals(core, scope),
    loadAmounts(core, scope),
    loadCreatedDeals(core, scope),
    countSilentDeals(core, scope),
    listSilentDeals(core, actor, scope),
    callCounts,
  ])
  const figures = (slice: Slice) => computeFigures(slice, closed, amounts, created)
  return {
    ...frame,
    totals: { ...figures({ kind: 'all', id: null }), silent: sumField(silentCounts, 'silent') },
    weeks: splitIntoWeeks(scope.period).map(({ week, from, to, complete }, n) => ({
      week,
      from,
      to,
      complete,
      ...figures({ kind: 'week', id: String(n + 1) }),
    })),
    managers: await describeManagers(core, collectSliceIds('manager', closed, created), silentCounts, callers, figures),
    funnels: await describeFunnels(core, collectSliceIds('funnel', closed, created), figures),
    silent,
  }
}

/** Identifies the group of a row. The id of a week is its number from 1; the id of the group `all` is null. */
interface Slice {
  kind: 'all' | 'week' | 'manager' | 'funnel'
  id: string | null
}

/** Converts the grouping sets to the columns kind and id of `Slice`. */
const SLICE_COLUMNS_SQL = `CASE grouping(week, manager, funnel) WHEN 7 THEN 'all' WHEN 3 THEN 'week' WHEN 5 THEN 'manager' ELSE 'funnel' END AS kind,
  CASE grouping(week, manager, funnel) WHEN 3 THEN week::text WHEN 5 THEN manager::text WHEN 6 THEN funnel::text END AS id`
const GROUPING_SETS_SQL = 'GROUPING SETS ((), (week), (manager), (funnel))'

/** Selects deals d with the keys by which GROUPING_SETS_SQL groups. */
const slicedDealsSql = (p: SqlParameters, scope: ReportScope, column: 'closed_at' | 'created_at'): string => `(
  SELECT d.id, d.outcome, d.amount, d.currency, d.created_at, d.closed_at, m.id AS manager, d.funnel_id AS funnel, ${spanNumberSql(p, `d.${column}`, splitIntoWeeks(scope.period))} AS week
    FROM ${DEALS_FROM_SQL} WHERE ${dealScopeCondition(p, scope, column)}) d`

interface ClosedDealRow extends Slice {
  won: number
  lost: number
  days: number | null
  calls: number | null
}

const DAYS_OPEN_SQL = 'extract(epoch FROM closed_at - created_at)::float8 / 86400'

const loadClosedDeals = ({ pool }: Core, scope: ReportScope): Promise<ClosedDealRow[]> =>
  queryRows(
    pool,
    (p) => `
    SELECT ${SLICE_COLUMNS_SQL}, count(*) FILTER (WHERE outcome = 'won')::int AS won,
           count(*) FILTER (WHERE outcome = 'lost')::int AS lost,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY ${DAYS_OPEN_SQL}) FILTER (WHERE outcome = 'won') AS days,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY coalesce(c.calls, 0)::float8) AS calls
      FROM ${slicedDealsSql(p, scope, 'closed_at')} LEFT JOIN ${CALLS_BY_DEAL_SQL} c ON c.deal_id = d.id
     GROUP BY ${GROUPING_SETS_SQL}`,
  )

interface AmountRow extends Slice {
  currency: string
  amount: number
  deals: number
  median: number
}

const loadAmounts = ({ pool }: Core, scope: ReportScope): Promise<AmountRow[]> =>
  queryRows(
    pool,
    (p) => `SELECT ${SLICE_COLUMNS_SQL}, currency, sum(amount)::float8 AS amount, count(*)::int AS deals,
                  percentile_cont(0.5) WITHIN GROUP (ORDER BY amount::float8) AS median
             FROM ${slicedDealsSql(p, scope, 'closed_at')}
            WHERE outcome = 'won' AND amount > 0 AND currency IS NOT NULL
            GROUP BY currency, ${GROUPING_SETS_SQL} ORDER BY currency`,
  )

interface CreatedDealRow extends Slice {
  created: number
  won: number
  open: number
}

const loadCreatedDeals = ({ pool }: Core, scope: ReportScope): Promise<CreatedDealRow[]> =>
  queryRows(
    pool,
    (p) => `SELECT ${SLICE_COLUMNS_SQL}, count(*)::int AS created, count(*) FILTER (WHERE outcome = 'won')::int AS won,
                  count(*) FILTER (WHERE outcome = 'open')::int AS open
             FROM ${slicedDealsSql(p, scope, 'created_at')} GROUP BY ${GROUPING_SETS_SQL}`,
  )

function computeFigures(
  slice: Slice,
  closed: ClosedDealRow[],
  amounts: AmountRow[],
  created: CreatedDealRow[],
): SalesFigures {
  const isOfSlice = ({ kind, id }: Slice) => kind === slice.kind && id === slice.id
  const { won, lost, days, calls } = closed.find(isOfSlice) ?? { won: 0, lost: 0, days: null, calls: null }
  const cohort = created.find(isOfSlice) ?? { created: 0, won: 0, open: 0 }
  return {
    won,
    lost,
    winRate: computeRatio(won, won + lost),
    created: cohort.created,
    cohort: computeRatio(cohort.won, cohort.created),
    immature: cohort.open > IMMATURE_COHORT_OPEN_SHARE * cohort.created,
    amounts: amounts.filter(isOfSlice).map((row) => ({
      currency: row.currency,
      amount: roundToDigits(row.amount, 2),
      deals: row.deals,
      median: roundMeanFigure(row.median, row.deals),
    })),
    cycleDays: roundMeanFigure(days, won),
    callsBefore: roundMeanFigure(calls, won + lost),
  }
}

interface SilentCount {
  managerId: string | null
  silent: number
}

const countSilentDeals = ({ pool }: Core, scope: ReportScope): Promise<SilentCount[]> =>
  queryRows(
    pool,
    (p) => `SELECT m.id AS "managerId", count(*)::int AS silent FROM ${silentDealsSql(p, scope)} GROUP BY 1`,
  )

const MAX_SILENT_DEALS = 50

async function listSilentDeals(core: Core, actor: Actor, scope: ReportScope): Promise<SalesReportJson['silent']> {
  const found = await queryRows<ListedDeal>(core.pool, (p) =>
    selectReportDealsSql(p, actor, silentDealsSql(p, scope), { by: 'silent', page: 1, pageSize: MAX_SILENT_DEALS }),
  )
  return found.map(({ id, title: name, funnel, stage, managerId, manager, amount, createdAt, lastCallAt }) => {
    return { id, name, stage, managerId, manager, amount, funnel, createdAt, lastCallAt }
  })
}

interface ManagerCallCounts extends CallCounts {
  managerId: string | null
}

const countCallsByManager = ({ pool }: Core, scope: ReportScope): Promise<ManagerCallCounts[]> =>
  queryRows(
    pool,
    (p) =>
      `SELECT r.manager_id AS "managerId", ${CALL_COUNTS_SQL} FROM recordings r WHERE ${callScopeCondition(p, scope)} GROUP BY 1`,
  )

const collectSliceIds = (kind: Slice['kind'], ...rows: Slice[][]): (string | null)[] => [
  ...new Set(rows.flat().flatMap((row) => (row.kind === kind ? [row.id] : []))),
]

async function describeManagers(
  { pool }: Core,
  dealManagerIds: (string | null)[],
  silent: SilentCount[],
  callers: ManagerCallCounts[],
  figures: (slice: Slice) => SalesFigures,
): Promise<SalesReportJson['managers']> {
  const ids = [...new Set([...dealManagerIds, ...[...silent, ...callers].map(({ managerId }) => managerId)])]
  const names = await loadManagerNames(pool, ids)
  return ids
    .map((id) => ({
      managerId: id,
      manager: names.get(id) ?? null,
      ...figures({ kind: 'manager', id }),
      calls: callers.find(({ managerId }) => managerId === id)?.calls ?? 0,
      silent: silent.find(({ managerId }) => managerId === id)?.silent ?? 0,
    }))
    .sort((a, b) => b.won - a.won || b.lost - a.lost || (a.manager ?? '').localeCompare(b.manager ?? ''))
}

async function describeFunnels({ pool }: Core, ids: (string | null)[], figures: (slice: Slice) => SalesFigures) {
  const { rows } = await pool.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM crm_funnels WHERE id = ANY($1::bigint[])',
    values: [ids],
  })
  const names = new Map<string | null, string>(rows.map(({ id, name }) => [id, name]))
  return ids
    .map((id) => ({ funnel: { id: Number(id), name: names.get(id) ?? null }, ...figures({ kind: 'funnel', id }) }))
    .sort((a, b) => (a.funnel.name ?? '').localeCompare(b.funnel.name ?? '') || a.funnel.id - b.funnel.id)
}
