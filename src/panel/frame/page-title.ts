import type { Language } from './i18n.ts'

/** The maximum length of filters in a title: a tab shows less, a bookmark more. */
const MAX_FILTER_LETTERS = 80

/** The title of a filtered page: "password · Recordings", so that tabs and bookmarks differ. */
export function formatTitle(page: string, filters: (string | null | undefined)[]): string {
  const text = filters.filter(Boolean).join(', ')
  const letters = Array.from(text)
  const filterText = letters.length > MAX_FILTER_LETTERS ? `${letters.slice(0, MAX_FILTER_LETTERS).join('')}…` : text
  return filterText ? `${filterText} · ${page}` : page
}

/** The days in an address, formatted for a title; other text stays as typed. */
export function formatTitleDays(from: string, to: string, { format }: Language): string | null {
  const formatDay = (text: string) => (Number.isNaN(Date.parse(text)) ? text : format.day(text))
  return from || to ? `${formatDay(from)} – ${formatDay(to)}`.trim() : null
}
