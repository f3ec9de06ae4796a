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
  attempt: field.integer('The number of the attempt, from 1; 0 before the first attempt.'),
  event: field.oneOf(['recording.done', 'recording.failed'], 'The event.'),
  statusCode: field.integerOrNull('The status of the receiver’s response; null if there was none.'),
  error: field.textOrNull('Why there was no response; null if there was one.'),
  nextAttemptAt: field.timeOrNull(
    'When the next attempt is due; null for earlier attempts, and if no attempt is scheduled.',
  ),
  state: field.oneOf(
    ['waiting', 'active', 'delivered', 'failed'],
    'The current state of the delivery: waiting, active (being sent), delivered or failed (given up).',
  ),
})

const HistoryItemSchema = field.namedObject('HistoryItem', 'An event of a recording.', {
  at: field.time(
    'When it happened. For a callback, when the attempt began; before the first attempt, when the callback was ' +
      'created.',
  ),
  kind: field.oneOf(
    HISTORY_KINDS,
    'received; started: an attempt to transcribe; failed_attempt: it failed and is retried; done; failed: it ' +
      'failed and is not retried; cancelled or retried: on request; callback: an attempt to deliver it.',
  ),
  attempt: field.integerOrNull(
    'The number of the transcription attempt, from 1; null for other events. A requested retry restarts the ' +
      'count.',
  ),
  message: field.textOrNull('Why the attempt failed; null if it did not.'),
  durationSeconds: field.numberOrNull('The duration of the attempt in seconds; null if unknown or not applicable.'),
  delivery: field.nullable(DeliverySchema, 'The delivery; null for events other than a callback.'),
})
export type RecordingHistoryItemJson = Static<typeof HistoryItemSchema>

const emptyDetails = { attempt: null, message: null, durationSeconds: null, delivery: null }

export const readRecordingHistoryOperation = {
  id: 'readHistory',
  method: 'get',
  path: '/v1/recordings/{id}/history',
  tag,
  summary: 'The transcription attempts of a recording, and the deliveries of its callbacks',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recording.read',
  auditObject: 'recording',
  responses: {
    200: {
      description: 'The events, oldest first.',
      json: field.object({ items: field.list(HistoryItemSchema, 'The events.') }),
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
  durationSeconds: field.number('The length of the audio in seconds.'),
  peaks: field.list(
    Type.Array(Type.Integer({ minimum: 0, maximum: 100 })),
    'For each channel of the transcript, the peaks of at most about 1000 periods of equal length, in percent of ' +
      'the highest peak.',
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
  audit: 'recording.waveform',
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
        'No such recording, or it is outside your access. Also if it has no waveform: it is not DONE, or no waveform ' +
        'was computed.',
    },
  },
} as const satisfies Operation
