import type { Language } from './i18n.ts'

/** So much of what narrows a page is told in its title: a tab shows less, a bookmark more. */
const LONGEST = 80

/** The title of a page that something narrows: "password · Recordings", so that tabs and bookmarks differ. */
export function titleOf(page: string, narrowed: (string | null | undefined)[]): string {
  const text = narrowed.filter(Boolean).join(', ')
  const letters = Array.from(text)
  const shown = letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : text
  return shown ? `${shown} · ${page}` : page
}

/** The days that an address names, as a title tells them; what is no day stands as it was typed. */
export function daysInTitle(from: string, to: string, { format }: Language): string | null {
  const day = (text: string) => (Number.isNaN(Date.parse(text)) ? text : format.day(text))
  return from || to ? `${day(from)} – ${day(to)}`.trim() : null
}
