import type { Operation } from '../../platform/http/operation.ts'
import { audioResponses, readAudio } from '../recordings/operations.ts'

export const readPlayback = {
  id: 'playRecording',
  method: 'get',
  path: '/v1/recordings/{id}/playback',
  tag: readAudio.tag,
  summary: 'The sound as every browser plays it',
  description:
    'The original file if browsers play it and seek exactly in it, else a copy as WAV (mu-law, both channels). The copy ' +
    'is made on the first request and removed with the recording. Understands Range and HEAD.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'audio.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    ...audioResponses('All of it.'),
    412: { description: 'The file is another than the request is meant for.' },
    422: { description: 'The file holds no sound.' },
    503: { description: 'The copy cannot be made now.', headers: { 'Retry-After': 'Seconds.' } },
  },
} as const satisfies Operation
