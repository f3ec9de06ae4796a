/**
 * Runs test files in five processes at once, because most tests wait more than they compute. Each process takes one file after
 * the other. The output of a file is printed when its tests are done, so lines of two files never mix.
 */
import { fork } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAX_PARALLEL_PROCESSES = 5
/** Ends hanging tests. The limit is far above the duration of any test, which depends on the load of the machine. */
const TEST_LIMIT_MS = 300_000
/** The time a process gets to end when all of them are stopped. */
const KILL_AFTER_MS = 5000

if (process.argv[2] === '--worker') receiveFiles()

/**
 * Runs the files; returns how many tests passed, failed and were skipped. A process that ends too soon is a failure. Failures
 * are repeated at the end, where a long output shows them.
 */
export async function runTests(files, env, signal) {
  const waiting = [...files]
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  const work = async () => {
    while (waiting.length > 0 && !signal.aborted) await runWorker(waiting, counts, failures, env, signal)
  }
  await Promise.all(Array.from({ length: MAX_PARALLEL_PROCESSES }, work))
  if (failures.length > 0) console.error(`\nWhat failed:\n${failures.map((failure) => `\n${failure}\n`).join('')}`)
  const none = counts.passed + counts.failed + counts.skipped === 0
  if (none && !signal.aborted) throw new Error('the files hold no test')
  return counts
}

/** Starts a process and assigns files to it until none is left or the process ends. */
function runWorker(waiting, counts, failures, env, signal) {
  return new Promise((resolve) => {
    // Use a file, not a pipe. It has all output of a test file when the counts arrive, and processes that a test left do not
    // block it.
    const output = new ProcessOutput()
    const child = fork(fileURLToPath(import.meta.url), ['--worker'], {
      env,
      stdio: ['ignore', output.fd, output.fd, 'ipc'],
    })
    // A test of signals can have left a listener behind, which keeps the process alive, so send SIGKILL later.
    const stop = () => {
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref()
    }
    signal.addEventListener('abort', stop)
    let file
    const next = () => {
      file = waiting.shift()
      if (file) child.send(file)
      else child.disconnect()
    }
    child.on('message', (results) => {
      for (const name of Object.keys(counts)) counts[name] += results[name]
      failures.push(...results.failures)
      output.show()
      next()
    })
    child.once('exit', (code, exitSignal) => {
      signal.removeEventListener('abort', stop)
      output.show()
      output.remove()
      if (file) {
        counts.failed++
        failures.push(`${file}: the tests ended early, ${exitSignal ? `by ${exitSignal}` : `with code ${code}`}`)
      }
      resolve()
    })
    next()
  })
}

/** Collects the output of a process in a file. show() prints the part that is new. */
class ProcessOutput {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'svc-output-'))
    this.path = join(this.folder, 'output')
    this.fd = openSync(this.path, 'a')
    this.shown = 0
  }

  show() {
    const text = readFileSync(this.path)
    process.stdout.write(text.subarray(this.shown))
    this.shown = text.length
  }

  remove() {
    closeSync(this.fd)
    rmSync(this.folder, { recursive: true })
  }
}

/** Runs in a process of its own: loads the bundled test files that it is sent, runs them, sends the counts. */
function receiveFiles() {
  process.on('disconnect', () => process.exit())
  process.on('message', (/** @type {string} */ file) => void runTestFile(file))
}

async function runTestFile(file) {
  const { default: Mocha } = await import('mocha')
  const mocha = new Mocha({ reporter: 'spec', timeout: TEST_LIMIT_MS, forbidOnly: Boolean(process.env.CI) })
  mocha.addFile(file)
  await mocha.loadFilesAsync()
  const failures = []
  const runner = mocha.run(() => {
    const { passes, failures: failed, pending } = runner.stats
    process.send({ passed: passes, failed, skipped: pending, failures })
  })
  runner.on('fail', (test, error) => {
    error.stack &&= mapStackToSources(error.stack)
    failures.push(`${basename(file)}: ${test.fullTitle()}\n${(error.stack ?? String(error)).slice(0, 2000)}`)
  })
}

/**
 * Replaces the positions in a stack by those in our sources. Node's own --enable-source-maps takes a twentieth of all tests'
 * time.
 */
function mapStackToSources(stack) {
  return stack.replace(/(?:file:\/\/)?(\/[^\s():]+\.mjs):(\d+):(\d+)/g, (place, path, line, column) => {
    try {
      const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
      const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1)
      return `${join(path, '..', originalSource)}:${originalLine + 1}:${originalColumn + 1}`
    } catch {
      return place // not built from a source of ours
    }
  })
}
