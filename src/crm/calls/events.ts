import Type from 'typebox'
import type { Core } from '../../platform/core.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { badRequestError, unauthorizedError } from '../../platform/errors.ts'
import { isSameSecret } from '../../platform/lib/crypto.ts'
import { MAX_PORTAL_CALL_ID_CHARACTERS } from '../bitrix24/calls.ts'
import { PORTAL_CALL_ENDED_EVENT, type PortalEventFields } from '../bitrix24/event.ts'
import { crmMessages } from '../messages.ts'
import * as field from '../../platform/http/field.ts'

/** The event fields that are parsed. The portal sends more. */
const CrmEventSchema = Type.Object(
  {
    event: field.text('The event: ONVOXIMPLANTCALLEND; others are ignored.'),
    data: Type.Object(
      { CALL_ID: field.text('The call’s id in the portal.') },
      { description: 'The data of the event.' },
    ),
    auth: Type.Object(
      { application_token: field.text('The application token of the outgoing webhook: CRM_EVENT_TOKEN.') },
      { description: 'The authentication of the sender.' },
    ),
  },
  {
    title: 'CrmEvent',
    examples: [
      {
        event: PORTAL_CALL_ENDED_EVENT,
        data: { CALL_ID: 'externalCall.1A2B3C' },
        auth: { application_token: 'YOUR_TOKEN' },
      },
    ],
    description: 'An event of the CRM. The names of its form fields are event, data[CALL_ID], auth[application_token].',
  },
)

export const receiveCrmEventOperation = {
  id: 'receiveCrmEvent',
  method: 'post',
  path: '/v1/integrations/crm/events',
  tag: 'CRM',
  summary: 'Report that a call has ended',
  description:
    'The address for the outgoing webhook of the CRM, with the event ONVOXIMPLANTCALLEND. The call is read from ' +
    'the portal soon afterwards; repeated events are ignored. While the automation is off or paused, the event is ' +
    'stored.',
  access: 'public',
  formOrJson: CrmEventSchema,
  responses: {
    200: {
      description: 'Whether the call will be read.',
      json: field.object({ accepted: field.boolean('false: the event is not the end of a call and is ignored.') }),
      example: { accepted: true },
    },
    401: { description: 'The token is missing or wrong, or CRM_EVENT_TOKEN is not set.' },
  },
} as const satisfies Operation

/** The portal stores its statistics and attaches the recording after it sends the event. */
const EVENT_DELAY_SECONDS = 20

/**
 * Accepts a portal event by queueing its call. A worker fetches the call later, so that the portal gets a fast response.
 * @returns false if the event is not the end of a call
 * @throws HttpError 401 for a missing or wrong token, 400 for a missing or invalid call id
 */
export async function acceptPortalEvent(core: Core, { event, callId, token }: PortalEventFields): Promise<boolean> {
  const expected = core.config.CRM_EVENT_TOKEN
  if (!expected || token === undefined || !isSameSecret(token, expected)) throw unauthorizedError()
  if (event?.toUpperCase() !== PORTAL_CALL_ENDED_EVENT) return false
  if (
    callId === undefined ||
    callId.length > MAX_PORTAL_CALL_ID_CHARACTERS ||
    // oxlint-disable-next-line no-control-regex
    !/^[^\u0000-\u001f\u007f]+$/.test(callId)
  ) {
    throw badRequestError([crmMessages.callId({ limit: MAX_PORTAL_CALL_ID_CHARACTERS }).withField('data[CALL_ID]')])
  }
  await queueCall(core, callId)
  return true
}

/** Each call has at most one job. A failed job is queued again. */
async function queueCall(core: Core, callId: string): Promise<void> {
  await core.pool.query({
    text: `INSERT INTO crm_sync_jobs AS j (call_id, event_at, next_attempt_at)
           VALUES ($1, now(), now() + make_interval(secs => ${EVENT_DELAY_SECONDS}))
           ON CONFLICT (call_id) DO UPDATE
              SET event_at = coalesce(j.event_at, excluded.event_at), next_attempt_at = excluded.next_attempt_at,
                  status = 'QUEUED', priority = excluded.priority, attempts = 0, finished_at = NULL, last_error = NULL
            WHERE j.status = 'FAILED'`,
    values: [callId],
  })
}
