import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import type { Parameters } from '../../platform/lib/where.ts'
import { CALL_COUNTS_SQL } from '../definitions/calls.ts'
import { CALLS_BY_DEAL, DEALS, dealsInScope, IMMATURE_SHARE } from '../definitions/deals.ts'
import { median, ratio, rounded, total } from '../definitions/figures.ts'
import { weeksOf } from '../../platform/lib/period.ts'
import { selectDeals, silentDeals } from '../deals/deals.ts'
import type { ListedDeal } from '../deals/schema.ts'
import { makeFrame } from '../frame.ts'
import { queryRows } from '../query-rows.ts'
import { defineReport } from '../report.ts'
import { dealsQuery, type CallCounts } from '../schema.ts'
import { callsInScope, findManagerNames, loadScope, spanNumber, type ReportQuery, type Scope } from '../scope.ts'
import { salesExample, SalesSchema, type SalesFigures, type SalesJson } from './schema.ts'

export const sales = defineReport({
  name: 'sales',
  summary: 'Won and lost deals',
  description:
    'Deals of the CRM, by the responsible person. A deal is closed at the start of its last run in closed stages. Heads ' +
    'see the deals of their departments, managers their own.',
  query: dealsQuery,
  schema: SalesSchema,
  example: salesExample,
  make: reportSales,
})

export async function reportSales(core: Core, actor: Actor, query: ReportQuery): Promise<SalesJson> {
  const scope = await loadScope(core, actor, query)
  const counting = countCalls(core, scope)
  const [frame, closed, amounts, created, silentCounts, silent, callers] = await Promise.all([
    makeFrame(core, scope, query, counting),
    readClosed(core, scope),
    readAmounts(core, scope),
    readCreated(core, scope),
    countSilent(core, scope),
    listSilent(core, actor, scope),
    counting,
  ])
  const figures = (slice: Slice) => figuresOf(slice, closed, amounts, created)
  return {
    ...frame,
    totals: { ...figures({ kind: 'all', id: null }), silent: total(silentCounts, 'silent') },
    weeks: weeksOf(scope.period).map(({ week, from, to, complete }, n) => ({
      week,
      from,
      to,
      complete,
      ...figures({ kind: 'week', id: String(n + 1) }),
    })),
    managers: await describeManagers(core, idsOf('manager', closed, created), silentCounts, callers, figures),
    funnels: await describeFunnels(core, idsOf('funnel', closed, created), figures),
    silent,
  }
}

/** The key of a row: everything, a week by its number from 1, a manager or a funnel. */
interface Slice {
  kind: 'all' | 'week' | 'manager' | 'funnel'
  id: string | null
}

/** The kind and id of each row of GROUPING SETS. */
const SLICE = `CASE grouping(week, manager, funnel) WHEN 7 THEN 'all' WHEN 3 THEN 'week' WHEN 5 THEN 'manager' ELSE 'funnel' END AS kind,
  CASE grouping(week, manager, funnel) WHEN 3 THEN week::text WHEN 5 THEN manager::text WHEN 6 THEN funnel::text END AS id`
const SLICES = 'GROUPING SETS ((), (week), (manager), (funnel))'

/** SQL: deals d with their grouping keys. */
const dealsWithSlices = (p: Parameters, scope: Scope, column: 'closed_at' | 'created_at'): string => `(
  SELECT d.id, d.outcome, d.amount, d.currency, d.created_at, d.closed_at, m.id AS manager, d.funnel_id AS funnel, ${spanNumber(p, `d.${column}`, weeksOf(scope.period))} AS week
    FROM ${DEALS} WHERE ${dealsInScope(p, scope, column)}) d`

interface Closed extends Slice {
  won: number
  lost: number
  days: number | null
  calls: number | null
}

const DAYS_OPEN = 'extract(epoch FROM closed_at - created_at)::float8 / 86400'

const readClosed = ({ pool }: Core, scope: Scope): Promise<Closed[]> =>
  queryRows(
    pool,
    (p) => `
    SELECT ${SLICE}, count(*) FILTER (WHERE outcome = 'won')::int AS won,
           count(*) FILTER (WHERE outcome = 'lost')::int AS lost,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY ${DAYS_OPEN}) FILTER (WHERE outcome = 'won') AS days,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY coalesce(c.calls, 0)::float8) AS calls
      FROM ${dealsWithSlices(p, scope, 'closed_at')} LEFT JOIN ${CALLS_BY_DEAL} c ON c.deal_id = d.id
     GROUP BY ${SLICES}`,
  )

interface Amount extends Slice {
  currency: string
  amount: number
  deals: number
  median: number
}

const readAmounts = ({ pool }: Core, scope: Scope): Promise<Amount[]> =>
  queryRows(
    pool,
    (p) => `SELECT ${SLICE}, currency, sum(amount)::float8 AS amount, count(*)::int AS deals,
                  percentile_cont(0.5) WITHIN GROUP (ORDER BY amount::float8) AS median
             FROM ${dealsWithSlices(p, scope, 'closed_at')}
            WHERE outcome = 'won' AND amount > 0 AND currency IS NOT NULL
            GROUP BY currency, ${SLICES} ORDER BY currency`,
  )

interface Created extends Slice {
  created: number
  won: number
  open: number
}

const readCreated = ({ pool }: Core, scope: Scope): Promise<Created[]> =>
  queryRows(
    pool,
    (p) => `SELECT ${SLICE}, count(*)::int AS created, count(*) FILTER (WHERE outcome = 'won')::int AS won,
                  count(*) FILTER (WHERE outcome = 'open')::int AS open
             FROM ${dealsWithSlices(p, scope, 'created_at')} GROUP BY ${SLICES}`,
  )

function figuresOf(slice: Slice, closed: Closed[], amounts: Amount[], created: Created[]): SalesFigures {
  const isOfSlice = ({ kind, id }: Slice) => kind === slice.kind && id === slice.id
  const { won, lost, days, calls } = closed.find(isOfSlice) ?? { won: 0, lost: 0, days: null, calls: null }
  const cohort = created.find(isOfSlice) ?? { created: 0, won: 0, open: 0 }
  return {
    won,
    lost,
    winRate: ratio(won, won + lost),
    created: cohort.created,
    cohort: ratio(cohort.won, cohort.created),
    immature: cohort.open > IMMATURE_SHARE * cohort.created,
    amounts: amounts.filter(isOfSlice).map((row) => ({
      currency: row.currency,
      amount: rounded(row.amount, 2),
      deals: row.deals,
      median: median(row.median, row.deals),
    })),
    cycleDays: median(days, won),
    callsBefore: median(calls, won + lost),
  }
}

interface SilentCount {
  managerId: string | null
  silent: number
}

const countSilent = ({ pool }: Core, scope: Scope): Promise<SilentCount[]> =>
  queryRows(pool, (p) => `SELECT m.id AS "managerId", count(*)::int AS silent FROM ${silentDeals(p, scope)} GROUP BY 1`)

const MOST_SILENT = 50

async function listSilent(core: Core, actor: Actor, scope: Scope): Promise<SalesJson['silent']> {
  const found = await queryRows<ListedDeal>(core.pool, (p) =>
    selectDeals(p, actor, silentDeals(p, scope), { by: 'silent', page: 1, pageSize: MOST_SILENT }),
  )
  return found.map(({ id, title: name, funnel, stage, managerId, manager, amount, createdAt, lastCallAt }) => {
    return { id, name, stage, managerId, manager, amount, funnel, createdAt, lastCallAt }
  })
}

interface Caller extends CallCounts {
  managerId: string | null
}

const countCalls = ({ pool }: Core, scope: Scope): Promise<Caller[]> =>
  queryRows(
    pool,
    (p) =>
      `SELECT r.manager_id AS "managerId", ${CALL_COUNTS_SQL} FROM recordings r WHERE ${callsInScope(p, scope)} GROUP BY 1`,
  )

const idsOf = (kind: Slice['kind'], ...rows: Slice[][]): (string | null)[] => [
  ...new Set(rows.flat().flatMap((row) => (row.kind === kind ? [row.id] : []))),
]

async function describeManagers(
  { pool }: Core,
  ofDeals: (string | null)[],
  silent: SilentCount[],
  callers: Caller[],
  figures: (slice: Slice) => SalesFigures,
): Promise<SalesJson['managers']> {
  const ids = [...new Set([...ofDeals, ...[...silent, ...callers].map(({ managerId }) => managerId)])]
  const names = await findManagerNames(pool, ids)
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
