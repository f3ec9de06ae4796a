import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { QueuePauseSchema } from '../../platform/queue/schema.ts'

import { CRM_OWNER_OPERATION_DEFAULTS } from '../owner-operation.ts'
import * as field from '../../platform/http/field.ts'

const CommentWritingSchema = field.namedObject('CrmWriting', 'The writing of comments into deals.', {
  configured: field.boolean('Whether CRM_WRITE_WEBHOOK_URL is set.'),
  on: field.boolean('Whether comments are written into deals.'),
  since: field.timeOrNull('Calls that began before this time get no comment; null while writing is off.'),
  reason: field.textOrNull(
    'Why no comments are written: the portal rejected the last one, or CRM_WRITE_WEBHOOK_URL is invalid. Null ' +
      'otherwise. After a rejection, comments wait; we retry hourly and when writing is switched on.',
  ),
  reasonCode: field.textOrNull('The code of the reason, in the portal or ours; null without a reason.'),
  pause: field.nullable(
    QueuePauseSchema,
    'The pause of the queue `crm-write`, by the service or a person; null if the queue is not paused.',
  ),
  sent: field.integer('Comments written into deals.'),
  failed: field.integer('Comments that could not be written.'),
  waiting: field.integer('Comments that wait to be written.'),
})
export type CommentWritingJson = Static<typeof CommentWritingSchema>

const writingExample: CommentWritingJson = {
  configured: true,
  on: true,
  since: '2026-03-01T07:10:00.000Z',
  reason: null,
  reasonCode: null,
  pause: null,
  sent: 214,
  failed: 0,
  waiting: 2,
}
const writingResponse = {
  description: 'The writing of comments.',
  json: CommentWritingSchema,
  example: writingExample,
}

export const readCrmWritingOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'readCrmWriting',
  method: 'get',
  path: '/v1/crm/writing',
  summary: 'The writing of comments, and how many are sent, failed and waiting',
  responses: { 200: writingResponse },
} as const satisfies Operation

export const changeCrmWritingOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'changeCrmWriting',
  method: 'put',
  path: '/v1/crm/writing',
  summary: 'Switch the writing of comments on or off',
  description: 'While writing is on, each new call gets one comment in each deal that it certainly belongs to.',
  body: field.requestBody({ on: true }, { on: field.boolean('Whether comments are written.') }),
  responses: {
    200: writingResponse,
    409: {
      description: 'CRM_WRITE_WEBHOOK_URL is missing, invalid or of another portal, or the automation is not on.',
    },
  },
} as const satisfies Operation

export const previewCrmCommentOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'previewCrmComment',
  method: 'get',
  path: '/v1/crm/writing/preview',
  audit: 'crm.preview',
  auditObject: 'recording',
  auditBy: { field: 'recordingId' },
  summary: 'The comment that a call would get',
  query: field.object({ recordingId: field.id('The recording of the call.') }),
  responses: {
    200: {
      description: 'The comment. The request writes nothing.',
      json: field.object({
        dealId: field.textOrNull('One deal that would get the comment; null if the call certainly belongs to none.'),
        text: field.text('The text of the comment.'),
      }),
      example: { dealId: '410', text: 'Call 12 Mar 2026 17:28, incoming, 1 min 35 s, Anna Kovaleva' },
    },
    404: { description: 'No such recording.' },
  },
} as const satisfies Operation
