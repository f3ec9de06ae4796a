import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Recordings'
const MAX_PHRASES = 1000

const CallAgentSchema = field.namedObject('Speakers', 'The speaker of a call who is the agent.', {
  agentChannel: field.oneOf([0, 1], 'The channel of the agent or, for two voices on one channel, the voice: 0 or 1.'),
  setFor: field.oneOf(
    ['call', 'words', 'source'],
    'call: a person chose the agent of this call. words: found by the words of two voices on one channel. source: ' +
      'from the settings of the call check for the source of the call.',
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
  summary: 'The agent of a call',
  access: 'scoped',
  closedToKeys: true,
  responses: { 200: speakersResponse({ agentChannel: 0, setFor: 'source' }), 404: notFoundResponse },
} as const satisfies Operation

const PhraseSchema = field.object('A part of the call with one speaker.', {
  start: Type.Number({ minimum: 0, description: 'Seconds from the start of the recording.' }),
  end: Type.Number({ minimum: 0, description: 'Seconds from the start of the recording. Must be greater than start.' }),
  speaker: field.oneOf([0, 1], 'The speaker, 0 or 1.'),
})
export type PhraseJson = Static<typeof PhraseSchema>

const SpeakersChangeSchema = field.requestBody(
  { agentChannel: 1 },
  {
    agentChannel: Type.Optional(
      field.nullable(
        Type.Enum([0, 1]),
        'The agent’s channel or voice, 0 or 1. null: found by words, or from the settings for the source. Omitted: ' +
          'unchanged if phrases are given, else the same as null.',
      ),
    ),
    phrases: Type.Optional(
      Type.Array(PhraseSchema, {
        maxItems: MAX_PHRASES,
        description:
          'The speakers of parts of a call whose voices are separated. The parts must not overlap. A word belongs to ' +
          'the part that contains its middle. Segments are split where the speaker changes.',
      }),
    ),
  },
)
export type SpeakersChange = Static<typeof SpeakersChangeSchema>

export const changeSpeakersOperation = {
  id: 'changeSpeakers',
  method: 'put',
  path: '/v1/recordings/{id}/speakers',
  tag,
  summary: 'Correct the speakers of a call',
  description:
    'If the speakers change, a checked call is checked again. The reviews of its findings stay. No callback is ' +
    'sent. Phrases cancel a queued or running separation.',
  access: 'scoped',
  closedToKeys: true,
  rights: ['manageRecordings'],
  body: SpeakersChangeSchema,
  responses: {
    200: speakersResponse({ agentChannel: 1, setFor: 'call' }),
    404: notFoundResponse,
    409: { description: 'The request has phrases, but the voices of the call are not separated.' },
  },
} as const satisfies Operation

const SeparationSchema = field.namedObject('Separation', 'The last separation of the speakers of a call.', {
  status: field.oneOf(
    ['none', 'queued', 'running', 'done', 'failed', 'cancelled'],
    'none: a separation was never requested. The transcription can still have separated the speakers.',
  ),
  reason: field.textOrNull('Why the separation or its last attempt failed; null otherwise.'),
})
export type SeparationJson = Static<typeof SeparationSchema>

const SEPARATION_PATH = '/v1/recordings/{id}/speakers/separate'

export const readSeparationOperation = {
  id: 'readSeparation',
  method: 'get',
  path: SEPARATION_PATH,
  tag,
  summary: 'The last separation of the speakers of a call',
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
    'Compares the voices in the stored audio, without transcribing it again. Replaces corrections of the ' +
    'speakers. A checked call is then checked again; the reviews of its findings stay. No callback is sent. ' +
    'Without times of words, the method becomes none.',
  access: 'scoped',
  closedToKeys: true,
  rights: ['manageRecordings'],
  responses: {
    202: {
      description: 'The separation is queued.',
      json: SeparationSchema,
      example: { status: 'queued', reason: null },
    },
    404: notFoundResponse,
    409: { description: 'The recording is not DONE, or each of two channels has one speaker.' },
  },
} as const satisfies Operation
