/** Represents an SQL condition with `?` for each value, in order. */
export interface SqlCondition {
  sql: string
  values: unknown[]
}

/** Lists conditions that must all be true. */
export type SqlConditions = SqlCondition[]

/** Creates conditions with one value each. Entries with an undefined value add no condition. */
export function toConditions(...entries: [sql: string, value: unknown][]): SqlConditions {
  return entries.filter(([, value]) => value !== undefined).map(([sql, value]) => ({ sql, values: [value] }))
}

/** Collects the values of a statement and numbers their parameters. */
export class SqlParameters {
  readonly values: unknown[] = []

  /** Adds a value. @returns its parameter, such as $3 */
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** Joins conditions with AND for a WHERE clause; `true` without conditions. */
  and(conditions: SqlConditions): string {
    const numbered = conditions.map(({ sql, values }) => {
      let n = 0
      return sql.replace(/\?/g, () => this.add(values[n++]))
    })
    return numbered.join(' AND ') || 'true'
  }
}

/** Escapes wildcards for LIKE … ESCAPE '!'. */
export const escapeLikePattern = (text: string): string => text.replace(/[!%_]/g, '!$&')
