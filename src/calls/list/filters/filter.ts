import Type, { type Static, type TOptional, type TSchema } from 'typebox'
import type { Actor } from '../../../platform/http/actor.ts'
import { parseDayOrTime } from '../../../platform/lib/time.ts'
import type { SqlConditions } from '../../../platform/lib/sql-conditions.ts'
import type { RecordingColumnRange } from '../selection.ts'

/** A filter of call lists, with the schema of its query parameter and its SQL conditions. */
export interface RecordingFilter<S extends TSchema = TSchema> {
  schema: TOptional<S>
  /** Returns conditions on the table recordings r. */
  where?(value: Static<S>, context: FilterContext): SqlConditions
  /**
   * The counters that have the columns of the conditions. 'flags' have status, source and direction. Without it, lists count
   * rows.
   */
  counters?: 'flags' | 'manager'
  /** Returns one or both bounds of a range. Ranges have their own counters. */
  range?(value: Static<S>, context: FilterContext): Omit<RecordingColumnRange, 'closed'> & Partial<RecordingColumnRange>
}

/** The actor and the time zone of the request, which some filters need. */
interface FilterContext {
  actor: Actor
  timeZone: string
}

/** Defines a filter. Its query parameter is always optional. */
export const defineRecordingFilter = <S extends TSchema>(
  schema: S,
  options: Omit<RecordingFilter<S>, 'schema'>,
): RecordingFilter<S> => ({
  schema: Type.Optional(schema) as TOptional<S>,
  ...options,
})

/** Returns the schemas of filters by parameter name, for the query of an operation. */
export function pickFilterSchemas<F extends Record<string, { schema: TSchema }>>(
  filters: F,
): { [N in keyof F]: F[N]['schema'] } {
  const schemas = Object.entries(filters).map(([name, { schema }]) => [name, schema])
  return Object.fromEntries(schemas) as { [N in keyof F]: F[N]['schema'] }
}

/** Parses a day or time that the schema has validated. A day starts at midnight in APP_TIMEZONE. */
export const parseFilterTime = (value: string, { timeZone }: FilterContext): Date => parseDayOrTime(value, timeZone)!
