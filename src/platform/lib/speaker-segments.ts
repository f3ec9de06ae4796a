/** Start, end and confidence of each word of a segment. The words are the text of the segment, split at spaces. */
type WordTimes = [start: number, end: number, confidence: number | null][]

/** A segment of a transcript; times in seconds, confidences from 0 to 1. */
interface SpokenSegment {
  start: number
  end: number
  text: string
  confidence?: number | null | undefined
  speaker?: 0 | 1 | null | undefined
  speakerConfidence?: number | null | undefined
}

/** A part of a call with one speaker. */
export interface SpeakerSpan {
  start: number
  end: number
  speaker: 0 | 1
  confidence: number
}

interface SegmentSpeaker {
  /** Null if unknown. */
  speaker: 0 | 1 | null
  speakerConfidence: number | null
}

type WordSpeaker = Pick<SpeakerSpan, 'speaker' | 'confidence'>

/**
 * Gives each word the speaker of the span at its middle, and cuts segments where the speaker changes. Drops segments without
 * words.
 * A word outside of all spans gets the speaker of its segment, or that of the nearest span if the segment has none.
 * @param spans in order of time
 */
export function assignSpeakers<S extends SpokenSegment>(
  segments: S[],
  words: WordTimes[],
  spans: SpeakerSpan[],
): { segments: (S & SegmentSpeaker)[]; words: WordTimes[] } {
  const cut: { segments: (S & SegmentSpeaker)[]; words: WordTimes[] } = { segments: [], words: [] }
  for (const [index, segment] of segments.entries()) {
    const times = words[index]!
    const speakers = times.map((word) => findSpeaker(segment, (word[0] + word[1]) / 2, spans))
    const texts = segment.text.split(' ')
    for (let first = 0; first < times.length;) {
      let end = first + 1
      while (end < times.length && speakers[end]?.speaker === speakers[first]?.speaker) end++
      const isWhole = end - first === times.length
      const part = isWhole ? segment : cutSegment(segment, texts.slice(first, end), times.slice(first, end))
      cut.segments.push({ ...part, ...summarizeSpeaker(speakers.slice(first, end)) })
      cut.words.push(times.slice(first, end))
      first = end
    }
  }
  return cut
}

function findSpeaker(segment: SpokenSegment, second: number, spans: SpeakerSpan[]): WordSpeaker | undefined {
  const { speaker, speakerConfidence } = segment
  const next = findFirstEndingAfter(spans, second)
  if (spans[next] && spans[next].start <= second) return spans[next]
  if (speaker === 0 || speaker === 1) return { speaker, confidence: speakerConfidence ?? 1 }
  const [before, after] = [spans[next - 1], spans[next]]
  if (!before || !after) return before ?? after
  return second - before.end <= after.start - second ? before : after
}

/** Returns the index of the first span that ends after a second, by binary search. */
function findFirstEndingAfter(spans: SpeakerSpan[], second: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans[middle]!.end > second) high = middle
    else low = middle + 1
  }
  return low
}

function cutSegment<S extends SpokenSegment>(segment: S, texts: string[], times: WordTimes): S {
  const known = times.flatMap(([, , confidence]) => confidence ?? [])
  const confidence = known.length === times.length ? average(known) : null
  return { ...segment, start: times[0]![0], end: times.at(-1)![1], text: texts.join(' '), confidence }
}

function summarizeSpeaker(words: (WordSpeaker | undefined)[]): SegmentSpeaker {
  const known = words.filter((word) => word !== undefined)
  if (known.length === 0) return { speaker: null, speakerConfidence: null }
  return { speaker: known[0]!.speaker, speakerConfidence: average(known.map(({ confidence }) => confidence)) }
}

/** Returns the mean, rounded to hundredths. */
const average = (values: number[]): number =>
  Math.round((100 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 100
