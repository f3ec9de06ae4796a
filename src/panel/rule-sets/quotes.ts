import type { DraftTrialJson } from '../../check/backtests/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** Seconds before a quote at which playback begins. */
const LEAD_SECONDS = 1.5

/** Quotes of a call, each with a link to its time. */
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
