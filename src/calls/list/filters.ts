import type { Static, TSchema } from 'typebox'
import * as columns from './filters/columns.ts'
import * as content from './filters/content.ts'
import * as deals from './filters/deals.ts'
import { pickFilterSchemas, type RecordingFilter } from './filters/filter.ts'
import * as managers from './filters/managers.ts'
import * as ranges from './filters/ranges.ts'

/** The filters of transcript lists, in the order of the documentation. */
const TRANSCRIPT_FILTERS = {
  q: content.transcriptSearchFilter,
  source: columns.sourceFilter,
  period: ranges.periodFilter,
  dateFrom: ranges.dateFromFilter,
  dateTo: ranges.dateToFilter,
  createdFrom: ranges.createdFromFilter,
  createdTo: ranges.createdToFilter,
  finishedFrom: ranges.finishedFromFilter,
  finishedTo: ranges.finishedToFilter,
  minDurationSeconds: ranges.minDurationSecondsFilter,
  maxDurationSeconds: ranges.maxDurationSecondsFilter,
  direction: columns.directionFilter,
  manager: managers.managerNameFilter,
  phone: columns.phoneFilter,
  externalCallId: columns.externalCallIdFilter,
  scoreBelow: ranges.scoreBelowFilter,
  scoreFrom: ranges.scoreFromFilter,
  rule: content.ruleVerdictFilter,
  linked: deals.linkedToDealFilter,
  noSpeech: content.noSpeechFilter,
  department: managers.departmentFilter,
  deal: deals.dealFilter,
}

const RECORDING_FILTERS = {
  ...TRANSCRIPT_FILTERS,
  q: content.recordingSearchFilter,
  status: columns.statusFilter,
  ids: columns.idsFilter,
}

export const RECORDING_FILTERS_BY_PARAMETER: Record<string, RecordingFilter> = RECORDING_FILTERS

export const transcriptFilterSchemas = pickFilterSchemas(TRANSCRIPT_FILTERS)
export const recordingFilterSchemas = pickFilterSchemas(RECORDING_FILTERS)

type FilterValues<F> = { [N in keyof F]?: F[N] extends RecordingFilter<infer S extends TSchema> ? Static<S> : never }

/** The values of all filters of a recording list, by query parameter. */
export type RecordingFilterValues = FilterValues<typeof RECORDING_FILTERS>
