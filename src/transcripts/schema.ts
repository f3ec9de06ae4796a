import Type from 'typebox'
import type { Operation } from '../http/operation.ts'
import { recordingExample, TranscriptSchema } from '../recordings/schema.ts'

export const FORMATS = ['json', 'txt', 'srt', 'vtt'] as const
export type Format = (typeof FORMATS)[number]

export const readTranscript = {
  id: 'readTranscript',
  method: 'get',
  path: '/v1/recordings/{id}/transcript',
  tag: 'Transcripts',
  summary: 'The transcript of a recording that is DONE',
  access: 'scoped',
  query: Type.Object(
    { format: Type.Enum([...FORMATS], { default: 'json', description: 'json, txt, srt or vtt.' }) },
    { additionalProperties: false },
  ),
  responses: {
    200: {
      description: 'The transcript.',
      json: TranscriptSchema,
      example: recordingExample.transcript,
      content: ['text/plain', 'application/x-subrip', 'text/vtt'],
      contentExamples: {
        'text/plain': 'Good afternoon.\nHello.\n',
        'application/x-subrip': '1\n00:00:00,400 --> 00:00:01,600\nGood afternoon.\n',
        'text/vtt': 'WEBVTT\n\n00:00:00.400 --> 00:00:01.600\nGood afternoon.\n',
      },
    },
    404: { description: 'No such recording, or it is outside your access.' },
    409: { description: 'The recording is not DONE.' },
  },
} as const satisfies Operation
