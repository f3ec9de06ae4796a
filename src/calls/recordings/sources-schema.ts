import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { JsonCallFields, queuedExample, RecordingSchema } from './schema.ts'

const tag = 'Recordings'
const closed = { additionalProperties: false }

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
    ...closed,
    description: 'Where the audio is, and the fields of the call; null is a field that is left out.',
    examples: [{ url: 'https://pbx.example.com/records/17.mp3', externalCallId: 'pbx-2026-0301-17' }],
  },
)
export type FromUrl = Static<typeof FromUrl>

const FromStorage = Type.Object(
  {
    storageKey: Type.String({ description: 'The key of an object that lies in the storage: a path without «..».' }),
    ...JsonCallFields.properties,
  },
  {
    ...closed,
    description:
      'Which object of the storage holds the audio, and the fields of the call; null is a field that is left out.',
    examples: [{ storageKey: 'archive/2026/17.mp3', externalCallId: 'pbx-2026-0301-17' }],
  },
)
export type FromStorage = Static<typeof FromStorage>

const location = (description: string) => ({ Location: description })

const answers = {
  409: {
    description: 'A recording with this call id or storage key is already registered.',
    headers: location('The address of the recording that is there.'),
  },
  413: { description: 'The file is larger than MAX_UPLOAD_MB.' },
}

const created = (source: string, fileName: string) => ({
  description: 'In the queue.',
  json: RecordingSchema,
  example: { ...queuedExample, source, fileName },
  headers: location('The address of the recording.'),
})

export const createFromUrl = {
  id: 'createRecordingFromUrl',
  method: 'post',
  path: '/v1/recordings/from-url',
  tag,
  summary: 'Submit a call as a link',
  description:
    'The file is downloaded within this request and kept; it answers once the file is stored durably and the call is ' +
    'in the queue. At most five redirects are followed, and never from https to http. The file must begin within 30 ' +
    'seconds, must not pause for longer than that and must end within 30 minutes. Its name is taken from ' +
    'Content-Disposition, else from the address.',
  access: 'scoped',
  rights: ['manageRecordings'],
  body: FromUrl,
  responses: {
    201: created('url', '17.mp3'),
    400: { description: 'A field breaks its rule, or the link is forbidden, unreachable or no file: «url …».' },
    ...answers,
    507: { description: 'The storage is full; nothing was kept.' },
  },
} as const satisfies Operation

export const createFromStorage = {
  id: 'createRecordingFromStorage',
  method: 'post',
  path: '/v1/recordings/from-storage',
  tag,
  summary: 'Submit a call whose audio already lies in the storage',
  description:
    'The object becomes the recording’s own: deleting the recording deletes the object. For keys and owners: an object ' +
    'that no call has yet is nobody’s, so for every other person it is not there.',
  access: 'scoped',
  body: FromStorage,
  responses: {
    201: created('storage', '17.mp3'),
    404: { description: 'There is no such file in the storage, or you are neither a key nor an owner.' },
    ...answers,
  },
} as const satisfies Operation
