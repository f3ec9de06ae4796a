/** So much of what narrows a page is told in its title: a tab shows less, a bookmark more. */
const LONGEST = 80

/** The title of a page that something narrows: "password · Recordings", so that tabs and bookmarks differ. */
export function titleOf(page: string, narrowed: (string | null | undefined)[]): string {
  const text = narrowed.filter(Boolean).join(', ')
  const letters = Array.from(text)
  const shown = letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : text
  return shown ? `${shown} · ${page}` : page
}
