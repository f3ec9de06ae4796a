import { recordingFilters } from '../list/filters.ts'
import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, searchOrderParameter, pageResponse } from '../../platform/http/paging.ts'
import { CallFields, JsonCallFields, queuedExample, recordingExample, RecordingSchema } from './schema.ts'
import * as field from '../../platform/http/field.ts'

const scoped = { tag: 'Recordings', access: 'scoped' } as const

const oneRecording = (description: string, example: object = recordingExample) => ({
  description,
  json: RecordingSchema,
  example,
})

const created = (example: object) => ({
  ...oneRecording('In the queue.', example),
  headers: { Location: 'The address of the recording.' },
})

const notCreated = {
  409: {
    description: 'A recording with this call id or storage key is already registered.',
    headers: { Location: 'The address of the recording that is there.' },
  },
  413: { description: 'The file is larger than MAX_UPLOAD_MB.' },
}

const storageFull = { description: 'The storage is full; nothing was kept.' }

export const createFromUpload = {
  ...scoped,
  id: 'createRecording',
  method: 'post',
  path: '/v1/recordings',
  summary: 'Submit a call as a file',
  description:
    'Answers once the file is stored durably and the call is in the queue. The file part is streamed; text parts may ' +
    'stand before or after it; an empty text part is the same as none.',
  rights: ['manageRecordings'],
  multipart: { file: 'file', fields: CallFields },
  responses: {
    201: created(queuedExample),
    ...notCreated,
    507: storageFull,
  },
} as const satisfies Operation

const FromUrl = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      'x-link': true,
      description: 'An http or https address of the public internet that answers with the audio file.',
    }),
    ...JsonCallFields.properties,
  },
  {
    ...field.closed,
    description: 'Where the audio is, and the fields of the call; null is a field that is left out.',
    examples: [{ url: 'https://pbx.example.com/records/17.mp3', externalCallId: 'pbx-2026-0301-17' }],
  },
)

const FromStorage = Type.Object(
  {
    storageKey: field.text('The key of a stored object: a path without «..».'),
    ...JsonCallFields.properties,
  },
  {
    ...field.closed,
    description:
      'Which object of the storage holds the audio, and the fields of the call; null is a field that is left out.',
    examples: [{ storageKey: 'archive/2026/17.mp3', externalCallId: 'pbx-2026-0301-17' }],
  },
)

export const createFromUrl = {
  ...scoped,
  id: 'createRecordingFromUrl',
  method: 'post',
  path: '/v1/recordings/from-url',
  summary: 'Submit a call as a link',
  description:
    'The file is downloaded within this request and kept; it answers once the file is stored durably and the call is ' +
    'in the queue. At most five redirects are followed, and never from https to http. The file must begin within 30 ' +
    'seconds, must not pause for longer than that and must end within 30 minutes. Its name is taken from ' +
    'Content-Disposition, else from the address.',
  rights: ['manageRecordings'],
  body: FromUrl,
  responses: {
    201: created({ ...queuedExample, source: 'url', fileName: '17.mp3' }),
    400: { description: 'A field breaks its rule, or the link is forbidden, unreachable or no file: «url …».' },
    ...notCreated,
    507: storageFull,
  },
} as const satisfies Operation

export const createFromStorage = {
  ...scoped,
  id: 'createRecordingFromStorage',
  method: 'post',
  path: '/v1/recordings/from-storage',
  summary: 'Submit a call whose audio is already in the storage',
  description:
    'The object becomes the recording’s own: deleting the recording deletes the object. For keys and owners: an object ' +
    'that no call has yet is nobody’s, so for every other person it is not there.',
  body: FromStorage,
  responses: {
    201: created({ ...queuedExample, source: 'storage', fileName: '17.mp3' }),
    404: { description: 'There is no such file in the storage, or you are neither a key nor an owner.' },
    ...notCreated,
  },
} as const satisfies Operation

export const listRecordings = {
  ...scoped,
  id: 'listRecordings',
  method: 'get',
  path: '/v1/recordings',
  summary: 'Recordings, page by page',
  audit: 'recordings.list',
  query: field.object({ ...recordingFilters, ...pageParameters, ...searchOrderParameter }),
  responses: {
    200: pageResponse(RecordingSchema, 'A page; transcripts are left out.', { ...recordingExample, transcript: null }),
  },
} as const satisfies Operation

const notThere = { description: 'No such recording, or it is outside your access.' }

export const readRecording = {
  ...scoped,
  id: 'readRecording',
  method: 'get',
  path: '/v1/recordings/{id}',
  summary: 'One recording with its state, progress and transcript',
  audit: 'recording.read',
  auditObject: 'recording',
  responses: { 200: oneRecording('The recording.'), 404: notThere },
} as const satisfies Operation

const fileHeaders = {
  'Content-Disposition': 'The name of the file.',
  ETag: 'Its tag.',
  'Last-Modified': 'When it was stored.',
}

/** The responses of an operation that sends audio, whole or in parts. */
export const audioResponses = (whole: string) => ({
  200: { description: whole, content: ['audio/*'], headers: { ...fileHeaders, 'Accept-Ranges': 'bytes' } },
  206: {
    description: 'The part asked for.',
    content: ['audio/*'],
    headers: { ...fileHeaders, 'Content-Range': 'Which part.' },
  },
  304: { description: 'Unchanged.', headers: fileHeaders },
  404: { description: 'No such recording, or its audio is gone from the storage.' },
  416: { description: 'The range lies outside the file.', headers: { 'Content-Range': 'The file’s size.' } },
})

export const readAudio = {
  ...scoped,
  id: 'readAudio',
  method: 'get',
  path: '/v1/recordings/{id}/audio',
  summary: 'The audio as it was sent',
  description: 'Understands HEAD, Range, If-Range, If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since.',
  audit: 'audio.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    ...audioResponses('The whole file.'),
    412: { description: 'The file is another one than If-Match or If-Unmodified-Since name.' },
  },
} as const satisfies Operation

const wrongState = { description: 'Its state does not allow this.' }

export const retry = {
  ...scoped,
  id: 'retryRecording',
  method: 'post',
  path: '/v1/recordings/{id}/retry',
  summary: 'Transcribe again what failed or was cancelled',
  rights: ['manageRecordings'],
  responses: { 200: oneRecording('Back in the queue.', queuedExample), 404: notThere, 409: wrongState },
} as const satisfies Operation

export const cancel = {
  ...scoped,
  id: 'cancelRecording',
  method: 'post',
  path: '/v1/recordings/{id}/cancel',
  summary: 'Take a recording out of the queue, or abort its recognition',
  rights: ['manageRecordings'],
  responses: {
    200: oneRecording('Cancelled; no callback is sent.', { ...queuedExample, status: 'CANCELLED' }),
    404: notThere,
    409: wrongState,
  },
} as const satisfies Operation

export const retryFailed = {
  ...scoped,
  id: 'retryFailedRecordings',
  method: 'post',
  path: '/v1/recordings/retry-failed',
  summary: 'Transcribe again everything that failed',
  rights: ['manageRecordings'],
  responses: {
    200: {
      description: 'How many are back in the queue.',
      json: field.object({ retried: field.integer('How many.') }),
      example: { retried: 3 },
    },
  },
} as const satisfies Operation

export const remove = {
  ...scoped,
  id: 'deleteRecording',
  method: 'delete',
  path: '/v1/recordings/{id}',
  summary: 'Delete a recording with its audio, transcript and deliveries',
  rights: ['manageRecordings'],
  responses: { 204: { description: 'Gone.' }, 404: notThere },
} as const satisfies Operation
