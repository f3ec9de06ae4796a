/** A condition of a statement, its values as ? in their order. */
export interface Condition {
  sql: string
  values: unknown[]
}

/** Conditions that hold together. */
export type Where = Condition[]

/** Conditions of one value each; where the value is undefined, there is no condition. */
export function where(...given: [sql: string, value: unknown][]): Where {
  return given.filter(([, value]) => value !== undefined).map(([sql, value]) => ({ sql, values: [value] }))
}

/** Collects the values of a statement and numbers their parameters. */
export class Parameters {
  readonly values: unknown[] = []

  /** The parameter that stands for a value. */
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** Conditions joined by AND, to stand after WHERE. */
  and(conditions: Where): string {
    const numbered = conditions.map(({ sql, values }) => {
      let n = 0
      return sql.replace(/\?/g, () => this.add(values[n++]))
    })
    return numbered.join(' AND ') || 'true'
  }
}

/** Text that LIKE … ESCAPE '!' takes as it is. */
export const escapeLike = (text: string): string => text.replace(/[!%_]/g, '!$&')
