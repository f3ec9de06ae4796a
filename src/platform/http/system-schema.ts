import Type from 'typebox'
import type { Operation } from './operation.ts'

const closed = { additionalProperties: false }
const warningIds = Type.Array(Type.String(), { description: 'The id of each warning.' })
const tag = 'System'
const upOrDown = (what: string) => Type.Enum(['up', 'down'], { description: `Whether ${what} answers.` })
const known = <S extends Type.TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description })

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
      json: Type.Object({ status: Type.Literal('ok', { description: 'ok' }) }, closed),
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
      json: Type.Object(
        {
          status: Type.Enum(['ready', 'degraded'], { description: 'ready when every part is up.' }),
          database: upOrDown('the database'),
          redis: upOrDown('the key-value store'),
          asr: upOrDown('the recognizer, with its model loaded,'),
          storage: Type.Enum(['up', 'down'], {
            description: 'Whether the audio storage is the one of this database and has room for the largest upload.',
          }),
        },
        closed,
      ),
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
      description: 'What runs here. A part that does not answer shows null.',
      json: Type.Object(
        {
          version: Type.String({ description: 'The release.' }),
          commit: Type.String({ description: 'The commit it was built from.' }),
          node: Type.String({ description: 'The version of Node.js.' }),
          database: Type.Object(
            {
              version: known(Type.String(), 'The version of Postgres.'),
              schema: known(Type.String(), 'The last migration applied.'),
            },
            { ...closed, description: 'The database.' },
          ),
          redis: Type.Object(
            {
              version: known(Type.String(), 'The version of the key-value store.'),
              persistence: known(Type.Enum(['aof', 'rdb', 'off']), 'How it keeps its data.'),
              evictionPolicy: known(Type.String(), 'What it does when memory is full; noeviction is right.'),
            },
            { ...closed, description: 'The key-value store.' },
          ),
          asr: Type.Object(
            {
              status: Type.Enum(['ready', 'loading', 'failed', 'down'], { description: 'The recognizer’s state.' }),
              model: known(Type.String(), 'The model.'),
              version: known(Type.String(), 'Its version.'),
              decoder: known(Type.String(), 'The decoder used unless a recording asks for another.'),
              precision: known(Type.String(), 'The precision it computes with.'),
              recognizers: Type.Array(
                Type.Object(
                  {
                    address: Type.String({ description: 'Where it is asked.' }),
                    status: Type.Enum(['ready', 'loading', 'failed', 'down', 'draining'], {
                      description: 'Its state; draining: nothing new is sent there, what it has begun goes on.',
                    }),
                    model: known(Type.String(), 'Its model.'),
                    version: known(Type.String(), 'The version of its model.'),
                    decoder: known(Type.String(), 'Its decoder.'),
                    precision: known(Type.String(), 'Its precision.'),
                    places: Type.Integer({ description: 'How many files it works on at once.' }),
                    running: known(Type.Integer(), 'Files that it works on.'),
                    waiting: known(Type.Integer(), 'Files that wait there.'),
                  },
                  { ...closed, title: 'Recognizer', description: 'One recognizer.' },
                ),
                { description: 'Every recognizer behind the name, by address.' },
              ),
            },
            {
              ...closed,
              description: 'The recognizers together: as ready as the best of them, with the model of that one.',
            },
          ),
          storage: Type.Object(
            {
              kind: Type.Enum(['local', 's3'], { description: 'Where audio lies.' }),
              freeBytes: known(Type.Integer(), 'Free bytes; null where there is no limit to know.'),
            },
            { ...closed, description: 'The audio storage.' },
          ),
          search: known(
            Type.Object(
              {
                indexed: Type.Integer({ description: 'How many have been indexed.' }),
                total: Type.Integer({ description: 'How many texts there are.' }),
              },
              closed,
            ),
            'Progress while the texts of an earlier release are indexed for the search, else null.',
          ),
          warnings: Type.Array(Type.String(), { description: 'What an operator should mend, in words.' }),
          warningIds,
        },
        closed,
      ),
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
  summary: 'What keeps the audio storage from being used, by what was found last',
  description:
    'Answers at once, also while the storage does not: /v1/system looks at it. It also tells where all of it is a demo.',
  access: 'owner',
  responses: {
    200: {
      description: 'The faults, as they also stand among the warnings of /v1/system.',
      json: Type.Object(
        {
          warnings: Type.Array(Type.String(), { description: 'What an operator should mend; none: all is well.' }),
          warningIds,
        },
        { ...closed, title: 'StorageFaults', description: 'What is wrong with the audio storage.' },
      ),
      example: { warnings: ['The audio storage does not answer. Calls wait.'], warningIds: ['storage.away'] },
    },
  },
} as const satisfies Operation
