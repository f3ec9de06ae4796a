import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import * as field from '../../platform/http/field.ts'

const ownerOrHeadAccess = { tag: 'People', access: 'ownerOrHead' } as const
const ownerAccess = { tag: 'People', access: 'owner' } as const

const DepartmentSchema = field.namedObject('Department', 'A department.', {
  id: field.id('The department.'),
  name: field.text('The name of the department.'),
  managers: field.list(
    field.text('A manager’s name in calls.'),
    'The roster: the managers whose calls belong to the department, sorted by name.',
  ),
  people: field.integer('The number of people in the department.'),
  headIds: field.list(field.id('A person.'), 'The heads of the department.'),
  funnels: field.list(field.integer('The number of a funnel.'), 'The funnels of the CRM whose deals are read.'),
  createdAt: field.time('When the department was created.'),
})
export type DepartmentJson = Static<typeof DepartmentSchema>

const departmentExample: DepartmentJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8060',
  name: 'Sales',
  managers: ['Anna Kovaleva', 'Max Berger'],
  people: 3,
  headIds: ['01890a5d-ac96-774b-bcce-b302099a8050'],
  funnels: [0],
  createdAt: '2026-03-01T07:00:00.000Z',
}

const departmentFields = {
  name: field.singleLine(100, 'The name of the department; unique without regard to case.'),
  managers: Type.Optional(
    Type.Array(field.singleLine(255, 'A manager’s name in calls; case and surrounding spaces do not matter.'), {
      maxItems: 5000,
      description:
        'The whole roster. A name is in at most one roster. Managers who are people of the department always stay in ' +
        'it.',
    }),
  ),
  funnels: Type.Optional(
    Type.Array(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'The number of a funnel; 0 is the default one.',
      }),
      {
        maxItems: 100,
        uniqueItems: true,
        description: 'The funnels of the CRM whose deals are read.',
      },
    ),
  ),
}

export const NewDepartment = Type.Object(departmentFields, {
  ...field.NO_EXTRA_PROPERTIES,
  description: 'A new department.',
  examples: [{ name: 'Sales', managers: ['Anna Kovaleva'] }],
})
export type NewDepartment = Static<typeof NewDepartment>

export const DepartmentChanges = Type.Object(
  { ...departmentFields, name: Type.Optional(departmentFields.name) },
  {
    ...field.NO_EXTRA_PROPERTIES,
    description: 'The changed fields.',
    examples: [{ managers: ['Anna Kovaleva', 'Max Berger'] }],
  },
)
export type DepartmentChanges = Static<typeof DepartmentChanges>

const notFoundResponse = { description: 'No such department, or not one of yours.' }
const conflictResponse = { description: 'The name is taken, or a manager is in the roster of another department.' }

export const listDepartmentsOperation = {
  ...ownerOrHeadAccess,
  id: 'listDepartments',
  method: 'get',
  path: '/v1/departments',
  audit: 'department.list',
  summary: 'Departments, by name',
  description: 'A head sees their own departments.',
  query: field.object(pageParameters),
  responses: {
    200: createPageResponse(DepartmentSchema, 'A page of departments.', departmentExample),
  },
} as const satisfies Operation

export const readDepartmentOperation = {
  ...ownerOrHeadAccess,
  id: 'readDepartment',
  method: 'get',
  path: '/v1/departments/{id}',
  audit: 'department.read',
  auditObject: 'department',
  summary: 'One department',
  responses: {
    200: { description: 'The department.', json: DepartmentSchema, example: departmentExample },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const createDepartmentOperation = {
  ...ownerAccess,
  id: 'createDepartment',
  method: 'post',
  path: '/v1/departments',
  summary: 'Create a department',
  body: NewDepartment,
  responses: {
    201: {
      description: 'The department is created.',
      json: DepartmentSchema,
      example: { ...departmentExample, people: 0, headIds: [] },
      headers: { Location: 'The address of the department.' },
    },
    409: conflictResponse,
  },
} as const satisfies Operation

export const changeDepartmentOperation = {
  ...ownerAccess,
  id: 'changeDepartment',
  method: 'patch',
  path: '/v1/departments/{id}',
  summary: 'Change a department',
  description: 'Takes effect on the next request of everybody who sees its calls. An omitted field stays unchanged.',
  body: DepartmentChanges,
  responses: {
    200: { description: 'The department after the change.', json: DepartmentSchema, example: departmentExample },
    404: notFoundResponse,
    409: conflictResponse,
  },
} as const satisfies Operation

export const deleteDepartmentOperation = {
  ...ownerAccess,
  id: 'deleteDepartment',
  method: 'delete',
  path: '/v1/departments/{id}',
  summary: 'Delete a department with its roster',
  description: 'Its calls stay, without a department.',
  responses: {
    204: { description: 'Deleted.' },
    404: notFoundResponse,
    409: { description: 'The department has people.' },
  },
} as const satisfies Operation
