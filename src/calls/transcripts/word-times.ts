import type { Core } from '../../platform/core.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import type { SegmentWordTimes } from './entity.ts'

type TranscriptJson = NonNullable<RecordingJson['transcript']>

/** Returns a transcript with the words of each segment. The words are empty if the recognizer returned none. */
export async function addTranscriptWordTimes(
  core: Core,
  id: string,
  transcript: TranscriptJson,
): Promise<TranscriptJson> {
  const { rows } = await core.pool.query<{ words: SegmentWordTimes[] | null }>({
    text: 'SELECT words FROM transcripts WHERE recording_id = $1',
    values: [id],
  })
  const words = rows[0]?.words
  const wordTimes = words?.length === transcript.segments.length ? words : []
  const segments = transcript.segments.map((segment, index) => {
    const texts = segment.text.split(' ')
    const segmentWords = (wordTimes[index] ?? []).map(([start, end, confidence], n) => ({
      start,
      end,
      text: texts[n]!,
      confidence,
    }))
    return { ...segment, words: segmentWords }
  })
  return { ...transcript, segments }
}
