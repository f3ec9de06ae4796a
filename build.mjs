/**
 * Bundles the product into dist/svc.js, with one lazily loaded chunk for each command. --tests adds every *.test.ts as
 * dist/test/, --bench every benchmark as dist/bench/. Packages of the product are bundled too, because finding and reading a
 * thousand files slows each start. Packages of tests stay outside.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The commit this build stands for: from git, or from SVC_COMMIT where there is no repository (the image). */
function commit() {
  if (process.env.SVC_COMMIT) return process.env.SVC_COMMIT
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}

const common = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  define: { SVC_VERSION: JSON.stringify(version), SVC_COMMIT: JSON.stringify(commit()) },
  logLevel: 'warning',
}

/** Packages of machine code. They, and the files that packages bring, are read from node_modules. */
const OUTSIDE = ['@node-rs/argon2', 'koffi', 'onnxruntime-node']

/** On top of every file: packages written for require() ask for what is built into Node by it. */
const HEAD = `import { createRequire as $createRequire } from 'node:module'
const require = $createRequire(import.meta.url), $folder = import.meta.dirname`

/** Bundled packages find their data files where they are installed: node_modules is beside the output. */
const besideItself = {
  name: 'beside-itself',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.*\.c?js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
      if (!/\b__dirname\b/.test(code)) return undefined
      const folder = JSON.stringify(join('..', relative('.', dirname(path))))
      return { contents: `const __dirname = require('node:path').join($folder, ${folder});${code}` }
    }),
}

/** Words of dictionaries that are tens of thousands of lines of code: as JSON they are read in half the time. */
const wordsAsJson = {
  name: 'words-as-json',
  setup: ({ onLoad }) =>
    onLoad({ filter: /wink-lexicon\/src\/wn-[\w-]+\.js$/ }, ({ path }) => {
      const words = createRequire(import.meta.url)(path)
      const read = `JSON.parse(${JSON.stringify(JSON.stringify(words))})`
      // A word may be the name of what every other object has, such as constructor.
      const bare = Object.getPrototypeOf(words) === null ? `Object.setPrototypeOf(${read}, null)` : read
      return { contents: `module.exports = ${bare}` }
    }),
}

/** The client that bee-queue would connect with by itself: the notifier gives it connections of ioredis. */
const noSecondClient = {
  name: 'no-second-client',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^redis$/ }, () => ({ path: 'redis', namespace: 'left-out' }))
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** Paths of the files under `folder` whose name ends in `ending`. */
function filesEnding(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => name.endsWith(ending))
}

/** --out=FOLDER builds beside dist/, for work on two builds at once. */
const out = process.argv.find((argument) => argument.startsWith('--out='))?.slice(6) ?? 'dist'
const [fresh, old] = [`${out}.new`, `${out}.old`]

// A build that fails, for lack of space or by a kill, leaves the one before as it was.
for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true })
try {
  await buildAll()
} catch (error) {
  rmSync(fresh, { recursive: true, force: true })
  throw error
}
if (existsSync(out)) renameSync(out, old)
renameSync(fresh, out)
rmSync(old, { recursive: true, force: true })

async function buildAll() {
  await build({
    ...common,
    external: OUTSIDE,
    banner: { js: HEAD },
    plugins: [wordsAsJson, besideItself, noSecondClient],
    entryPoints: {
      svc: 'src/main.ts',
      'asr-worker': 'src/recognizer/worker-thread.ts',
      embedded: 'src/app/embedded/index.ts',
      'correlation-worker': 'src/reports/correlation/worker-thread.ts',
    },
    outdir: fresh,
  })
  if (process.argv.includes('--tests')) await buildEach(filesEnding('src', '.test.ts'), 'test')
  if (process.argv.includes('--bench')) await buildEach(filesEnding('bench', '.ts'), 'bench')
}

/** Bundles each file by itself, as .mjs, into a folder of the output. */
async function buildEach(entryPoints, folder) {
  await build({
    ...common,
    packages: 'external',
    entryPoints,
    outdir: join(fresh, folder),
    outExtension: { '.js': '.mjs' },
  })
}
