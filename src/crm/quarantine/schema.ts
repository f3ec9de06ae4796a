import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import { CRM_OWNER_OPERATION_DEFAULTS } from '../owner-operation.ts'
import { ALL_CRM_STEP_NAMES } from '../steps/schema.ts'
import * as field from '../../platform/http/field.ts'

const defineStepField = (description: string) => field.oneOf(ALL_CRM_STEP_NAMES, description)

const QuarantinedRowSchema = field.namedObject('CrmQuarantinedRow', 'A row of the CRM that could not be stored.', {
  step: defineStepField('The step that reads the row again.'),
  rowId: field.textOrNull('The id of the row in the CRM; null if the id is invalid.'),
  reason: field.text('Why the row could not be stored.'),
  value: field.textOrNull('The first 100 characters of the invalid value; null if there is none.'),
  firstSeenAt: field.time('When the row was first read.'),
  seenAt: field.time('When the row was last read.'),
})
export type QuarantinedRowJson = Static<typeof QuarantinedRowSchema>

const rowExample: QuarantinedRowJson = {
  step: 'calls',
  rowId: '7412',
  reason: 'CALL_START_DATE is missing or invalid',
  value: '0001-01-01T00:00:00+03:00',
  firstSeenAt: '2026-03-01T07:10:04.000Z',
  seenAt: '2026-03-01T07:20:04.000Z',
}

export const listCrmQuarantineOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'listCrmQuarantine',
  method: 'get',
  path: '/v1/crm/quarantine',
  summary: 'Rows of the CRM that could not be stored',
  description:
    'The other rows of the same pages are stored. A row leaves the quarantine when a later read can store it: ' +
    'after it changes in the CRM, or after a reset of its step. The 500 last seen rows of each step are kept.',
  query: field.object({ step: Type.Optional(defineStepField('Only rows of this step.')), ...pageParameters }),
  responses: {
    200: createPageResponse(QuarantinedRowSchema, 'A page of rows, last seen first.', rowExample),
  },
} as const satisfies Operation
