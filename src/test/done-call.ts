import type { TestPanel } from './panel.ts'
import { replaceTranscript } from './transcripts.ts'

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
  await replaceTranscript(app, id, SAMPLE_TRANSCRIPT_SEGMENTS)
  return id
}
