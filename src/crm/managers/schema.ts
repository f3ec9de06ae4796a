import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { owner } from '../schema-parts.ts'
import * as field from '../../platform/http/field.ts'

const userId = Type.String({ pattern: '^[1-9][0-9]{0,17}$', description: 'The user’s id in the CRM.' })
const departmentId = field.id('The department that their calls belong to.')

export const CandidateSchema = field.titled('CrmCandidate', 'Somebody of the CRM who may be a sales manager.', {
  userId,
  name: field.text('Their name in the CRM.'),
  position: field.textOrNull('Their position there.'),
  departments: field.list(Type.String(), 'Their departments there, by name.'),
  active: field.boolean('False for one who was dismissed.'),
  deals90d: field.integer('Deals of the last 90 days that they are responsible for.'),
  answeredCalls30d: field.integerOrNull(
    'Calls of the last 30 days that they had with somebody, as the CRM counts them; null if it did not tell.',
  ),
  suggestedDepartmentId: field.idOrNull('The department that they seem to sell for; null if they do not seem to sell.'),
  inRoster: field.boolean('Whether they stand in the roster now.'),
})
export type CandidateJson = Static<typeof CandidateSchema>

export const determineManagers = {
  ...owner,
  id: 'determineCrmManagers',
  method: 'post',
  path: '/v1/crm/managers/determine',
  summary: 'Possible sales managers among the CRM’s people',
  description: 'Those who sell and call most come first. Nothing changes before a roster is put.',
  responses: {
    200: {
      description: 'Everybody whom the CRM knows.',
      json: field.object('Everybody whom the CRM knows.', {
        items: field.list(CandidateSchema, 'Everybody, those who seem to sell first.'),
      }),
      example: {
        items: [
          {
            userId: '12',
            name: 'Anna Kovaleva',
            position: 'Sales manager',
            departments: ['Sales'],
            active: true,
            deals90d: 41,
            answeredCalls30d: 212,
            suggestedDepartmentId: '01890a5d-ac96-774b-bcce-b302099a8060',
            inRoster: false,
          } satisfies CandidateJson,
        ],
      },
    },
    409: { description: 'The CRM is not read, or its people have not been read yet.' },
  },
} as const satisfies Operation

export const RosterSchema = field.titled('CrmRoster', 'The managers whose calls are loaded from the CRM.', {
  members: field.list(
    field.object('A manager.', { userId, name: field.text('The manager’s name as calls carry it.'), departmentId }),
    'Whose calls are loaded.',
  ),
  appliedAt: field.timeOrNull('When it was last put; null: no call is loaded.'),
})
export type RosterJson = Static<typeof RosterSchema>

const roster = {
  description: 'As it is now.',
  json: RosterSchema,
  example: {
    members: [{ userId: '12', name: 'Anna Kovaleva', departmentId: '01890a5d-ac96-774b-bcce-b302099a8060' }],
    appliedAt: '2026-03-01T08:00:00.000Z',
  } satisfies RosterJson,
}

export const readRoster = {
  ...owner,
  id: 'readCrmRoster',
  method: 'get',
  path: '/v1/crm/roster',
  audit: 'crm.roster-read',
  summary: 'Whose calls are loaded from the CRM',
  responses: { 200: roster },
} as const satisfies Operation

export const RosterBody = field.requestBody(
  { members: [{ userId: '12', departmentId: '01890a5d-ac96-774b-bcce-b302099a8060' }] },
  {
    members: Type.Array(field.object('A manager and their department.', { userId, departmentId }), {
      maxItems: 5000,
      description: 'The whole roster.',
    }),
  },
)
export type RosterBody = Static<typeof RosterBody>

export const putRoster = {
  ...owner,
  id: 'putCrmRoster',
  method: 'put',
  path: '/v1/crm/roster',
  summary: 'Say whose calls are loaded, and to which department they belong',
  description:
    'The whole roster. Managers enter the rosters of their departments by their CRM ids. Managers who leave the roster ' +
    'keep their existing calls. Keep dismissed managers in it to load their earlier calls.',
  body: RosterBody,
  responses: { 200: roster, 409: { description: 'A manager of that name belongs to another department.' } },
} as const satisfies Operation

export const listFunnels = {
  ...owner,
  access: 'ownerOrHead',
  id: 'listCrmFunnels',
  method: 'get',
  path: '/v1/crm/funnels',
  summary: 'Funnels of the CRM',
  description: 'Which of them are read says funnels of /v1/departments.',
  responses: {
    200: {
      description: 'Every funnel that was read, in the order of the CRM.',
      json: field.list(
        field.object({
          id: field.integer('Its number; 0 is the default one.'),
          name: field.text('Its name.'),
        }),
        'Every funnel that was read.',
      ),
      example: [{ id: 0, name: 'Sales' }],
    },
  },
} as const satisfies Operation
