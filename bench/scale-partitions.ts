/**
 * What partitioning the table of recordings would change: the statements of the lists, run by psql on the table as it is and on
 * one in partitions of a quarter of a year with the same rows and indexes.
 *
 *   npm run bench:scale -- partitions 1000000
 *
 * A partitioned table cannot be the product's as it stands: a generated column such as call_at cannot divide it, and no index over
 * it keeps an id or the id of a call unique. Here call_at is written and such indexes are ordinary ones.
 */
import pg from 'pg'
import { casesFor } from './scale-cases.ts'
import { measurePsql, summarize, type Target } from './scale-measure.ts'
import { openSpy } from './scale-spy.ts'
import { median } from './support.ts'

const ROUNDS = 2

/** Prints each kind of statement with both medians, then what it takes to remove the oldest quarter. */
export async function measurePartitions(target: Target, { rows }: { rows: number }): Promise<void> {
  const spy = await openSpy(target)
  const cases: { name: string; statements: string[][] }[] = []
  for (const { name, paths } of casesFor(rows)) {
    const lists = paths.filter((path) => /^\/v1\/recordings(\?|$)/.test(path))
    if (lists.length > 0) cases.push({ name, statements: await spy.statements(lists) })
  }
  await spy.close()
  const db = new pg.Client({ connectionString: target.databaseUrl })
  await db.connect()
  const whole = new Map<string, number>()
  for (const { name, statements } of cases) whole.set(name, await medianOf(target, statements))
  const began = performance.now()
  const partitions = await divide(db)
  console.log(`\n${partitions} partitions, made in ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
  console.log('| what | whole, median ms | in partitions | ratio |\n| --- | ---: | ---: | ---: |')
  for (const { name, statements } of cases) {
    const [before, now] = [whole.get(name)!, await medianOf(target, statements)]
    console.log(`| ${name} | ${before.toFixed(1)} | ${now.toFixed(1)} | ${(now / before).toFixed(2)} |`)
  }
  await compareRemoval(db)
  await db.end()
}

async function medianOf(target: Target, statements: string[][]): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(summarize(await measurePsql(target, statements)).median)
  return median(times)
}

/** Puts a divided copy of recordings in its place; the table itself becomes recordings_whole. */
async function divide(db: pg.Client): Promise<number> {
  const { rows: indexes } = await db.query<{ def: string }>(
    `SELECT pg_get_indexdef(indexrelid) AS def FROM pg_index WHERE indrelid = 'recordings'::regclass`,
  )
  const { rows: columns } = await db.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute WHERE attrelid = 'recordings'::regclass AND attnum > 0
        AND NOT attisdropped`,
  )
  const names = columns.map(({ name }) => name).join()
  await db.query(`
    ALTER TABLE recordings RENAME TO recordings_whole;
    CREATE TABLE recordings (LIKE recordings_whole INCLUDING DEFAULTS) PARTITION BY RANGE (call_at)`)
  const { rows: quarters } = await db.query<{ name: string; from: string; to: string }>(`
    SELECT to_char(q, '"recordings_"YYYY_Q') AS name, q::text AS "from", (q + interval '3 months')::text AS "to"
      FROM (SELECT date_trunc('quarter', min(call_at)) AS first, max(call_at) AS last FROM recordings_whole) AS ends,
           generate_series(first, last, '3 months') AS q`)
  for (const { name, from, to } of quarters)
    await db.query(`CREATE TABLE ${name} PARTITION OF recordings FOR VALUES FROM ('${from}') TO ('${to}')`)
  await db.query(`SET maintenance_work_mem = '512MB'`)
  await db.query(`INSERT INTO recordings (${names}) SELECT ${names} FROM recordings_whole`)
  for (const [n, { def }] of indexes.entries())
    await db.query(
      def.replace(
        /^CREATE (UNIQUE )?INDEX \S+ ON (ONLY )?public\.recordings/,
        `CREATE INDEX parted_${n} ON recordings`,
      ),
    )
  await db.query('VACUUM ANALYZE recordings')
  return quarters.length
}

/** To remove the oldest quarter: its rows, or its partition at once. */
async function compareRemoval(db: pg.Client): Promise<void> {
  const { rows } = await db.query<{ partition: string; rows: string; first: string }>(`
    SELECT tableoid::regclass::text AS partition, count(*) AS rows, min(call_at) AS first
      FROM recordings GROUP BY tableoid ORDER BY min(call_at) LIMIT 1`)
  const { partition, rows: count } = rows[0]!
  await db.query('BEGIN')
  const began = performance.now()
  await db.query(`SET LOCAL session_replication_role = replica`) // without triggers, as those of the partition
  await db.query(`DELETE FROM recordings_whole WHERE id IN (SELECT id FROM ${partition})`)
  const removed = performance.now() - began
  await db.query('ROLLBACK')
  const then = performance.now()
  await db.query(`DROP TABLE ${partition}`)
  const dropped = performance.now() - then
  console.log(
    `\nto remove the oldest ${count} rows: ${removed.toFixed(0)} ms, their partition: ${dropped.toFixed(0)} ms`,
  )
}
