import { setImmediate } from 'node:timers/promises'

/** Signals a body or line above the byte limit of readText() or readLines(). */
export class TextTooLargeError extends Error {}

/** Reads a byte stream as UTF-8 text. @throws TextTooLargeError above `maxBytes`, or the error of the stream */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new TextTooLargeError(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Yields to the event loop after this many lines, because a chunk can have tens of thousands of short lines. */
const LINES_PER_YIELD = 1000

/**
 * Reads a byte stream line by line and yields to the event loop every 1000 lines. Skips empty lines and a last line without a
 * line break.
 * @throws TextTooLargeError if an unfinished line and the chunk after it exceed `maxBytes`, or the error of the stream
 */
export async function* readLines(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let [size, lines] = [0, 0]
  for await (const chunk of body) {
    size += chunk.length
    const [first, ...others] = decoder.decode(chunk, { stream: true }).split('\n') as [string, ...string[]]
    parts.push(first)
    if (size > maxBytes) throw new TextTooLargeError(`a line of more than ${maxBytes} bytes`)
    for (const other of others) {
      const line = parts.join('')
      if (line) yield line
      if (++lines % LINES_PER_YIELD === 0) await setImmediate()
      parts = [other]
      size = Buffer.byteLength(other)
    }
  }
}
