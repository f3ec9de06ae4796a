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
    headers: { Location: 'The address of the existing recording.' },
  },
  413: { description: 'The file is larger than MAX_UPLOAD_MB.' },
}

const storageFull = { description: 'The storage is full; nothing was stored.' }

export const createFromUpload = {
  ...scoped,
  id: 'createRecording',
  method: 'post',
  path: '/v1/recordings',
  summary: 'Submit a call as a file',
  description:
    'Responds once the file is stored durably and the call is in the queue. The file part is streamed; text parts can ' +
    'come before or after it. An empty text part counts as none.',
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
      description: 'A public http or https address of the audio file.',
    }),
    ...JsonCallFields.properties,
  },
  {
    ...field.closed,
    description: 'The address of the audio, and the fields of the call; null equals an omitted field.',
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
    description: 'The object with the audio, and the fields of the call; null equals an omitted field.',
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
    'Downloads the file within this request. Responds once the file is stored durably and the call is in the queue. ' +
    'Follows at most five redirects, and never from https to http. The file must begin within 30 seconds, never pause for ' +
    'longer, and end within 30 minutes. Its name comes from Content-Disposition, else from the address.',
  rights: ['manageRecordings'],
  body: FromUrl,
  responses: {
    201: created({ ...queuedExample, source: 'url', fileName: '17.mp3' }),
    400: {
      description:
        'A field breaks its rule, or the link is forbidden, unreachable or no file. Link messages begin with «url».',
    },
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
    'The recording then owns the object: deleting the recording deletes the object. For keys and owners; other people get ' +
    '404, because an object without a call belongs to nobody.',
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
    200: pageResponse(RecordingSchema, 'A page without transcripts.', { ...recordingExample, transcript: null }),
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
  ETag: 'Its entity tag.',
  'Last-Modified': 'When it was stored.',
}

/** The responses of an operation that sends audio, whole or in parts. */
export const audioResponses = (whole: string) => ({
  200: { description: whole, content: ['audio/*'], headers: { ...fileHeaders, 'Accept-Ranges': 'bytes' } },
  206: {
    description: 'The requested part.',
    content: ['audio/*'],
    headers: { ...fileHeaders, 'Content-Range': 'Its range.' },
  },
  304: { description: 'Not modified.', headers: fileHeaders },
  404: { description: 'No such recording, or its audio is missing in the storage.' },
  416: { description: 'The range is outside of the file.', headers: { 'Content-Range': 'The file’s size.' } },
})

export const readAudio = {
  ...scoped,
  id: 'readAudio',
  method: 'get',
  path: '/v1/recordings/{id}/audio',
  summary: 'The original audio file',
  description: 'Understands HEAD, Range, If-Range, If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since.',
  audit: 'audio.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    ...audioResponses('The whole file.'),
    412: { description: 'The file does not match If-Match or If-Unmodified-Since.' },
  },
} as const satisfies Operation

const wrongState = { description: 'Its state does not allow this.' }

export const retry = {
  ...scoped,
  id: 'retryRecording',
  method: 'post',
  path: '/v1/recordings/{id}/retry',
  summary: 'Retry a failed or cancelled recording',
  rights: ['manageRecordings'],
  responses: { 200: oneRecording('Back in the queue.', queuedExample), 404: notThere, 409: wrongState },
} as const satisfies Operation

export const cancel = {
  ...scoped,
  id: 'cancelRecording',
  method: 'post',
  path: '/v1/recordings/{id}/cancel',
  summary: 'Cancel a waiting or running recording',
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
  summary: 'Retry all failed recordings',
  rights: ['manageRecordings'],
  responses: {
    200: {
      description: 'The number of recordings back in the queue.',
      json: field.object({ retried: field.integer('The number.') }),
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
  responses: { 204: { description: 'Deleted.' }, 404: notThere },
} as const satisfies Operation
