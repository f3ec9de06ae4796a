import type { Actor } from '../../platform/http/actor.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { COUNTED } from '../definitions/calls.ts'
import { CALLS_BY_DEAL, DEALS, dealsOf, IMMATURE, openDealsOf } from '../definitions/deals.ts'
import { median, ratio, rounded } from '../definitions/figures.ts'
import { weeksOf } from '../../platform/lib/period.ts'
import { IS_SILENT, LAST_CALL } from '../definitions/silence.ts'
import { callsOf, frameOf, readScope, type Asked, type Counted, type Scope } from '../frame.ts'
import { readNames } from '../scope.ts'
import type { SalesFigures, SalesJson } from './schema.ts'

/** What was won and lost, by whom, and what was left silent. @throws HttpError 400 */
export async function reportSales(core: Core, actor: Actor, asked: Asked): Promise<SalesJson> {
  const scope = await readScope(core, actor, asked)
  const counting = readCallers(core, scope)
  const [frame, closed, amounts, created, silent, callers] = await Promise.all([
    frameOf(core, scope, asked, counting),
    readClosed(core, scope),
    readAmounts(core, scope),
    readCreated(core, scope),
    readSilent(core, scope),
    counting,
  ])
  const calls = new Map(callers.map((row) => [row.managerId, row.calls]))
  const figures = (slice: Slice) => figuresOf(slice, closed, amounts, created)
  const weeks = weeksOf(scope.period).map(({ week, from, to, complete }, n) => ({
    week,
    from,
    to,
    complete,
    ...figures({ kind: 'week', id: n + 1 }),
  }))
  return {
    ...frame,
    totals: { ...figures({ kind: 'all', id: null }), silent: silent.total },
    weeks,
    managers: await managersOf(core, { closed, created, silent: silent.byManager, calls }, figures),
    funnels: await funnelsOf(core, { closed, created }, figures),
    silent: silent.deals,
  }
}

/** What a row is the sum of: all, a week by its number from 1, a manager or a funnel. */
interface Slice {
  kind: 'all' | 'week' | 'manager' | 'funnel'
  id: string | number | null
}

/** The kinds and ids of the rows of GROUPING SETS. */
const SLICES = `CASE grouping(week, manager, funnel) WHEN 7 THEN 'all' WHEN 3 THEN 'week' WHEN 5 THEN 'manager' ELSE 'funnel' END AS kind,
  CASE grouping(week, manager, funnel) WHEN 3 THEN week::text WHEN 5 THEN manager::text WHEN 6 THEN funnel::text END AS id`
const SETS = 'GROUPING SETS ((), (week), (manager), (funnel))'

interface Closed extends Slice {
  won: number
  lost: number
  days: number | null
  calls: number | null
}

async function readClosed({ pool }: Core, scope: Scope): Promise<Closed[]> {
  const p = new Parameters()
  const { rows } = await pool.query<Closed>({
    text: `SELECT ${SLICES}, count(*) FILTER (WHERE outcome = 'won')::int AS won,
                  count(*) FILTER (WHERE outcome = 'lost')::int AS lost,
                  percentile_cont(0.5) WITHIN GROUP (ORDER BY days) FILTER (WHERE outcome = 'won') AS days,
                  percentile_cont(0.5) WITHIN GROUP (ORDER BY calls) AS calls
             FROM (SELECT ${weekOf(p, scope, 'closed_at')} AS week, m.id AS manager, d.funnel_id AS funnel, d.outcome,
                          extract(epoch FROM d.closed_at - d.created_at)::float8 / 86400 AS days,
                          coalesce(c.calls, 0)::float8 AS calls
                     FROM ${DEALS} LEFT JOIN ${CALLS_BY_DEAL} c ON c.deal_id = d.id WHERE ${dealsOf(p, scope, 'closed_at')}) d
            GROUP BY ${SETS}`,
    values: p.values,
  })
  return rows
}

const weekOf = (p: Parameters, { period }: Scope, column: string): string =>
  `width_bucket(d.${column}, ${p.add(weeksOf(period).map(({ since }) => since))}::timestamptz[])`

interface Amount extends Slice {
  currency: string
  amount: number
  deals: number
  median: number
}

async function readAmounts({ pool }: Core, scope: Scope): Promise<Amount[]> {
  const p = new Parameters()
  const { rows } = await pool.query<Amount>({
    text: `SELECT ${SLICES}, currency, sum(amount)::float8 AS amount, count(*)::int AS deals,
                  percentile_cont(0.5) WITHIN GROUP (ORDER BY amount::float8) AS median
             FROM (SELECT ${weekOf(p, scope, 'closed_at')} AS week, m.id AS manager, d.funnel_id AS funnel, d.amount, d.currency
                     FROM ${DEALS}
                    WHERE d.outcome = 'won' AND d.amount > 0 AND d.currency IS NOT NULL AND ${dealsOf(p, scope, 'closed_at')}) d
            GROUP BY GROUPING SETS ((currency), (week, currency), (manager, currency), (funnel, currency)) ORDER BY currency`,
    values: p.values,
  })
  return rows
}

interface Created extends Slice {
  created: number
  won: number
  open: number
}

async function readCreated({ pool }: Core, scope: Scope): Promise<Created[]> {
  const p = new Parameters()
  const { rows } = await pool.query<Created>({
    text: `SELECT ${SLICES}, count(*)::int AS created, count(*) FILTER (WHERE outcome = 'won')::int AS won,
                  count(*) FILTER (WHERE outcome = 'open')::int AS open
             FROM (SELECT ${weekOf(p, scope, 'created_at')} AS week, m.id AS manager, d.funnel_id AS funnel, d.outcome
                     FROM ${DEALS} WHERE ${dealsOf(p, scope, 'created_at')}) d
            GROUP BY ${SETS}`,
    values: p.values,
  })
  return rows
}

const isOf =
  ({ kind, id }: Slice) =>
  (row: Slice): boolean =>
    row.kind === kind && (row.id === null ? null : String(row.id)) === (id === null ? null : String(id))

function figuresOf(slice: Slice, closed: Closed[], amounts: Amount[], created: Created[]): SalesFigures {
  const { won, lost, days, calls } = closed.find(isOf(slice)) ?? { won: 0, lost: 0, days: null, calls: null }
  const cohort = created.find(isOf(slice)) ?? { created: 0, won: 0, open: 0 }
  return {
    won,
    lost,
    winRate: ratio(won, won + lost),
    created: cohort.created,
    cohort: ratio(cohort.won, cohort.created),
    immature: cohort.open > IMMATURE * cohort.created,
    amounts: amounts.filter(isOf(slice)).map((row) => ({
      currency: row.currency,
      amount: rounded(row.amount, 2),
      deals: row.deals,
      median: median(row.median, row.deals),
    })),
    cycleDays: median(days, won),
    callsBefore: median(calls, won + lost),
  }
}

interface Silent {
  total: number
  byManager: Map<string | null, number>
  deals: SalesJson['silent']
}

const MOST_SILENT = 50

async function readSilent({ pool }: Core, scope: Scope): Promise<Silent> {
  const p = new Parameters()
  const silent = `${DEALS} WHERE ${openDealsOf(p, scope)} AND ${IS_SILENT}`
  const [counts, deals] = await Promise.all([
    pool.query<{ managerId: string | null; n: number }>({
      text: `SELECT m.id AS "managerId", count(*)::int AS n FROM ${silent} GROUP BY 1`,
      values: p.values,
    }),
    pool.query<SilentRow>({
      text: `SELECT d.id, d.name, d.funnel_id::int AS "funnelId", f.name AS funnel, s.name AS stage, d."managerId", d.manager,
                    d.amount, d.currency, d."createdAt", d."lastCallAt"
               FROM (SELECT d.id, d.title AS name, d.funnel_id, d.stage_id, m.id AS "managerId", m.name AS manager,
                            d.amount::float8 AS amount, d.currency, d.created_at AS "createdAt",
                            ${LAST_CALL} AS "lastCallAt"
                       FROM ${silent}) d
               LEFT JOIN crm_funnels f ON f.id = d.funnel_id
               LEFT JOIN crm_stages s ON s.funnel_id = d.funnel_id AND s.id = d.stage_id
              ORDER BY coalesce(d."lastCallAt", d."createdAt"), d.id LIMIT ${MOST_SILENT}`,
      values: p.values,
    }),
  ])
  return {
    total: counts.rows.reduce((sum, { n }) => sum + n, 0),
    byManager: new Map(counts.rows.map(({ managerId, n }) => [managerId, n])),
    deals: deals.rows.map(({ funnelId, funnel, amount, currency, createdAt, lastCallAt, ...deal }) => ({
      ...deal,
      amount: amount === null || currency === null ? null : { amount, currency },
      funnel: { id: funnelId, name: funnel },
      createdAt: createdAt.toISOString(),
      lastCallAt: lastCallAt && lastCallAt.toISOString(),
    })),
  }
}

interface SilentRow {
  id: string
  name: string
  funnelId: number
  funnel: string | null
  stage: string | null
  managerId: string | null
  manager: string | null
  amount: number | null
  currency: string | null
  createdAt: Date
  lastCallAt: Date | null
}

interface Caller extends Counted {
  managerId: string | null
}

async function readCallers({ pool }: Core, scope: Scope): Promise<Caller[]> {
  const p = new Parameters()
  const { rows } = await pool.query<Caller>({
    text: `SELECT r.manager_id AS "managerId", ${COUNTED} FROM recordings r WHERE ${callsOf(p, scope)} GROUP BY 1`,
    values: p.values,
  })
  return rows
}

const idsOf = (kind: Slice['kind'], ...rows: Slice[][]) => [
  ...new Set(rows.flat().flatMap((row) => (row.kind === kind ? [row.id as string | null] : []))),
]

async function managersOf(
  { pool }: Core,
  told: { closed: Slice[]; created: Slice[]; silent: Silent['byManager']; calls: Map<string | null, number> },
  figures: (slice: Slice) => SalesFigures,
): Promise<SalesJson['managers']> {
  const { closed, created, silent, calls } = told
  const ids = [...new Set([...idsOf('manager', closed, created), ...silent.keys(), ...calls.keys()])]
  const names = await readNames(
    pool,
    ids.flatMap((id) => id ?? []),
  )
  return ids
    .map((id) => ({
      managerId: id,
      manager: id && names.get(id)!,
      ...figures({ kind: 'manager', id }),
      calls: calls.get(id) ?? 0,
      silent: silent.get(id) ?? 0,
    }))
    .sort((a, b) => b.won - a.won || b.lost - a.lost || (a.manager ?? '').localeCompare(b.manager ?? ''))
}

async function funnelsOf(
  { pool }: Core,
  { closed, created }: { closed: Slice[]; created: Slice[] },
  figures: (slice: Slice) => SalesFigures,
): Promise<SalesJson['funnels']> {
  const ids = idsOf('funnel', closed, created)
  const { rows } = await pool.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM crm_funnels WHERE id = ANY($1::bigint[])',
    values: [ids],
  })
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return ids
    .map((id) => ({ funnel: { id: Number(id), name: names.get(id!) ?? null }, ...figures({ kind: 'funnel', id }) }))
    .sort((a, b) => (a.funnel.name ?? '').localeCompare(b.funnel.name ?? '') || a.funnel.id - b.funnel.id)
}
