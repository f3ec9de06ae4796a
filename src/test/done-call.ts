import type { TestPanel } from './panel.ts'
import type { Segment } from '../calls/transcripts/entity.ts'

export const SAMPLE_SEGMENTS = [
  { start: 0.4, end: 2, channel: 0, text: 'Good afternoon.' },
  { start: 62.9, end: 64, channel: 1, text: 'Hello.' },
]

/** Submits a call and returns its id once it is DONE, with these words in its text. */
export async function createDoneCall(app: TestPanel, fields: Record<string, string> = {}): Promise<string> {
  app.recognizer.answer = (recognition) => recognition.finish('hello')
  const id = await app.submitCall('DONE', fields)
  app.recognizer.answer = undefined
  await replaceSegments(app, id, SAMPLE_SEGMENTS)
  return id
}

/** Replaces the text of a DONE call. */
export async function replaceSegments({ db }: Pick<TestPanel, 'db'>, id: string, segments: Segment[]): Promise<void> {
  const text = segments.map((segment) => segment.text).join('\n')
  const values = [id, JSON.stringify(segments), text]
  await db.query('UPDATE transcripts SET segments = $2, text = $3 WHERE recording_id = $1', values)
}
