import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import type { Page, Step } from '../../platform/queue/steps.ts'
import { isOn } from '../automation/state.ts'
import { linkLateSubmitted } from '../calls/submitted.ts'
import { normalisePhone } from '../phone.ts'
import { CALLS_AT_ONCE } from '../bitrix24/activities.ts'
import { readingAs, type Asking } from '../bitrix24/client.ts'
import { backgroundStep } from '../steps/failure.ts'
import { dueCalls, findDeals, storeChoices, type DueCall } from './match.ts'
import { dealMessages } from './messages.ts'
import { queueChanged } from './news.ts'

const AT_ONCE = 500

/**
 * Finds the deals of calls that just ended, for which people wait. A step of its own, because a batch of the backlog can wait
 * long for its turn at the portal. Queues the searches of both steps.
 */
export const matchesStep: Step = matchStep('matches', async function* (core, { signal }) {
  yield { cursor: null, commit: (sql) => queueSearches(core, sql) }
  for (;;) {
    const calls = await dueCalls(core, 'live', AT_ONCE)
    if (calls.length === 0) return
    yield* match(core, readingAs(core, 'live', signal), calls)
  }
})

/** Finds the deals of all other calls, and of calls without a deal when deals or phones change. */
export const matchBacklogStep: Step = matchStep('match-backlog', async function* (core, { signal }) {
  for (;;) {
    const calls = await dueCalls(core, 'backlog', AT_ONCE)
    if (calls.length === 0) return
    yield* match(core, readingAs(core, 'sync', signal), calls)
  }
})

function matchStep(name: 'matches' | 'match-backlog', pages: Step['pages']): Step {
  return backgroundStep({
    name,
    // Below the two seconds of the schedule, so that every run of the schedule starts it.
    intervalSeconds: 1,
    // Short, because people wait for new calls, and submitted calls need no portal.
    pauses: { first: 1, longest: 60 },
    notStored: dealMessages.notStored(),
    isReady: isOn,
    pages,
  })
}

/** Calls that the portal does not know do not wait for its response. */
async function* match(core: Core, asking: Asking, due: DueCall[]): AsyncGenerator<Page<unknown>> {
  const unknown = due.filter(({ callId }) => callId === null)
  const known = due.filter(({ callId }) => callId !== null).slice(0, CALLS_AT_ONCE)
  for (const group of [unknown, known]) {
    if (group.length === 0) continue
    const calls = group.map((call) => withPhone(call, core.config.CRM_PHONE_COUNTRIES))
    const choices = await findDeals(core, asking, calls)
    yield { cursor: null, commit: (sql) => storeChoices(sql, calls, choices) }
  }
}

/** Drops the portal's client if the call's own phone is a number and differs from the portal's. */
function withPhone(call: DueCall, countries: readonly string[]): DueCall {
  const phone = (call.phone === null ? null : normalisePhone(call.phone, countries)) ?? call.portalPhone
  const isOther = phone !== null && call.portalPhone !== null && phone !== call.portalPhone
  return { ...call, phone, ...(isOther && { clientKind: null, clientId: null }) }
}

/** Queues the searches that no load queues: of submitted calls, and of calls whose client or deal changed. */
async function queueSearches({ config }: Core, sql: Sql): Promise<void> {
  const { rows } = await sql.query<{ since: Date; now: Date }>({
    text: `SELECT coalesce((position ->> 'since')::timestamptz, '-infinity') AS since, now() - interval '10 s' AS now
             FROM crm_steps WHERE name = 'matches'`,
  })
  const { since, now } = rows[0]!
  // Before crm_matches: code that stores calls locks in this order.
  await linkLateSubmitted(sql, config, since)
  const behind = await queueSubmitted(sql)
  await queueChanged(sql, since)
  await sql.query({
    text: `UPDATE crm_steps SET position = jsonb_build_object('since', $1::timestamptz, 'behind', $2::uuid) WHERE name = 'matches'`,
    values: [now, behind],
  })
}

/** Recordings of one pass over the old ones. */
const PASSED_AT_ONCE = 2000

/** Queues new submitted calls at once, older ones little by little. @returns the last recording of this pass */
async function queueSubmitted(sql: Sql): Promise<string | null> {
  await sql.query({
    text: `INSERT INTO crm_matches (recording_id, state)
           SELECT r.id, 'waiting' FROM recordings r
            WHERE r.created_at > now() - interval '2 days' AND r.phone_number IS NOT NULL AND r.source <> 'crm'
              AND NOT EXISTS (SELECT FROM crm_matches m WHERE m.recording_id = r.id)
            ORDER BY r.created_at LIMIT ${AT_ONCE}
           ON CONFLICT DO NOTHING`,
  })
  const { rows } = await sql.query<{ behind: string | null }>({
    text: `WITH last AS (SELECT (position ->> 'behind')::uuid AS id FROM crm_steps WHERE name = 'matches'),
           passed AS (SELECT r.id, r.phone_number, r.source FROM recordings r
                       WHERE r.id > coalesce((SELECT id FROM last), '00000000-0000-0000-0000-000000000000')
                       ORDER BY r.id LIMIT ${PASSED_AT_ONCE}),
           asked AS (
             INSERT INTO crm_matches AS m (recording_id, state)
             SELECT id, 'waiting' FROM passed p WHERE phone_number IS NOT NULL AND source <> 'crm'
                AND NOT EXISTS (SELECT FROM crm_calls c WHERE c.recording_id = p.id)
             ON CONFLICT (recording_id) DO UPDATE SET due_at = now() WHERE m.phone IS NULL AND m.state IN ('none', 'ambiguous'))
           SELECT coalesce((SELECT id FROM passed ORDER BY id DESC LIMIT 1), (SELECT id FROM last)) AS behind`,
  })
  return rows[0]!.behind
}
