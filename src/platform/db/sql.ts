/** Runs SQL: the pool, or one connection inside a transaction. */
export interface Sql {
  query<R extends object>(statement: {
    text: string
    values?: unknown[]
  }): Promise<{ rows: R[]; rowCount: number | null }>
}
