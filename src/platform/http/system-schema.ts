import Type from 'typebox'
import type { Operation } from './operation.ts'
import * as field from './field.ts'

const warningIds = field.list(Type.String(), 'The ids of the warnings, in the same order.')
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
  description: 'The response is always 200; the field status has the result.',
  access: 'public',
  anyQuery: true,
  responses: {
    200: {
      description: 'The state of the parts.',
      json: field.object({
        status: field.oneOf(['ready', 'degraded'], 'ready: every part is up. degraded: at least one part is down.'),
        database: statusSchema('the database'),
        redis: statusSchema('the key-value store'),
        asr: statusSchema('a recognizer with a loaded model'),
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
      description: 'The parts of the service and their versions. A part that does not respond has null values.',
      json: field.object({
        version: field.text('The release.'),
        releaseDate: field.day('The day of the release.'),
        commit: field.text('The commit from which the release was built.'),
        node: field.text('The version of Node.js.'),
        database: field.object('The database.', {
          version: field.textOrNull('The version of Postgres; null if it does not respond.'),
          schema: field.textOrNull('The last migration that was applied; null if unknown.'),
        }),
        redis: field.object('The key-value store.', {
          version: field.textOrNull('The version of the key-value store; null if it does not respond.'),
          persistence: field.nullable(
            Type.Enum(['aof', 'rdb', 'off']),
            'How the store persists its data; null if unknown.',
          ),
          evictionPolicy: field.textOrNull(
            'The eviction policy for a full memory; null if unknown. It should be noeviction.',
          ),
        }),
        asr: field.object(
          'All recognizers together: the best state of all, and the model of the recognizer with this state.',
          {
            status: field.oneOf(['ready', 'loading', 'failed', 'down'], 'The best state of the recognizers.'),
            model: field.textOrNull('The name of the model; null if unknown.'),
            version: field.textOrNull('The version of the model; null if unknown.'),
            decoder: field.textOrNull('The default decoder; a recording can choose another. Null if unknown.'),
            precision: field.textOrNull('The numeric precision of the model, such as int8; null if unknown.'),
            recognizers: field.list(
              field.namedObject('Recognizer', 'A recognizer.', {
                address: field.text('The address of the recognizer.'),
                status: field.oneOf(
                  ['ready', 'loading', 'failed', 'down', 'draining'],
                  'The state of the recognizer. draining: it finishes its files and gets no new ones.',
                ),
                model: field.textOrNull('The name of its model; null if unknown.'),
                version: field.textOrNull('The version of its model; null if unknown.'),
                decoder: field.textOrNull('Its default decoder; null if unknown.'),
                precision: field.textOrNull('The numeric precision of its model; null if unknown.'),
                places: field.integer('The number of files that it processes at once.'),
                running: field.integerOrNull('The number of files being processed; null if unknown.'),
                waiting: field.integerOrNull('The number of waiting files; null if unknown.'),
              }),
              'All recognizers behind the configured name, by address.',
            ),
          },
        ),
        storage: field.object('The audio storage.', {
          kind: field.oneOf(['local', 's3'], 'Where audio is stored: local is a folder, s3 a bucket.'),
          freeBytes: field.integerOrNull('Free bytes; null for S3, or if unknown.'),
        }),
        search: field.nullable(
          field.object({
            indexed: field.integer('The number of indexed transcripts.'),
            total: field.integer('The number of all transcripts.'),
          }),
          'The progress of indexing the transcripts of an earlier release for the search; null if none are left.',
        ),
        email: field.object('E-mails about notifications.', {
          on: field.boolean('Whether the service has a mail server.'),
          lastFailure: field.nullable(
            field.object(
              'The last e-mail that failed, or the pause of the queue after the mail server refused the service.',
              {
                at: field.time('When it happened.'),
                reason: field.text('Why.'),
              },
            ),
            'The last failure of the last 90 days; null if there was none.',
          ),
        }),
        warnings: field.list(Type.String(), 'Warnings for the operator, in words.'),
        warningIds,
      }),
      example: {
        version: '1.0.0',
        releaseDate: '2026-11-28',
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
        email: { on: true, lastFailure: null },
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
    'Responds at once, even if the storage does not respond. GET /v1/system runs a new check. The warnings also ' +
    'state whether this is a demo.',
  access: 'owner',
  responses: {
    200: {
      description: 'The faults, which are also among the warnings of /v1/system.',
      json: field.namedObject('StorageFaults', 'Faults of the audio storage.', {
        warnings: field.list(Type.String(), 'Warnings for the operator; empty if there are none.'),
        warningIds,
      }),
      example: { warnings: ['The audio storage does not answer. Calls wait.'], warningIds: ['storage.away'] },
    },
  },
} as const satisfies Operation
