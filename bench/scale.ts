/**
 * Lists, search, overviews and export over 1,000,000 calls, and over 10,000, so that the growth shows; each against
 * the same statements run by psql. Other sizes: npm run bench:scale -- 10000 200000; one half of it: -- exports 10000,
 * -- lists 10000. With -- partitions 1000000 the lists' statements are compared with those on a partitioned table.
 */
import { measurePartitions } from './scale-partitions.ts'
import { hasPsql, measureExports, measureLists } from './scale-table.ts'
import { seedCalls } from './seed.ts'
import { startStack } from './support.ts'

const USUAL = { lists: measureLists, exports: measureExports }
const PARTS = { ...USUAL, partitions: measurePartitions }

const words = process.argv.slice(2)
const sizes = words.map(Number).filter(Boolean)
const named = Object.entries(PARTS).filter(([name]) => words.includes(name))
const parts = named.length > 0 ? named : Object.entries(USUAL)
if (!hasPsql) console.log('There is no psql here (Debian: postgresql-client): what is compared with it is left out.')
for (const rows of sizes.length > 0 ? sizes : [10_000, 1_000_000]) await measureSize(rows)
process.exit()

async function measureSize(rows: number): Promise<void> {
  const stack = await startStack({}, { API_RUN_MODE: 'api', LOG_LEVEL: 'warn' })
  const startedAt = performance.now()
  await seedCalls(stack.config.DATABASE_URL, rows)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`\n### ${rows.toLocaleString('en')} calls (made in ${seconds} s)\n`)
  const api = await stack.startApi()
  const target = { databaseUrl: stack.config.DATABASE_URL, apiUrl: stack.config.apiUrl, key: stack.key }
  for (const [, measure] of parts) await measure(target, { rows, apiPid: api.pid! })
  await api.stop(['SIGTERM', 30_000])
  await stack.stop()
}
