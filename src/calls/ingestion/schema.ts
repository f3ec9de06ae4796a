import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const IngestionSchema = field.namedObject('Ingestion', 'The results of the last scan of the prefix.', {
  source: field.oneOf(['none', 'local-inbox', 's3'], 'INGESTION_SOURCE.'),
  prefix: field.textOrNull('The watched folder; null without a source.'),
  paused: field.boolean('Whether an owner paused it; then no file is registered until it is resumed.'),
  lastRunAt: field.timeOrNull('When it was last scanned.'),
  found: field.integer('Audio files under the prefix.'),
  registered: field.integer('The number of files that are recordings.'),
  failed: field.integer('The number of files that could not be registered.'),
  lastError: field.textOrNull('The latest unsolved fault, with its file; null if all is well.'),
})
export type IngestionJson = Static<typeof IngestionSchema>

const ingestionExample: IngestionJson = {
  source: 'local-inbox',
  prefix: 'inbox',
  paused: false,
  lastRunAt: '2026-03-01T07:00:00.000Z',
  found: 214,
  registered: 212,
  failed: 1,
  lastError: 'inbox/17.wav: inbox/17.json: direction must be one of INBOUND, OUTBOUND',
}

export const readIngestionOperation = {
  id: 'readIngestion',
  method: 'get',
  path: '/v1/ingestion',
  tag: 'System',
  summary: 'State of the ingestion',
  description:
    'Audio files that appear under the prefix become recordings once they have stopped growing. A JSON file of the same ' +
    'name (call.json beside call.wav) gives the call fields and should be there first. Files that cannot be registered ' +
    'are retried, less and less often.',
  access: 'ownerOrKey',
  responses: {
    200: {
      description: 'The results of the last scan of the prefix.',
      json: IngestionSchema,
      example: ingestionExample,
    },
  },
} as const satisfies Operation

export const changeIngestionOperation = {
  id: 'changeIngestion',
  method: 'put',
  path: '/v1/ingestion',
  tag: 'System',
  summary: 'Pause or resume the ingestion',
  description:
    'Applies to every process and across restarts. Files that appear meanwhile are registered after the pause.',
  access: 'owner',
  body: field.requestBody({ paused: true }, { paused: field.boolean('true: no further file is registered.') }),
  responses: {
    200: { description: 'The state now.', json: IngestionSchema, example: { ...ingestionExample, paused: true } },
  },
} as const satisfies Operation
