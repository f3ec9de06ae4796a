import { v7 } from 'uuid'

/** A new id: UUIDv7, so ids sort by time of creation. */
export const generateId = (): string => v7()

/** Whether a text is a UUID of any version. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
