import type { Frame } from '../../reports/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { callsHref, type Narrowed, type Part } from './view.ts'

/** On how much a report rests: its calls, those with a score, and those of a deal. Deals stand in funnels, calls do not. */
export function coverageOf({ coverage, filters }: Frame, { words, format }: Language, narrowed: Narrowed): Part[] {
  const { calls, checked, linked } = coverage
  const t = words.analytics.coverage
  return [
    {
      text: (filters.funnel === null ? t.calls : t.callsOfAll)(calls, format.number(calls)),
      href: callsHref(narrowed),
    },
    { text: t.checked(checked, format.number(checked)), href: callsHref(narrowed, { scoreFrom: '0' }) },
    { text: t.linked(linked, format.number(linked)), href: callsHref(narrowed, { linked: 'true' }) },
  ]
}
