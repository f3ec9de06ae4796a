import type { Operation } from '../../platform/http/operation.ts'
import { createAudioResponses, readAudioOperation } from '../recordings/operations.ts'

export const playRecordingOperation = {
  id: 'playRecording',
  method: 'get',
  path: '/v1/recordings/{id}/playback',
  tag: readAudioOperation.tag,
  summary: 'The audio in a format that every browser plays',
  description:
    'The original file if browsers play it and seek exactly in it, else a copy as WAV (mu-law, both channels). The copy ' +
    'is made on the first request and removed with the recording. Understands Range and HEAD.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'audio.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    ...createAudioResponses('The whole file.'),
    412: { description: 'The file is not the one that the request expects.' },
    422: { description: 'The file contains no audio.' },
    503: { description: 'The copy cannot be created now.', headers: { 'Retry-After': 'Seconds.' } },
  },
} as const satisfies Operation
