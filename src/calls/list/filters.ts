import type { Static, TSchema } from 'typebox'
import * as columns from './filters/columns.ts'
import * as content from './filters/content.ts'
import * as deals from './filters/deals.ts'
import { pickSchemas, type Filter } from './filters/filter.ts'
import * as managers from './filters/managers.ts'
import * as ranges from './filters/ranges.ts'

/** The filters of transcript lists, in the order of the documentation. */
const TRANSCRIPT_FILTERS = {
  q: content.transcriptSearch,
  source: columns.source,
  dateFrom: ranges.dateFrom,
  dateTo: ranges.dateTo,
  createdFrom: ranges.createdFrom,
  createdTo: ranges.createdTo,
  finishedFrom: ranges.finishedFrom,
  finishedTo: ranges.finishedTo,
  minDurationSeconds: ranges.minDurationSeconds,
  maxDurationSeconds: ranges.maxDurationSeconds,
  direction: columns.direction,
  manager: managers.manager,
  phone: columns.phone,
  externalCallId: columns.externalCallId,
  scoreBelow: ranges.scoreBelow,
  scoreFrom: ranges.scoreFrom,
  rule: content.rule,
  linked: deals.linked,
  noSpeech: content.noSpeech,
  department: managers.department,
  deal: deals.deal,
}

const RECORDING_FILTERS = {
  ...TRANSCRIPT_FILTERS,
  q: content.recordingSearch,
  status: columns.status,
  ids: columns.ids,
}

export const FILTERS_BY_PARAMETER: Record<string, Filter> = RECORDING_FILTERS

export const transcriptFilterSchemas = pickSchemas(TRANSCRIPT_FILTERS)
export const recordingFilterSchemas = pickSchemas(RECORDING_FILTERS)

type FilterValues<F> = { [N in keyof F]?: F[N] extends Filter<infer S extends TSchema> ? Static<S> : never }

/** The values of all filters of a recording list, by query parameter. */
export type RecordingFilters = FilterValues<typeof RECORDING_FILTERS>
