/**
 * Trims a name and collapses whitespace to single spaces. Apply it to every name on entry, because SQL compares names as stored.
 */
export const normalizeWhitespace = (text: string): string => text.trim().replace(/\s+/g, ' ')
