import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { dayOf, parseDayOrTime } from '../../platform/lib/time.ts'
import { fetchCalls, fetchCallsAfter, type CallRow } from '../bitrix24/calls.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { storeLoaded } from '../history/worker.ts'
import { listStaleCalls, type Counts } from '../quarantine/store.ts'
import type { CrmStep, ReadPage, Reading } from '../steps/step.ts'
import { loadRules } from './eligible.ts'
import { extendReadPeriod } from './periods.ts'
import { queueCalls, storeCalls } from './rows.ts'
import { fetchUnknownUsers } from '../steps/full-pass.ts'

/** Ids that are read again: a row with a lower id can be stored later. */
const OVERLAP = 200

const HOUR_MS = 3600_000
/** Calls of the last two days are read again every hour, those whose file can be replaced every night. */
const RECENT_MS = 48 * HOUR_MS
const REPLACED_MS = 30 * 24 * HOUR_MS

interface Position {
  lastId: number
  /** When the last days, and the last month, were last read again; milliseconds. */
  recentAt: number
  monthAt: number
}

/** `new`: after the last id; `again`: calls that began since `from`. */
interface Cursor extends Position {
  phase: 'new' | 'again'
  /** The id after which the next page starts. */
  at: number
  /** Only calls that began at this time or later. */
  from: string | null
}

/** Finds calls without an event, and changed calls. No call is loaded before there is a roster. */
export const callsStep: CrmStep<Position, Cursor> = {
  name: 'calls',
  intervalSeconds: 600,
  pauseSeconds: (config) => config.CRM_EXPORT_PAUSE_SECONDS,
  waitsFor: async (core) => ((await loadRules(core.pool)).roster.size > 0 ? null : 'roster'),
  async *pages(core, reading) {
    let cursor = reading.cursor ?? (await begin(core, reading.position))
    for (let isOver = false; !isOver;) {
      const from = cursor.from === null ? undefined : new Date(cursor.from)
      const { calls, lastId, isLast } = await fetchCallsAfter(core, reading.asking, { from }, cursor.at)
      await fetchUnknownUsers(core, reading.asking, calls.values)
      const read: Cursor = { ...cursor, at: lastId, lastId: Math.max(cursor.lastId, lastId) }
      const next = isLast ? again(read) : read
      isOver = next === undefined
      cursor = next ?? { ...read, at: read.lastId }
      yield { cursor, store: (sql) => storeSwept(core, sql, calls) }
    }
    if (reading.position === undefined) yield* readQuarantined(core, reading, cursor)
  },
  async end(_, sql, { position }, cursor) {
    const { lastId, recentAt, monthAt } = cursor ?? position ?? FRESH
    await extendReadPeriod(sql, hasRead(position) ? null : (cursor?.from ?? null))
    return { position: { lastId, recentAt, monthAt } }
  },
}

/** Whether a pass continues after the calls that were read. */
const hasRead = (position: Position | undefined): boolean => (position?.lastId ?? 0) > 0

const FRESH: Position = { lastId: 0, recentAt: 0, monthAt: 0 }

/** Starts after the last id; the first time at the first day of live calls, so that this day is fully read. */
async function begin(core: Core, position: Position | undefined): Promise<Cursor> {
  const { liveSince } = await loadRules(core.pool)
  const known = position ?? FRESH
  const isFirst = !hasRead(position)
  const zone = core.config.APP_TIMEZONE
  const from = isFirst && liveSince ? parseDayOrTime(dayOf(liveSince, zone), zone)!.toISOString() : null
  const now = Date.now()
  return {
    ...known,
    phase: 'new',
    at: Math.max(0, known.lastId - OVERLAP),
    from,
    ...(isFirst && { recentAt: now, monthAt: now }),
  }
}

/** The next range to read again after the new calls; undefined if nothing is due. */
function again(cursor: Cursor): Cursor | undefined {
  if (cursor.phase === 'again') return undefined
  const now = Date.now()
  const isMonth = now - cursor.monthAt >= 24 * HOUR_MS
  if (!isMonth && now - cursor.recentAt < HOUR_MS) return undefined
  const from = new Date(now - (isMonth ? REPLACED_MS : RECENT_MS)).toISOString()
  return { ...cursor, phase: 'again', at: 0, from, recentAt: now, ...(isMonth && { monthAt: now }) }
}

async function storeSwept({ config }: Core, sql: Sql, calls: ParsedRows<CallRow>): Promise<Counts> {
  const counts = await storeCalls(sql, config, calls)
  await queueCalls(sql, calls.values)
  return counts
}

/** Reads rows in quarantine again by their ids after a reset, because the sweep does not reach those of history loads. */
async function* readQuarantined(
  core: Core,
  { asking, generation }: Reading<Position, Cursor>,
  cursor: Cursor,
): AsyncGenerator<ReadPage<Cursor>> {
  for (const { loadId, ids } of await listStaleCalls(core.pool, generation)) {
    const calls = await fetchCalls(core, asking, 'ID', ids)
    const store = (sql: Sql) => (loadId === null ? storeSwept(core, sql, calls) : storeLoaded(core, sql, loadId, calls))
    yield { cursor, store }
  }
}
