/** Parses a moment such as 6:57.5, 1:06:57 or 417.5. @returns seconds, or null for other text */
export function parseMoment(text: string): number | null {
  if (!/^(?:\d{1,3}:){0,2}\d{1,6}(?:[.,]\d{1,3})?$/.test(text)) return null
  return text
    .replace(',', '.')
    .split(':')
    .reduce((seconds, part) => seconds * 60 + Number(part), 0)
}
