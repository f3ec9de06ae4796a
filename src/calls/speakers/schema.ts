import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Recordings'
const MAX_PHRASES = 1000

export const CallAgentSchema = field.namedObject('Speakers', 'Which speaker of a call is the agent.', {
  agentChannel: field.oneOf([0, 1], 'The agent’s channel in this call, or voice on one channel.'),
  setFor: field.oneOf(
    ['call', 'words', 'source'],
    'call: somebody has said so of this call; words: found by what two voices on one channel say; source: as the settings ' +
      'say of its source.',
  ),
})
export type CallAgentJson = Static<typeof CallAgentSchema>

const notFoundResponse = { description: 'No such recording, or it is outside your access.' }
const speakersResponse = (example: CallAgentJson) => ({
  description: 'The speakers.',
  json: CallAgentSchema,
  example,
})

export const readSpeakersOperation = {
  id: 'readSpeakers',
  method: 'get',
  path: '/v1/recordings/{id}/speakers',
  tag,
  audit: 'recording.read',
  auditObject: 'recording',
  summary: 'Which speaker of a call is the agent',
  access: 'scoped',
  closedToKeys: true,
  responses: { 200: speakersResponse({ agentChannel: 0, setFor: 'source' }), 404: notFoundResponse },
} as const satisfies Operation

const PhraseSchema = field.object('A part of the call with one speaker.', {
  start: Type.Number({ minimum: 0, description: 'Seconds from the start of the recording.' }),
  end: Type.Number({ minimum: 0, description: 'Seconds from the start of the recording, after start.' }),
  speaker: field.oneOf([0, 1], 'The speaker.'),
})
export type PhraseJson = Static<typeof PhraseSchema>

const SpeakersChangeSchema = field.object({
  agentChannel: Type.Optional(
    field.nullable(
      Type.Enum([0, 1]),
      'The agent’s channel or voice, 0 or 1; null: by words or by the settings of its source. Omitted: the same as null, or ' +
        'unchanged where phrases are given.',
    ),
  ),
  phrases: Type.Optional(
    Type.Array(PhraseSchema, {
      maxItems: MAX_PHRASES,
      description:
        'The speakers of parts of a call whose voices are separated. The parts must not overlap. A word belongs to the part at its ' +
        'middle. Segments are cut where the speaker changes.',
    }),
  ),
})
export type SpeakersChange = Static<typeof SpeakersChangeSchema>

export const changeSpeakersOperation = {
  id: 'changeSpeakers',
  method: 'put',
  path: '/v1/recordings/{id}/speakers',
  tag,
  summary: 'Correct the speakers of a call',
  description:
    'A checked call is then checked again; the reviews of its findings stay. No callback is sent. A separation in progress ' +
    'is cancelled by phrases.',
  access: 'scoped',
  closedToKeys: true,
  rights: ['manageRecordings'],
  body: SpeakersChangeSchema,
  responses: {
    200: speakersResponse({ agentChannel: 1, setFor: 'call' }),
    404: notFoundResponse,
    409: { description: 'Phrases, but the voices of the call are not separated.' },
  },
} as const satisfies Operation

const SeparationSchema = field.namedObject('Separation', 'The last separation of the speakers of a call.', {
  status: field.oneOf(
    ['none', 'queued', 'running', 'done', 'failed', 'cancelled'],
    'none: it was never requested; the transcription can have separated the speakers itself.',
  ),
  reason: field.textOrNull('Why it failed, or why the last attempt did.'),
})
export type SeparationJson = Static<typeof SeparationSchema>

const SEPARATION_PATH = '/v1/recordings/{id}/speakers/separate'

export const readSeparationOperation = {
  id: 'readSeparation',
  method: 'get',
  path: SEPARATION_PATH,
  tag,
  summary: 'Whether the speakers of a call are being separated',
  access: 'scoped',
  closedToKeys: true,
  audit: 'recording.read',
  auditObject: 'recording',
  responses: {
    200: { description: 'The separation.', json: SeparationSchema, example: { status: 'running', reason: null } },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const separateSpeakersOperation = {
  id: 'separateSpeakers',
  method: 'post',
  path: SEPARATION_PATH,
  tag,
  summary: 'Separate the speakers of a call on one channel',
  description:
    'Compares the voices in the stored audio, without transcribing it again. It replaces corrections of the speakers. A ' +
    'checked call is then checked again; the reviews of its findings stay. No callback is sent. Without times of words, ' +
    'the method becomes none.',
  access: 'scoped',
  closedToKeys: true,
  rights: ['manageRecordings'],
  responses: {
    202: { description: 'It is queued.', json: SeparationSchema, example: { status: 'queued', reason: null } },
    404: notFoundResponse,
    409: { description: 'The recording is not DONE, or each of two channels has one speaker.' },
  },
} as const satisfies Operation
