import { execFile, fork, type ChildProcess } from 'node:child_process'
import type { Config } from '../platform/config/config.ts'
import { waitUntil } from './wait.ts'

/** A parsed JSON line of a log. The other fields depend on the message. */
export type ProcessLogLine = Record<string, unknown> & { msg?: string }

/** Runs a command of the built bundle to its end. @returns the exit code and the output */
export function runServiceCommand(
  args: string[],
  env: NodeJS.ProcessEnv = {},
  bundle = process.env.SVC_TEST_BUNDLE!,
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, timeout: 90_000 }
    execFile(process.execPath, [bundle, ...args], options, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

/** A command of the built bundle in a separate process, as `start` or a container runs it. */
export class ServiceProcess {
  readonly lines: ProcessLogLine[] = []
  /** The output that is not a JSON line. */
  text = ''
  exit: { code: number | null; signal: string | null } | undefined
  private readonly child: ChildProcess

  constructor(
    command: string,
    overrides: Partial<Config>,
    env: NodeJS.ProcessEnv = {},
    execArgv: string[] = [],
    bundle = process.env.SVC_TEST_BUNDLE,
  ) {
    if (!bundle) throw new Error('SVC_TEST_BUNDLE is not set: run the tests with npm test')
    this.child = fork(bundle, [command, '--supervised'], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      execArgv,
    })
    this.child.once('message', () => this.child.send({ LOG_LEVEL: 'info', ...overrides }))
    this.child.once('exit', (code, signal) => (this.exit = { code, signal }))
    this.child.on('error', () => undefined)
    let remainder = ''
    this.child.stdout!.on('data', (data: Buffer) => {
      const lines = (remainder + data.toString()).split('\n')
      remainder = lines.pop()!
      for (const line of lines) this.parseLine(line)
    })
    this.child.stderr!.on('data', (data: Buffer) => (this.text += data.toString()))
  }

  private parseLine(line: string): void {
    try {
      this.lines.push(JSON.parse(line) as ProcessLogLine)
    } catch {
      this.text += `${line}\n`
    }
  }

  /**
   * Waits until the log contains "ready".
   * @returns the port
   */
  async waitUntilReady(): Promise<number> {
    const line = await waitUntil(
      'the process is ready',
      () => {
        if (this.exit) throw new Error(`it ended: ${JSON.stringify(this.exit)}\n${this.text}`)
        return this.lines.find(({ msg }) => msg === 'ready')
      },
      90_000,
    )
    return line.port as number
  }

  get pid(): number {
    return this.child.pid!
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /**
   * Sends a signal and waits for the exit.
   * @returns the exit code and the seconds until the exit
   */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; seconds: number }> {
    const startedAt = performance.now()
    if (!this.exit) this.kill(signal)
    const { code } = await this.waitForExit()
    return { code, seconds: (performance.now() - startedAt) / 1000 }
  }

  waitForExit(): Promise<{ code: number | null; signal: string | null }> {
    return waitUntil('the process has ended', () => this.exit, 90_000)
  }
}
