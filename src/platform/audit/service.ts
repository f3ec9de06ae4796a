import { Readable } from 'node:stream'
import type { Core } from '../core.ts'
import { formatLimitSql, listPageBySql, type ResultPage, type PageRequest } from '../db/page.ts'
import { formatCsvLines, type CsvCell } from '../lib/csv.ts'
import { formatDay, parseDayOrTime } from '../lib/time.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../lib/sql-conditions.ts'
import type { AuditFilters } from './schema.ts'

type Order = 'asc' | 'desc'

/** Represents a row of the table `audit`, joined with the call that it concerns. */
export interface AuditRow {
  id: string
  at: Date
  action: string
  person_id: string | null
  person_name: string | null
  person_email: string | null
  key_id: string | null
  key_name: string | null
  object_type: string | null
  object_id: string | null
  object_name: string | null
  details: object | null
  address: string | null
  request_id: string | null
  action_id: string | null
  /** The number of rows of the action; absent without an action id. */
  action_rows?: number
  /** Phone number and time of the call; null if the entry concerns no call or a deleted one. */
  call_phone: string | null
  call_time: Date | null
}

const formatOrderBy = (order: Order): string => (order === 'asc' ? 'a.at, a.id' : 'a.at DESC, a.id DESC')

/** Contains the rows of one action, such as opening a page, oldest first. A row without an action id is its own action. */
export type AuditActionRows = [AuditRow, ...AuditRow[]]

/**
 * Lists one page of actions. An action is one item if at least one of its rows matches the filters.
 * The inner query selects only ids, so that the database reads full rows only for the page. OFFSET 0 prevents a hash or merge
 * join, which compares all rows of a bulk action with each other: 25 s for 10,000 rows.
 */
export async function listAuditActions(
  core: Core,
  { page, pageSize, order, ...filters }: AuditFilters & PageRequest & { order: Order },
): Promise<ResultPage<AuditActionRows>> {
  const p = new SqlParameters()
  const matching = `audit a WHERE ${p.and(buildConditions(core, filters))}`
  const isFirst = `NOT EXISTS (
    SELECT FROM audit e WHERE e.person_id = a.person_id AND e.action_id = a.action_id AND (e.at, e.id) < (a.at, a.id)
       AND ${p.and(buildConditions(core, filters, 'e'))} OFFSET 0)`
  const count = `SELECT count(*)::int AS total
                   FROM (SELECT DISTINCT person_id, action_id, ${SINGLE_ROW_ID_SQL} FROM ${matching}) AS actions`
  const rows = `
    ${SELECT_ROWS}
     WHERE a.id = ANY (ARRAY(SELECT a.id FROM ${matching} AND ${isFirst} ORDER BY ${formatOrderBy(order)} ${formatLimitSql({ page, pageSize })}))
     ORDER BY ${formatOrderBy(order)}`
  const found = await listPageBySql<AuditRow>(core.pool, { count, rows, values: p.values }, { page, pageSize })
  const byAction = await loadRowsOfActions(core, found.items)
  return { ...found, items: found.items.map((row) => addRow(byAction.get(formatActionKey(row)), row)) }
}

/** Adds the matching row of an action that has more than MAX_ACTION_ROWS. */
const addRow = (rows: AuditActionRows | undefined, row: AuditRow): AuditActionRows =>
  rows?.some(({ id }) => id === row.id) ? rows : ([...(rows ?? []), row] as AuditActionRows)

/** The id of a row that is its own action. */
const SINGLE_ROW_ID_SQL = 'CASE WHEN a.person_id IS NULL OR a.action_id IS NULL THEN a.id END'

const SELECT_ROWS = `
    SELECT a.*, r.phone_number AS call_phone, coalesce(r.call_started_at, r.created_at) AS call_time
      FROM audit a
      LEFT JOIN recordings r
        ON r.id = CASE WHEN a.object_type = 'recording' AND a.object_id ~ '^[0-9a-f-]{36}$' THEN a.object_id::uuid END`

const formatActionKey = ({ person_id, action_id }: AuditRow): string => `${person_id} ${action_id}`

/** A bulk action has a row for each call. */
const MAX_ACTION_ROWS = 100

/** Loads the first MAX_ACTION_ROWS rows of each action to which `rows` belong, by action key. */
async function loadRowsOfActions(core: Core, rows: AuditRow[]): Promise<Map<string, AuditActionRows>> {
  const joined = rows.filter(({ action_id }) => action_id !== null)
  const byAction = new Map<string, AuditActionRows>()
  if (joined.length === 0) return byAction
  const { rows: members } = await core.pool.query<AuditRow>({
    text: `SELECT first.* FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[])) AS k (person_id, action_id)
           CROSS JOIN LATERAL (
             SELECT s.*, count(*) OVER ()::int AS action_rows
               FROM (${SELECT_ROWS} WHERE a.person_id = k.person_id AND a.action_id = k.action_id) AS s
              ORDER BY s.at, s.id LIMIT ${MAX_ACTION_ROWS}) AS first
            ORDER BY first.at, first.id`,
    values: [joined.map(({ person_id }) => person_id), joined.map(({ action_id }) => action_id)],
  })
  for (const row of members) {
    const action = byAction.get(formatActionKey(row))
    if (action) action.push(row)
    else byAction.set(formatActionKey(row), [row])
  }
  return byAction
}

function buildConditions(core: Core, { person, action, from, to, object }: AuditFilters, alias = 'a'): SqlConditions {
  const time = (value?: string) => value && parseDayOrTime(value, core.config.APP_TIMEZONE)
  return toConditions(
    [`${alias}.person_id = ?::uuid`, person],
    [`${alias}.action = ANY (?)`, action],
    [`${alias}.object_id = ?`, object],
    [`${alias}.at >= ?::timestamptz`, time(from)],
    [`${alias}.at < ?::timestamptz`, time(to)],
  )
}

/** Limits the rows in memory. */
const EXPORT_BATCH_ROWS = 1000

const CSV_COLUMNS: [name: string, value: (row: AuditRow) => CsvCell][] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => ({ value: at.toISOString() })],
  ['person', (row) => row.person_name],
  ['email', (row) => row.person_email],
  ['key', (row) => row.key_name],
  ['action', ({ action }) => action],
  ['objectType', (row) => row.object_type],
  ['objectId', (row) => row.object_id],
  ['objectName', (row) => row.object_name],
  ['details', ({ details }) => details && JSON.stringify(details)],
  ['address', ({ address }) => address],
  ['requestId', (row) => row.request_id],
]

/**
 * Streams the matching entries as CSV at the speed of the client. Batches need no open connection, because entries never change.
 */
export function exportAuditEntries(
  core: Core,
  { order, spreadsheet = false, ...filters }: AuditFilters & { order: Order; spreadsheet?: boolean },
): { fileName: string; content: Readable } {
  const content = Readable.from(streamCsv(core, filters, order, spreadsheet), {
    objectMode: false,
    highWaterMark: 128 * 1024,
  })
  content.once('error', (error) => core.log.warn({ reason: error.message }, 'an export ended early'))
  return { fileName: `audit-${formatDay(new Date(), core.config.APP_TIMEZONE)}.csv`, content }
}

async function* streamCsv(
  core: Core,
  filters: AuditFilters,
  order: Order,
  spreadsheet: boolean,
): AsyncGenerator<Buffer> {
  yield formatCsvLines([CSV_COLUMNS.map(([name]) => name)], { bom: true })
  for await (const rows of streamEntries(core, filters, order)) {
    yield formatCsvLines(
      rows.map((row) => CSV_COLUMNS.map(([, value]) => value(row))),
      { spreadsheet },
    )
  }
}

/** Yields batches of entries up to the time of the call. Each batch continues after the last row of the previous one. */
async function* streamEntries(core: Core, filters: AuditFilters, order: Order): AsyncGenerator<AuditRow[]> {
  const conditions = buildConditions(core, filters)
  const { rows } = await core.pool.query<{ now: string }>({ text: 'SELECT now()::text AS now' })
  conditions.push({ sql: 'a.at <= ?::timestamptz', values: [rows[0]!.now] })
  let last: (AuditRow & { exactAt: string }) | undefined
  do {
    const after: SqlConditions = last
      ? [
          {
            sql: `(a.at, a.id) ${order === 'asc' ? '>' : '<'} (?::timestamptz, ?::uuid)`,
            values: [last.exactAt, last.id],
          },
        ]
      : []
    const p = new SqlParameters()
    const batch = await core.pool.query<AuditRow & { exactAt: string }>({
      // JavaScript truncates times to milliseconds, so the next batch needs the exact time as text.
      text: `SELECT a.*, a.at::text AS "exactAt" FROM audit a
              WHERE ${p.and([...conditions, ...after])} ORDER BY ${formatOrderBy(order)} LIMIT ${EXPORT_BATCH_ROWS}`,
      values: p.values,
    })
    yield batch.rows
    last = batch.rows.length === EXPORT_BATCH_ROWS ? batch.rows.at(-1) : undefined
  } while (last)
}
