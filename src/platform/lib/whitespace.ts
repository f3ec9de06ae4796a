/** A name as stored: trimmed, with single spaces. Clean every name on entry, because SQL compares them as they are. */
export const normalizeWhitespace = (text: string): string => text.trim().replace(/\s+/g, ' ')
