import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { migrations } from '../../migrations/index.ts'

/**
 * Releases whose databases are out there, by commit: the two whose upgrade once lost calls, the last one without managers,
 * checks and CRM, and the last one of all. Their bundles are run with TEST_THOROUGH=1, that of the last one always.
 */
export const OLD_RELEASES = ['23f3f06', 'd72364c', 'bb79b4c', '5df75bc']

/** Where the project lies; the tests run there. */
const old = (name: string) => readFileSync(join('src/test/old-migrations', `${name}.sql`), 'utf8')

/** What a migration of today asks the database for. */
async function statements(name: string): Promise<string> {
  const migration = new (migrations.find((known) => known.name.startsWith(name))!)()
  const asked: string[] = []
  const query = (sql: string) => void asked.push(sql.trim().replace(/;?$/, ';'))
  await migration.up({ query } as never)
  return asked.join('\n')
}

/** A migration that a database has applied: its name, and the text that it had then, if another than today. */
type Applied = [name: string, text?: (today: string) => string]

const FIRST = 'FirstSchema1763600000000'
const QUEUES = 'Queues1763700000000'
const INGESTION = 'Ingestion1763750000000'
const SEARCH = 'Search1763810000000'
const EVIDENCE = 'Evidence1763860000000'
const AUDIT = 'Audit1763865000000'

const jsonb = () => old('first-schema-23f3f06')
const noHost = () => jsonb().replace('segments jsonb', 'segments json')
const early: Applied = [SEARCH, () => old('search-d72364c')]
const narrow: Applied = [SEARCH, (today) => today.replace(' INCLUDE (n, milliseconds)', '')]
const creation: Applied = [QUEUES, () => old('queues-1799ebe')]

/** Every schema that a commit of the product has made by migrations that were changed later, by such a commit. */
export const OLD_SCHEMAS: Record<string, Applied[]> = {
  '23f3f06': [[FIRST, jsonb]],
  '0f97f45': [[FIRST, noHost]],
  '1799ebe': [[FIRST, noHost], creation],
  '1436693': [[FIRST], creation],
  '967b5f3': [[FIRST, noHost], [INGESTION]],
  '3fbbd31': [[FIRST, noHost], early],
  d72364c: [[FIRST], creation, [INGESTION], early],
  fa50a4c: [[FIRST], [QUEUES], [INGESTION], early],
  '6b3125e': [[FIRST, noHost], narrow],
  c722273: [[FIRST], [QUEUES], [INGESTION], narrow],
  '1184c41': [[FIRST, noHost], [SEARCH]],
  '5c2a2b5': [[FIRST], [QUEUES], [INGESTION], [SEARCH], [EVIDENCE], [AUDIT, () => old('audit-5c2a2b5')]],
  bb79b4c: migrations.slice(0, 10).map(({ name }) => [name]),
}

/** The statements that make such a schema, with the notes that typeorm keeps of it. */
export async function oldSchema(commit: string): Promise<string> {
  const parts = [
    'CREATE TABLE schema_migrations (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL);',
  ]
  for (const [name, text] of OLD_SCHEMAS[commit]!) {
    const today = await statements(name)
    const then = text?.(today) ?? today
    if (text && then === today) throw new Error(`${commit}: ${name} is the one of today`)
    parts.push(then, `INSERT INTO schema_migrations (timestamp, name) VALUES (${name.slice(-13)}, '${name}');`)
  }
  return parts.join('\n')
}

/** Whether the history of the repository is here: not in a copy without it, nor in a shallow clone. */
export function hasHistory(): boolean {
  try {
    for (const commit of OLD_RELEASES) execFileSync('git', ['cat-file', '-e', `${commit}^{tree}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Builds a release from the history with the packages of today; returns the path of its svc.js. Two packages of theirs are
 * gone, which took uploads apart and wrote csv: neither is tried here.
 */
export async function buildRelease(commit: string): Promise<string> {
  const folder = join(dirname(process.env.SVC_TEST_BUNDLE!), 'releases', commit)
  const bundle = join(folder, 'dist', 'svc.js')
  if (existsSync(bundle)) return bundle
  const making = `${folder}.${process.pid}`
  const source = join(making, 'source')
  mkdirSync(source, { recursive: true })
  const archive = execFileSync('git', ['archive', commit, 'src', 'migrations', 'package.json', 'tsconfig.json'], {
    maxBuffer: 64 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', source], { input: archive })
  const gone = join(source, 'gone.js')
  writeFileSync(gone, 'export const Dicer = undefined, stringify = undefined')
  await build({
    entryPoints: { svc: join(source, 'src/main.ts') },
    outdir: join(making, 'dist'),
    alias: { '@fastify/busboy': gone, 'csv-stringify/sync': gone },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    keepNames: true,
    define: { SVC_VERSION: '"0.1.0"', SVC_COMMIT: `"${commit}"` },
    logLevel: 'warning',
  })
  // Whole at once: another process may look for it meanwhile, or have made it.
  if (existsSync(bundle)) rmSync(making, { recursive: true })
  else renameSync(making, folder)
  return bundle
}
