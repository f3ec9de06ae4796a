import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { spreadsheetParameter } from '../../platform/http/spreadsheet.ts'
import { pageParameters, transcriptOrderParameter, createPageResponse } from '../../platform/http/paging.ts'
import { transcriptFilterSchemas } from '../list/filters.ts'
import { createRecordingIdListSchema } from '../list/filters/columns.ts'
import { recordingExample, RecordingSchema, TranscriptSchema } from '../recordings/schema.ts'
import * as field from '../../platform/http/field.ts'

export const TRANSCRIPT_FORMATS = ['json', 'txt', 'srt', 'vtt'] as const
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** Languages of the speaker names in texts and subtitles. */
export const SPEAKER_NAME_LANGUAGES = ['en', 'ru'] as const

export const readTranscriptOperation = {
  id: 'readTranscript',
  method: 'get',
  path: '/v1/recordings/{id}/transcript',
  tag: 'Transcripts',
  summary: 'The transcript of a recording that is DONE',
  access: 'scoped',
  audit: 'transcript.read',
  auditObject: 'recording',
  query: field.object({
    format: Type.Enum([...TRANSCRIPT_FORMATS], { default: 'json', description: 'json, txt, srt or vtt.' }),
    speakers: Type.Optional(
      field.oneOf(
        SPEAKER_NAME_LANGUAGES,
        'The language of the speaker names in srt, vtt and txt: en or ru. The names are Agent and Client, or Speaker ' +
          '1 and Speaker 2 if the agent is uncertain. Without separated speakers, there are no names. srt and vtt have ' +
          'English names by default. txt has names only with this parameter; each of its lines then begins with the ' +
          'time.',
      ),
    ),
    words: Type.Optional(
      field.boolean(
        'true: in json, each segment includes its words with start, end and confidence. `timing` states how exact ' +
          'their times are.',
      ),
    ),
    firstSegment: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'json: only the segments from this index on, counted from 0. `text` contains only the returned segments.',
      }),
    ),
    segments: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'json: the maximum number of segments.' }),
    ),
  }),
  responses: {
    200: {
      description: 'The transcript.',
      json: TranscriptSchema,
      example: recordingExample.transcript,
      content: ['text/plain', 'application/x-subrip', 'text/vtt'],
      headers: { 'Content-Disposition': 'The name of the file; absent with the format json.' },
      contentExamples: {
        'text/plain': 'Good afternoon.\nHello.\n',
        'application/x-subrip':
          '1\n00:00:00,400 --> 00:00:01,600\nAgent: Good afternoon.\n\n2\n00:00:02,100 --> 00:00:03,100\nClient: Hello.\n',
        'text/vtt':
          'WEBVTT\n\n00:00:00.400 --> 00:00:01.600\n<v Agent>Good afternoon.\n\n00:00:02.100 --> 00:00:03.100\n<v Client>Hello.\n',
      },
    },
    404: { description: 'No such recording, or it is outside your access.' },
    409: { description: 'The recording is not DONE.' },
  },
} as const satisfies Operation

export const listTranscriptsOperation = {
  id: 'listTranscripts',
  method: 'get',
  path: '/v1/transcripts',
  tag: 'Transcripts',
  summary: 'Transcripts, page by page',
  description:
    'Each item is a recording that is DONE, with its transcript. Read pages while page × pageSize is less than ' +
    'total. With order=asc, transcripts come in the order in which they became ready. A client that reads on in ' +
    'this order gets every transcript exactly once, even if calls arrive, change or are imported meanwhile.',
  access: 'scoped',
  audit: 'transcripts.list',
  rights: ['export'],
  query: field.object({ ...transcriptFilterSchemas, ...pageParameters, ...transcriptOrderParameter }),
  responses: {
    200: createPageResponse(RecordingSchema, 'A page of recordings with their transcripts.', recordingExample),
  },
} as const satisfies Operation

export const TRANSCRIPT_EXPORT_FORMATS = ['zip', 'csv', 'jsonl'] as const
export type TranscriptExportFormat = (typeof TRANSCRIPT_EXPORT_FORMATS)[number]

export const exportTranscriptsOperation = {
  id: 'exportTranscripts',
  method: 'get',
  path: '/v1/transcripts/export',
  tag: 'Transcripts',
  summary: 'Transcripts as one file',
  description:
    'Oldest call first. The export is a snapshot of one moment and is streamed. zip: an index.csv and one .txt ' +
    'for each transcript, named by the day of the call (APP_TIMEZONE), the phone (or the id) and the id. csv: ' +
    'UTF-8 with a byte order mark, RFC 4180, one line for each recording. A cell that a spreadsheet could read as ' +
    'a formula begins with an apostrophe; so does a phone number with a plus sign. jsonl: one recording with its ' +
    'transcript on each line.',
  access: 'scoped',
  audit: 'transcripts.export',
  rights: ['export'],
  query: field.object({
    ...transcriptFilterSchemas,
    ids: Type.Optional(createRecordingIdListSchema('Only these recordings, comma separated, at most 100.')),
    format: Type.Enum([...TRANSCRIPT_EXPORT_FORMATS], { default: 'zip', description: 'zip, csv or jsonl.' }),
    limit: Type.Integer({
      minimum: 1,
      maximum: 50_000,
      default: 10_000,
      description: 'The maximum number of transcripts.',
    }),
    ...spreadsheetParameter,
  }),
  responses: {
    200: {
      description: 'The file.',
      content: ['application/zip', 'text/csv', 'application/x-ndjson'],
      contentExamples: {
        'text/csv':
          '"id","callStartedAt","createdAt","durationSeconds","direction","phoneNumber","managerName","department","externalCallId","source","fileName","score","language","text"\r\n',
        'application/x-ndjson': '{"id": "01890a5d-…", "status": "DONE", "transcript": {"text": "Good afternoon."}}\n',
      },
      headers: {
        'X-Transcripts-Matching': 'The number of matching transcripts.',
        'X-Transcripts-Exported': 'The number of transcripts in the file.',
        'Content-Disposition': 'The name of the file.',
      },
    },
    503: { description: 'The database does not respond, or too many exports run at once.' },
  },
} as const satisfies Operation
