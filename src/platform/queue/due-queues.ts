import type { Sql } from '../db/sql.ts'
import { HAS_EXPIRED_SQL, IS_DUE_SQL } from './claims.ts'
import type { Queue } from './queue.ts'

/** Finds the queues with a due job, in one statement. The claim decides whether the job can run. */
export async function listQueuesWithDueJobs(sql: Sql, queues: readonly Queue[]): Promise<Queue[]> {
  return listQueuesWhere(sql, queues, (queue) => queue.order, IS_DUE_SQL)
}

/** The queues with a job whose lease has expired. */
export async function listQueuesWithExpiredJobs(sql: Sql, queues: readonly Queue[]): Promise<Queue[]> {
  return listQueuesWhere(sql, queues, () => 'lease_until', HAS_EXPIRED_SQL)
}

/** Each order matches an index; otherwise Postgres can scan a large table from its beginning to find one row. */
async function listQueuesWhere(
  sql: Sql,
  queues: readonly Queue[],
  orderOf: (queue: Queue) => string,
  condition: string,
): Promise<Queue[]> {
  const formatFirstJobQuery = (queue: Queue) =>
    `(SELECT id FROM ${queue.table} WHERE ${condition} ORDER BY ${orderOf(queue)} LIMIT 1)`
  const { rows } = await sql.query<{ name: string }>({
    text: queues
      .map((queue) => `SELECT '${queue.name}' AS name WHERE ${formatFirstJobQuery(queue)} IS NOT NULL`)
      .join(' UNION ALL '),
  })
  return queues.filter(({ name }) => rows.some((row) => row.name === name))
}
