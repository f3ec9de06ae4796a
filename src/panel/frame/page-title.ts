import type { Language } from './i18n.ts'

/** The maximum length of the filters in a title, in characters. */
const MAX_FILTER_LETTERS = 80

/** Formats the title of a filtered page, such as `password · Calls`, so that tabs and bookmarks differ. */
export function formatPageTitle(page: string, filters: (string | null | undefined)[]): string {
  const text = filters.filter(Boolean).join(', ')
  const letters = Array.from(text)
  const filterText = letters.length > MAX_FILTER_LETTERS ? `${letters.slice(0, MAX_FILTER_LETTERS).join('')}…` : text
  return filterText ? `${filterText} · ${page}` : page
}

/** Formats the period of an address for a title; null without one. Invalid days stay as typed. */
export function formatTitlePeriod(from: string, to: string, { format }: Language): string | null {
  const formatDay = (text: string) => (Number.isNaN(Date.parse(text)) ? text : format.day(text))
  return from || to ? `${formatDay(from)} – ${formatDay(to)}`.trim() : null
}
