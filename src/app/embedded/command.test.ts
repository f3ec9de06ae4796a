import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ALLOCATOR_ENV, runCommand } from './command.ts'

const LIMIT_MS = 20_000

describe('allocator variables of commands', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-command-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Returns the allocator variables in the environment of a command. */
  async function readChildEnv(env?: NodeJS.ProcessEnv): Promise<unknown> {
    const [bundle, logFile] = [join(folder, 'bundle.mjs'), join(folder, 'log')]
    const names = JSON.stringify(Object.keys(ALLOCATOR_ENV))
    writeFileSync(bundle, `console.log(JSON.stringify(${names}.map((name) => [name, process.env[name]])))`)
    await runCommand({ bundle, command: 'asr', overrides: {}, logFile, env }, LIMIT_MS)
    return Object.fromEntries(JSON.parse(readFileSync(logFile, 'utf8')) as [string, string][])
  }

  it('a command gets the same allocator variables as the Docker image', async () => {
    expect(await readChildEnv()).to.deep.equal(ALLOCATOR_ENV)
    const image = readFileSync('Dockerfile', 'utf8')
    for (const [name, value] of Object.entries(ALLOCATOR_ENV))
      expect(image).to.match(new RegExp(`^ENV.* ${name}=${value}\\b`, 'm'))
  })

  it('a command keeps allocator variables that the environment sets', async () => {
    const own = { MALLOC_TRIM_THRESHOLD_: '131072' }
    expect(await readChildEnv({ ...process.env, ...own })).to.deep.equal({ ...ALLOCATOR_ENV, ...own })
  })
})
