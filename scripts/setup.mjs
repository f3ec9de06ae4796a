/**
 * Everything between a fresh clone and a running product: packages, system programs, build. Each step first checks whether it
 * is needed. Uses only Node's own modules, because no others are installed yet.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt, markBuilt, hashSources } from './build-mark.mjs'
import { arePackagesInstalled, finishPackages, formatInstallArguments, isLinked } from './packages.mjs'

/** Folder of the project. setUp() makes it the working directory. */
export const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)))

/** Signals a failure with an explanation. Scripts print the message without a stack. */
export class SetupError extends Error {}

/** Oldest minor version of Node for each major version that our packages support. Everything newer than 22 is supported. */
const OLDEST_NODE = { 20: 19, 22: 12 }

/**
 * Installs or updates packages and programs. `build` adds dist/, `tests` the development packages, `browser` the browser of the
 * tests, `pooler` their PgBouncer.
 */
export async function setUp({ build, tests = false, browser = false, pooler = false }) {
  process.chdir(projectFolder)
  checkNode()
  // Run both at once, because each downloads and unpacks for long, from different servers.
  const packages = installPackages(tests)
  const [programs] = await Promise.allSettled([installForSystem(browser, pooler), packages])
  await packages
  if (programs.status === 'rejected') throw programs.reason
  if (build) await buildIfOutdated()
}

function checkNode() {
  if (isNodeSupported(process.versions.node)) return
  throw new SetupError(
    `Node 20.19 or newer, 22.12 or newer, or any later one is needed; this is ${process.versions.node} (${process.execPath}).`,
  )
}

/** Returns true if every package runs on this version of Node. */
export function isNodeSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > 22 || minor >= (OLDEST_NODE[major] ?? Infinity)
}

async function installPackages(tests) {
  const areInstalled = arePackagesInstalled('.', tests)
  // npm ci empties the folder behind a link, which others can use too.
  if (isLinked()) {
    if (!areInstalled) console.log('node_modules is a link and does not match package-lock.json: left unchanged')
    return
  }
  const npm = process.env.npm_execpath
  const args = formatInstallArguments(tests)
  const install = () =>
    npm && /\.c?js$/.test(npm) ? runOrFail(process.execPath, [npm, ...args]) : runOrFail('npm', args)
  if (!areInstalled) await runStep('installing npm packages', install)
  finishPackages('.')
}

async function installForSystem(browser, pooler) {
  await installPrograms()
  if (browser) await installBrowser()
  if (pooler) await installPooler()
}

/** The programs that the product runs. */
const PROGRAMS = ['ffmpeg', 'ffprobe', 'redis-server']
/** The browsers that tests can use, in the order of src/test/browser.ts. */
const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
/** Debian's packages with one of them. The first one is lighter, but older releases lack it. */
const BROWSER_PACKAGES = ['chromium-headless-shell', 'chromium']
const INSTALL_COMMANDS = {
  'apt-get': 'apt-get update && apt-get install -y --no-install-recommends ffmpeg redis-server',
  apk: 'apk add ffmpeg redis',
  dnf: 'dnf install -y ffmpeg-free redis',
  pacman: 'pacman -S --needed ffmpeg redis',
  brew: 'brew install ffmpeg redis',
}

/** policy-rc.d prevents the package's own Redis from starting on the usual port. */
const formatAptScript = (packages, update) => `
set -e
export DEBIAN_FRONTEND=noninteractive
guard=/usr/sbin/policy-rc.d
mark='made by the set-up of the call transcription service'
if [ ! -e $guard ] || grep -qs "$mark" $guard; then
  trap 'rm -f $guard' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\\n# %s\\nexit 101\\n' "$mark" > $guard
  chmod 755 $guard
fi
${update} || echo 'apt-get update failed; going on with the lists that are there'
apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install ${packages}
`

const APT_UPDATE = 'apt-get -q -o DPkg::Lock::Timeout=120 update'
let areListsUpdated = false

async function installPrograms() {
  const missing = () => PROGRAMS.filter((name) => !findProgram(name))
  if (missing().length === 0) return
  const what = missing().join(', ')
  const done = await installWithApt(what, 'ffmpeg redis-server')
  if (!done || missing().length > 0) throw new SetupError(formatInstallAdvice(missing().join(', ')))
}

/** Installs Chromium for the tests in a browser. Without it, they are skipped with a message. */
async function installBrowser() {
  const isInstalled = () => process.env.CHROME_PATH || BROWSERS.some((name) => findProgram(name))
  for (const name of BROWSER_PACKAGES) if (await ensureInstalled(name, isInstalled)) return
  console.log('There is no Chromium: the tests in a browser are skipped. CHROME_PATH can name one.')
}

/** Installs PgBouncer for the tests behind a pooler. Its folder is not in an ordinary user's PATH. */
async function installPooler() {
  const isInstalled = () => findProgram('pgbouncer') || existsSync('/usr/sbin/pgbouncer')
  if (await ensureInstalled('pgbouncer', isInstalled)) return
  console.log('There is no PgBouncer: the tests behind it are skipped.')
}

/**
 * Installs a program that only tests need, unless it is there. Prints why an installation fails.
 * @returns true if the program is there
 */
async function ensureInstalled(name, isInstalled) {
  if (isInstalled()) return true
  try {
    await installWithApt(name, name)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.log(error.message)
  }
  return Boolean(isInstalled())
}

/** Installs packages with apt-get. @returns false without apt-get or root rights @throws SetupError if the installation fails */
async function installWithApt(what, packages) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const canInstall = asRoot.length === 0 || (findProgram('sudo') && (await isSuccessful('sudo', ['-n', 'true'])))
  if (!findProgram('apt-get') || !canInstall) return false
  await runStep(`installing ${what} with apt-get`, async () => {
    const [program, ...args] = [...asRoot, 'sh', '-c', formatAptScript(packages, areListsUpdated ? 'true' : APT_UPDATE)]
    areListsUpdated = true
    await runOrFail(program, args)
  })
  return true
}

function formatInstallAdvice(what) {
  const manager = Object.keys(INSTALL_COMMANDS).find((name) => findProgram(name))
  const command =
    manager && (manager === 'brew' ? INSTALL_COMMANDS[manager] : `sudo sh -c '${INSTALL_COMMANDS[manager]}'`)
  const advice = command ? `Run this, then try again:\n  ${command}` : 'Install ffmpeg and Redis, then try again.'
  return `Missing: ${what}. Installing needs the rights of root, or is not known for this system. ${advice}`
}

/** Finds the path of a program in the folders of PATH. @returns undefined if there is none */
function findProgram(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** Builds dist/ unless it was built from exactly these sources. */
async function buildIfOutdated() {
  const sources = hashSources('.')
  if (isBuilt('dist', sources)) return
  await runStep('building', () => runOrFail(process.execPath, ['build.mjs']))
  markBuilt('dist', sources)
}

/** Calls `work` and prints its name and duration. Prints whole lines, because two steps can run at once. */
export async function runStep(what, work) {
  const start = Date.now()
  console.log(`${what} …`)
  try {
    const result = await work()
    console.log(`${what}: done (${((Date.now() - start) / 1000).toFixed(1)} s)`)
    return result
  } catch (error) {
    console.log(`${what}: failed`)
    throw error
  }
}

/** Runs a program. @throws SetupError with its output if the program fails */
export async function runOrFail(program, args) {
  const { code, output } = await runProgram(program, args)
  if (code !== 0) throw new SetupError(`${output.trim()}\n${program} ${args[0] ?? ''} failed (${code}).`)
}

async function isSuccessful(program, args) {
  return (await runProgram(program, args)).code === 0
}

/** Runs a program and passes signals on to it. @returns its exit code (or signal) and its output */
export function runProgram(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    // A signal for this process alone must end the child too; in a terminal the child gets its own.
    const pass = (signal) => child.kill(signal)
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, pass)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
    child.once('error', (error) => (output += error.message))
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, pass)
      resolve({ code: code ?? signal, output })
    })
  })
}
