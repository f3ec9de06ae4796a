import type { TranscriptSegment } from '../calls/transcripts/entity.ts'
import type { TestApp } from './server.ts'

/** Creates segments of two seconds, alternately of the agent (channel 0) and the client (channel 1). */
export const makeTurnSegments = (...lines: string[]): TranscriptSegment[] =>
  lines.map((text, n) => ({ start: n * 2, end: n * 2 + 2, channel: n % 2, text }))

/** Replaces the segments and the text of a call directly in the database. */
export async function replaceTranscript(
  { db }: Pick<TestApp, 'db'>,
  id: string,
  segments: TranscriptSegment[],
): Promise<void> {
  await db.query('UPDATE transcripts SET segments = $2, text = $3 WHERE recording_id = $1', [
    id,
    JSON.stringify(segments),
    segments.map(({ text }) => text).join('\n'),
  ])
}
