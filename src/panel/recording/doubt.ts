import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { placesOf } from './lines.ts'

type Transcript = NonNullable<RecordingJson['transcript']>

/**
 * Below this certainty a word is marked as doubtful, by model: measured by `npm run bench -- confidence`. What a model that is not here
 * says of itself means something else.
 */
const DOUBTFUL_BELOW: Record<string, number> = { 'moonshine-base-en': 0.72 }

/**
 * How sure a word is: its own confidence, squared (it is right only if all of its tokens are), and three times that of what
 * it is said in, as a recognizer that has lost its way is sure of many a word that it hears wrong. On the prompts that this
 * was chosen on 31 % of the words below the limit are wrong and 1.2 % of the others, on the others 33 and 2.7 %.
 */
export const certaintyOf = (word: number, segment: number | null): number => (word ** 2 + 3 * (segment ?? word)) / 4

/** Whether words of a transcript can be doubtful, so that all are worth asking for. */
export const mayDoubt = ({ model, timing }: Transcript): boolean => model in DOUBTFUL_BELOW && timing !== null

/** The doubtful words of some segments, by the segment's number in the call: positions in its text. */
export function doubtsOf(part: Transcript | undefined, first: number): Map<number, { from: number; to: number }[]> {
  const below = DOUBTFUL_BELOW[part?.model ?? ''] ?? 0
  const doubts = new Map<number, { from: number; to: number }[]>()
  for (const [n, { words = [], confidence: whole = null }] of (part?.segments ?? []).entries()) {
    const own = placesOf(words)
      .filter(({ confidence }) => confidence !== null && certaintyOf(confidence, whole) < below)
      .map(({ from, to }) => ({ from, to }))
    if (own.length > 0) doubts.set(first + n, own)
  }
  return doubts
}
