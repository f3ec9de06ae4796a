/**
 * npm run schema: run it after adding a migration. Writes the schema that the migrations create in an empty database to
 * migrations/schema.json, with which `migrate` compares. Freezes the new files in migrations/checksums.json.
 */
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SetupError, projectFolder, setUp } from './setup.mjs'

const OUT_FOLDER = join(projectFolder, 'dist-schema')

try {
  await setUp({ build: false })
  writeChecksums()
  await writeSchema()
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error)
  process.exitCode = 1
}

/** Adds the checksums of new migrations. @throws SetupError if a migration with a checksum was changed */
function writeChecksums() {
  const file = 'migrations/checksums.json'
  const frozen = JSON.parse(readFileSync(file, 'utf8'))
  for (const name of readdirSync('migrations').sort()) {
    if (!/^\d+-.*\.ts$/.test(name)) continue
    const checksum = createHash('sha256')
      .update(readFileSync(join('migrations', name)))
      .digest('hex')
    frozen[name] ??= checksum
    if (frozen[name] !== checksum)
      throw new SetupError(
        `migrations/${name} was changed. One that has landed never is: databases have applied it. Take the change back ` +
          `and write another migration. If it has not landed yet, remove its line from ${file} and try again.`,
      )
  }
  writeFileSync(file, `${JSON.stringify(frozen, undefined, 2)}\n`)
}

async function writeSchema() {
  const { build } = await import('esbuild')
  const folder = mkdtempSync(join(tmpdir(), 'svc-schema-'))
  chmodSync(folder, 0o711) // As root, Postgres runs as another user, who needs access.
  let server
  try {
    await build({
      entryPoints: { embedded: 'src/app/embedded/index.ts', schema: 'src/test/migrated-schema.ts' },
      outdir: OUT_FOLDER,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      keepNames: true,
      logLevel: 'warning',
    })
    const load = (name) => import(pathToFileURL(join(OUT_FOLDER, name)).href)
    const [{ startPostgres }, { loadMigratedSchema }] = [await load('embedded.js'), await load('schema.js')]
    server = await startPostgres({ folder: join(folder, 'postgres'), durable: false, maxConnections: 20 })
    const schema = await loadMigratedSchema(server.url)
    writeFileSync('migrations/schema.json', `${JSON.stringify(schema, undefined, 2)}\n`)
    console.log('migrations/schema.json and migrations/checksums.json are of today: commit them with the migration.')
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
    rmSync(OUT_FOLDER, { recursive: true, force: true })
  }
}
