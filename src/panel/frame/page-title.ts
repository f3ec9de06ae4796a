import type { Language } from './i18n.ts'

/** The maximum length of filters in a title: a tab shows less, a bookmark more. */
const LONGEST = 80

/** The title of a filtered page: "password · Recordings", so that tabs and bookmarks differ. */
export function titleOf(page: string, narrowed: (string | null | undefined)[]): string {
  const text = narrowed.filter(Boolean).join(', ')
  const letters = Array.from(text)
  const shown = letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : text
  return shown ? `${shown} · ${page}` : page
}

/** The days in an address, formatted for a title; other text stays as typed. */
export function daysInTitle(from: string, to: string, { format }: Language): string | null {
  const day = (text: string) => (Number.isNaN(Date.parse(text)) ? text : format.day(text))
  return from || to ? `${day(from)} – ${day(to)}`.trim() : null
}
