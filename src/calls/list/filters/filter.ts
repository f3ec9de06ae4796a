import Type, { type Static, type TOptional, type TSchema } from 'typebox'
import type { Actor } from '../../../platform/http/actor.ts'
import { parseDayOrTime } from '../../../platform/lib/time.ts'
import type { Conditions } from '../../../platform/lib/sql-conditions.ts'
import type { ColumnRange } from '../selection.ts'

/** A filter of the lists of calls: its query parameter and its conditions. */
export interface Filter<S extends TSchema = TSchema> {
  schema: TOptional<S>
  /** Conditions on recordings r. */
  where?(value: Static<S>, context: FilterContext): Conditions
  /** The counters that have the columns of the conditions: "flags" have status, source and direction. Default: none. */
  counters?: 'flags' | 'manager'
  /** Filters by a bound of a range, which has counters of its own. */
  range?(value: Static<S>, context: FilterContext): Omit<ColumnRange, 'closed'> & Partial<ColumnRange>
}

/** The context that the meaning of a value can depend on. */
interface FilterContext {
  actor: Actor
  timeZone: string
}

/** Defines a filter of a list. Its parameter is always optional. */
export const filter = <S extends TSchema>(schema: S, options: Omit<Filter<S>, 'schema'>): Filter<S> => ({
  schema: Type.Optional(schema) as TOptional<S>,
  ...options,
})

/** The schemas of filters, as parameters of an operation. */
export function pickSchemas<F extends Record<string, { schema: TSchema }>>(
  filters: F,
): { [N in keyof F]: F[N]['schema'] } {
  const schemas = Object.entries(filters).map(([name, { schema }]) => [name, schema])
  return Object.fromEntries(schemas) as { [N in keyof F]: F[N]['schema'] }
}

/** A time that its schema has validated. */
export const parseTime = (value: string, { timeZone }: FilterContext): Date => parseDayOrTime(value, timeZone)!
