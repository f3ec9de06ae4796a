import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { CALL_SOURCES, type CallSource } from '../../calls/recordings/entity.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Call check'

const channelSchema = (description: string) => field.oneOf([0, 1], description)

const sourceChannels = Object.fromEntries(
  CALL_SOURCES.map((source) => [
    source,
    Type.Optional(
      channelSchema(`The agent’s channel in calls of the source ${source}. Default: as for other sources.`),
    ),
  ]),
) as Record<CallSource, Type.TOptional<ReturnType<typeof channelSchema>>>

const settingsProperties = {
  agentChannel: field.object('The agent’s channel in calls of two channels: 0 or 1.', {
    default: channelSchema('The agent’s channel in calls of all other sources.'),
    ...sourceChannels,
  }),
  maskNames: Type.Optional(
    field.boolean(
      'Whether names are masked in requests to an external model. Default: false. Long numbers are always masked.',
    ),
  ),
}

const AnalysisSettingsSchema = field.namedObject('AnalysisSettings', 'The settings of the call check.', {
  ...settingsProperties,
  automatic: field.boolean(
    'Whether each call is checked when its transcript is ready. False on a new installation; enabling the CRM ' +
      'automation sets it to true.',
  ),
})
export type AnalysisSettingsJson = Static<typeof AnalysisSettingsSchema>

const exampleSettings = { agentChannel: { default: 0, crm: 1 }, automatic: true }

const AnalysisSettingsChangeSchema = field.requestBody(exampleSettings, {
  ...settingsProperties,
  automatic: Type.Optional(
    field.boolean('Whether each call is checked when its transcript is ready. Omitted: unchanged.'),
  ),
})
export type AnalysisSettingsChange = Static<typeof AnalysisSettingsChangeSchema>

export const readAnalysisSettingsOperation = {
  id: 'readAnalysisSettings',
  method: 'get',
  path: '/v1/analysis/settings',
  tag,
  summary: 'Settings of the call check',
  access: 'owner',
  responses: { 200: { description: 'The settings.', json: AnalysisSettingsSchema, example: exampleSettings } },
} as const satisfies Operation

export const changeAnalysisSettingsOperation = {
  id: 'changeAnalysisSettings',
  method: 'put',
  path: '/v1/analysis/settings',
  tag,
  summary: 'Replace the settings of the call check',
  description:
    'A source that is omitted uses the default, also for existing calls. `automatic` affects calls that are ' +
    'transcribed later.',
  access: 'owner',
  body: AnalysisSettingsChangeSchema,
  responses: {
    200: { description: 'The settings after the change.', json: AnalysisSettingsSchema, example: exampleSettings },
  },
} as const satisfies Operation
