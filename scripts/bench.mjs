/** npm run bench -- NAME: sets everything up, builds, and runs a benchmark. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { SetupError, project, run, setUp, step } from './setup.mjs'

const OUT = 'dist-bench'
/** Benchmarks by their file in bench/. */
const FILES = {
  api: ['http', 'start', 'upload', 'slow-uploads'],
  transcription: ['transcription', 'memory'],
  recognizer: ['asr'],
  speech: ['speech', 'wer', 'voices', 'invented', 'confidence'],
  scale: ['scale'],
  search: ['search'],
  workers: ['workers'],
  check: ['check'],
  panel: ['panel', 'long-calls'],
  analytics: ['analytics'],
  crm: ['crm'],
  hostile: ['hostile'],
}
const [name = '', ...args] = process.argv.slice(2)

try {
  const file = Object.keys(FILES).find((one) => FILES[one].includes(name))
  if (!file) throw new SetupError(`Usage: npm run bench -- NAME, one of ${Object.values(FILES).flat().join(', ')}`)
  await setUp({ build: false, tests: true })
  await step('building', () => run(process.execPath, ['build.mjs', '--bench', `--out=${OUT}`]))
  const child = spawn(process.execPath, ['--enable-source-maps', join(OUT, 'bench', `${file}.mjs`), name, ...args], {
    stdio: 'inherit',
    env: { ...process.env, SVC_BENCH_BUNDLE: process.env.SVC_BENCH_BUNDLE ?? join(project, OUT, 'svc.js') },
  })
  child.once('exit', (code) => process.exit(code ?? 1))
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error)
  process.exit(1)
}
