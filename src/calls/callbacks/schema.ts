import type { Static } from 'typebox'
import type { Operation, Webhook } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'
import { recordingExample, RecordingSchema } from '../recordings/schema.ts'

const eventSchema = field.oneOf(['recording.done', 'recording.failed'], 'The event.')

const DeliveryStateSchema = field.namedObject('Delivery', 'A pending callback.', {
  id: field.id('The delivery id that the receiver gets.'),
  event: eventSchema,
  state: field.oneOf(['waiting'], 'waiting: the queue sends the callback in its turn.'),
})
export type DeliveryStateJson = Static<typeof DeliveryStateSchema>

export const retryDeliveryOperation = {
  id: 'retryDelivery',
  method: 'post',
  path: '/v1/recordings/{id}/deliveries/{deliveryId}/retry',
  tag: 'Recordings',
  summary: 'Retry a failed callback',
  description:
    'The callback keeps its delivery id, and its attempts count from 0 again. The history of a recording lists ' +
    'its deliveries.',
  access: 'scoped',
  rights: ['manageRecordings'],
  closedToKeys: true,
  params: { deliveryId: field.id('The delivery.') },
  responses: {
    200: {
      description: 'The callback is queued.',
      json: DeliveryStateSchema,
      example: { id: '01890a5d-ac96-774b-bcce-b302099a8058', event: 'recording.done', state: 'waiting' },
    },
    404: { description: 'No such recording or delivery, or it is outside your access.' },
    409: {
      description:
        'The delivery has not failed, or its event is outdated: the recording was retried or cancelled, or a later ' +
        'delivery exists.',
    },
  },
} as const satisfies Operation

export const recordingFinishedWebhook: Webhook = {
  id: 'recordingFinished',
  tag: 'Recordings',
  summary: 'Callback: a recording is DONE or FAILED',
  description:
    'The service sends this request to the callbackUrl of the recording, and does not follow redirects. It waits 15 ' +
    'seconds for the response. Handle each event once: compare the delivery id, the id of the recording and the event, ' +
    'because the signature does not cover the delivery id.',
  headers: {
    'X-SVC-Event': { description: 'The event, as in the body.', required: true },
    'X-SVC-Delivery': { description: 'The id of the delivery, which is the same for every attempt.', required: true },
    'X-SVC-Timestamp': {
      description: 'The time of the attempt in Unix seconds. Absent without CALLBACK_SIGNING_SECRET.',
      required: false,
    },
    'X-SVC-Signature': {
      description:
        '`sha256=` and the HMAC-SHA256 of timestamp, full stop and raw body, in lowercase hex. Absent without ' +
        'CALLBACK_SIGNING_SECRET.',
      required: false,
    },
  },
  body: field.namedObject('RecordingCallback', 'The body of a callback.', {
    event: eventSchema,
    recording: RecordingSchema,
  }),
  example: { event: 'recording.done', recording: recordingExample },
  responses: {
    '2XX': 'The receiver accepts the callback.',
    default:
      'The service retries after 408, 425, 429 and 5xx, by default five times in 15.5 minutes. It does not retry after others.',
  },
}
