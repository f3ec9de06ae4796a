/** npm run bench:NAME: sets everything up, builds, and runs bench/NAME.ts. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError, project, run, setUp, step } from './setup.mjs'

const OUT = 'dist-bench'
const [name = '', ...args] = process.argv.slice(2)

try {
  if (!existsSync(join(project, 'bench', `${name}.ts`))) throw new SetupError(`There is no benchmark bench/${name}.ts.`)
  await setUp({ build: false, tests: true })
  await step('building', () => run(process.execPath, ['build.mjs', '--bench', `--out=${OUT}`]))
  const child = spawn(process.execPath, ['--enable-source-maps', join(OUT, 'bench', `${name}.mjs`), ...args], {
    stdio: 'inherit',
    env: { ...process.env, SVC_BENCH_BUNDLE: join(project, OUT, 'svc.js') },
  })
  child.once('exit', (code) => process.exit(code ?? 1))
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error)
  process.exit(1)
}
