import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'

const text = (description: string) => Type.String({ description })

/** What is read of an event; the portal sends more. */
const CrmEvent = Type.Object(
  {
    event: text('What happened: ONVOXIMPLANTCALLEND; anything else is passed over.'),
    data: Type.Object({ CALL_ID: text('The call’s id in the portal.') }, { description: 'What it happened to.' }),
    auth: Type.Object(
      { application_token: text('The application token of the outgoing webhook: CRM_EVENT_TOKEN.') },
      { description: 'Who sends it.' },
    ),
  },
  {
    title: 'CrmEvent',
    description: 'An event of the CRM. In a form its names are event, data[CALL_ID], auth[application_token].',
  },
)

export const receiveEvent = {
  id: 'receiveCrmEvent',
  method: 'post',
  path: '/v1/integrations/crm/events',
  tag: 'CRM',
  summary: 'Tell that a call has finished',
  description:
    'For the outgoing webhook of the CRM, with the event ONVOXIMPLANTCALLEND. The call is read from the portal soon ' +
    'after; the same event twice does nothing more. While the automatic mode is off or paused, it waits.',
  access: 'public',
  formOrJson: CrmEvent,
  responses: {
    200: {
      description: 'Whether the call will be looked at.',
      json: Type.Object(
        { accepted: Type.Boolean({ description: 'false for another event than the end of a call.' }) },
        { additionalProperties: false },
      ),
      example: { accepted: true },
    },
    401: { description: 'The token is missing or wrong, or none is set here.' },
  },
} as const satisfies Operation
