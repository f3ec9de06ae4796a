import type { Sql } from '../db/sql.ts'
import { HAS_EXPIRED, IS_DUE } from './claims.ts'
import type { Queue } from './queue.ts'

/** Finds the queues with a due job, in one statement. The claim decides whether the job can run. */
export async function queuesWithDueJobs(sql: Sql, queues: readonly Queue[]): Promise<Queue[]> {
  return queuesWhere(sql, queues, (queue) => queue.order, IS_DUE)
}

/** The queues with a job whose lease has expired. */
export async function queuesWithExpiredJobs(sql: Sql, queues: readonly Queue[]): Promise<Queue[]> {
  return queuesWhere(sql, queues, () => 'lease_until', HAS_EXPIRED)
}

/** Each order matches an index; otherwise Postgres can scan a large table from its beginning to find one row. */
async function queuesWhere(
  sql: Sql,
  queues: readonly Queue[],
  orderOf: (queue: Queue) => string,
  condition: string,
): Promise<Queue[]> {
  const first = (queue: Queue) =>
    `(SELECT id FROM ${queue.table} WHERE ${condition} ORDER BY ${orderOf(queue)} LIMIT 1)`
  const { rows } = await sql.query<{ name: string }>({
    text: queues.map((queue) => `SELECT '${queue.name}' AS name WHERE ${first(queue)} IS NOT NULL`).join(' UNION ALL '),
  })
  return queues.filter(({ name }) => rows.some((row) => row.name === name))
}
