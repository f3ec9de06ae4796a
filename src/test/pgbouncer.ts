import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOnFreePort } from '../platform/lib/free-port.ts'
import { findExecutablePath } from '../platform/lib/find-program.ts'
import { waitUntil } from './wait.ts'

/** The path of PgBouncer, in the PATH or in the folders where Debian installs it; undefined if it is not found. */
export const pgbouncerPath =
  findExecutablePath('pgbouncer') ??
  ['/usr/sbin/pgbouncer', '/usr/local/sbin/pgbouncer'].find((path) => existsSync(path))

/** A client keeps a server connection for one transaction, or for its whole session. */
export type PgBouncerPoolMode = 'transaction' | 'session'

/** A PgBouncer in front of the Postgres of the tests. */
export class TestPgBouncer {
  private port = 0
  private folder = ''
  private output = ''
  private child: ChildProcess | undefined

  /**
   * Starts PgBouncer on a free port.
   * @param url the URL of the server behind it, with user and password
   * @param settings configuration that overrides the defaults
   */
  start(url: string, settings: Record<string, string | number>): Promise<this> {
    return startOnFreePort((port) => this.startOn(port, url, settings))
  }

  private async startOn(ownPort: number, url: string, settings: Record<string, string | number>): Promise<this> {
    const { hostname, port, username, password } = new URL(url)
    this.output = ''
    this.port = ownPort
    this.folder = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'))
    const file = join(this.folder, 'pgbouncer.ini')
    const settingsWithDefaults = {
      listen_addr: '127.0.0.1',
      listen_port: this.port,
      unix_socket_dir: '',
      auth_type: 'any',
      ignore_startup_parameters: 'options, extra_float_digits',
      max_client_conn: 200,
      ...settings,
    }
    const lines = Object.entries(settingsWithDefaults).map(([name, value]) => `${name} = ${value}`)
    const databaseLine = `* = host=${hostname} port=${port} user=${username} password=${password}`
    await writeFile(file, ['[databases]', databaseLine, '[pgbouncer]', ...lines, ''].join('\n'), { mode: 0o644 })
    // PgBouncer refuses to run as root. It reads its files before it changes the user.
    const userArguments = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    const child = spawn(pgbouncerPath!, [...userArguments, file], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.child = child
    process.once('exit', () => child.kill())
    child.stderr.on('data', (data: Buffer) => (this.output += data.toString()))
    await waitUntil('PgBouncer listens', () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${this.output}`)
      return this.output.includes('process up')
    })
    return this
  }

  async stop(): Promise<void> {
    this.child?.kill('SIGKILL')
    await waitUntil('PgBouncer has ended', () => this.child?.exitCode !== null || this.child.signalCode !== null)
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Returns the URL of a database through this PgBouncer. */
  rewriteUrl(url: string): string {
    const address = new URL(url)
    address.host = `127.0.0.1:${this.port}`
    return address.href
  }
}
