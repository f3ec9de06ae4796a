import type { Static, TSchema } from 'typebox'
import { direction, externalCallId, ids, phone, source, status } from './filters/columns.ts'
import { noSpeech, recordingSearch, rule, transcriptSearch } from './filters/content.ts'
import { deal, linked } from './filters/deals.ts'
import { schemasOf, type Filter } from './filters/filter.ts'
import { department, manager } from './filters/managers.ts'
import {
  createdFrom,
  createdTo,
  dateFrom,
  dateTo,
  finishedFrom,
  finishedTo,
  maxDurationSeconds,
  minDurationSeconds,
  scoreBelow,
  scoreFrom,
} from './filters/ranges.ts'

/** The filters of lists of transcripts, in the order of the documentation. */
const TRANSCRIPT_FILTERS = {
  q: transcriptSearch,
  source,
  dateFrom,
  dateTo,
  createdFrom,
  createdTo,
  finishedFrom,
  finishedTo,
  minDurationSeconds,
  maxDurationSeconds,
  direction,
  manager,
  phone,
  externalCallId,
  scoreBelow,
  scoreFrom,
  rule,
  linked,
  noSpeech,
  department,
  deal,
}

/** The filters of lists of recordings. */
const RECORDING_FILTERS = { ...TRANSCRIPT_FILTERS, q: recordingSearch, status }

/** All filters by name. */
export const FILTERS: Record<string, Filter> = { ...RECORDING_FILTERS, ids }

export const transcriptFilters = schemasOf(TRANSCRIPT_FILTERS)
export const recordingFilters = schemasOf(RECORDING_FILTERS)

type Values<F> = { [N in keyof F]?: F[N] extends Filter<infer S extends TSchema> ? Static<S> : never }

/** The validated values of the filters. */
export type Filters = Values<typeof RECORDING_FILTERS & { ids: typeof ids }>
