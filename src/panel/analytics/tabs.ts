import type { Language } from '../frame/i18n.ts'

/** The reports, in the order of their tabs. */
const TABS = ['weekly', 'quality', 'sales', 'refusals', 'correlation', 'deals'] as const
export type Tab = (typeof TABS)[number]

/** Who a report is of stays from tab to tab; its days stay among those that have days. */
export function tabsOf(current: Tab, kept: Record<string, string>, { words }: Language) {
  const who = Object.entries(kept).filter(([name]) => name === 'department' || name === 'manager')
  return TABS.map((name) => {
    const query = new URLSearchParams(name === 'weekly' ? who : kept).toString()
    return {
      text: words.analytics.reports[name],
      href: `/analytics/${name}${query && `?${query}`}`,
      current: name === current,
    }
  })
}
