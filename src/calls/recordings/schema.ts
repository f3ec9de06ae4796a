import { TIMING_PRECISIONS } from '../transcripts/entity.ts'
import {
  AUDIO_ERROR_CODES,
  CALL_DIRECTIONS,
  CALL_SOURCES,
  DECODER_NAMES,
  RECORDING_STATUSES,
  SPEAKER_METHODS,
} from './entity.ts'
import Type, { type Static } from 'typebox'
import * as field from '../../platform/http/field.ts'

/** The fields that a call can have at creation, from any source. */
const callFieldSchemas = {
  externalCallId: Type.Optional(
    field.singleLine(255, 'The call’s id in the caller’s system. It is unique; a repeated id gets 409.'),
  ),
  phoneNumber: Type.Optional(field.singleLine(64, 'The client’s phone number.')),
  managerName: Type.Optional(
    field.singleLine(
      255,
      'The manager’s name. People other than owners can submit only calls that they see. Their own name is the default; ' +
        'heads can name a manager of their departments.',
    ),
  ),
  direction: Type.Optional(field.oneOf(CALL_DIRECTIONS, 'INBOUND or OUTBOUND.')),
  callStartedAt: Type.Optional(field.time('When the call began, ISO 8601; without an offset in APP_TIMEZONE.')),
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description: '0 to 10; higher ones come earlier in the queue. Default 0.',
    }),
  ),
  decoder: Type.Optional(field.oneOf(DECODER_NAMES, 'greedy or beam_search; default: the recognizer’s own.')),
  callbackUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      'x-link': true,
      description: 'A public http or https address for the callback when the result is ready.',
    }),
  ),
}

export const CallFields = field.object('The fields of a call.', callFieldSchemas)
export type CallFields = Static<typeof CallFields>

/** The same fields for a JSON body, in which null equals an omitted field. */
const jsonFieldSchemas = Object.fromEntries(
  Object.entries<Type.TSchema & { description?: string }>(callFieldSchemas).map(([name, schema]) => [
    name,
    Type.Optional(field.nullable(schema, schema.description ?? '')),
  ]),
) as unknown as { [N in keyof CallFields]-?: Type.TOptional<Type.TUnsafe<CallFields[N] | null>> }

export const JsonCallFields = field.object('The fields of a call.', jsonFieldSchemas)

/** Removes the null fields of a JSON body. */
export function omitNullCallFields(fields: Static<typeof JsonCallFields>): CallFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

export const TranscriptSegmentSchema = field.namedObject(
  'Segment',
  'A sentence or a phrase: at most 7 seconds and 84 letters.',
  {
    start: field.number('Seconds from the start of the recording.'),
    end: field.number('Seconds from the start of the recording.'),
    channel: field.integer('0; 0 or 1 where a stereo file holds two different channels.'),
    speaker: Type.Optional(
      field.nullable(
        Type.Enum([0, 1]),
        'The speaker: the channel of a call with two, else a voice; null if unknown. Absent before the transcript is complete.',
      ),
    ),
    speakerConfidence: Type.Optional(
      field.numberOrNull(
        'How certain the speaker is, 0 to 1; null without a speaker. Rules of the call check count on 0.8 or more.',
      ),
    ),
    text: field.text('The spoken text.'),
    confidence: Type.Optional(
      field.numberOrNull(
        'The recognizer’s confidence, 0 to 1: the mean probability of its tokens, punctuation included; null if unknown. ' +
          'Absent in calls of earlier releases.',
      ),
    ),
    words: Type.Optional(
      field.list(
        field.object({
          start: field.number('Seconds from the start of the recording.'),
          end: field.number('Seconds from the start of the recording.'),
          text: field.text('The word, with its punctuation.'),
          confidence: field.numberOrNull(
            'The recognizer’s confidence, 0 to 1: the mean probability of its tokens in any case, without punctuation; null if ' +
              'unknown.',
          ),
        }),
        'With words=true: its words, in order; empty if the recognizer returned none.',
      ),
    ),
  },
)

const AudioSchema = field.namedObject('Audio', 'The contents of a file’s channels.', {
  channels: field.integer('1, or 2 where the file has two; more than two are mixed into one.'),
  speechSeconds: field.list(Type.Number(), 'Seconds of speech on each channel.'),
  silent: field.list(Type.Boolean(), 'Whether each channel is silent.'),
  identical: field.boolean('Both channels have the same audio: only one was transcribed.'),
  clipped: field.boolean('The audio exceeded the range of the recording: it is distorted.'),
  speakers: field.namedObject('CallSpeakers', 'How the speakers are separated.', {
    method: field.oneOf(
      SPEAKER_METHODS,
      'channels: each channel has one; voices: by their voices on one channel; none: not at all, every speaker is null.',
    ),
    confidence: field.numberOrNull('How certain the speakers are, 0 to 1: 1 for channels; null for none.'),
    agentConfidence: field.numberOrNull(
      'How certain it is which of them is the agent, 0 to 1: 1 for channels and if a person has chosen; null for none. ' +
        'Below 0.8, rules about one side are not determined.',
    ),
  }),
})

export const TranscriptSchema = field.namedObject('Transcript', 'The text of a call.', {
  text: field.text('The segments’ texts joined by line breaks in order of start; empty for silence.'),
  model: field.text('The model of the recognizer.'),
  decoder: field.text('greedy or beam_search.'),
  language: field.text('The language, such as en or ru.'),
  timing: field.nullable(
    Type.Enum([...TIMING_PRECISIONS]),
    'exact: the times of words are the model’s own; estimated: derived from what it listened to; null: not told.',
  ),
  segments: field.list(TranscriptSegmentSchema, 'In order of start.'),
})

export const RecordingSchema = field.namedObject('Recording', 'A call recording.', {
  id: field.id('The recording.'),
  status: field.oneOf(RECORDING_STATUSES, 'QUEUED, PROCESSING, DONE, FAILED or CANCELLED.'),
  source: field.oneOf(CALL_SOURCES, 'The source of the audio.'),
  externalCallId: field.textOrNull('The call’s id in the caller’s system.'),
  phoneNumber: field.textOrNull('The client’s phone number.'),
  managerName: field.textOrNull('The manager’s name.'),
  direction: field.nullable(Type.Enum([...CALL_DIRECTIONS]), 'INBOUND or OUTBOUND.'),
  callStartedAt: field.timeOrNull('When the call began.'),
  priority: field.integer('0 to 10.'),
  decoder: field.nullable(Type.Enum([...DECODER_NAMES]), 'The requested decoder; null: the recognizer’s default.'),
  callbackUrl: field.textOrNull('The address of the callback.'),
  department: field.nullable(
    field.object({ id: field.text('The department.'), name: field.text('Its name.') }),
    'The department with the manager’s name in its roster.',
  ),
  fileName: field.textOrNull('The original name of the audio file.'),
  sizeBytes: field.integer('The size of the audio file; 0 without one.'),
  durationSeconds: field.numberOrNull('The length of the audio; null until it is known.'),
  attempts: field.integer('Attempts so far.'),
  errorCode: field.nullable(Type.Enum([...AUDIO_ERROR_CODES]), 'A fault of the audio; a retry cannot help.'),
  errorMessage: field.textOrNull('Why it failed, in words.'),
  progress: field.object('The progress of the transcription.', {
    stage: field.oneOf(['queued', 'transcribing', 'done', 'failed', 'cancelled'], 'The current stage.'),
    percent: field.integer('0 to 100.'),
    position: field.integerOrNull('The place in the queue, from 1, while it waits.'),
    etaSeconds: field.integerOrNull(
      'The estimated time until it is done; null if nine in ten such estimates would not be right within a factor of two.',
    ),
    paused: Type.Optional(
      field.boolean(
        'True if it waits in a paused queue, else absent: etaSeconds then counts from the end of the pause.',
      ),
    ),
  }),
  createdAt: field.time('When it was accepted.'),
  startedAt: field.timeOrNull('When the current or last attempt began.'),
  finishedAt: field.timeOrNull('When it became DONE, FAILED or CANCELLED.'),
  transcript: field.nullable(TranscriptSchema, 'The text; null in lists and until the recording is DONE.'),
  score: field.numberOrNull('The current score of the call check, 0–100.'),
  scoreIsMock: Type.Optional(
    field.boolean(
      'True if the score is invented (ANALYSIS_PROVIDER=mock): filters, sorting, CSV and reports ignore it. Absent otherwise.',
    ),
  ),
  audio: field.nullable(
    AudioSchema,
    'The contents of the file; null until it is transcribed, and for calls of earlier releases.',
  ),
  duplicateOf: Type.Optional(
    field.object(
      'The first call with exactly the same audio, if there is one that the caller can see. Only in the response of a ' +
        'submission. Calls of earlier releases and files that were already in the storage are not compared.',
      {
        id: field.id('The earlier call.'),
        fileName: field.textOrNull('The original name of its audio file.'),
        createdAt: field.time('When it was accepted.'),
      },
    ),
  ),
})
export type RecordingJson = Static<typeof RecordingSchema>

export const recordingExample = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  status: 'DONE',
  source: 'upload',
  externalCallId: 'pbx-2026-0301-17',
  phoneNumber: '+375291234567',
  managerName: 'Anna Kovaleva',
  direction: 'INBOUND',
  callStartedAt: '2026-03-01T07:00:00.000Z',
  priority: 0,
  decoder: null,
  callbackUrl: 'https://crm.example.com/hooks/calls',
  department: null,
  fileName: 'call.wav',
  sizeBytes: 512044,
  durationSeconds: 16,
  attempts: 1,
  errorCode: null,
  errorMessage: null,
  progress: { stage: 'done', percent: 100, position: null, etaSeconds: null },
  createdAt: '2026-03-01T07:10:00.000Z',
  startedAt: '2026-03-01T07:10:00.200Z',
  finishedAt: '2026-03-01T07:10:02.000Z',
  transcript: {
    text: 'Good afternoon.\nHello.',
    model: 'moonshine-base-en',
    decoder: 'beam_search',
    language: 'en',
    timing: 'estimated',
    segments: [
      {
        start: 0.4,
        end: 1.6,
        channel: 0,
        speaker: 0,
        speakerConfidence: 1,
        text: 'Good afternoon.',
        confidence: 0.98,
      },
      { start: 2.1, end: 2.7, channel: 1, speaker: 1, speakerConfidence: 1, text: 'Hello.', confidence: 0.95 },
    ],
  },
  score: null,
  audio: {
    channels: 2,
    speechSeconds: [1.2, 0.6],
    silent: [false, false],
    identical: false,
    clipped: false,
    speakers: { method: 'channels', confidence: 1, agentConfidence: 1 },
  },
}
export const queuedRecordingExample = {
  ...recordingExample,
  status: 'QUEUED',
  attempts: 0,
  durationSeconds: null,
  progress: { stage: 'queued', percent: 0, position: 1, etaSeconds: null },
  startedAt: null,
  finishedAt: null,
  transcript: null,
  audio: null,
}
