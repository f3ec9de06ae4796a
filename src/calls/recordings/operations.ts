import { recordingFilters } from '../list/filters.ts'
import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageOf, pageParameters, searchOrderParameter } from '../../platform/http/paging.ts'
import { CallFields, RecordingSchema, closed, queuedExample, recordingExample } from './schema.ts'

const tag = 'Recordings'

const oneRecording = (description: string, example: object = recordingExample) => ({
  description,
  json: RecordingSchema,
  example,
})

export const createFromUpload = {
  id: 'createRecording',
  method: 'post',
  path: '/v1/recordings',
  tag,
  summary: 'Submit a call as a file',
  description:
    'Answers once the file is stored durably and the call is in the queue. The file part is streamed; text parts may ' +
    'stand before or after it; an empty text part is the same as none.',
  access: 'scoped',
  rights: ['manageRecordings'],
  multipart: { file: 'file', fields: CallFields },
  responses: {
    201: {
      ...oneRecording('In the queue.', queuedExample),
      headers: { Location: 'The address of the recording.' },
    },
    409: {
      description: 'A recording with this call id or storage key is already registered.',
      headers: { Location: 'The address of the recording that is there.' },
    },
    413: { description: 'The file is larger than MAX_UPLOAD_MB.' },
    507: { description: 'The storage is full; nothing was kept.' },
  },
} as const satisfies Operation

export const listRecordings = {
  id: 'listRecordings',
  method: 'get',
  path: '/v1/recordings',
  tag,
  summary: 'Recordings, page by page',
  access: 'scoped',
  audit: 'recordings.list',
  query: Type.Object({ ...recordingFilters, ...pageParameters, ...searchOrderParameter }, closed),
  responses: {
    200: {
      description: 'A page; transcripts are left out.',
      json: pageOf(RecordingSchema, 'A page of recordings.'),
      example: { items: [{ ...recordingExample, transcript: null }], total: 1, page: 1, pageSize: 25 },
    },
  },
} as const satisfies Operation

const notThere = { description: 'No such recording, or it is outside your access.' }

export const readRecording = {
  id: 'readRecording',
  method: 'get',
  path: '/v1/recordings/{id}',
  tag,
  summary: 'One recording with its state, progress and transcript',
  access: 'scoped',
  audit: 'recording.read',
  auditObject: 'recording',
  responses: { 200: oneRecording('The recording.'), 404: notThere },
} as const satisfies Operation

/** Of an answer with a file, or a part of it. */
export const fileHeaders = {
  'Content-Disposition': 'The name of the file.',
  ETag: 'Its tag.',
  'Last-Modified': 'When it was stored.',
}

export const readAudio = {
  id: 'readAudio',
  method: 'get',
  path: '/v1/recordings/{id}/audio',
  tag,
  summary: 'The audio as it was sent',
  description: 'Understands HEAD, Range, If-Range, If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since.',
  access: 'scoped',
  audit: 'audio.read',
  auditObject: 'recording',
  rights: ['audio'],
  responses: {
    200: {
      description: 'The whole file.',
      content: ['audio/*'],
      headers: { ...fileHeaders, 'Accept-Ranges': 'bytes' },
    },
    206: {
      description: 'The part asked for.',
      content: ['audio/*'],
      headers: { ...fileHeaders, 'Content-Range': 'Which part.' },
    },
    304: { description: 'Unchanged.', headers: fileHeaders },
    404: { description: 'No such recording, or its audio is gone from the storage.' },
    412: { description: 'The file is another one than If-Match or If-Unmodified-Since name.' },
    416: { description: 'The range lies outside the file.', headers: { 'Content-Range': 'The file’s size.' } },
  },
} as const satisfies Operation

const wrongState = { description: 'Its state does not allow this.' }

export const retry = {
  id: 'retryRecording',
  method: 'post',
  path: '/v1/recordings/{id}/retry',
  tag,
  summary: 'Transcribe again what failed or was cancelled',
  access: 'scoped',
  rights: ['manageRecordings'],
  responses: { 200: oneRecording('Back in the queue.', queuedExample), 404: notThere, 409: wrongState },
} as const satisfies Operation

export const cancel = {
  id: 'cancelRecording',
  method: 'post',
  path: '/v1/recordings/{id}/cancel',
  tag,
  summary: 'Take a recording out of the queue, or abort its recognition',
  access: 'scoped',
  rights: ['manageRecordings'],
  responses: {
    200: oneRecording('Cancelled; no callback is sent.', { ...queuedExample, status: 'CANCELLED' }),
    404: notThere,
    409: wrongState,
  },
} as const satisfies Operation

export const retryFailed = {
  id: 'retryFailedRecordings',
  method: 'post',
  path: '/v1/recordings/retry-failed',
  tag,
  summary: 'Transcribe again everything that failed',
  access: 'scoped',
  rights: ['manageRecordings'],
  responses: {
    200: {
      description: 'How many are back in the queue.',
      json: Type.Object({ retried: Type.Integer({ description: 'How many.' }) }, closed),
      example: { retried: 3 },
    },
  },
} as const satisfies Operation

export const remove = {
  id: 'deleteRecording',
  method: 'delete',
  path: '/v1/recordings/{id}',
  tag,
  summary: 'Delete a recording with its audio, transcript and deliveries',
  access: 'scoped',
  rights: ['manageRecordings'],
  responses: { 204: { description: 'Gone.' }, 404: notThere },
} as const satisfies Operation
