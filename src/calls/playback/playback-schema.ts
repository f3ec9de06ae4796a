import type { Operation } from '../../platform/http/operation.ts'
import { createAudioResponses, readAudioOperation } from '../recordings/operations.ts'

export const playRecordingOperation = {
  id: 'playRecording',
  method: 'get',
  path: '/v1/recordings/{id}/playback',
  tag: readAudioOperation.tag,
  summary: 'The audio in a format that every browser plays',
  description:
    'The original file if browsers can play it and seek in it exactly, else a copy as WAV (mu-law, both ' +
    'channels). The first request creates the copy. Deleting the recording deletes the copy. Supports Range and ' +
    'HEAD.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'audio.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    ...createAudioResponses('The whole file.'),
    412: { description: 'The file does not match If-Match or If-Unmodified-Since.' },
    422: { description: 'The file contains no audio.' },
    503: {
      description: 'The copy is not ready yet or cannot be created now. Retry later.',
      headers: { 'Retry-After': 'Seconds to wait.' },
    },
  },
} as const satisfies Operation
