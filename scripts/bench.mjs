/** npm run bench -- NAME: sets everything up, builds, and runs a benchmark. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { SetupError, projectFolder, runOrFail, setUp, runStep } from './setup.mjs'

const OUT_FOLDER = 'dist-bench'
/** Benchmarks by their file in bench/. */
const BENCH_FILES = {
  api: ['http', 'start', 'upload', 'slow-uploads'],
  transcription: ['transcription', 'memory'],
  recognizer: ['asr'],
  speech: ['speech', 'wer', 'voices', 'invented', 'confidence'],
  speakers: ['speakers'],
  scale: ['scale'],
  search: ['search'],
  workers: ['workers'],
  check: ['check'],
  panel: ['panel', 'long-calls'],
  'first-paint': ['first-paint'],
  notifications: ['notifications'],
  views: ['views'],
  analytics: ['analytics', 'home'],
  crm: ['crm'],
  hostile: ['hostile'],
  estimates: ['estimates'],
}
const [name = '', ...args] = process.argv.slice(2)

try {
  const file = Object.keys(BENCH_FILES).find((one) => BENCH_FILES[one].includes(name))
  if (!file)
    throw new SetupError(`Usage: npm run bench -- NAME, one of ${Object.values(BENCH_FILES).flat().join(', ')}`)
  await setUp({ build: false, tests: true })
  await runStep('building', () => runOrFail(process.execPath, ['build.mjs', '--bench', `--out=${OUT_FOLDER}`]))
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', join(OUT_FOLDER, 'bench', `${file}.mjs`), name, ...args],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        SVC_BENCH_BUNDLE: process.env.SVC_BENCH_BUNDLE ?? join(projectFolder, OUT_FOLDER, 'svc.js'),
      },
    },
  )
  child.once('exit', (code) => process.exit(code ?? 1))
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error)
  process.exit(1)
}
