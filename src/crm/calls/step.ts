import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../core.ts'
import type { Sql } from '../../db.ts'
import { readBehind } from '../portal/rows.ts'
import type { Counts, CrmStep, ReadPage, Reading } from '../steps/step.ts'
import { filterTime } from '../values.ts'
import { readRules } from './eligible.ts'
import { BY_ID, STATISTICS } from './read.ts'
import { asCall, queueCalls, storeCalls, type CallRow } from './rows.ts'
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
  pages: sweep,
  end: (_, __, { position }, cursor) => {
    const { lastId, recentAt, monthAt } = cursor ?? position ?? FRESH
    return Promise.resolve({ position: { lastId, recentAt, monthAt } })
  },
}

const FRESH: Position = { lastId: 0, recentAt: 0, monthAt: 0 }

async function* sweep(core: Core, reading: Reading<Position, Cursor>): AsyncGenerator<ReadPage<Cursor>> {
  let cursor: Cursor | undefined = reading.cursor ?? (await begin(core, reading.position))
  while (cursor) {
    const { at, from }: Cursor = cursor
    const filter = from === null ? {} : { '>=CALL_START_DATE': filterTime(new Date(from)) }
    const list = { method: STATISTICS, params: { FILTER: filter }, filter: 'FILTER', id: 'ID', order: BY_ID } as const
    const { rows, lastId, isLast } = await readBehind(core, reading.asking, list, at)
    const calls = rows.map((row) => asCall(row, core.config.CRM_PHONE_COUNTRIES)).filter((call) => call !== undefined)
    await learnUsers(core, reading.asking, calls)
    const read: Cursor = { ...cursor, at: lastId, lastId: Math.max(cursor.lastId, lastId) }
    const next: Cursor | undefined = isLast ? again(read) : read
    yield { cursor: next ?? ended(read), store: (sql) => storeSwept(sql, calls), more: false }
    if (next) await pause(core.config.CRM_EXPORT_PAUSE_SECONDS * 1000, undefined, { signal: reading.asking.signal })
    cursor = next
  }
}

/** Behind the last id; the first time, where the calls that are live begin. */
async function begin(core: Core, position: Position | undefined): Promise<Cursor> {
  const { liveSince } = await readRules(core.pool)
  const known = position ?? FRESH
  const isFirst = known.lastId === 0
  const from = isFirst ? (liveSince?.toISOString() ?? null) : null
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

async function storeSwept(sql: Sql, calls: CallRow[]): Promise<Counts> {
  const counts = await storeCalls(sql, calls)
  await queueCalls(sql, calls)
  return counts
}
