import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Recordings'

const HISTORY_KINDS = [
  'received',
  'started',
  'failed_attempt',
  'done',
  'failed',
  'cancelled',
  'retried',
  'callback',
] as const

const DeliverySchema = field.object('An attempt to deliver the callback.', {
  id: field.id('The delivery id that the receiver gets.'),
  attempt: field.integer('The attempt to deliver it, from 1; 0 before the first one.'),
  event: field.oneOf(['recording.done', 'recording.failed'], 'The event.'),
  statusCode: field.integerOrNull('The status of the receiver’s response; null if there was none.'),
  error: field.textOrNull('Why there was no response.'),
  nextAttemptAt: field.timeOrNull('When it is retried, for the last attempt; null if it is not.'),
  state: field.oneOf(
    ['waiting', 'active', 'delivered', 'failed'],
    'The current state of the delivery: waiting, active (being sent), delivered or failed (given up).',
  ),
})

const HistoryItemSchema = field.namedObject('HistoryItem', 'An event of a recording.', {
  at: field.time('When it happened; for a callback, when it was sent.'),
  kind: field.oneOf(
    HISTORY_KINDS,
    'received; started (an attempt to transcribe); failed_attempt (another follows); done; failed (none follows); ' +
      'cancelled or retried by somebody; callback.',
  ),
  attempt: field.integerOrNull('The attempt to transcribe it, from 1; a retry by a person restarts the count.'),
  message: field.textOrNull('Why the attempt failed.'),
  durationSeconds: field.numberOrNull('The duration of the attempt.'),
  delivery: field.nullable(DeliverySchema, 'The callback.'),
})
export type RecordingHistoryItemJson = Static<typeof HistoryItemSchema>

const emptyDetails = { attempt: null, message: null, durationSeconds: null, delivery: null }

export const readRecordingHistoryOperation = {
  id: 'readHistory',
  method: 'get',
  path: '/v1/recordings/{id}/history',
  tag,
  summary: 'The history of a recording: its attempts, and the deliveries of its callbacks',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recording.read',
  auditObject: 'recording',
  responses: {
    200: {
      description: 'The events, oldest first.',
      json: field.object({ items: field.list(HistoryItemSchema, 'The history.') }),
      example: {
        items: [
          { ...emptyDetails, at: '2026-03-01T07:10:00.000Z', kind: 'received' },
          { ...emptyDetails, at: '2026-03-01T07:10:00.200Z', kind: 'started', attempt: 1 },
          { ...emptyDetails, at: '2026-03-01T07:10:02.000Z', kind: 'done', attempt: 1, durationSeconds: 1.8 },
          {
            ...emptyDetails,
            at: '2026-03-01T07:10:02.100Z',
            kind: 'callback',
            durationSeconds: 0.12,
            delivery: {
              id: '01890a5d-ac96-774b-bcce-b302099a8058',
              attempt: 1,
              event: 'recording.done',
              statusCode: 200,
              error: null,
              nextAttemptAt: null,
              state: 'delivered',
            },
          },
        ],
      },
    },
    404: { description: 'No such recording, or it is outside your access.' },
  },
} as const satisfies Operation

const WaveformSchema = field.namedObject('Waveform', 'The waveform of a recording.', {
  durationSeconds: field.number('The length of the audio.'),
  peaks: field.list(
    Type.Array(Type.Integer({ minimum: 0, maximum: 100 })),
    'The peaks of each channel of the transcript in periods of equal length, at most about 1000; in percent of the ' +
      'highest peak.',
  ),
})
export type RecordingWaveformJson = Static<typeof WaveformSchema>

export const readRecordingWaveformOperation = {
  id: 'readWaveform',
  method: 'get',
  path: '/v1/recordings/{id}/waveform',
  tag,
  summary: 'The waveform of a recording',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recording.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    200: {
      description: 'The waveform.',
      json: WaveformSchema,
      example: {
        durationSeconds: 16,
        peaks: [
          [0, 64, 100, 41],
          [12, 0, 3, 80],
        ],
      },
    },
    404: {
      description:
        'No such recording, outside your access, or without a waveform: it is not DONE, or its waveform was not computed.',
    },
  },
} as const satisfies Operation
