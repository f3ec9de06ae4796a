import { parseJson } from '../platform/lib/json.ts'
import type { TranscriptSegment, SeparationTask, WordTimes } from './contract.ts'

type TimedText = Omit<SeparationTask, 'file'>

/** The maximum length of the first line. The text of the longest call, three hours of two people, takes half of it. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024
const MAX_TEXT_VALUES = 500_000
const NEWLINE = 0x0a

/** Thrown if the text before the audio is missing, too long or invalid. */
export class InvalidTextError extends Error {}

/**
 * Splits a body into its first line, the transcript as JSON, and the audio after it. Reads the audio only when the caller does.
 * @throws InvalidTextError if the line is missing, too long or invalid
 */
export async function readTimedText(
  body: AsyncIterable<Buffer>,
): Promise<{ text: TimedText; audio: AsyncIterable<Buffer> }> {
  const chunks = body[Symbol.asyncIterator]()
  const parts: Buffer[] = []
  let size = 0
  while (true) {
    const { value: chunk, done } = await chunks.next()
    if (done) throw new InvalidTextError()
    const end = chunk.indexOf(NEWLINE)
    parts.push(end < 0 ? chunk : chunk.subarray(0, end))
    size += parts.at(-1)!.length
    if (size > MAX_TEXT_BYTES) throw new InvalidTextError()
    if (end < 0) continue
    const rest = chunk.subarray(end + 1)
    return { text: parseTimedText(Buffer.concat(parts).toString()), audio: prependChunk(rest, chunks) }
  }
}

async function* prependChunk(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first
  yield* { [Symbol.asyncIterator]: () => chunks }
}

function parseTimedText(line: string): TimedText {
  const { segments, words } = parseObject(line)
  const isValid =
    Array.isArray(segments) &&
    segments.every(isSegment) &&
    Array.isArray(words) &&
    words.length === segments.length &&
    words.every((times, index) => isWordTimes(times, segments[index]!.text))
  if (!isValid) throw new InvalidTextError()
  return { segments, words: words as WordTimes[] }
}

function parseObject(line: string): Record<string, unknown> {
  try {
    return (parseJson(line, MAX_TEXT_VALUES) ?? {}) as Record<string, unknown>
  } catch (cause) {
    throw new InvalidTextError('no JSON', { cause })
  }
}

const isNumber = (value: unknown) => typeof value === 'number'

function isSegment(value: unknown): value is TranscriptSegment {
  const { start, end, text } = (value ?? {}) as Record<string, unknown>
  return isNumber(start) && isNumber(end) && typeof text === 'string'
}

/** Returns true if a list has a start and an end for each word of a text. */
const isWordTimes = (times: unknown, text: string): boolean =>
  Array.isArray(times) &&
  times.length === text.split(' ').length &&
  times.every((word) => Array.isArray(word) && isNumber(word[0]) && isNumber(word[1]))
