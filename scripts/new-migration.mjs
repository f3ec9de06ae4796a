/** npm run migration NAME: writes migrations/<millis>-name.ts and adds it to the list in migrations/index.ts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'migrations')
const name = process.argv[2] ?? ''
if (process.argv.length !== 3 || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  console.error('Usage: npm run migration NAME (words of small letters and digits, joined by -)')
  process.exit(2)
}

const timestampMs = Date.now()
const file = `${timestampMs}-${name}.ts`
const className = name.replace(/(^|-)(.)/g, (_match, _dash, letter) => letter.toUpperCase()) + timestampMs
const indexFile = join(folder, 'index.ts')
writeFileSync(
  indexFile,
  addMigration(existsSync(indexFile) ? readFileSync(indexFile, 'utf8') : 'export const migrations = []\n'),
)
writeFileSync(
  join(folder, file),
  `import type { MigrationInterface, QueryRunner } from 'typeorm'

/** TODO: the reason for this migration. It deletes and renames nothing, because the previous release must run on this schema. */
export class ${className} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`
      -- TODO
    \`)
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
`,
)
console.log(`migrations/${file}`)

/** Adds the new migration to the imports and to the end of the list, which is in the order of execution. */
function addMigration(text) {
  const list = /(export const migrations\b[^=]*=\s*\[)([^\]]*)(\])/
  if (!list.test(text)) throw new Error('migrations/index.ts has no list "export const migrations = [ … ]"')
  const imports = [...text.matchAll(/^import .*\n/gm)].at(-1)
  const at = imports ? imports.index + imports[0].length : 0
  const line = `import { ${className} } from './${file}'\n${at === 0 ? '\n' : ''}`
  return (text.slice(0, at) + line + text.slice(at)).replace(list, (_match, open, entries, close) => {
    const names = entries.split(',').map((entry) => entry.trim())
    const all = [...names.filter((entry) => entry !== ''), className]
    const short = `${open}${all.join(', ')}${close}`
    return short.length <= 120 ? short : `${open}\n${all.map((entry) => `  ${entry},\n`).join('')}${close}`
  })
}
