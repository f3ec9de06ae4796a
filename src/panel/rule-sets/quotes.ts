import type { DraftTrialJson } from '../../check/backtests/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** Playback starts this much before a quote. */
const LEAD_SECONDS = 1.5

/** Formats the first quotes of a verdict, each with a link to its time in the call. @param limit number of quotes */
export const buildQuoteLinks = (
  evidence: DraftTrialJson['findings'][number]['evidence'],
  recordingId: string | undefined,
  { format }: Language,
  limit = 2,
) =>
  evidence.slice(0, limit).map(({ quote, start }) => ({
    quote,
    at: format.length(start),
    href: `/recordings/${recordingId}?t=${Math.max(0, Math.floor(start - LEAD_SECONDS))}`,
  }))
