import type { Readable, Writable } from 'node:stream'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { parseConfig, type Config } from '../../platform/config/config.ts'
import { createProcessLogger, type Logger } from '../../platform/lib/log.ts'
import { waitForShutdownRequest, settlesWithin } from '../../platform/lib/shutdown.ts'

/**
 * Runs a command of the service until it ends or a stop is requested.
 * @returns the exit code
 */
export type CommandRunner = (overrides: Partial<Config>) => Promise<number>

interface RunningServer {
  /** Values that the log line "ready" contains. */
  facts: object
  stopSeconds: number
  stop(): Promise<unknown>
}

/** Defines a command that runs a server until a stop is requested. It exits with 1 if the server does not stop in time. */
export function defineServerCommand(
  name: 'api' | 'dashboard',
  start: (config: Config, log: Logger) => Promise<RunningServer>,
): CommandRunner {
  return async (overrides) => {
    const config = parseConfig(name, process.env, overrides)
    const log = createProcessLogger(config.LOG_LEVEL, name)
    const stopReason = waitForShutdownRequest()
    const server = await Promise.race([start(config, log), stopReason])
    if (typeof server === 'string') {
      log.info({ reason: server }, 'stopped before it was ready')
      return 0
    }
    log.info({ ...server.facts, version: SVC_VERSION }, 'ready')
    log.info({ reason: await stopReason }, 'stopping')
    const inTime = await settlesWithin(server.stopSeconds, server.stop())
    log.info({ inTime }, 'stopped')
    return inTime ? 0 : 1
  }
}

interface Streams {
  stdin: Readable
  stdout: Writable
  stderr: Writable
}

/** Thrown for invalid arguments. The tool prints its usage below the message and exits with 2. */
export class CommandUsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>
>['values']

/** The output streams of a command-line tool, with functions that print to them. */
export interface CommandToolOutput extends Streams {
  /** Prints to standard output and waits until the text is written, for example until a slow reader has read it. */
  print: (text: string) => Promise<void>
  /** Prints a line about the progress to standard error. */
  note: (text: string) => void
}

interface ToolInput<O extends Options> extends CommandToolOutput {
  values: Values<O>
  positionals: string[]
}

interface ToolDefinition<O extends Options> {
  name: string
  usage: string
  options: O
  /** Returns the exit code; undefined means 0. */
  work: (input: ToolInput<O>) => Promise<number | void>
}

/**
 * Defines a command-line tool with --help and one-line errors. The tool exits with 1 if the work fails, and with 2 for invalid
 * arguments.
 */
export function defineCommandTool<O extends Options>({ name, usage, options, work }: ToolDefinition<O>) {
  return async (args: string[], { stdin, stdout, stderr }: Streams = process): Promise<number> => {
    // `write` reports a failed write through its callback. Without a listener, the error event would end the process.
    stdout.on('error', () => undefined)
    const note = (text: string) => void stderr.write(`${name}: ${text}\n`)
    try {
      const allOptions: Options = { ...options, help: { type: 'boolean', short: 'h' } }
      const { values, positionals } = parseArgs({ args, options: allOptions, allowPositionals: true })
      const print = (text: string) => writeText(stdout, text)
      if (values.help) await print(usage)
      else return (await work({ values: values as Values<O>, positionals, stdin, stdout, stderr, print, note })) ?? 0
      return 0
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'EPIPE') return 0 // The reader closed the pipe early, like `head` after ten lines.
      const isUsageError = error instanceof CommandUsageError || String(code).startsWith('ERR_PARSE_ARGS')
      await writeText(stderr, `${name}: ${message}\n${isUsageError ? `\n${usage}` : ''}`)
      return isUsageError ? 2 : 1
    }
  }
}

/**
 * Returns the only argument of a command.
 * @param what names the argument in error messages
 * @throws CommandUsageError if it is missing or not the only one
 */
export function parseSingleArgument([first, ...extra]: string[], what: string): string {
  if (!first) throw new CommandUsageError(`the ${what} is missing`)
  if (extra.length > 0) throw new CommandUsageError(`one ${what} is enough: ${extra[0]}`)
  return first
}

/** Waits until the text is written, so that a slow reader does not fill the memory. */
async function writeText(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
