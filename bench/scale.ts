/**
 * Lists, search, overviews and export over 1,000,000 calls, and over 10,000, so that the growth shows; each against
 * the same statements run by psql. Other sizes: npm run bench:scale -- 10000 200000; one half of it: -- exports 10000,
 * -- lists 10000. With -- partitions 1000000 the lists' statements are compared with those on a partitioned table.
 * With kept=FOLDER the database is made there the first time and used again the next; only=manager,q: measures the lists
 * whose names begin so.
 */
import { measurePartitions } from './scale-partitions.ts'
import { hasPsql, measureExports, measureLists } from './scale-table.ts'
import { seedCalls } from './seed.ts'
import { startStack } from './support.ts'

const USUAL = { lists: measureLists, exports: measureExports }
const PARTS = { ...USUAL, partitions: measurePartitions }

const words = process.argv.slice(2)
const kept = valueOf('kept')
const only = valueOf('only')?.split(',')
const sizes = words.map(Number).filter(Boolean)
const named = Object.entries(PARTS).filter(([name]) => words.includes(name))
const parts = named.length > 0 ? named : Object.entries(USUAL)
if (!hasPsql) console.log('There is no psql here (Debian: postgresql-client): what is compared with it is left out.')
for (const rows of sizes.length > 0 ? sizes : [10_000, 1_000_000]) await measureSize(rows)
process.exit()

function valueOf(name: string): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
}

async function measureSize(rows: number): Promise<void> {
  const stack = await startStack({ kept }, { API_RUN_MODE: 'api', LOG_LEVEL: 'warn' })
  const startedAt = performance.now()
  if (stack.isFresh) await seedCalls(stack.config.DATABASE_URL, rows)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`\n### ${rows.toLocaleString('en')} calls (${stack.isFresh ? `made in ${seconds} s` : 'made before'})\n`)
  const api = await stack.startApi()
  const target = { databaseUrl: stack.config.DATABASE_URL, apiUrl: stack.config.apiUrl, key: stack.key }
  for (const [, measure] of parts) await measure(target, { rows, only, apiPid: api.pid! })
  await api.stop(['SIGTERM', 30_000])
  await stack.stop()
}
