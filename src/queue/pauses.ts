import type { Sql } from '../db.ts'

/** Whether the queue or step of this name begins nothing new. */
export async function isPausedByName(sql: Sql, name: string): Promise<boolean> {
  const { rowCount } = await sql.query({ text: 'SELECT FROM paused_queues WHERE name = $1', values: [name] })
  return rowCount === 1
}

/** Pauses the queue or step of this name in all processes, or lets it go on; returns whether that changed anything. */
export async function setPaused(sql: Sql, name: string, paused: boolean): Promise<boolean> {
  const text = paused
    ? 'INSERT INTO paused_queues (name) VALUES ($1) ON CONFLICT DO NOTHING'
    : 'DELETE FROM paused_queues WHERE name = $1'
  const { rowCount } = await sql.query({ text, values: [name] })
  return rowCount === 1
}
