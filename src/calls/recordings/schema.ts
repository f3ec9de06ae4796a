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
      'The manager’s name. People other than owners can submit only calls that they see. Their own name is the ' +
        'default. Heads can name a manager of their departments.',
    ),
  ),
  direction: Type.Optional(field.oneOf(CALL_DIRECTIONS, 'INBOUND: the client called. OUTBOUND: the company called.')),
  callStartedAt: Type.Optional(
    field.time('When the call began, in ISO 8601. A time without an offset is in APP_TIMEZONE.'),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description: '0 to 10; recordings with a higher priority are transcribed earlier. Default 0.',
    }),
  ),
  decoder: Type.Optional(
    field.oneOf(DECODER_NAMES, 'The decoder: greedy or beam_search. Default: the recognizer’s default.'),
  ),
  callbackUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      'x-link': true,
      description: 'A public http or https address that gets the callback when the recording is DONE or FAILED.',
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
    channel: field.integer('0, or 1 for the second channel of a stereo file with two different channels.'),
    speaker: Type.Optional(
      field.nullable(
        Type.Enum([0, 1]),
        'The speaker: the channel if each channel has one speaker, else the voice; null if unknown. Absent before the ' +
          'transcript is complete.',
      ),
    ),
    speakerConfidence: Type.Optional(
      field.numberOrNull(
        'The confidence in the speaker, 0 to 1; null without a speaker. Rules of the call check rely on 0.8 or more.',
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
            'The recognizer’s confidence, 0 to 1: the mean probability of its tokens without punctuation, whatever their ' +
              'case; null if unknown.',
          ),
        }),
        'The words of the segment, in order. Only with words=true; empty if the recognizer returned none.',
      ),
    ),
  },
)

const AudioSchema = field.namedObject('Audio', 'Properties of an audio file. Lists have one entry per channel.', {
  channels: field.integer('2 for a file with two channels, else 1. Files with more channels are mixed into one.'),
  speechSeconds: field.list(Type.Number(), 'Seconds of speech on each channel.'),
  silent: field.list(Type.Boolean(), 'Whether each channel is silent.'),
  identical: field.boolean('Whether both channels have the same audio. Only one of them is then transcribed.'),
  clipped: field.boolean('Whether the audio exceeded the range of the recording and is distorted.'),
  speakers: field.namedObject('CallSpeakers', 'How the speakers are separated.', {
    method: field.oneOf(
      SPEAKER_METHODS,
      'channels: each channel has one speaker. voices: by the voices on one channel. none: not separated; every ' +
        'speaker is null.',
    ),
    confidence: field.numberOrNull('The confidence of the separation, 0 to 1: 1 for channels; null for none.'),
    agentConfidence: field.numberOrNull(
      'The confidence about which speaker is the agent, 0 to 1: 1 for channels, and if a person chose the agent; ' +
        'null for none. If it is unknown or below 0.8, rules about one side are not determined.',
    ),
  }),
})

export const TranscriptSchema = field.namedObject('Transcript', 'The text of a call.', {
  text: field.text('The texts of the segments in order of start, joined by line breaks; empty for silence.'),
  model: field.text('The model of the recognizer.'),
  decoder: field.text('The decoder: greedy or beam_search.'),
  language: field.text('The language, such as en or ru.'),
  timing: field.nullable(
    Type.Enum([...TIMING_PRECISIONS]),
    'exact: the times of words are the model’s own. estimated: they are derived from the model’s attention. null: ' +
      'unknown.',
  ),
  segments: field.list(TranscriptSegmentSchema, 'The segments in order of start.'),
})

export const RecordingSchema = field.namedObject('Recording', 'A call recording.', {
  id: field.id('The recording.'),
  status: field.oneOf(RECORDING_STATUSES, 'QUEUED, PROCESSING, DONE, FAILED or CANCELLED.'),
  source: field.oneOf(CALL_SOURCES, 'The source of the audio.'),
  externalCallId: field.textOrNull('The call’s id in the caller’s system; null if unknown.'),
  phoneNumber: field.textOrNull('The client’s phone number; null if unknown.'),
  managerName: field.textOrNull('The manager’s name; null if unknown.'),
  direction: field.nullable(Type.Enum([...CALL_DIRECTIONS]), 'INBOUND or OUTBOUND; null if unknown.'),
  callStartedAt: field.timeOrNull('When the call began; null if unknown.'),
  priority: field.integer('0 to 10; recordings with a higher priority are transcribed earlier.'),
  decoder: field.nullable(Type.Enum([...DECODER_NAMES]), 'The requested decoder; null: the recognizer’s default.'),
  callbackUrl: field.textOrNull('The address of the callback; null if there is none.'),
  department: field.nullable(
    field.object({ id: field.text('The department.'), name: field.text('The name of the department.') }),
    'The department with the manager in its roster; null if there is none.',
  ),
  fileName: field.textOrNull('The original name of the audio file; null if unknown.'),
  sizeBytes: field.integer('The size of the audio file in bytes; 0 without one.'),
  durationSeconds: field.numberOrNull('The length of the audio in seconds; null until it is known.'),
  attempts: field.integer('Transcription attempts started so far. A requested retry restarts the count.'),
  errorCode: field.nullable(
    Type.Enum([...AUDIO_ERROR_CODES]),
    'The error of the audio, which a retry cannot fix; null without one.',
  ),
  errorMessage: field.textOrNull('Why the recording or its last attempt failed, in words; null if it did not fail.'),
  progress: field.object('The progress of the transcription.', {
    stage: field.oneOf(['queued', 'transcribing', 'done', 'failed', 'cancelled'], 'The current stage.'),
    percent: field.integer('The progress in percent, 0 to 100.'),
    position: field.integerOrNull('The position in the queue, from 1; null if the recording does not wait.'),
    etaSeconds: field.integerOrNull(
      'The estimated seconds until the recording is DONE. Null if the last recordings show that the estimate could ' +
        'be wrong by more than a factor of two, or if too few are measured.',
    ),
    paused: Type.Optional(
      field.boolean(
        'True if the recording waits in a paused queue; etaSeconds then counts from the end of the pause. Absent ' +
          'otherwise.',
      ),
    ),
  }),
  createdAt: field.time('When the recording was created.'),
  startedAt: field.timeOrNull('When the current or last attempt began; null before the first one.'),
  finishedAt: field.timeOrNull('When the recording became DONE, FAILED or CANCELLED; null before.'),
  transcript: field.nullable(TranscriptSchema, 'The transcript; null in lists and until the recording is DONE.'),
  score: field.numberOrNull('The current score of the call check, 0 to 100; null without one.'),
  scoreIsMock: Type.Optional(
    field.boolean(
      'True if the score is invented (ANALYSIS_PROVIDER=mock): filters, sorting, CSV and reports ignore it. Absent otherwise.',
    ),
  ),
  audio: field.nullable(
    AudioSchema,
    'The properties of the audio; null until it is transcribed, and for calls of earlier releases.',
  ),
  duplicateOf: Type.Optional(
    field.object(
      'The first call with exactly the same audio, if the caller can see one. Only in the response of a submission. ' +
        'Calls of earlier releases and files that were already in the storage are not compared.',
      {
        id: field.id('The earlier call.'),
        fileName: field.textOrNull('The original name of its audio file; null if unknown.'),
        createdAt: field.time('When the recording was created.'),
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
