import { recordingFilterSchemas } from '../list/filters.ts'
import { recordingSortParameter } from '../list/sorting.ts'
import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, searchOrderParameter, createPageResponse } from '../../platform/http/paging.ts'
import { CallFields, JsonCallFields, queuedRecordingExample, recordingExample, RecordingSchema } from './schema.ts'
import * as field from '../../platform/http/field.ts'

const scopedAccess = { tag: 'Recordings', access: 'scoped' } as const

const recordingResponse = (description: string, example: object = recordingExample) => ({
  description,
  json: RecordingSchema,
  example,
})

const createdResponse = (example: object) => ({
  ...recordingResponse('The recording is queued.', example),
  headers: { Location: 'The address of the recording.' },
})

const creationErrorResponses = {
  409: {
    description: 'A recording with this call id or storage key is already registered.',
    headers: { Location: 'The address of the existing recording.' },
  },
  413: { description: 'The file is larger than MAX_UPLOAD_MB.' },
}

const storageFullResponse = { description: 'The storage is full; nothing was stored.' }

export const createRecordingFromUploadOperation = {
  ...scopedAccess,
  id: 'createRecording',
  method: 'post',
  path: '/v1/recordings',
  summary: 'Submit a call as a file',
  description:
    'Responds once the file is stored durably and the call is in the queue. The file part is streamed; text parts ' +
    'can come before or after it. An empty text part counts as omitted.',
  rights: ['manageRecordings'],
  multipart: { file: 'file', fields: CallFields },
  responses: {
    201: createdResponse(queuedRecordingExample),
    ...creationErrorResponses,
    507: storageFullResponse,
  },
} as const satisfies Operation

const UrlSubmission = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      'x-link': true,
      description: 'A public http or https address of the audio file.',
    }),
    ...JsonCallFields.properties,
  },
  {
    ...field.NO_EXTRA_PROPERTIES,
    description: 'The address of the audio, and the fields of the call; null equals an omitted field.',
    examples: [{ url: 'https://pbx.example.com/records/17.mp3', externalCallId: 'pbx-2026-0301-17' }],
  },
)

const StorageSubmission = Type.Object(
  {
    storageKey: field.text('The key of a stored object: a path without `..`.'),
    ...JsonCallFields.properties,
  },
  {
    ...field.NO_EXTRA_PROPERTIES,
    description: 'The object with the audio, and the fields of the call; null equals an omitted field.',
    examples: [{ storageKey: 'archive/2026/17.mp3', externalCallId: 'pbx-2026-0301-17' }],
  },
)

export const createRecordingFromUrlOperation = {
  ...scopedAccess,
  id: 'createRecordingFromUrl',
  method: 'post',
  path: '/v1/recordings/from-url',
  summary: 'Submit a call as a link',
  description:
    'Downloads the file within this request. Responds once the file is stored durably and the call is in the ' +
    'queue. Follows at most five redirects, and never from https to http. The response must begin within 30 ' +
    'seconds, never pause for longer than that, and end within 30 minutes. The file name comes from ' +
    'Content-Disposition, else from the address.',
  rights: ['manageRecordings'],
  body: UrlSubmission,
  responses: {
    201: createdResponse({ ...queuedRecordingExample, source: 'url', fileName: '17.mp3' }),
    400: {
      description:
        'A field is invalid, or the link is forbidden, unreachable or not a file. Messages about the link begin with ' +
        '`url`.',
    },
    ...creationErrorResponses,
    507: storageFullResponse,
  },
} as const satisfies Operation

export const createRecordingFromStorageOperation = {
  ...scopedAccess,
  id: 'createRecordingFromStorage',
  method: 'post',
  path: '/v1/recordings/from-storage',
  summary: 'Submit a call whose audio is already in the storage',
  description:
    'The recording then owns the object: deleting the recording deletes the object. Only for keys and owners. ' +
    'Other people get 404, because no manager is responsible for an object without a call.',
  body: StorageSubmission,
  responses: {
    201: createdResponse({ ...queuedRecordingExample, source: 'storage', fileName: '17.mp3' }),
    404: { description: 'No such file in the storage, or the caller is neither a key nor an owner.' },
    ...creationErrorResponses,
    409: {
      ...creationErrorResponses[409],
      description: 'A recording with this call id or storage key is already registered, or the file is still growing.',
    },
  },
} as const satisfies Operation

export const listRecordingsOperation = {
  ...scopedAccess,
  id: 'listRecordings',
  method: 'get',
  path: '/v1/recordings',
  summary: 'Recordings, page by page',
  audit: 'recordings.list',
  query: field.object({
    ...recordingFilterSchemas,
    ...pageParameters,
    ...searchOrderParameter,
    ...recordingSortParameter,
  }),
  responses: {
    200: createPageResponse(RecordingSchema, 'A page of recordings without their transcripts.', {
      ...recordingExample,
      transcript: null,
    }),
  },
} as const satisfies Operation

const notFoundResponse = { description: 'No such recording, or it is outside your access.' }

export const readRecordingOperation = {
  ...scopedAccess,
  id: 'readRecording',
  method: 'get',
  path: '/v1/recordings/{id}',
  summary: 'One recording with its state, progress and transcript',
  audit: 'recording.read',
  auditObject: 'recording',
  responses: { 200: recordingResponse('The recording.'), 404: notFoundResponse },
} as const satisfies Operation

const fileHeaders = {
  'Content-Disposition': 'The name of the file.',
  ETag: 'The entity tag of the file.',
  'Last-Modified': 'When the file was stored.',
}

/**
 * Creates the responses of an operation that sends audio as a whole or in ranges.
 * @param completeDescription describes the response with the whole audio
 */
export const createAudioResponses = (completeDescription: string) => ({
  200: {
    description: completeDescription,
    content: ['audio/*'],
    headers: { ...fileHeaders, 'Accept-Ranges': 'bytes' },
  },
  206: {
    description: 'The requested part.',
    content: ['audio/*'],
    headers: { ...fileHeaders, 'Content-Range': 'The range of the part and the size of the file.' },
  },
  304: { description: 'Not modified.', headers: fileHeaders },
  404: { description: 'No such recording, or its audio is missing in the storage.' },
  416: { description: 'The range is outside the file.', headers: { 'Content-Range': 'The size of the file.' } },
})

export const readAudioOperation = {
  ...scopedAccess,
  id: 'readAudio',
  method: 'get',
  path: '/v1/recordings/{id}/audio',
  summary: 'The original audio file',
  description: 'Supports HEAD, Range, If-Range, If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since.',
  audit: 'audio.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    ...createAudioResponses('The whole file.'),
    412: { description: 'The file does not match If-Match or If-Unmodified-Since.' },
  },
} as const satisfies Operation

const conflictResponse = { description: 'The status of the recording does not allow this.' }

export const retryRecordingOperation = {
  ...scopedAccess,
  id: 'retryRecording',
  method: 'post',
  path: '/v1/recordings/{id}/retry',
  summary: 'Retry a failed or cancelled recording',
  rights: ['manageRecordings'],
  responses: {
    200: recordingResponse('The recording is queued again.', queuedRecordingExample),
    404: notFoundResponse,
    409: conflictResponse,
  },
} as const satisfies Operation

export const cancelRecordingOperation = {
  ...scopedAccess,
  id: 'cancelRecording',
  method: 'post',
  path: '/v1/recordings/{id}/cancel',
  summary: 'Cancel a waiting or running recording',
  rights: ['manageRecordings'],
  responses: {
    200: recordingResponse('The recording is cancelled. No callback is sent.', {
      ...queuedRecordingExample,
      status: 'CANCELLED',
    }),
    404: notFoundResponse,
    409: conflictResponse,
  },
} as const satisfies Operation

export const retryFailedRecordingsOperation = {
  ...scopedAccess,
  id: 'retryFailedRecordings',
  method: 'post',
  path: '/v1/recordings/retry-failed',
  summary: 'Retry all failed recordings',
  rights: ['manageRecordings'],
  responses: {
    200: {
      description: 'The number of recordings that are queued again.',
      json: field.object({ retried: field.integer('The number of recordings.') }),
      example: { retried: 3 },
    },
  },
} as const satisfies Operation

export const deleteRecordingOperation = {
  ...scopedAccess,
  id: 'deleteRecording',
  method: 'delete',
  path: '/v1/recordings/{id}',
  summary: 'Delete a recording with its audio, transcript and deliveries',
  rights: ['manageRecordings'],
  responses: { 204: { description: 'Deleted.' }, 404: notFoundResponse },
} as const satisfies Operation
