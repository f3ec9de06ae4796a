/** A condition of a statement, with its values as ? in order. */
export interface Condition {
  sql: string
  values: unknown[]
}

/** Conditions that must all be true. */
export type Conditions = Condition[]

/** Conditions of one value each; an undefined value adds none. */
export function where(...entries: [sql: string, value: unknown][]): Conditions {
  return entries.filter(([, value]) => value !== undefined).map(([sql, value]) => ({ sql, values: [value] }))
}

/** Collects the values of a statement and numbers their parameters. */
export class SqlParameters {
  readonly values: unknown[] = []

  /** The parameter for a value. */
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** Conditions joined by AND, to follow WHERE. */
  and(conditions: Conditions): string {
    const numbered = conditions.map(({ sql, values }) => {
      let n = 0
      return sql.replace(/\?/g, () => this.add(values[n++]))
    })
    return numbered.join(' AND ') || 'true'
  }
}

/** Escapes a text for LIKE … ESCAPE '!'. */
export const escapeLike = (text: string): string => text.replace(/[!%_]/g, '!$&')
