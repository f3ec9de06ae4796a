import type { Readable, Writable } from 'node:stream'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { parseConfig, type Config } from '../../platform/config/config.ts'
import { createProcessLogger, type Logger } from '../../platform/lib/log.ts'
import { shutdownRequested, settlesWithin } from '../../platform/lib/shutdown.ts'

/** Runs a command of the product until it ends or must stop; returns the exit code. */
export type RunCommand = (overrides: Partial<Config>) => Promise<number>

interface RunningServer {
  /** For the log. */
  facts: object
  stopSeconds: number
  stop(): Promise<unknown>
}

/** Makes a command that serves until it must stop. It exits with 1 if it does not stop in time. */
export function defineServerCommand(
  name: 'api' | 'dashboard',
  start: (config: Config, log: Logger) => Promise<RunningServer>,
): RunCommand {
  return async (overrides) => {
    const config = parseConfig(name, process.env, overrides)
    const log = createProcessLogger(config.LOG_LEVEL, name)
    const stopReason = shutdownRequested()
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

/** Invalid arguments; the usage is printed below the message. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>
>['values']

/** Where a command-line tool prints. */
export interface ToolOutput extends Streams {
  /** Prints to standard output and waits until the reader has taken it. */
  print: (text: string) => Promise<void>
  /** Prints a line about the work to standard error. */
  note: (text: string) => void
}

interface ToolInput<O extends Options> extends ToolOutput {
  values: Values<O>
  positionals: string[]
}

interface ToolDefinition<O extends Options> {
  name: string
  usage: string
  options: O
  /** Returns the exit code, 0 by default. */
  work: (input: ToolInput<O>) => Promise<number | void>
}

/** Makes a tool with --help and one-line errors; it returns 1 if the work failed, 2 after invalid arguments. */
export function defineTool<O extends Options>({ name, usage, options, work }: ToolDefinition<O>) {
  return async (args: string[], { stdin, stdout, stderr }: Streams = process): Promise<number> => {
    // `write` reports a failed write; without a listener the event would end the process.
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
      if (code === 'EPIPE') return 0 // the reader has seen enough, as `head` has after ten lines
      const isUsageError = error instanceof UsageError || String(code).startsWith('ERR_PARSE_ARGS')
      await writeText(stderr, `${name}: ${message}\n${isUsageError ? `\n${usage}` : ''}`)
      return isUsageError ? 2 : 1
    }
  }
}

/** Parses the only argument of a command. @throws UsageError */
export function parseSingleArgument([first, ...extra]: string[], what: string): string {
  if (!first) throw new UsageError(`the ${what} is missing`)
  if (extra.length > 0) throw new UsageError(`one ${what} is enough: ${extra[0]}`)
  return first
}

/** Waits until the reader has taken the text, so that a slow reader costs no memory. */
async function writeText(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
