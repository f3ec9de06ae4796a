import { Temporal } from 'temporal-polyfill'
import type { Core } from '../../platform/core.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { createPeriod, type Period } from '../../platform/lib/period.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { listMissedRules } from '../missed-rules.ts'
import { isoTimeSql, queryRows } from '../query-rows.ts'
import { periodCondition } from '../scope.ts'
import { findCallsWithManagerLogin } from './manager-logins.ts'
import type { HomeSectionJson } from './schema.ts'

const MAX_ITEMS = 5

type Lowest = HomeSectionJson<'lowest'>
type LowCall = Lowest['items'][number]

/** Loads the calls with the lowest scores of the last working day, and the rules that they missed. */
export async function loadLowestCallsSection(core: Core, actor: Actor): Promise<Lowest> {
  const day = await findLastWorkingDay(core, actor)
  const calls = await listLowestCalls(core, actor, createPeriod(day, day, core.config.APP_TIMEZONE))
  const ids = calls.map(({ recordingId }) => recordingId)
  const [missed, withLogin] = await Promise.all([listMissedRules(core, ids), findCallsWithManagerLogin(core, ids)])
  return {
    day: day.toString(),
    scored: calls[0]?.scored ?? 0,
    items: calls.map(({ recordingId, managerId, manager, at, durationSeconds, score, hasAudio }) => {
      const rules = missed.filter(({ call }) => call === recordingId)
      const call = { recordingId, managerId, manager, at, durationSeconds, score, hasAudio }
      return {
        ...call,
        managerHasLogin: withLogin.has(recordingId),
        missed: rules.map(({ rule }) => rule),
        hearFrom: rules[0]?.moment ?? null,
      }
    }),
  }
}

/** Finds the last of the previous seven days with calls. Without calls, it returns the last day from Monday to Friday. */
async function findLastWorkingDay({ pool, config }: Core, actor: Actor): Promise<Temporal.PlainDate> {
  const timeZone = config.APP_TIMEZONE
  const today = Temporal.Now.plainDateISO(timeZone)
  const period = createPeriod(today.subtract({ days: 7 }), today.subtract({ days: 1 }), timeZone)
  const [row] = await queryRows<{ at: Date | null }>(
    pool,
    (p) => `SELECT max(r.call_at) AS at FROM recordings r
             WHERE ${periodCondition(p, period, 'r.call_at')} AND ${p.and(visibleRecordingsCondition(actor))}`,
  )
  const at = row?.at
  if (at) return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  return today.subtract({ days: today.dayOfWeek === 1 ? 3 : today.dayOfWeek === 7 ? 2 : 1 })
}

const listLowestCalls = ({ pool }: Core, actor: Actor, period: Period) =>
  queryRows<Omit<LowCall, 'missed' | 'hearFrom' | 'managerHasLogin'> & { scored: number }>(
    pool,
    (p) => `SELECT r.id AS "recordingId", r.manager_id AS "managerId", r.manager_name AS manager,
                   ${isoTimeSql('r.call_at')} AS at, r.duration_seconds AS "durationSeconds", r.score::float8 AS score,
                   r.size_bytes > 0 AS "hasAudio",
                   count(*) OVER ()::int AS scored
              FROM recordings r
             WHERE ${periodCondition(p, period, 'r.call_at')} AND r.score IS NOT NULL
               AND ${p.and(visibleRecordingsCondition(actor))}
             ORDER BY r.score, r.call_at, r.id LIMIT ${MAX_ITEMS}`,
  )
