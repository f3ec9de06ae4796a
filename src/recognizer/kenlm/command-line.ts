import type { Readable, Writable } from 'node:stream'

/** Where a tool reads and writes: the process itself, or streams of a test. */
export interface Streams {
  stdin: Readable
  stdout: Writable
  stderr: Writable
}

/** A command line that makes no sense; the message says why. */
export class Misuse extends Error {}

/**
 * Runs a tool and turns what goes wrong into a message.
 * @returns the exit code: 0, 1 when the work failed, 2 when the command line makes no sense
 */
export async function runTool(
  name: string,
  usage: string,
  streams: Streams,
  work: () => Promise<void>,
): Promise<number> {
  // A failed write is told by `write`; without a listener the event would end the process first.
  streams.stdout.on('error', () => undefined)
  try {
    await work()
    return 0
  } catch (error) {
    // The reader has seen enough, as `head` has after ten lines.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0
    const { message } = error as Error
    if (!(error instanceof Misuse || isParseError(error))) {
      await write(streams.stderr, `${name}: ${message}\n`)
      return 1
    }
    await write(streams.stderr, `${name}: ${message}\n\n${usage}`)
    return 2
  }
}

/** Writes and waits until the reader has taken it, so that a slow reader costs no memory. */
export async function write(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Whether `parseArgs` of Node refused the arguments. */
function isParseError(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
