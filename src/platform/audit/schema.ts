import Type, { type Static } from 'typebox'
import type { Operation } from '../http/operation.ts'
import { spreadsheetParameter } from '../http/spreadsheet.ts'
import { pageParameters, createPageResponse } from '../http/paging.ts'
import { AUDIT_ACTIONS } from './actions.ts'
import * as field from '../http/field.ts'

export { AUDIT_CHANGE_ACTIONS as CHANGE_ACTIONS, AUDIT_READ_ACTIONS as READ_ACTIONS } from './actions.ts'

const auditOperation = { tag: 'Audit log', access: 'owner' } as const

const ActionSchema = field.text('The action, such as recording.cancel.')
const ObjectSchema = field.nullable(
  field.object({
    type: field.text(
      'The type of the object: recording, person, department, key, queue, session, settings, ruleSet, backtest, view, playlist or calibration.',
    ),
    id: field.text('The id of the object; for a queue, its name.'),
    name: field.textOrNull('The name of the object at that time; null if it had none.'),
    call: Type.Optional(
      field.object('The call as it is now, if the recording still exists.', {
        phoneNumber: field.textOrNull('The client’s phone number; null if unknown.'),
        startedAt: field.time('When the call began or, if unknown, when the recording was created.'),
      }),
    ),
  }),
  'The object that was changed or read; null for a list, and for actions without an object.',
)
const DetailsSchema = field.nullable(
  Type.Object({}, { additionalProperties: true }),
  'For a change, the changed fields before and after. For a list or an export, its filters. For a login, the ' +
    'e-mail. Null without details. Never contains a secret.',
)

const AuditEntrySchema = field.namedObject('AuditEntry', 'An entry of the audit log.', {
  id: field.id('The entry.'),
  at: field.time('When the action happened.'),
  person: field.nullable(
    field.object({
      id: field.id('The person.'),
      name: field.text('The person’s name at that time.'),
      email: field.text('The person’s e-mail at that time.'),
    }),
    'The person who acted; null for a key, and if nobody was logged in.',
  ),
  key: field.nullable(
    field.object({
      id: field.id('The key.'),
      name: field.text('The name of the key.'),
    }),
    'The API key that acted; null for a person. Reads by keys are not recorded.',
  ),
  action: ActionSchema,
  object: ObjectSchema,
  details: DetailsSchema,
  address: field.textOrNull('The caller’s network address; null if unknown.'),
  requestId: field.textOrNull('The id of the request, as in the log; null if there was no request.'),
  operations: field.list(
    field.object({ action: ActionSchema, object: ObjectSchema, details: DetailsSchema }),
    'The first 100 operations of this entry, oldest first. The entry itself shows the first change or, without one, ' +
      'the read that the page is about.',
  ),
  operationCount: field.integer('The number of all operations of this entry.'),
})
export type AuditEntryJson = Static<typeof AuditEntrySchema>

const filterParameters = {
  person: Type.Optional(field.id('Only actions of the person with this id.')),
  action: Type.Optional(
    field.list(Type.Enum([...AUDIT_ACTIONS]), 'Only these actions: one or several, comma separated.'),
  ),
  from: Type.Optional(field.dayOrLocalTime('Only actions at this time or later.')),
  to: Type.Optional(field.dayOrLocalTime('Only actions before this time.')),
  object: Type.Optional(field.singleLine(200, 'Only actions on the object with exactly this id.')),
}
const FiltersSchema = Type.Object(filterParameters)
export type AuditFilters = Static<typeof FiltersSchema>

const orderParameter = {
  order: Type.Enum(['desc', 'asc'], { default: 'desc', description: 'By time: desc is newest first.' }),
}

export const listAuditOperation = {
  ...auditOperation,
  id: 'listAudit',
  method: 'get',
  path: '/v1/audit',
  audit: 'audit.list',
  summary: 'Reads and changes by people and keys',
  description:
    'Contains people’s logins, reads and changes, and the changes by API keys. Repeated reads by one person, from ' +
    'one address and in one session, are recorded once in ten minutes. The panel sends the same X-Action-Id, a ' +
    'UUID, with all requests of a page or form. Entries of one person with the same id are one item of this list; ' +
    'the export has a line for each. Entries are never changed or deleted.',
  query: field.object({ ...pageParameters, ...orderParameter, ...filterParameters }),
  responses: {
    200: createPageResponse(AuditEntrySchema, 'A page of the audit log.', {
      id: '01890a5d-ac96-774b-bcce-b302099a8057',
      at: '2026-03-01T07:10:00.000Z',
      person: { id: '01890a5d-ac96-774b-bcce-b302099a8058', name: 'Olga', email: 'olga@example.com' },
      key: null,
      action: 'recording.cancel',
      object: {
        type: 'recording',
        id: '01890a5d-ac96-774b-bcce-b302099a8059',
        name: 'call.mp3',
        call: { phoneNumber: '+375291234567', startedAt: '2026-03-01T06:55:00.000Z' },
      },
      details: { before: { status: 'QUEUED' }, after: { status: 'CANCELLED' } },
      address: '203.0.113.7',
      requestId: '7d0f8c9e-5c3a-4b8e-9a53-9a0f3f6f0c11',
      operations: [
        {
          action: 'recording.cancel',
          object: { type: 'recording', id: '01890a5d-ac96-774b-bcce-b302099a8059', name: 'call.mp3' },
          details: { before: { status: 'QUEUED' }, after: { status: 'CANCELLED' } },
        },
      ],
      operationCount: 1,
    }),
  },
} as const satisfies Operation

export const exportAuditOperation = {
  ...auditOperation,
  id: 'exportAudit',
  method: 'get',
  path: '/v1/audit/export',
  summary: 'The audit log as one CSV file',
  description:
    'RFC 4180 in UTF-8 with a byte order mark. A spreadsheet reads no cell as a formula. The number of lines is ' +
    'not limited.',
  audit: 'audit.export',
  query: field.object({ ...orderParameter, ...filterParameters, ...spreadsheetParameter }),
  responses: {
    200: {
      description: 'The matching entries.',
      content: ['text/csv'],
      contentExamples: {
        'text/csv':
          '"id","at","person","email","key","action","objectType","objectId","objectName","details","address","requestId"\r\n' +
          '"01890a5d-ac96-774b-bcce-b302099a8057","2026-03-01T07:10:00.000Z","Olga","olga@example.com",,"logout",,,,,"203.0.113.7","7d0f8c9e"\r\n',
      },
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
} as const satisfies Operation
