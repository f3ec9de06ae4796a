import type { Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { CALL_DIRECTIONS, CALL_SOURCES, RECORDING_STATUSES } from '../recordings/entity.ts'
import * as field from '../../platform/http/field.ts'
import { recordingFilterSchemas } from './filters.ts'

const tag = 'Recordings'

/** The facets contain at most this many managers, those with the most calls. */
export const MAX_FACET_MANAGERS = 1000

const CatalogSchema = field.object('Recordings by the month of the call.', {
  years: field.list(
    field.object('A year that has recordings.', {
      year: field.integer('The year.'),
      total: field.integer('The number of recordings in the year.'),
      months: field.list(
        field.object('A month that has recordings.', {
          month: field.text('The month, such as 2026-03.'),
          total: field.integer('The number of recordings in the month.'),
          done: field.integer('Of these, recordings that are DONE.'),
          failed: field.integer('Of these, recordings that are FAILED.'),
          durationSeconds: field.number(
            'The total length of the recordings in seconds, without recordings of unknown length.',
          ),
        }),
        'The months, newest first.',
      ),
    }),
    'The years, newest first.',
  ),
})
export type RecordingCatalogJson = Static<typeof CatalogSchema>

const createCountersSchema = (keys: readonly string[], description: string) =>
  field.object(
    description,
    Object.fromEntries(keys.map((key) => [key, field.integer(`Recordings with the value ${key}.`)])),
  )

const FacetsSchema = field.object('Counts of the matching recordings by the values of some fields.', {
  total: field.integer('The number of matching recordings.'),
  status: createCountersSchema(RECORDING_STATUSES, 'Counts by status.'),
  direction: createCountersSchema(
    CALL_DIRECTIONS,
    'Counts by direction. Calls without a direction are in neither count.',
  ),
  source: createCountersSchema(CALL_SOURCES, 'Counts by source of the audio.'),
  managers: field.list(
    field.object('A manager.', {
      name: field.text('The manager’s name.'),
      count: field.integer('The number of the manager’s recordings.'),
    }),
    `Managers with the most recordings first, at most ${MAX_FACET_MANAGERS}.`,
  ),
  departments: field.list(
    field.object('A department.', {
      id: field.id('The department.'),
      name: field.text('The name of the department.'),
      count: field.integer('The number of its recordings.'),
    }),
    'Departments of the managers, by name. Recordings without a department are not counted.',
  ),
})
export type RecordingFacetsJson = Static<typeof FacetsSchema>

export const readRecordingCatalogOperation = {
  id: 'readRecordingCatalog',
  method: 'get',
  path: '/v1/recordings/catalog',
  tag,
  summary: 'Recordings by year and month',
  description:
    'Months are in APP_TIMEZONE. A recording counts in the month of its call or, if the time of the call is ' +
    'unknown, of its creation.',
  access: 'scoped',
  audit: 'recordings.catalog',
  query: field.object(recordingFilterSchemas),
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

export const readRecordingFacetsOperation = {
  id: 'readRecordingFacets',
  method: 'get',
  path: '/v1/recordings/facets',
  tag,
  summary: 'Recordings by status, direction, source, manager and department',
  description: 'All filters apply to every count, including the filter on the counted field.',
  access: 'scoped',
  audit: 'recordings.facets',
  query: field.object(recordingFilterSchemas),
  responses: {
    200: {
      description: 'The counts.',
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
