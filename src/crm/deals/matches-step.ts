import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import type { StepPage, Step } from '../../platform/queue/steps.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { linkLateSubmittedCalls } from '../calls/submitted-calls.ts'
import { normalisePhoneNumber } from '../phone.ts'
import { MAX_ACTIVITY_CALLS_PER_REQUEST } from '../bitrix24/activities.ts'
import { createPortalReadAccess, type PortalAccess } from '../bitrix24/client.ts'
import { createCrmBackgroundStep } from '../steps/failure.ts'
import { listCallsDueForDealSearch, findDealsOfCalls, storeDealChoices, type DealSearchCall } from './match.ts'
import { dealMessages } from './messages.ts'
import { queueDealSearchesAfterChanges } from './changed-deals.ts'

const MAX_CALLS_PER_PAGE = 500

/**
 * Finds the deals of calls that just ended, because people wait for them. It also queues the searches of both steps.
 * It is a separate step, because a batch of the backlog can wait long for its turn at the portal.
 */
export const dealMatchesStep: Step = createMatchStep('matches', async function* (core, { signal }) {
  yield { cursor: null, commit: (sql) => queueSearches(core, sql) }
  for (;;) {
    const calls = await listCallsDueForDealSearch(core, 'live', MAX_CALLS_PER_PAGE)
    if (calls.length === 0) return
    yield* matchCalls(core, createPortalReadAccess(core, 'live', signal), calls)
  }
})

/** Finds the deals of all other calls whose search is due, such as old calls, and calls whose deal or client changed. */
export const dealMatchBacklogStep: Step = createMatchStep('match-backlog', async function* (core, { signal }) {
  for (;;) {
    const calls = await listCallsDueForDealSearch(core, 'backlog', MAX_CALLS_PER_PAGE)
    if (calls.length === 0) return
    yield* matchCalls(core, createPortalReadAccess(core, 'sync', signal), calls)
  }
})

function createMatchStep(name: 'matches' | 'match-backlog', pages: Step['pages']): Step {
  return createCrmBackgroundStep({
    name,
    // Shorter than the two seconds of the schedule, so that each run of the schedule starts the step.
    intervalSeconds: 1,
    // Short pauses after failures, because people wait for new calls, and submitted calls do not need the portal.
    pauses: { first: 1, longest: 60 },
    notStored: dealMessages.notStored(),
    isReady: isCrmAutomationOn,
    pages,
  })
}

/** Matches calls without a portal call first, because they need no response of the portal. */
async function* matchCalls(core: Core, access: PortalAccess, due: DealSearchCall[]): AsyncGenerator<StepPage<unknown>> {
  const unknown = due.filter(({ callId }) => callId === null)
  const known = due.filter(({ callId }) => callId !== null).slice(0, MAX_ACTIVITY_CALLS_PER_REQUEST)
  for (const group of [unknown, known]) {
    if (group.length === 0) continue
    const calls = group.map((call) => normaliseCallPhone(call, core.config.CRM_PHONE_COUNTRIES))
    const choices = await findDealsOfCalls(core, access, calls)
    yield { cursor: null, commit: (sql) => storeDealChoices(sql, calls, choices) }
  }
}

/** Normalizes the phone of a call. If the portal call has another phone, the client that the portal names is removed. */
function normaliseCallPhone(call: DealSearchCall, countries: readonly string[]): DealSearchCall {
  const phone = (call.phone === null ? null : normalisePhoneNumber(call.phone, countries)) ?? call.portalPhone
  const isOther = phone !== null && call.portalPhone !== null && phone !== call.portalPhone
  return { ...call, phone, ...(isOther && { clientKind: null, clientId: null }) }
}

/** Queues deal searches that no load queues: of submitted calls, and of calls whose client or deal changed. */
async function queueSearches({ config }: Core, sql: Sql): Promise<void> {
  const { rows } = await sql.query<{ since: Date; now: Date }>({
    text: `SELECT coalesce((position ->> 'since')::timestamptz, '-infinity') AS since, now() - interval '10 s' AS now
             FROM crm_steps WHERE name = 'matches'`,
  })
  const { since, now } = rows[0]!
  // Run this before crm_matches is locked, in the lock order of code that stores calls.
  await linkLateSubmittedCalls(sql, config, since)
  const lastRecordingId = await queueSubmittedCalls(sql)
  await queueDealSearchesAfterChanges(sql, since)
  await sql.query({
    text: `UPDATE crm_steps SET position = jsonb_build_object('since', $1::timestamptz, 'behind', $2::uuid) WHERE name = 'matches'`,
    values: [now, lastRecordingId],
  })
}

/** The maximum number of old recordings that one run scans. */
const MAX_SCANNED_RECORDINGS = 2000

/** Queues new submitted calls at once, and old ones in batches. @returns the last scanned recording */
async function queueSubmittedCalls(sql: Sql): Promise<string | null> {
  await sql.query({
    text: `INSERT INTO crm_matches (recording_id, state)
           SELECT r.id, 'waiting' FROM recordings r
            WHERE r.created_at > now() - interval '2 days' AND r.phone_number IS NOT NULL AND r.source <> 'crm'
              AND NOT EXISTS (SELECT FROM crm_matches m WHERE m.recording_id = r.id)
            ORDER BY r.created_at LIMIT ${MAX_CALLS_PER_PAGE}
           ON CONFLICT DO NOTHING`,
  })
  const { rows } = await sql.query<{ behind: string | null }>({
    text: `WITH last AS (SELECT (position ->> 'behind')::uuid AS id FROM crm_steps WHERE name = 'matches'),
           passed AS (SELECT r.id, r.phone_number, r.source FROM recordings r
                       WHERE r.id > coalesce((SELECT id FROM last), '00000000-0000-0000-0000-000000000000')
                       ORDER BY r.id LIMIT ${MAX_SCANNED_RECORDINGS}),
           asked AS (
             INSERT INTO crm_matches AS m (recording_id, state)
             SELECT id, 'waiting' FROM passed p WHERE phone_number IS NOT NULL AND source <> 'crm'
                AND NOT EXISTS (SELECT FROM crm_calls c WHERE c.recording_id = p.id)
             ON CONFLICT (recording_id) DO UPDATE SET due_at = now() WHERE m.phone IS NULL AND m.state IN ('none', 'ambiguous'))
           SELECT coalesce((SELECT id FROM passed ORDER BY id DESC LIMIT 1), (SELECT id FROM last)) AS behind`,
  })
  return rows[0]!.behind
}
