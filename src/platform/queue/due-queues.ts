import type { Sql } from '../db/sql.ts'
import { HAS_EXPIRED_LEASE_SQL, IS_JOB_DUE_SQL } from './claims.ts'
import type { Queue } from './queue.ts'

/** Lists the queues with a due job, in one statement. Only the claim decides whether the job can run. */
export async function listQueuesWithDueJobs(sql: Sql, queues: readonly Queue[]): Promise<Queue[]> {
  return listQueuesWhere(sql, queues, (queue) => queue.order, IS_JOB_DUE_SQL)
}

/** Lists the queues that have a job with an expired lease. */
export async function listQueuesWithExpiredJobs(sql: Sql, queues: readonly Queue[]): Promise<Queue[]> {
  return listQueuesWhere(sql, queues, () => 'lease_until', HAS_EXPIRED_LEASE_SQL)
}

/** Orders each subquery like an index. Otherwise Postgres can scan a large table to find one row. */
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
