/** Anything that runs SQL: the pool, or one connection inside a transaction. */
export interface Sql {
  query<R extends object>(statement: {
    name?: string
    text: string
    values?: unknown[]
  }): Promise<{ rows: R[]; rowCount: number | null }>
}
