import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { formatDay, parseDayOrTime } from '../../platform/lib/time.ts'
import { fetchCalls, fetchCallsAfter, type CallRow } from '../bitrix24/calls.ts'
import type { ParsedRows } from '../bitrix24/fields.ts'
import { storeHistoryCalls } from '../history/worker.ts'
import { listStaleQuarantinedCalls, type PageCounts } from '../quarantine/store.ts'
import type { CrmStep, CrmStepPage, StepContext } from '../steps/crm-step.ts'
import { loadEligibilityRules } from './eligibility.ts'
import { extendReadPeriod } from './read-periods.ts'
import { queueLiveCalls, storeCalls } from './store-calls.ts'
import { fetchUnknownUsers } from '../steps/full-pass.ts'

/** Ids that are read again: a row with a lower id can be stored later. */
const OVERLAP_IDS = 200

const HOUR_MS = 3600_000
/** Calls of the last two days are read again every hour, those whose file can be replaced every night. */
const RECENT_MS = 48 * HOUR_MS
const REPLACEMENT_MS = 30 * 24 * HOUR_MS

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
  waitsFor: async (core) => ((await loadEligibilityRules(core.pool)).roster.size > 0 ? null : 'roster'),
  async *pages(core, context) {
    let cursor = context.cursor ?? (await createCursor(core, context.position))
    for (let isFinished = false; !isFinished;) {
      const from = cursor.from === null ? undefined : new Date(cursor.from)
      const { calls, lastId, isLast } = await fetchCallsAfter(core, context.access, { from }, cursor.at)
      await fetchUnknownUsers(core, context.access, calls.values)
      const readCursor: Cursor = { ...cursor, at: lastId, lastId: Math.max(cursor.lastId, lastId) }
      const next = isLast ? startReread(readCursor) : readCursor
      isFinished = next === undefined
      cursor = next ?? { ...readCursor, at: readCursor.lastId }
      yield { cursor, store: (sql) => storeAndQueueCalls(core, sql, calls) }
    }
    if (context.position === undefined) yield* fetchQuarantinedCalls(core, context, cursor)
  },
  async end(_, sql, { position }, cursor) {
    const { lastId, recentAt, monthAt } = cursor ?? position ?? INITIAL_POSITION
    await extendReadPeriod(sql, hasReadCalls(position) ? null : (cursor?.from ?? null))
    return { position: { lastId, recentAt, monthAt } }
  },
}

/** Whether a pass continues after the calls that were read. */
const hasReadCalls = (position: Position | undefined): boolean => (position?.lastId ?? 0) > 0

const INITIAL_POSITION: Position = { lastId: 0, recentAt: 0, monthAt: 0 }

/** Starts after the last id; the first time at the first day of live calls, so that this day is fully read. */
async function createCursor(core: Core, position: Position | undefined): Promise<Cursor> {
  const { liveSince } = await loadEligibilityRules(core.pool)
  const known = position ?? INITIAL_POSITION
  const isFirst = !hasReadCalls(position)
  const zone = core.config.APP_TIMEZONE
  const from = isFirst && liveSince ? parseDayOrTime(formatDay(liveSince, zone), zone)!.toISOString() : null
  const now = Date.now()
  return {
    ...known,
    phase: 'new',
    at: Math.max(0, known.lastId - OVERLAP_IDS),
    from,
    ...(isFirst && { recentAt: now, monthAt: now }),
  }
}

/** The next range to read again after the new calls; undefined if nothing is due. */
function startReread(cursor: Cursor): Cursor | undefined {
  if (cursor.phase === 'again') return undefined
  const now = Date.now()
  const isMonth = now - cursor.monthAt >= 24 * HOUR_MS
  if (!isMonth && now - cursor.recentAt < HOUR_MS) return undefined
  const from = new Date(now - (isMonth ? REPLACEMENT_MS : RECENT_MS)).toISOString()
  return { ...cursor, phase: 'again', at: 0, from, recentAt: now, ...(isMonth && { monthAt: now }) }
}

async function storeAndQueueCalls({ config }: Core, sql: Sql, calls: ParsedRows<CallRow>): Promise<PageCounts> {
  const counts = await storeCalls(sql, config, calls)
  await queueLiveCalls(sql, calls.values)
  return counts
}

/** Reads rows in quarantine again by their ids after a reset, because the sweep does not reach those of history loads. */
async function* fetchQuarantinedCalls(
  core: Core,
  { access, generation }: StepContext<Position, Cursor>,
  cursor: Cursor,
): AsyncGenerator<CrmStepPage<Cursor>> {
  for (const { loadId, ids } of await listStaleQuarantinedCalls(core.pool, generation)) {
    const calls = await fetchCalls(core, access, 'ID', ids)
    const store = (sql: Sql) =>
      loadId === null ? storeAndQueueCalls(core, sql, calls) : storeHistoryCalls(core, sql, loadId, calls)
    yield { cursor, store }
  }
}
