import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import { LANGUAGES, RIGHTS, ROLES } from './entity.ts'
import * as field from '../../platform/http/field.ts'

const ownerOrHeadAccess = { tag: 'People', access: 'ownerOrHead' } as const

const RIGHT_DESCRIPTIONS: Record<(typeof RIGHTS)[number], string> = {
  audio: 'Listen to calls and download their audio.',
  export: 'Export transcripts in bulk.',
  manageRecordings: 'Submit, retry, cancel and delete calls.',
  analytics: 'See statistics and reports.',
  editRules: 'Change the rules of the call check.',
}

const effectiveRightsSchema = field.object('The effective rights; an owner has all.', {
  audio: field.boolean(RIGHT_DESCRIPTIONS.audio),
  export: field.boolean(RIGHT_DESCRIPTIONS.export),
  manageRecordings: field.boolean(RIGHT_DESCRIPTIONS.manageRecordings),
  analytics: field.boolean(RIGHT_DESCRIPTIONS.analytics),
  editRules: field.boolean(RIGHT_DESCRIPTIONS.editRules),
})

export const PersonSchema = field.namedObject('Person', 'A person.', {
  id: field.id('The person.'),
  email: field.text('The e-mail with which the person logs in.'),
  name: field.text('The name of the person. Calls with this manager’s name belong to the person.'),
  role: field.oneOf(ROLES, 'owner, head or manager.'),
  rights: effectiveRightsSchema,
  departments: field.list(
    field.object('A department.', {
      id: field.id('The department.'),
      name: field.text('The name of the department.'),
    }),
    'The person’s departments, by name.',
  ),
  active: field.boolean('Whether the person can log in.'),
  mustChangePassword: field.boolean('Whether the panel requires the person to replace an assigned password first.'),
  language: field.nullable(Type.Enum([...LANGUAGES]), 'The language of the panel; null: the browser’s language.'),
  createdAt: field.time('When the person was added.'),
  lastLoginAt: field.timeOrNull('When the person last logged in; null if never.'),
})
export type PersonJson = Static<typeof PersonSchema>

export const personExample: PersonJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  email: 'hanna@example.com',
  name: 'Hanna Novik',
  role: 'head',
  rights: { audio: true, export: true, manageRecordings: true, analytics: true, editRules: false },
  departments: [{ id: '01890a5d-ac96-774b-bcce-b302099a8060', name: 'Sales' }],
  active: true,
  mustChangePassword: false,
  language: 'ru',
  createdAt: '2026-03-01T07:00:00.000Z',
  lastLoginAt: '2026-03-02T06:58:12.000Z',
}

const personFields = {
  email: Type.String({ maxLength: 320, format: 'email', description: 'The e-mail; unique without regard to case.' }),
  name: field.singleLine(255, 'The name of the person.'),
  password: Type.String({
    minLength: 8,
    maxLength: 1024,
    description: 'The password. The panel warns of easily guessed passwords.',
  }),
  mustChangePassword: Type.Optional(
    field.boolean(
      'Whether the panel requires the person to replace an assigned password first. Becomes false when the person ' +
        'changes the password at /v1/auth/password. Default for a new person: false.',
    ),
  ),
  role: field.oneOf(ROLES, 'owner, head or manager. It cannot be higher than your own role.'),
  rights: Type.Optional(
    field.object(
      'The rights to change; omitted rights stay. For a new role, omitted rights get the default: a head has all ' +
        'rights, a manager only audio. An owner always has all rights. A head can grant only rights that they have.',
      Object.fromEntries(RIGHTS.map((right) => [right, Type.Optional(field.boolean(RIGHT_DESCRIPTIONS[right]))])),
    ),
  ),
  departments: Type.Optional(
    Type.Array(field.id('A department.'), {
      maxItems: 1000,
      description: 'The person’s departments; at most one for a manager. A head must name one or more of their own.',
    }),
  ),
  language: Type.Optional(
    field.nullable(Type.Enum([...LANGUAGES]), 'The language of the panel; null: the browser’s language.'),
  ),
}

export const NewPerson = Type.Object(personFields, {
  ...field.NO_EXTRA_PROPERTIES,
  description: 'A new person.',
  examples: [
    {
      email: 'max@example.com',
      name: 'Max Berger',
      password: 'forty blue umbrellas',
      role: 'manager',
      departments: ['01890a5d-ac96-774b-bcce-b302099a8060'],
    },
  ],
})
export type NewPerson = Static<typeof NewPerson>

export const PersonChanges = Type.Object(
  {
    ...personFields,
    email: Type.Optional(personFields.email),
    name: Type.Optional(personFields.name),
    password: Type.Optional(personFields.password),
    role: Type.Optional(personFields.role),
    active: Type.Optional(field.boolean('Whether the person can log in; false ends their sessions.')),
  },
  { ...field.NO_EXTRA_PROPERTIES, description: 'The changed fields.', examples: [{ rights: { export: false } }] },
)
export type PersonChanges = Static<typeof PersonChanges>

const notFoundResponse = { description: 'No such person, or the person is outside your departments.' }
const conflictResponse =
  'The e-mail is taken, or the name is in the roster of another department or belongs to another manager of ' +
  'this one. For a head, also if the name belongs to somebody else or to calls outside their departments'
const personResponse = (description: string, example: PersonJson = personExample) => ({
  description,
  json: PersonSchema,
  example,
})

export const listPeopleOperation = {
  ...ownerOrHeadAccess,
  id: 'listPeople',
  method: 'get',
  path: '/v1/people',
  audit: 'person.list',
  summary: 'People, by name',
  description: 'A head sees themselves, and people all of whose departments are the head’s.',
  query: field.object({
    ...pageParameters,
    q: Type.Optional(field.singleLine(320, 'A part of the name or the e-mail, in any case.')),
    role: Type.Optional(field.oneOf(ROLES, 'Only people of this role.')),
    department: Type.Optional(field.id('Only people of this department.')),
    active: Type.Optional(field.boolean('true: only active people; false: only deactivated ones.')),
  }),
  responses: {
    200: createPageResponse(PersonSchema, 'A page of people.', personExample),
  },
} as const satisfies Operation

export const readPersonOperation = {
  ...ownerOrHeadAccess,
  id: 'readPerson',
  method: 'get',
  path: '/v1/people/{id}',
  audit: 'person.read',
  auditObject: 'person',
  summary: 'One person',
  responses: { 200: personResponse('The person.'), 404: notFoundResponse },
} as const satisfies Operation

export const createPersonOperation = {
  ...ownerOrHeadAccess,
  id: 'createPerson',
  method: 'post',
  path: '/v1/people',
  summary: 'Add a person',
  description:
    'A head can add heads and managers to their own departments. A manager’s name is added to the roster of the ' +
    'department, so calls with this name belong to the department.',
  body: NewPerson,
  responses: {
    201: {
      ...personResponse('The person is added.', { ...personExample, lastLoginAt: null }),
      headers: { Location: 'The address of the person.' },
    },
    409: { description: `${conflictResponse}.` },
  },
} as const satisfies Operation

export const changePersonOperation = {
  ...ownerOrHeadAccess,
  id: 'changePerson',
  method: 'patch',
  path: '/v1/people/{id}',
  summary: 'Change a person',
  description:
    'Takes effect on the person’s next request. A new password and active: false end the person’s sessions. ' +
    'Nobody can change people of a higher role, or their own password here (see /v1/auth/password). Only owners ' +
    'can change their own name, role and active. A head can change e-mail, password, role, rights and active only ' +
    'of managers whose rights are a subset of the head’s. When a manager leaves a department, the name leaves ' +
    'its roster too, unless calls have this name and no other department takes it over.',
  body: PersonChanges,
  responses: {
    200: personResponse('The person after the change.'),
    404: notFoundResponse,
    409: { description: `${conflictResponse}. Also if no active owner would remain.` },
  },
} as const satisfies Operation

export const deactivatePersonOperation = {
  ...ownerOrHeadAccess,
  id: 'deactivatePerson',
  method: 'post',
  path: '/v1/people/{id}/deactivate',
  summary: 'End a person’s access',
  description: 'The same as changing active to false, also for people who are already deactivated. Their sessions end.',
  responses: {
    200: personResponse('The person is deactivated.', { ...personExample, active: false }),
    404: notFoundResponse,
    409: { description: 'No active owner would remain.' },
  },
} as const satisfies Operation
