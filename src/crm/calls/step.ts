import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../app/core.ts'
import type { Sql } from '../../platform/db/db.ts'
import { dayOf, parseDayOrTime } from '../../platform/lib/time.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { storeLoaded } from '../history/store.ts'
import { callPortal } from '../bitrix24/client.ts'
import { readBehind, rowsOf } from '../bitrix24/rows.ts'
import { listStaleCalls } from '../quarantine/store.ts'
import type { Counts, CrmStep, ReadPage, Reading } from '../steps/step.ts'
import { filterTime, idOf } from '../bitrix24/values.ts'
import { readRules } from './eligible.ts'
import { extendReadPeriod } from './periods.ts'
import { BY_ID, STATISTICS } from '../bitrix24/calls.ts'
import { parseCalls, queueCalls, storeCalls, type CallRow } from './rows.ts'
import { learnUsers } from './users.ts'

/** Rows of so many ids back are read again: one that was begun earlier may be stored later. */
const OVERLAP = 200

const HOUR_MS = 3600_000
/** Every hour the calls of the last two days are read again, every night those whose file may be replaced yet. */
const RECENT_MS = 48 * HOUR_MS
const REPLACED_MS = 30 * 24 * HOUR_MS

interface Position {
  lastId: number
  /** When the last days, and the last month, were read again; milliseconds. */
  recentAt: number
  monthAt: number
}

/** `new`: behind the last id; `again`: what has begun since `from`. */
interface Cursor extends Position {
  phase: 'new' | 'again'
  /** Behind which id the next page is. */
  at: number
  /** Only calls that began at this time or later. */
  from: string | null
}

/** Finds calls that no event told of, and what has changed of others. Until there is a roster, none is loaded. */
export const callsStep: CrmStep<Position, Cursor> = {
  name: 'calls',
  intervalSeconds: 600,
  waitsFor: async (core) => ((await readRules(core.pool)).roster.size > 0 ? null : 'roster'),
  pages: readCalls,
  async end(_, sql, { position }, cursor) {
    const { lastId, recentAt, monthAt } = cursor ?? position ?? FRESH
    await extendReadPeriod(sql, hasRead(position) ? null : (cursor?.from ?? null))
    return { position: { lastId, recentAt, monthAt } }
  },
}

async function* readCalls(core: Core, reading: Reading<Position, Cursor>): AsyncGenerator<ReadPage<Cursor>> {
  let last = reading.cursor
  for await (const page of sweep(core, reading)) {
    last = page.cursor
    yield page
  }
  if (reading.position === undefined && last) yield* readQuarantined(core, reading, last)
}

/** Whether a pass continues after the calls that were read. */
const hasRead = (position: Position | undefined): boolean => (position?.lastId ?? 0) > 0

const FRESH: Position = { lastId: 0, recentAt: 0, monthAt: 0 }

async function* sweep(core: Core, reading: Reading<Position, Cursor>): AsyncGenerator<ReadPage<Cursor>> {
  let cursor: Cursor | undefined = reading.cursor ?? (await begin(core, reading.position))
  while (cursor) {
    const { at, from }: Cursor = cursor
    const filter = from === null ? {} : { '>=CALL_START_DATE': filterTime(new Date(from)) }
    const list = { method: STATISTICS, params: { FILTER: filter }, filter: 'FILTER', id: 'ID', order: BY_ID } as const
    const { rows, rejected, lastId, isLast } = await readBehind(core, reading.asking, list, at)
    const parsed = parseCalls(core, rows, rejected)
    await learnUsers(core, reading.asking, parsed.values)
    const read: Cursor = { ...cursor, at: lastId, lastId: Math.max(cursor.lastId, lastId) }
    const next: Cursor | undefined = isLast ? again(read) : read
    yield { cursor: next ?? ended(read), store: (sql) => storeSwept(core, sql, parsed), more: false }
    if (next) await pause(core.config.CRM_EXPORT_PAUSE_SECONDS * 1000, undefined, { signal: reading.asking.signal })
    cursor = next
  }
}

/** Starts after the last id; the first time at the first day of live calls, so that day is fully read. */
async function begin(core: Core, position: Position | undefined): Promise<Cursor> {
  const { liveSince } = await readRules(core.pool)
  const known = position ?? FRESH
  const isFirst = !hasRead(position)
  const zone = core.config.APP_TIMEZONE
  const from = isFirst && liveSince ? parseDayOrTime(dayOf(liveSince, zone), zone)!.toISOString() : null
  return { ...known, phase: 'new', at: Math.max(0, known.lastId - OVERLAP), from, ...(isFirst && readJustNow()) }
}

const readJustNow = () => ({ recentAt: Date.now(), monthAt: Date.now() })

/** What is read again after the new calls; undefined where nothing is due. */
function again(cursor: Cursor): Cursor | undefined {
  if (cursor.phase === 'again') return undefined
  const now = Date.now()
  const isMonth = now - cursor.monthAt >= 24 * HOUR_MS
  if (!isMonth && now - cursor.recentAt < HOUR_MS) return undefined
  const from = new Date(now - (isMonth ? REPLACED_MS : RECENT_MS)).toISOString()
  return { ...cursor, phase: 'again', at: 0, from, recentAt: now, ...(isMonth && { monthAt: now }) }
}

/** Keeps what was read when; the next pass begins behind the last id. */
const ended = (cursor: Cursor): Cursor => ({ ...cursor, at: cursor.lastId })

async function storeSwept({ config }: Core, sql: Sql, parsed: ParsedRows<CallRow>): Promise<Counts> {
  const counts = await storeCalls(sql, config, parsed)
  await queueCalls(sql, parsed.values)
  return counts
}

/** Reads rows in quarantine again by their ids after a reset, because the sweep does not reach those of history loads. */
async function* readQuarantined(
  core: Core,
  { asking, generation }: Reading<Position, Cursor>,
  cursor: Cursor,
): AsyncGenerator<ReadPage<Cursor>> {
  for (const { loadId, ids } of await listStaleCalls(core.pool, generation)) {
    const { result } = await callPortal(core, asking, STATISTICS, { FILTER: { ID: ids }, ...BY_ID, start: -1 })
    const parsed = parseCalls(
      core,
      rowsOf(result).filter(({ ID }) => ids.includes(idOf(ID) ?? '')),
    )
    const store = (sql: Sql) =>
      loadId === null ? storeSwept(core, sql, parsed) : storeLoaded(core, sql, loadId, parsed)
    yield { cursor, store, more: true }
  }
}
