import { v7 } from 'uuid'

/** Generates a UUIDv7, so that ids sort by creation time. */
export const generateId = (): string => v7()

/** Returns each id once, in lower case as Postgres returns UUIDs. */
export const toUniqueIds = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))]

/** Returns true for a UUID of any version, in upper or lower case. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
