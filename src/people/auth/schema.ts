import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import { LANGUAGES } from '../people/entity.ts'
import { personExample as onePerson, PersonSchema } from '../people/schema.ts'
import * as field from '../../platform/http/field.ts'

const selfAccess = { tag: 'Access', access: 'self' } as const
const ownerAccess = { tag: 'Access', access: 'owner' } as const

const PersonResponse = field.object('The logged-in person.', { person: PersonSchema })

const personExample = { person: onePerson }

export const loginOperation = {
  id: 'login',
  method: 'post',
  path: '/v1/auth/login',
  tag: 'Access',
  summary: 'Log a person in',
  description:
    'Sets the cookie svc_session and ends the previous session of the browser. After too many failures from one ' +
    'address, the response is 429 with Retry-After.',
  access: 'public',
  body: field.requestBody(
    { email: 'hanna@example.com', password: 'forty blue umbrellas' },
    {
      email: field.singleLine(320, 'The person’s e-mail.'),
      password: Type.String({ minLength: 1, maxLength: 1024, description: 'The password.' }),
    },
  ),
  responses: {
    200: {
      description: 'Logged in.',
      json: PersonResponse,
      example: personExample,
      headers: { 'Set-Cookie': 'svc_session: HttpOnly, SameSite=Lax.' },
    },
    401: { description: 'The e-mail or the password is wrong, or the request has two different session cookies.' },
    429: { description: 'Too many failed logins from this address.', headers: { 'Retry-After': 'Seconds to wait.' } },
  },
} as const satisfies Operation

export const logoutOperation = {
  ...selfAccess,
  id: 'logout',
  method: 'post',
  path: '/v1/auth/logout',
  summary: 'End the session of this request',
  responses: { 204: { description: 'Logged out; the cookie is removed.' } },
} as const satisfies Operation

export const meOperation = {
  ...selfAccess,
  id: 'me',
  method: 'get',
  path: '/v1/auth/me',
  summary: 'The logged-in person',
  responses: { 200: { description: 'The person of the session.', json: PersonResponse, example: personExample } },
} as const satisfies Operation

export const changeMeOperation = {
  ...selfAccess,
  id: 'changeMe',
  method: 'patch',
  path: '/v1/auth/me',
  summary: 'Choose your own language',
  body: field.requestBody(
    { language: 'ru' },
    {
      language: field.nullable(
        Type.Enum([...LANGUAGES]),
        'The language of the panel: en, ru, or null for the browser’s language.',
      ),
    },
  ),
  responses: { 200: { description: 'The person after the change.', json: PersonResponse, example: personExample } },
} as const satisfies Operation

export const changeOwnPasswordOperation = {
  ...selfAccess,
  id: 'changeOwnPassword',
  method: 'post',
  path: '/v1/auth/password',
  summary: 'Change your own password',
  description:
    'Ends every other session of the person. Wrong current passwords are counted for each person, separately from ' +
    'failed logins.',
  body: field.requestBody(
    { currentPassword: 'forty blue umbrellas', newPassword: 'seven green lanterns' },
    {
      currentPassword: Type.String({ minLength: 1, maxLength: 1024, description: 'The current password.' }),
      newPassword: Type.String({ minLength: 8, maxLength: 1024, description: 'The new password.' }),
    },
  ),
  responses: {
    204: { description: 'Changed.' },
    429: {
      description: 'Too many wrong current passwords of this person.',
      headers: { 'Retry-After': 'Seconds to wait.' },
    },
  },
} as const satisfies Operation

const SessionSchema = field.namedObject('Session', 'A login of a person in one browser.', {
  id: field.id('The session’s id.'),
  createdAt: field.time('When the person logged in.'),
  lastSeenAt: field.time('When the session was last used, to the minute.'),
  expiresAt: field.time('When the session expires.'),
  address: field.textOrNull('The network address of the last use; null if unknown.'),
  userAgent: field.textOrNull('The User-Agent of the browser at login; null if unknown.'),
  current: field.boolean('Whether this is the session of the request.'),
})

export const listOwnSessionsOperation = {
  ...selfAccess,
  id: 'listOwnSessions',
  method: 'get',
  path: '/v1/auth/sessions',
  summary: 'Your own sessions',
  responses: {
    200: {
      description: 'The active sessions: the session of this request first, then by last use, latest first.',
      json: field.object({ items: field.list(SessionSchema, 'The sessions.') }),
      example: {
        items: [
          {
            id: '01890a5d-ac96-774b-bcce-b302099a8057',
            createdAt: '2026-03-01T07:00:00.000Z',
            lastSeenAt: '2026-03-01T09:30:00.000Z',
            expiresAt: '2026-03-08T07:00:00.000Z',
            address: '203.0.113.7',
            userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
            current: true,
          },
        ],
      },
    },
  },
} as const satisfies Operation

export const endOwnOtherSessionsOperation = {
  ...selfAccess,
  id: 'endOwnOtherSessions',
  method: 'delete',
  path: '/v1/auth/sessions',
  summary: 'End all your other sessions',
  responses: { 204: { description: 'The other sessions have ended.' } },
} as const satisfies Operation

export const endOwnSessionOperation = {
  ...selfAccess,
  id: 'endOwnSession',
  method: 'delete',
  path: '/v1/auth/sessions/{id}',
  summary: 'End one of your own sessions',
  description: 'Takes effect on the next request of the session. Ending the session of this request is a logout.',
  responses: { 204: { description: 'Ended.' }, 404: { description: 'No such active session of this person.' } },
} as const satisfies Operation

const keyProperties = {
  id: field.id('The key’s id.'),
  name: field.text('The name of the integration.'),
  prefix: field.text('The first characters of the key.'),
  createdAt: field.time('When the key was created.'),
  lastUsedAt: field.timeOrNull('When the key was last used, to the minute; null if never.'),
}

export const ApiKeySchema = field.namedObject('ApiKey', 'An API key.', keyProperties)

const CreatedKeySchema = field.namedObject('NewApiKey', 'A new API key.', {
  ...keyProperties,
  key: field.text('The key itself, returned only in this response.'),
})

const keyExample = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  name: 'CRM',
  prefix: 'svc_4fJk2p',
  createdAt: '2026-03-01T07:00:00.000Z',
  lastUsedAt: null,
}

export const listApiKeysOperation = {
  ...ownerAccess,
  id: 'listApiKeys',
  method: 'get',
  path: '/v1/api-keys',
  audit: 'key.list',
  summary: 'Active API keys',
  query: field.object(pageParameters),
  responses: {
    200: createPageResponse(ApiKeySchema, 'A page of keys, newest first.', keyExample),
  },
} as const satisfies Operation

export const createApiKeyOperation = {
  ...ownerAccess,
  id: 'createApiKey',
  method: 'post',
  path: '/v1/api-keys',
  summary: 'Create an API key',
  body: field.requestBody({ name: 'Telephony' }, { name: field.singleLine(100, 'The name of the integration.') }),
  responses: {
    201: {
      description: 'The new key. The service does not return it again.',
      json: CreatedKeySchema,
      example: { ...keyExample, key: 'svc_4fJk2pXUqkJvJZ8hG5mV7yq0rTtWcN1bDdE3aLs9oPi' },
    },
  },
} as const satisfies Operation

export const revokeApiKeyOperation = {
  ...ownerAccess,
  id: 'revokeApiKey',
  method: 'delete',
  path: '/v1/api-keys/{id}',
  summary: 'Revoke an API key',
  description: 'Takes effect on the next request and cannot be undone.',
  responses: { 204: { description: 'Revoked.' }, 404: { description: 'No such active key.' } },
} as const satisfies Operation
