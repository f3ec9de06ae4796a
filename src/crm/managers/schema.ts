import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { CRM_OWNER_OPERATION_DEFAULTS } from '../owner-operation.ts'
import * as field from '../../platform/http/field.ts'

const userId = Type.String({ pattern: field.CRM_ID_PATTERN, description: 'The user’s id in the CRM.' })
const departmentId = field.id('The department that their calls belong to.')

const ManagerCandidateSchema = field.namedObject('CrmCandidate', 'A possible sales manager of the CRM.', {
  userId,
  name: field.text('The name in the CRM.'),
  position: field.textOrNull('The position in the CRM; null if unknown.'),
  departments: field.list(Type.String(), 'The names of the departments in the CRM.'),
  active: field.boolean('Whether the person is active in the CRM; false for dismissed people.'),
  deals90d: field.integer('Deals of the last 90 days that this person is responsible for.'),
  answeredCalls30d: field.integerOrNull('Answered calls of the last 30 days, as counted by the CRM; null if unknown.'),
  suggestedDepartmentId: field.idOrNull(
    'The department that the person probably sells for; null if the person probably does not sell.',
  ),
  inRoster: field.boolean('Whether the person is in the roster.'),
})
export type ManagerCandidateJson = Static<typeof ManagerCandidateSchema>

export const determineCrmManagersOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'determineCrmManagers',
  method: 'post',
  path: '/v1/crm/managers/determine',
  summary: 'Possible sales managers among the CRM’s people',
  description: 'People who sell and call most come first. Nothing is changed: save a roster afterwards.',
  responses: {
    200: {
      description: 'The people of the CRM.',
      json: field.object('The people of the CRM.', {
        items: field.list(ManagerCandidateSchema, 'All people of the CRM, probable sales managers first.'),
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
          } satisfies ManagerCandidateJson,
        ],
      },
    },
    409: { description: 'The automation is off, or the people of the CRM have not been read yet.' },
  },
} as const satisfies Operation

const CrmRosterSchema = field.namedObject('CrmRoster', 'The managers whose calls are loaded from the CRM.', {
  members: field.list(
    field.object('A manager.', { userId, name: field.text('The manager’s name in calls.'), departmentId }),
    'The managers in the roster.',
  ),
  appliedAt: field.timeOrNull('When the roster was last saved; null if never, and then no call is loaded.'),
})
export type CrmRosterJson = Static<typeof CrmRosterSchema>

const rosterResponse = {
  description: 'The roster.',
  json: CrmRosterSchema,
  example: {
    members: [{ userId: '12', name: 'Anna Kovaleva', departmentId: '01890a5d-ac96-774b-bcce-b302099a8060' }],
    appliedAt: '2026-03-01T08:00:00.000Z',
  } satisfies CrmRosterJson,
}

export const readCrmRosterOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'readCrmRoster',
  method: 'get',
  path: '/v1/crm/roster',
  audit: 'crm.roster-read',
  summary: 'The roster: managers whose calls are loaded from the CRM',
  responses: { 200: rosterResponse },
} as const satisfies Operation

export const CrmRosterBody = field.requestBody(
  { members: [{ userId: '12', departmentId: '01890a5d-ac96-774b-bcce-b302099a8060' }] },
  {
    members: Type.Array(field.object('A manager and their department.', { userId, departmentId }), {
      maxItems: 5000,
      description: 'The whole roster.',
    }),
  },
)
export type CrmRosterBody = Static<typeof CrmRosterBody>

export const putCrmRosterOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  id: 'putCrmRoster',
  method: 'put',
  path: '/v1/crm/roster',
  summary: 'Save the roster',
  description:
    'Replaces the whole roster. Managers are added to the rosters of their departments by their CRM ids. Managers ' +
    'who leave the roster keep their existing calls. Keep dismissed managers in it to load their earlier calls.',
  body: CrmRosterBody,
  responses: { 200: rosterResponse, 409: { description: 'A manager of that name belongs to another department.' } },
} as const satisfies Operation

export const listCrmFunnelsOperation = {
  ...CRM_OWNER_OPERATION_DEFAULTS,
  access: 'ownerOrHead',
  id: 'listCrmFunnels',
  method: 'get',
  path: '/v1/crm/funnels',
  summary: 'Funnels of the CRM',
  description:
    'All funnels of the portal. Deals are read only from the funnels that departments in /v1/departments use.',
  responses: {
    200: {
      description: 'All funnels, in the order of the CRM.',
      json: field.list(
        field.object({
          id: field.integer('The number of the funnel; 0 is the default one.'),
          name: field.text('The name of the funnel.'),
        }),
        'All funnels.',
      ),
      example: [{ id: 0, name: 'Sales' }],
    },
  },
} as const satisfies Operation
