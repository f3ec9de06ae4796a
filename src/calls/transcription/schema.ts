import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { TranscriptSegmentSchema } from '../recordings/schema.ts'
import * as field from '../../platform/http/field.ts'

export const readTranscriptionQueueOperation = {
  id: 'readQueue',
  method: 'get',
  path: '/v1/queue',
  tag: 'Queues',
  summary: 'The queue of transcriptions and its estimated time',
  access: 'ownerOrKey',
  responses: {
    200: {
      description: 'The queue of transcriptions.',
      json: field.namedObject('TranscriptionQueue', 'The queue of transcriptions.', {
        waiting: field.integer('Waiting recordings, including those that wait for a retry.'),
        running: field.integer('Recordings being transcribed.'),
        waitingAudioSeconds: field.numberOrNull(
          'The total length of the waiting audio in seconds. Unknown lengths are estimated by file size. Null until ' +
            'five recordings are measured.',
        ),
        etaSeconds: field.integerOrNull(
          'The estimated seconds until the queue is empty, by the speed of the last recordings. Null if too few are ' +
            'measured, or if the estimate could be wrong by more than a factor of two.',
        ),
        oldestWaitingSince: field.timeOrNull('When the oldest waiting recording was created; null if none waits.'),
        paused: field.boolean('Whether the queue is paused.'),
      }),
      example: {
        waiting: 12,
        running: 2,
        waitingAudioSeconds: 2160.5,
        etaSeconds: 95,
        oldestWaitingSince: '2026-03-01T07:10:00.000Z',
        paused: false,
      },
    },
  },
} as const satisfies Operation

const TranscriptionSettingsSchema = field.namedObject('TranscriptionSettings', 'The settings of the transcription.', {
  separateSpeakers: field.boolean('Whether the two speakers of calls on one channel are separated by their voices.'),
})
export type TranscriptionSettingsJson = Static<typeof TranscriptionSettingsSchema>

const SETTINGS_PATH = '/v1/transcription/settings'
const settingsExample: TranscriptionSettingsJson = { separateSpeakers: true }

export const readTranscriptionSettingsOperation = {
  id: 'readTranscriptionSettings',
  method: 'get',
  path: SETTINGS_PATH,
  tag: 'Recordings',
  summary: 'Settings of the transcription',
  access: 'owner',
  responses: { 200: { description: 'The settings.', json: TranscriptionSettingsSchema, example: settingsExample } },
} as const satisfies Operation

export const changeTranscriptionSettingsOperation = {
  id: 'changeTranscriptionSettings',
  method: 'put',
  path: SETTINGS_PATH,
  tag: 'Recordings',
  summary: 'Replace the settings of the transcription',
  description: 'The change applies to calls whose transcription begins later.',
  access: 'owner',
  body: TranscriptionSettingsSchema,
  responses: {
    200: { description: 'The settings after the change.', json: TranscriptionSettingsSchema, example: settingsExample },
  },
} as const satisfies Operation

const PartialTextSchema = field.namedObject('PartialText', 'The text so far.', {
  segments: field.list(TranscriptSegmentSchema, 'The segments in order of start.'),
})
export type PartialTextJson = Static<typeof PartialTextSchema>

const MAX_SEGMENTS = 1000

export const readPartialTextOperation = {
  id: 'readPartialText',
  method: 'get',
  path: '/v1/recordings/{id}/partial-text',
  tag: 'Recordings',
  summary: 'The text so far of a recording that is being transcribed',
  description:
    'The transcript replaces this text at the end. No segments are returned before the first text, or if the ' +
    'recording is not being transcribed.',
  access: 'scoped',
  closedToKeys: true,
  audit: 'transcript.read',
  auditObject: 'recording',
  query: field.object({
    last: Type.Integer({
      minimum: 1,
      maximum: MAX_SEGMENTS,
      default: MAX_SEGMENTS,
      description: 'The maximum number of segments; the latest ones are returned.',
    }),
  }),
  responses: {
    200: {
      description: 'The latest segments, in order of time.',
      json: PartialTextSchema,
      example: { segments: [{ start: 0.4, end: 1.6, channel: 0, text: 'Good afternoon.', confidence: 0.97 }] },
    },
    404: { description: 'No such recording, or it is outside your access.' },
  },
} as const satisfies Operation
