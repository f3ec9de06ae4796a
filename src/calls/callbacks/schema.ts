import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const DeliveryStateSchema = field.namedObject('Delivery', 'A pending callback.', {
  id: field.id('The delivery id that the receiver gets.'),
  event: field.oneOf(['recording.done', 'recording.failed'], 'The event.'),
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
