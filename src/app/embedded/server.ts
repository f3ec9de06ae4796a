import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { findFreePort } from '../../platform/lib/free-port.ts'
import { retry } from '../../platform/lib/retry.ts'
import { readLastLines, waitForProcessReady, type Daemon } from './process.ts'

/** The folder and port of an embedded server. */
export interface EmbeddedServerOptions {
  /** Contains data, password and log. The next start in this folder uses them again. */
  folder: string
  logFile?: string
  /** The port to listen on; a free port by default. */
  port?: number
  signal?: AbortSignal
}

/** A running embedded server with its URL, which includes the password. */
export interface EmbeddedServer {
  url: string
  pid: number
  logFile: string
  exited: Promise<string>
  stop(): Promise<void>
  kill(): Promise<void>
}

type StopSteps = Parameters<Daemon['stop']>

interface ServerProgram {
  name: string
  logFile: string
  launch(port: number): Daemon
  url(port: number): string
  answers(url: string): Promise<boolean>
  stop: StopSteps
  kill: StopSteps
  /** Matches logs of a failed start that can succeed later, for example because another process took the port. */
  transientErrors: RegExp
}

const READY_LIMIT_MS = 60_000
/** The pauses between the attempts add up to almost five seconds, in which the children of a killed server can end. */
const MAX_ATTEMPTS = 20
const RETRY_PAUSE_MS = 250

/**
 * Starts a server, by default on a free port, and retries after transient errors.
 * @throws Error with the end of the log if the server does not become ready
 */
export function startEmbeddedServer(
  program: ServerProgram,
  { port, signal }: EmbeddedServerOptions,
): Promise<EmbeddedServer> {
  const { name, logFile } = program
  let log = ''
  const attempt = async (): Promise<EmbeddedServer> => {
    const serverPort = port ?? (await findFreePort())
    const server = program.launch(serverPort)
    const url = program.url(serverPort)
    try {
      await waitForProcessReady(server, 'does not answer', READY_LIMIT_MS, signal, () => program.answers(url))
      return {
        url,
        pid: server.pid!,
        logFile,
        exited: server.exited,
        stop: () => server.stop(...program.stop),
        kill: () => server.stop(...program.kill),
      }
    } catch (error) {
      await server.stop(...program.kill)
      log = readLastLines(logFile)
      throw new Error(`${name} ${(error as Error).message}. The end of ${logFile}:\n${log}`, { cause: error })
    }
  }
  const shouldRetry = () => program.transientErrors.test(log) && !signal?.aborted
  return retry(attempt, { attempts: MAX_ATTEMPTS, pauseMs: RETRY_PAUSE_MS, shouldRetry })
}

/** Reads the password in `file`, or generates it on the first call. The file is written atomically. */
export function loadOrCreateServerPassword(file: string): string {
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, randomBytes(24).toString('base64url'), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8')
}
