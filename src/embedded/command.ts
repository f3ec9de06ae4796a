import { lastLines, launch, rotateLog, until, WELL, type Daemon } from './process.ts'

export interface CommandOptions {
  /** The path of svc.js. */
  bundle: string
  /** migrate, asr, api, dashboard or start. */
  command: string
  /** The part of the configuration that is given in code. */
  overrides: object
  logFile: string
  env?: NodeJS.ProcessEnv
  signal?: AbortSignal
}

/** Runs a command of the bundle that has an end, such as migrate. */
export async function runCommand(options: CommandOptions, limit: number): Promise<void> {
  const process = launchCommand(options)
  let ended: string | undefined
  void process.exited.then((how) => (ended = how))
  try {
    await until(options.command, limit, options.signal, () => ended !== undefined)
  } finally {
    await process.stop(['SIGTERM', 5000])
  }
  if (ended !== WELL) throw new Error(failure(options, ended))
}

/**
 * Starts a server of the bundle and waits until the field `status` at `readyUrl` is "ready", or, where `isReady` is
 * given, until that says so of the answer.
 */
export async function startCommand(
  options: CommandOptions,
  limit: number,
  readyUrl: string,
  isReady: (answer: Response) => Promise<boolean> = hasStatusReady,
): Promise<Daemon> {
  const process = launchCommand(options)
  let ended: string | undefined
  void process.exited.then((how) => (ended = how))
  try {
    await until(`${options.command}: ready at ${readyUrl}`, limit, options.signal, async () => {
      if (ended) throw new Error(ended)
      return answers(readyUrl, isReady)
    })
    return process
  } catch (error) {
    await process.stop(['SIGTERM', 5000])
    options.signal?.throwIfAborted()
    throw new Error(failure(options, (error as Error).message), { cause: error })
  }
}

function launchCommand({ bundle, command, overrides, logFile, env }: CommandOptions): Daemon {
  rotateLog(logFile)
  return launch({
    program: process.execPath,
    args: [bundle, command, '--supervised'],
    deathSignal: 'SIGTERM',
    logFile,
    env,
    message: overrides,
  })
}

function failure({ command, logFile }: CommandOptions, how = ''): string {
  return `${command} ${how}. The end of ${logFile}:\n${lastLines(logFile)}`
}

async function answers(url: string, isReady: (answer: Response) => Promise<boolean>): Promise<boolean> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2000) })
    return await isReady(answer)
  } catch {
    return false
  }
}

async function hasStatusReady(answer: Response): Promise<boolean> {
  return ((await answer.json()) as { status?: unknown }).status === 'ready'
}
