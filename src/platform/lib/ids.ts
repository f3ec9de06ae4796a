import { v7 } from 'uuid'

/** Generates a UUIDv7, so that ids sort by creation time. */
export const generateId = (): string => v7()

/** Returns true for a UUID of any version, in upper or lower case. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)

/** Removes duplicates and lowercases the ids, as Postgres returns UUIDs. */
export const normalizeIds = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))]
