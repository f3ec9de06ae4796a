import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { DEFAULT_PAGE_SIZE, pageOf, pageParameters } from '../../platform/http/paging.ts'
import { owner } from '../schema-parts.ts'
import { STEP_NAMES } from '../steps/schema.ts'
import { object, titled, text, time, textOrNull } from '../../platform/http/schemas.ts'

const step = (description: string) => Type.Enum([...STEP_NAMES], { description })

const QuarantinedRowSchema = titled('CrmQuarantinedRow', 'A row of the CRM that cannot be stored.', {
  step: step('The step that reads the row again.'),
  rowId: textOrNull('Its id in the CRM; null if the id is invalid.'),
  reason: text('Why it cannot be stored.'),
  value: textOrNull('The first 100 characters of the invalid value; null if it is absent.'),
  firstSeenAt: time('When it was first read.'),
  seenAt: time('When it was last read.'),
})
export type QuarantinedRowJson = Static<typeof QuarantinedRowSchema>

const example: QuarantinedRowJson = {
  step: 'calls',
  rowId: '7412',
  reason: 'CALL_START_DATE is missing or invalid',
  value: '0001-01-01T00:00:00+03:00',
  firstSeenAt: '2026-03-01T07:10:04.000Z',
  seenAt: '2026-03-01T07:20:04.000Z',
}

export const listQuarantine = {
  ...owner,
  id: 'listCrmQuarantine',
  method: 'get',
  path: '/v1/crm/quarantine',
  summary: 'Rows of the CRM that could not be stored',
  description:
    'The other rows of their pages are stored. A row leaves the quarantine when a later read can store it: after it changes ' +
    'in the CRM, or after a reset of its step. The 500 last seen rows of each step are kept.',
  query: object({ step: Type.Optional(step('Rows of this step.')), ...pageParameters }),
  responses: {
    200: {
      description: 'A page of rows, last seen first.',
      json: pageOf(QuarantinedRowSchema, 'A page of rows.'),
      example: { items: [example], total: 1, page: 1, pageSize: DEFAULT_PAGE_SIZE },
    },
  },
} as const satisfies Operation
