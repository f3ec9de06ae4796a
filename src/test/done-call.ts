import type { TestPanel } from './panel.ts'
import type { TranscriptSegment } from '../calls/transcripts/entity.ts'

export const SAMPLE_TRANSCRIPT_SEGMENTS = [
  { start: 0.4, end: 2, channel: 0, text: 'Good afternoon.' },
  { start: 62.9, end: 64, channel: 1, text: 'Hello.' },
]

/**
 * Uploads a call, waits until it is DONE, and replaces its transcript with SAMPLE_TRANSCRIPT_SEGMENTS.
 * @returns the id of the recording
 */
export async function createDoneCall(app: TestPanel, fields: Record<string, string> = {}): Promise<string> {
  app.recognizer.answer = (recognition) => recognition.finish('hello')
  const id = await app.submitCall('DONE', fields)
  app.recognizer.answer = undefined
  await replaceTranscriptSegments(app, id, SAMPLE_TRANSCRIPT_SEGMENTS)
  return id
}

/** Replaces the segments and the text of a DONE call in the database. */
export async function replaceTranscriptSegments(
  { db }: Pick<TestPanel, 'db'>,
  id: string,
  segments: TranscriptSegment[],
): Promise<void> {
  const text = segments.map((segment) => segment.text).join('\n')
  const values = [id, JSON.stringify(segments), text]
  await db.query('UPDATE transcripts SET segments = $2, text = $3 WHERE recording_id = $1', values)
}
