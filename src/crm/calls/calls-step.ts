import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { formatDay, parseDayOrTime } from '../../platform/lib/time.ts'
import { fetchPortalCalls, fetchPortalCallsAfterId, type CrmCallRow } from '../bitrix24/calls.ts'
import type { ParsedPortalRows } from '../bitrix24/fields.ts'
import { storeHistoryCalls } from '../history/worker.ts'
import { listStaleQuarantinedCalls, type CrmPageCounts } from '../quarantine/store.ts'
import type { CrmStep, CrmStepPage, CrmStepContext } from '../steps/crm-step.ts'
import { loadCallEligibilityRules } from './eligibility.ts'
import { extendCallReadPeriod } from './read-periods.ts'
import { queueCrmCallsToLoad, storeCrmCalls } from './store-calls.ts'
import { loadUnknownPortalUsers } from '../steps/full-pass.ts'

/** Reads this many ids again, because the portal can store a row with a lower id later. */
const OVERLAP_IDS = 200

const HOUR_MS = 3600_000
/** Calls of the last two days are read again every hour, and calls of the last 30 days every day. */
const RECENT_MS = 48 * HOUR_MS
const REPLACEMENT_MS = 30 * 24 * HOUR_MS

interface Position {
  lastId: number
  /** When the last two days and the last 30 days were last read again, in milliseconds since 1970. */
  recentAt: number
  monthAt: number
}

/** `new` reads calls after the last id; `again` reads calls that began since `from`. */
interface Cursor extends Position {
  phase: 'new' | 'again'
  /** The row id before the next page. */
  at: number
  /** Selects calls that began at this time or later. */
  from: string | null
}

/** Reads new calls, in case their events were lost, and changed calls. It waits for a roster, without which no call is loaded. */
export const crmCallsStep: CrmStep<Position, Cursor> = {
  name: 'calls',
  intervalSeconds: 600,
  pauseSeconds: (config) => config.CRM_EXPORT_PAUSE_SECONDS,
  waitsFor: async (core) => ((await loadCallEligibilityRules(core.pool)).roster.size > 0 ? null : 'roster'),
  async *pages(core, context) {
    let cursor = context.cursor ?? (await createCursor(core, context.position))
    for (let isFinished = false; !isFinished;) {
      const from = cursor.from === null ? undefined : new Date(cursor.from)
      const { calls, lastId, isLast } = await fetchPortalCallsAfterId(core, context.access, { from }, cursor.at)
      await loadUnknownPortalUsers(core, context.access, calls.values)
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
    await extendCallReadPeriod(sql, hasReadCalls(position) ? null : (cursor?.from ?? null))
    return { position: { lastId, recentAt, monthAt } }
  },
}

/** Returns false before the first call was read, and after a reset. */
const hasReadCalls = (position: Position | undefined): boolean => (position?.lastId ?? 0) > 0

const INITIAL_POSITION: Position = { lastId: 0, recentAt: 0, monthAt: 0 }

/**
 * Starts OVERLAP_IDS before the last id. The first pass starts with the first day of live calls, so that this day is complete.
 */
async function createCursor(core: Core, position: Position | undefined): Promise<Cursor> {
  const { liveSince } = await loadCallEligibilityRules(core.pool)
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

/** Returns the next range to read again after the new calls; undefined if none is due. */
function startReread(cursor: Cursor): Cursor | undefined {
  if (cursor.phase === 'again') return undefined
  const now = Date.now()
  const isMonth = now - cursor.monthAt >= 24 * HOUR_MS
  if (!isMonth && now - cursor.recentAt < HOUR_MS) return undefined
  const from = new Date(now - (isMonth ? REPLACEMENT_MS : RECENT_MS)).toISOString()
  return { ...cursor, phase: 'again', at: 0, from, recentAt: now, ...(isMonth && { monthAt: now }) }
}

async function storeAndQueueCalls(
  { config }: Core,
  sql: Sql,
  calls: ParsedPortalRows<CrmCallRow>,
): Promise<CrmPageCounts> {
  const counts = await storeCrmCalls(sql, config, calls)
  await queueCrmCallsToLoad(sql, calls.values)
  return counts
}

/** In the first pass after a reset, reads quarantined rows by id, because the pass does not reach calls of history loads. */
async function* fetchQuarantinedCalls(
  core: Core,
  { access, generation }: CrmStepContext<Position, Cursor>,
  cursor: Cursor,
): AsyncGenerator<CrmStepPage<Cursor>> {
  for (const { loadId, ids } of await listStaleQuarantinedCalls(core.pool, generation)) {
    const calls = await fetchPortalCalls(core, access, 'ID', ids)
    const store = (sql: Sql) =>
      loadId === null ? storeAndQueueCalls(core, sql, calls) : storeHistoryCalls(core, sql, loadId, calls)
    yield { cursor, store }
  }
}
