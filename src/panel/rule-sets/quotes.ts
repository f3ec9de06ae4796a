import type { DraftTrialJson } from '../../check/backtests/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { formatMomentHref } from '../frame/playback-links.ts'

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
    href: formatMomentHref(String(recordingId), start),
  }))
