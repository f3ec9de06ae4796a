/**
 * A name as it is stored: no white space of any kind around it, single spaces inside. Every name passes here where it
 * enters, because SQL compares names as they are but for their case, and its btrim knows no space but the plain one.
 */
export const cleanName = (text: string): string => text.trim().replace(/\s+/g, ' ')
