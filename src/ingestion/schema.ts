import Type from 'typebox'
import type { Operation } from '../http/operation.ts'

const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const readIngestion = {
  id: 'readIngestion',
  method: 'get',
  path: '/v1/ingestion',
  tag: 'System',
  summary: 'State of the ingestion',
  description:
    'Audio files that appear under the prefix become recordings once they have stopped growing. A JSON file of the ' +
    'same name beside one (call.json beside call.wav) gives its call fields and should be there first. A file that ' +
    'cannot be registered is tried again, less and less often.',
  access: 'ownerOrKey',
  responses: {
    200: {
      description: 'What the last look at the prefix found.',
      json: Type.Object(
        {
          source: Type.Enum(['none', 'local-inbox', 's3'], { description: 'INGESTION_SOURCE.' }),
          prefix: nullable(Type.String(), 'The folder that is watched; null without a source.'),
          lastRunAt: nullable(Type.String({ format: 'date-time' }), 'When it was last looked at.'),
          found: Type.Integer({ description: 'Audio files under the prefix.' }),
          registered: Type.Integer({ description: 'How many of them are recordings.' }),
          failed: Type.Integer({ description: 'How many of them could not be registered.' }),
          lastError: nullable(
            Type.String(),
            'The latest fault that still stands, with its file; null when all is well.',
          ),
        },
        { additionalProperties: false },
      ),
      example: {
        source: 'local-inbox',
        prefix: 'inbox',
        lastRunAt: '2026-03-01T07:00:00.000Z',
        found: 214,
        registered: 212,
        failed: 1,
        lastError: 'inbox/17.wav: inbox/17.json: direction must be one of INBOUND, OUTBOUND',
      },
    },
  },
} as const satisfies Operation
