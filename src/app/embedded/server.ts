import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { findFreePort } from '../../platform/lib/free-port.ts'
import { retry } from '../../platform/lib/retry.ts'
import { readLastLines, waitUntilReady, type Daemon } from './process.ts'

/** Where and how a server of this machine runs. */
export interface ServerOptions {
  /** Holds data, password and log; the next start in the same folder continues with them. */
  folder: string
  logFile?: string
  /** The port to listen on; by default a free one. */
  port?: number
  signal?: AbortSignal
}

/** A running server of this machine. */
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
  /** Matches logs of a failed start that can succeed later, such as one whose port was taken meanwhile. */
  transientErrors: RegExp
}

const READY_LIMIT_MS = 60_000
/** Together five seconds: enough for the children of a killed server to end. */
const MAX_ATTEMPTS = 20
const RETRY_PAUSE_MS = 250

/** Starts a server on a free port. @throws if it does not become ready */
export function startServer(program: ServerProgram, { port, signal }: ServerOptions): Promise<EmbeddedServer> {
  const { name, logFile } = program
  let log = ''
  const attempt = async (): Promise<EmbeddedServer> => {
    const serverPort = port ?? (await findFreePort())
    const server = program.launch(serverPort)
    const url = program.url(serverPort)
    try {
      await waitUntilReady(server, 'does not answer', READY_LIMIT_MS, signal, () => program.answers(url))
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

/** Reads the generated password in `file`; makes it on the first call, atomically. */
export function loadOrCreatePassword(file: string): string {
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, randomBytes(24).toString('base64url'), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8')
}
