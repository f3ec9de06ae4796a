import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { SOURCES, type Source } from '../../calls/recordings/entity.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Call check'

const channel = (description: string) => field.oneOf([0, 1], description)

const ofSources = Object.fromEntries(
  SOURCES.map((source) => [
    source,
    Type.Optional(channel(`In calls of the source ${source}; default: like the others.`)),
  ]),
) as Record<Source, Type.TOptional<ReturnType<typeof channel>>>

const settings = {
  agentChannel: field.object('The agent’s channel in calls of two channels: 0 or 1.', {
    default: channel('In calls of all other sources.'),
    ...ofSources,
  }),
  maskNames: Type.Optional(
    field.boolean('Whether names are masked for an external model. Long numbers are always masked.'),
  ),
}

export const SettingsSchema = field.titled('AnalysisSettings', 'The settings of the call check.', {
  ...settings,
  automatic: field.boolean(
    'Whether each call is checked when its transcript is ready. False on a new installation; enabling the CRM automation sets it to true.',
  ),
})
export type SettingsJson = Static<typeof SettingsSchema>

const SettingsChangeSchema = field.object({
  ...settings,
  automatic: Type.Optional(
    field.boolean('Whether each call that finishes from now on is checked. Omit it to leave it unchanged.'),
  ),
})
export type SettingsChange = Static<typeof SettingsChangeSchema>

const settingsExample = { agentChannel: { default: 0, crm: 1 }, automatic: true }

export const readSettings = {
  id: 'readAnalysisSettings',
  method: 'get',
  path: '/v1/analysis/settings',
  tag,
  summary: 'Settings of the call check',
  access: 'owner',
  responses: { 200: { description: 'The settings.', json: SettingsSchema, example: settingsExample } },
} as const satisfies Operation

export const changeSettings = {
  id: 'changeAnalysisSettings',
  method: 'put',
  path: '/v1/analysis/settings',
  tag,
  summary: 'Replace the settings of the call check',
  description:
    'An omitted source uses the default, also for existing calls. `automatic` affects calls that finish later.',
  access: 'owner',
  body: SettingsChangeSchema,
  responses: { 200: { description: 'The settings as they are now.', json: SettingsSchema, example: settingsExample } },
} as const satisfies Operation

export const SpeakersSchema = field.titled('Speakers', 'The speaker on each channel of a call.', {
  agentChannel: channel('The agent’s channel in this call.'),
  setFor: field.oneOf(
    ['call', 'source'],
    'call: somebody has said so of this call; source: as the settings say of its source.',
  ),
})
export type SpeakersJson = Static<typeof SpeakersSchema>

const notThere = { description: 'No such recording, or it is outside your access.' }
const oneCall = (example: SpeakersJson) => ({ description: 'The speakers.', json: SpeakersSchema, example })

export const readSpeakers = {
  id: 'readSpeakers',
  method: 'get',
  path: '/v1/recordings/{id}/speakers',
  tag: 'Recordings',
  audit: 'recording.read',
  auditObject: 'recording',
  summary: 'The speakers on the channels of a call',
  access: 'scoped',
  closedToKeys: true,
  responses: { 200: oneCall({ agentChannel: 0, setFor: 'source' }), 404: notThere },
} as const satisfies Operation

export const changeSpeakers = {
  id: 'changeSpeakers',
  method: 'put',
  path: '/v1/recordings/{id}/speakers',
  tag: 'Recordings',
  summary: 'Set the speakers on the channels of a call',
  description: 'A checked call is then checked again.',
  access: 'scoped',
  closedToKeys: true,
  rights: ['manageRecordings'],
  body: field.object({
    agentChannel: Type.Optional(
      field.nullable(Type.Enum([0, 1]), 'The agent’s channel, 0 or 1; null or omitted: by the settings of its source.'),
    ),
  }),
  responses: { 200: oneCall({ agentChannel: 1, setFor: 'call' }), 404: notThere },
} as const satisfies Operation
