import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const IngestionSchema = field.namedObject('Ingestion', 'The results of the last scan of the prefix.', {
  source: field.oneOf(['none', 'local-inbox', 's3'], 'The value of INGESTION_SOURCE.'),
  prefix: field.textOrNull('The watched folder; null without a source.'),
  paused: field.boolean('Whether an owner paused the ingestion. While it is paused, no file is registered.'),
  lastRunAt: field.timeOrNull('When the prefix was last scanned; null if never.'),
  found: field.integer('Audio files under the prefix in the last scan.'),
  registered: field.integer('The number of files that are recordings.'),
  failed: field.integer('The number of files that could not be registered.'),
  lastError: field.textOrNull('The latest unresolved error, with its file if it concerns one; null if there is none.'),
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
    'Audio files that appear under the prefix become recordings once they have stopped growing. A JSON file with ' +
    'the same name, such as call.json beside call.wav, supplies the call fields. Store the JSON file first. Files ' +
    'that cannot be registered are retried at growing intervals.',
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
    'Applies to all processes and survives restarts. Files that appear during a pause are registered after it.',
  access: 'owner',
  body: field.requestBody(
    { paused: true },
    { paused: field.boolean('true pauses the ingestion: no further file is registered. false resumes it.') },
  ),
  responses: {
    200: {
      description: 'The state after the change.',
      json: IngestionSchema,
      example: { ...ingestionExample, paused: true },
    },
  },
} as const satisfies Operation
