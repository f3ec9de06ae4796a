import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { DIRECTIONS, SOURCES, STATUSES } from '../recordings/entity.ts'
import { closed } from '../recordings/schema.ts'
import { recordingFilters } from './filters.ts'

const tag = 'Recordings'
const count = (description: string) => Type.Integer({ description })

/** The number of managers counted by name, most frequent first. */
export const MAX_FACET_MANAGERS = 1000

const CatalogSchema = Type.Object(
  {
    years: Type.Array(
      Type.Object(
        {
          year: count('The year.'),
          total: count('Recordings of the year.'),
          months: Type.Array(
            Type.Object(
              {
                month: Type.String({ description: 'The month, such as 2026-03.' }),
                total: count('Recordings of the month.'),
                done: count('Of these, DONE ones.'),
                failed: count('Of these, FAILED ones.'),
                durationSeconds: Type.Number({ description: 'The total of the known lengths.' }),
              },
              { ...closed, description: 'A month with recordings.' },
            ),
            { description: 'Newest first.' },
          ),
        },
        { ...closed, description: 'A year with recordings.' },
      ),
      { description: 'Newest first.' },
    ),
  },
  { ...closed, description: 'Recordings by the month of the call.' },
)
export type CatalogJson = Static<typeof CatalogSchema>

const counters = (keys: readonly string[], description: string) =>
  Type.Object(Object.fromEntries(keys.map((key) => [key, count(`Recordings that are ${key}.`)])), {
    ...closed,
    description,
  })

const FacetsSchema = Type.Object(
  {
    total: count('All matching recordings.'),
    status: counters(STATUSES, 'By state.'),
    direction: counters(DIRECTIONS, 'By direction; leaves out calls without one.'),
    source: counters(SOURCES, 'By the source of the audio.'),
    managers: Type.Array(
      Type.Object(
        { name: Type.String({ description: 'The manager’s name.' }), count: count('The manager’s recordings.') },
        { ...closed, description: 'A manager.' },
      ),
      { description: `By manager, most frequent first, at most ${MAX_FACET_MANAGERS}.` },
    ),
    departments: Type.Array(
      Type.Object(
        {
          id: Type.String({ format: 'uuid', description: 'The department.' }),
          name: Type.String({ description: 'Its name.' }),
          count: count('Its recordings.'),
        },
        { ...closed, description: 'A department.' },
      ),
      { description: 'By the manager’s department, by name; leaves out recordings without one.' },
    ),
  },
  { ...closed, description: 'The number of matching recordings with each value.' },
)
export type FacetsJson = Static<typeof FacetsSchema>

export const catalog = {
  id: 'readRecordingCatalog',
  method: 'get',
  path: '/v1/recordings/catalog',
  tag,
  summary: 'Recordings by year and month',
  description: 'Months of APP_TIMEZONE, by the time of the call or, without one, of the creation.',
  access: 'scoped',
  audit: 'recordings.catalog',
  query: Type.Object(recordingFilters, closed),
  responses: {
    200: {
      description: 'The months with recordings.',
      json: CatalogSchema,
      example: {
        years: [
          {
            year: 2026,
            total: 412,
            months: [{ month: '2026-03', total: 412, done: 405, failed: 2, durationSeconds: 50_312.4 }],
          },
        ],
      },
    },
  },
} as const satisfies Operation

export const facets = {
  id: 'readRecordingFacets',
  method: 'get',
  path: '/v1/recordings/facets',
  tag,
  summary: 'Recordings by state, direction, source, manager and department',
  description: 'All filters apply to every counter, also the one on the counted field itself.',
  access: 'scoped',
  audit: 'recordings.facets',
  query: Type.Object(recordingFilters, closed),
  responses: {
    200: {
      description: 'The counters.',
      json: FacetsSchema,
      example: {
        total: 412,
        status: { QUEUED: 3, PROCESSING: 2, DONE: 405, FAILED: 2, CANCELLED: 0 },
        direction: { INBOUND: 230, OUTBOUND: 180 },
        source: { upload: 400, url: 12, storage: 0, inbox: 0, crm: 0 },
        managers: [{ name: 'Anna Kovaleva', count: 61 }],
        departments: [{ id: '01890a5d-ac96-774b-bcce-b302099a8060', name: 'Sales', count: 140 }],
      },
    },
  },
} as const satisfies Operation
