/**
 * Bundles the product into dist/svc.js, with one lazily loaded chunk for each command. --tests adds every *.test.ts of src as
 * dist/test/, --bench every file of bench as dist/bench/. Packages of the product are bundled too, because finding and reading a
 * thousand files slows each start. Packages of tests stay outside.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'

const { version, releaseDate } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Returns the short hash of the commit: SVC_COMMIT if it is set, as in the image; otherwise from git, or unknown. */
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
  define: {
    SVC_VERSION: JSON.stringify(version),
    SVC_RELEASE_DATE: JSON.stringify(releaseDate),
    SVC_COMMIT: JSON.stringify(commit()),
  },
  logLevel: 'warning',
}

/** Packages with native code cannot be bundled. The product loads them from node_modules. */
const OUTSIDE = ['@node-rs/argon2', 'koffi', 'onnxruntime-node']

/** Precedes each bundle, because CommonJS packages load the modules of Node with require(). */
const HEAD = `import { createRequire as $createRequire } from 'node:module'
const require = $createRequire(import.meta.url), $folder = import.meta.dirname`

/** Points __dirname of a bundled package to its folder in node_modules, where its data files are. */
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

/** Bundles the dictionaries of wink-lexicon as JSON, which Node parses in half the time of code. */
const wordsAsJson = {
  name: 'words-as-json',
  setup: ({ onLoad }) =>
    onLoad({ filter: /wink-lexicon\/src\/wn-[\w-]+\.js$/ }, ({ path }) => {
      const words = createRequire(import.meta.url)(path)
      const read = `JSON.parse(${JSON.stringify(JSON.stringify(words))})`
      // A word can be the name of a property that every object inherits, such as constructor.
      const bare = Object.getPrototypeOf(words) === null ? `Object.setPrototypeOf(${read}, null)` : read
      return { contents: `module.exports = ${bare}` }
    }),
}

/** Leaves out the Redis client of bee-queue, because the notifier passes connections of ioredis. */
const noSecondClient = {
  name: 'no-second-client',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^redis$/ }, () => ({ path: 'redis', namespace: 'left-out' }))
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** Lists the paths of the files under `folder` whose name ends in `ending`. */
function filesEnding(folder, ending) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => name.endsWith(ending))
}

/** --out=FOLDER builds into another folder than dist/, so that two builds can exist at once. */
const out = process.argv.find((argument) => argument.startsWith('--out='))?.slice(6) ?? 'dist'
const [fresh, old] = [`${out}.new`, `${out}.old`]

// Build beside the old output, so that a failed or killed build leaves the old one complete.
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
  await minifyPublicFiles()
  if (process.argv.includes('--tests')) await buildEach(filesEnding('src', '.test.ts'), 'test')
  if (process.argv.includes('--bench')) await buildEach(filesEnding('bench', '.ts'), 'bench')
}

/** Minifies the scripts and styles of the panel, which the product then serves instead of those in public/. */
async function minifyPublicFiles() {
  await build({
    entryPoints: ['.js', '.css'].flatMap((ending) => filesEnding('public', ending)),
    outbase: 'public',
    outdir: join(fresh, 'public'),
    minify: true,
    logLevel: 'warning',
  })
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
