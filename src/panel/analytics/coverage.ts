import type { Frame } from '../../reports/schema.ts'
import type { Part } from './view.ts'
import type { Writer } from './writer.ts'

/** On how many calls a report rests, with and without a score or a deal. Deals lie in funnels, calls do not. */
export function coverageOf({ coverage, filters }: Pick<Frame, 'coverage' | 'filters'>, write: Writer): Part[] {
  const { calls, checked, linked } = coverage
  const t = write.t.coverage
  return [
    { text: (filters.funnel === null ? t.calls : t.callsOfAll)(calls, write.count(calls)), href: write.callsHref() },
    { text: t.checked(checked, write.count(checked)), href: write.callsHref({ scoreFrom: '0' }) },
    { text: t.linked(linked, write.count(linked)), href: write.callsHref({ linked: 'true' }) },
  ]
}
