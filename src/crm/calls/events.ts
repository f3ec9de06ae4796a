import type { Core } from '../../platform/core.ts'
import { badRequest, unauthorized } from '../../platform/errors.ts'
import { sameSecret } from '../../platform/lib/crypto.ts'
import { crmMessages } from '../messages.ts'
import type { EventFields } from './event-body.ts'
import { LONGEST_CALL_ID } from './rows.ts'

/** The event that tells of a call's end. */
const CALL_ENDED = 'ONVOXIMPLANTCALLEND'

/** The portal writes its statistics, and attaches the recording, after the event. */
const SOONEST_SECONDS = 20

/**
 * Takes an event in: the call is looked at soon. Nothing is asked of the portal here, which sends an event once and
 * leaves those alone who take long to answer.
 * @returns whether it is the end of a call
 * @throws HttpError 401, 400 for an event that names no call
 */
export async function takeEvent(core: Core, { event, callId, token }: EventFields): Promise<boolean> {
  const expected = core.config.CRM_EVENT_TOKEN
  if (!expected || token === undefined || !sameSecret(token, expected)) throw unauthorized()
  if (event?.toUpperCase() !== CALL_ENDED) return false
  // oxlint-disable-next-line no-control-regex
  if (callId === undefined || callId.length > LONGEST_CALL_ID || !/^[^\u0000-\u001f\u007f]+$/.test(callId)) {
    throw badRequest([crmMessages.callId({ limit: LONGEST_CALL_ID }).about('data[CALL_ID]')])
  }
  await queueCall(core, callId)
  return true
}

/** One job a call, however often it is told of; one that was given up is tried again. */
async function queueCall(core: Core, callId: string): Promise<void> {
  await core.pool.query({
    text: `INSERT INTO crm_sync_jobs AS j (call_id, event_at, next_attempt_at)
           VALUES ($1, now(), now() + make_interval(secs => ${SOONEST_SECONDS}))
           ON CONFLICT (call_id) DO UPDATE
              SET event_at = coalesce(j.event_at, excluded.event_at), next_attempt_at = excluded.next_attempt_at,
                  status = 'QUEUED', priority = excluded.priority, attempts = 0, finished_at = NULL, last_error = NULL
            WHERE j.status = 'FAILED'`,
    values: [callId],
  })
}
