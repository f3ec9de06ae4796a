import Type from 'typebox'
import type { Operation } from './operation.ts'
import * as field from './field.ts'

const warningIds = field.list(Type.String(), 'The id of each warning.')
const tag = 'System'
const statusSchema = (what: string) => field.oneOf(['up', 'down'], `Whether ${what} responds.`)

export const healthzOperation = {
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

export const readyzOperation = {
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
        database: statusSchema('the database'),
        redis: statusSchema('the key-value store'),
        asr: statusSchema('the recognizer, with its model loaded,'),
        storage: field.oneOf(
          ['up', 'down'],
          'Whether the audio storage belongs to this database and has room for the largest upload.',
        ),
      }),
      example: { status: 'ready', database: 'up', redis: 'up', asr: 'up', storage: 'up' },
    },
  },
} as const satisfies Operation

export const systemStatusOperation = {
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
          persistence: field.nullable(Type.Enum(['aof', 'rdb', 'off']), 'The persistence of its data.'),
          evictionPolicy: field.textOrNull('The policy of Redis for a full memory; noeviction is right.'),
        }),
        asr: field.object('All recognizers: the best state of all, with the model of that recognizer.', {
          status: field.oneOf(['ready', 'loading', 'failed', 'down'], 'The recognizer’s state.'),
          model: field.textOrNull('The model.'),
          version: field.textOrNull('Its version.'),
          decoder: field.textOrNull('The default decoder; a recording can choose another.'),
          precision: field.textOrNull('The precision of its computations.'),
          recognizers: field.list(
            field.namedObject('Recognizer', 'One recognizer.', {
              address: field.text('Its address.'),
              status: field.oneOf(
                ['ready', 'loading', 'failed', 'down', 'draining'],
                'Its state; draining: it finishes its files and gets no new ones.',
              ),
              model: field.textOrNull('Its model.'),
              version: field.textOrNull('The version of its model.'),
              decoder: field.textOrNull('Its decoder.'),
              precision: field.textOrNull('Its precision.'),
              places: field.integer('The number of files it handles at once.'),
              running: field.integerOrNull('The number of files in work.'),
              waiting: field.integerOrNull('The number of waiting files.'),
            }),
            'Every recognizer of the configured name, by address.',
          ),
        }),
        storage: field.object('The audio storage.', {
          kind: field.oneOf(['local', 's3'], 'The location of audio.'),
          freeBytes: field.integerOrNull('Free bytes; null without a limit.'),
        }),
        search: field.nullable(
          field.object({
            indexed: field.integer('Indexed texts.'),
            total: field.integer('All texts.'),
          }),
          'The progress of indexing texts of an earlier release for the search; else null.',
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

export const storageFaultsOperation = {
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
      description: 'The faults, which are also among the warnings of /v1/system.',
      json: field.namedObject('StorageFaults', 'Faults of the audio storage.', {
        warnings: field.list(Type.String(), 'Warnings for the operator; empty if all is well.'),
        warningIds,
      }),
      example: { warnings: ['The audio storage does not answer. Calls wait.'], warningIds: ['storage.away'] },
    },
  },
} as const satisfies Operation
