import Type from 'typebox'
import type { Operation } from './operation.ts'
import * as field from './field.ts'

const warningIds = field.list(Type.String(), 'The id of each warning.')
const tag = 'System'
const upOrDown = (what: string) => field.oneOf(['up', 'down'], `Whether ${what} answers.`)

export const healthz = {
  id: 'healthz',
  method: 'get',
  path: '/healthz',
  tag,
  summary: 'Whether the process is alive',
  access: 'public',
  anyQuery: true,
  responses: {
    200: {
      description: 'Alive.',
      json: field.object({ status: Type.Literal('ok', { description: 'ok' }) }),
      example: { status: 'ok' },
    },
  },
} as const satisfies Operation

export const readyz = {
  id: 'readyz',
  method: 'get',
  path: '/readyz',
  tag,
  summary: 'Whether the service can do its work',
  description: 'Always 200: read status, not the HTTP code.',
  access: 'public',
  anyQuery: true,
  responses: {
    200: {
      description: 'The state of the parts.',
      json: field.object({
        status: field.oneOf(['ready', 'degraded'], 'ready when every part is up.'),
        database: upOrDown('the database'),
        redis: upOrDown('the key-value store'),
        asr: upOrDown('the recognizer, with its model loaded,'),
        storage: field.oneOf(
          ['up', 'down'],
          'Whether the audio storage is the one of this database and has room for the largest upload.',
        ),
      }),
      example: { status: 'ready', database: 'up', redis: 'up', asr: 'up', storage: 'up' },
    },
  },
} as const satisfies Operation

export const system = {
  id: 'system',
  method: 'get',
  path: '/v1/system',
  tag,
  summary: 'Versions, the model in use, storage and warnings',
  access: 'scoped',
  responses: {
    200: {
      description: 'The running parts and their versions. A part that does not answer shows null.',
      json: field.object({
        version: field.text('The release.'),
        commit: field.text('The commit it was built from.'),
        node: field.text('The version of Node.js.'),
        database: field.object('The database.', {
          version: field.textOrNull('The version of Postgres.'),
          schema: field.textOrNull('The last migration applied.'),
        }),
        redis: field.object('The key-value store.', {
          version: field.textOrNull('The version of the key-value store.'),
          persistence: field.nullable(Type.Enum(['aof', 'rdb', 'off']), 'How it keeps its data.'),
          evictionPolicy: field.textOrNull('The policy of Redis for a full memory; noeviction is right.'),
        }),
        asr: field.object('The recognizers together: as ready as the best of them, with the model of that one.', {
          status: field.oneOf(['ready', 'loading', 'failed', 'down'], 'The recognizer’s state.'),
          model: field.textOrNull('The model.'),
          version: field.textOrNull('Its version.'),
          decoder: field.textOrNull('The decoder used unless a recording asks for another.'),
          precision: field.textOrNull('The precision it computes with.'),
          recognizers: field.list(
            field.titled('Recognizer', 'One recognizer.', {
              address: field.text('Where it is asked.'),
              status: field.oneOf(
                ['ready', 'loading', 'failed', 'down', 'draining'],
                'Its state; draining: nothing new is sent there, what it has begun goes on.',
              ),
              model: field.textOrNull('Its model.'),
              version: field.textOrNull('The version of its model.'),
              decoder: field.textOrNull('Its decoder.'),
              precision: field.textOrNull('Its precision.'),
              places: field.integer('How many files it works on at once.'),
              running: field.integerOrNull('Files that it works on.'),
              waiting: field.integerOrNull('Files that wait there.'),
            }),
            'Every recognizer behind the name, by address.',
          ),
        }),
        storage: field.object('The audio storage.', {
          kind: field.oneOf(['local', 's3'], 'Where audio lies.'),
          freeBytes: field.integerOrNull('Free bytes; null if there is no limit to know.'),
        }),
        search: field.nullable(
          field.object({
            indexed: field.integer('How many have been indexed.'),
            total: field.integer('How many texts there are.'),
          }),
          'Progress while the texts of an earlier release are indexed for the search, else null.',
        ),
        warnings: field.list(Type.String(), 'Warnings for the operator, in words.'),
        warningIds,
      }),
      example: {
        version: '0.1.0',
        commit: '5b79b345c1aa',
        node: '20.20.2',
        database: { version: '18.4', schema: 'FirstSchema1763600000000' },
        redis: { version: '7.0.15', persistence: 'aof', evictionPolicy: 'noeviction' },
        asr: {
          status: 'ready',
          model: 'moonshine-base-en',
          version: '0.1.16',
          decoder: 'beam_search',
          precision: 'int8',
          recognizers: [
            {
              address: '10.0.1.5:8000',
              status: 'ready',
              model: 'moonshine-base-en',
              version: '0.1.16',
              decoder: 'beam_search',
              precision: 'int8',
              places: 2,
              running: 1,
              waiting: 0,
            },
          ],
        },
        storage: { kind: 'local', freeBytes: 80_000_000_000 },
        search: { indexed: 12_345, total: 100_000 },
        warnings: [],
        warningIds: [],
      },
    },
  },
} as const satisfies Operation

export const storageFaults = {
  id: 'readStorageFaults',
  method: 'get',
  path: '/v1/system/storage',
  tag,
  summary: 'Faults of the audio storage, by the last check',
  description:
    'Responds at once, even if the storage does not; GET /v1/system checks it. Also shows whether this is a demo.',
  access: 'owner',
  responses: {
    200: {
      description: 'The faults, as they also stand among the warnings of /v1/system.',
      json: field.titled('StorageFaults', 'Faults of the audio storage.', {
        warnings: field.list(Type.String(), 'Warnings for the operator; empty if all is well.'),
        warningIds,
      }),
      example: { warnings: ['The audio storage does not answer. Calls wait.'], warningIds: ['storage.away'] },
    },
  },
} as const satisfies Operation
