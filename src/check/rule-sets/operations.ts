import Type from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import {
  RuleSetScopeSchema,
  bilingualTextSchema,
  RuleSetKeySchema,
  RuleSetModeSchema,
  RulesSchema,
  UnvalidatedRulesSchema,
} from '../rules/schema.ts'
import {
  type RuleSetJson,
  RuleSetSchema,
  RuleSetSummarySchema,
  RuleSetVersionSchema,
  RuleSetVersionSummarySchema,
  exampleRuleSet,
  exampleRuleSetWithDraft,
  exampleRules,
  exampleRuleSetSummary,
  exampleRuleSetVersionSummary,
} from './schema.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Call check'
const notFoundResponse = { description: 'No such rule set, or it is outside your access.' }
const archivedResponse = { description: 'The set is archived and cannot change.' }
const ruleSetResponse = (one: RuleSetJson = exampleRuleSet) => ({
  description: 'The rule set after the request.',
  json: RuleSetSchema,
  example: one,
})
const readAccess = { tag, access: 'scoped', closedToKeys: true } as const
const ruleSetEditAccess = { tag, access: 'ownerOrHead', rights: ['editRules'] } as const

export const listRuleSetsOperation = {
  ...readAccess,
  id: 'listRuleSets',
  method: 'get',
  path: '/v1/rule-sets',
  audit: 'rules.list',
  summary: 'Rule sets in their order of use: sets of departments first, then by position',
  description: 'People other than owners see the sets for all calls and the sets of their departments.',
  query: field.object({
    ...pageParameters,
    archived: Type.Boolean({ default: false, description: 'true: only archived sets; false: only sets in use.' }),
  }),
  responses: {
    200: createPageResponse(RuleSetSummarySchema, 'A page of rule sets.', exampleRuleSetSummary),
  },
} as const satisfies Operation

export const readRuleSetOperation = {
  ...readAccess,
  id: 'readRuleSet',
  method: 'get',
  path: '/v1/rule-sets/{id}',
  audit: 'rules.read',
  auditObject: 'ruleSet',
  summary: 'One rule set with its rules',
  responses: {
    200: { description: 'The rule set.', json: RuleSetSchema, example: exampleRuleSet },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const listRuleSetVersionsOperation = {
  ...readAccess,
  id: 'listRuleSetVersions',
  method: 'get',
  path: '/v1/rule-sets/{id}/versions',
  audit: 'rules.versions',
  auditObject: 'ruleSet',
  summary: 'Versions of a rule set, newest first',
  query: field.object(pageParameters),
  responses: {
    200: createPageResponse(RuleSetVersionSummarySchema, 'A page of versions.', exampleRuleSetVersionSummary),
    404: notFoundResponse,
  },
} as const satisfies Operation

const versionParameter = { version: Type.Integer({ minimum: 1, description: 'The number of the version.' }) }

export const readRuleSetVersionOperation = {
  ...readAccess,
  id: 'readRuleSetVersion',
  method: 'get',
  path: '/v1/rule-sets/{id}/versions/{version}',
  audit: 'rules.read',
  auditObject: 'ruleSet',
  summary: 'One version with its rules',
  params: versionParameter,
  responses: {
    200: {
      description: 'The version.',
      json: RuleSetVersionSchema,
      example: { ...exampleRuleSetVersionSummary, rules: exampleRules },
    },
    404: notFoundResponse,
  },
} as const satisfies Operation

const newRuleSetBody = <T extends Type.TSchema>(rules: T) =>
  field.requestBody(
    { key: 'service', name: { en: 'Service', ru: 'Сервис' }, mode: 'score', rules: exampleRules },
    {
      key: RuleSetKeySchema,
      name: Type.Optional(bilingualTextSchema(200, 'The name of the set.')),
      mode: Type.Optional(RuleSetModeSchema),
      applies: Type.Optional(RuleSetScopeSchema),
      rules: Type.Optional(rules),
      copyOf: Type.Optional(field.id('The set to copy: its rules and the values of omitted fields.')),
    },
  )

export const createRuleSetOperation = {
  ...ruleSetEditAccess,
  id: 'createRuleSet',
  method: 'post',
  path: '/v1/rule-sets',
  summary: 'Create a rule set, with its rules as a draft',
  description:
    'A head can create sets only for their departments (`applies.departmentIds`). `copyOf` takes the rules and ' +
    'all omitted fields from another set that you see. A head can thus copy a set for all calls.',
  body: newRuleSetBody(UnvalidatedRulesSchema),
  publishedBody: newRuleSetBody(RulesSchema),
  responses: {
    201: {
      ...ruleSetResponse(exampleRuleSetWithDraft),
      description: 'The rule set is created.',
      headers: { Location: 'The address of the rule set.' },
    },
    404: { description: 'There is no such set to copy, or it is outside your access.' },
    409: { description: 'Another set has this key.' },
  },
} as const satisfies Operation

export const changeRuleSetOperation = {
  ...ruleSetEditAccess,
  id: 'changeRuleSet',
  method: 'patch',
  path: '/v1/rule-sets/{id}',
  summary: 'Change the name, position or scope of a rule set',
  description: 'The change applies to later checks.',
  body: field.requestBody(
    { applies: { direction: ['OUTBOUND'], minWords: 40 } },
    {
      name: Type.Optional(bilingualTextSchema(200, 'The name of the set.')),
      applies: Type.Optional(RuleSetScopeSchema),
      position: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_000,
          description: 'Sets with a lower position come first; equal positions are ordered by key.',
        }),
      ),
    },
  ),
  responses: { 200: ruleSetResponse(), 404: notFoundResponse, 409: archivedResponse },
} as const satisfies Operation

export const moveRuleSetOperation = {
  ...ruleSetEditAccess,
  id: 'moveRuleSet',
  method: 'post',
  path: '/v1/rule-sets/{id}/move',
  summary: 'Move a rule set directly before another one',
  description:
    'The order applies to later checks; existing results stay. Renumbers all sets in use. Sets with departments ' +
    'stay before sets for all calls. Simultaneous moves of different sets are all applied.',
  body: field.requestBody(
    { beforeId: '01890a5d-ac96-774b-bcce-b302099a8058' },
    {
      beforeId: field.idOrNull(
        'The set that comes directly after the moved one; null moves it to the end of its group.',
      ),
    },
  ),
  responses: { 200: ruleSetResponse(), 404: notFoundResponse, 409: archivedResponse },
} as const satisfies Operation

export const archiveRuleSetOperation = {
  ...ruleSetEditAccess,
  id: 'archiveRuleSet',
  method: 'delete',
  path: '/v1/rule-sets/{id}',
  summary: 'Archive a rule set',
  description: 'The set judges no further calls. Its results stay.',
  responses: { 204: { description: 'Archived.' }, 404: notFoundResponse, 409: archivedResponse },
} as const satisfies Operation

const staleDraftResponse = {
  description: 'The draft was changed, published or deleted meanwhile: read the set again. Or the set is archived.',
}

const draftBody = <T extends Type.TSchema>(rules: T) =>
  field.requestBody(
    { revision: 3, rules: exampleRules },
    {
      revision: Type.Optional(
        Type.Integer({ minimum: 0, description: 'The revision of the draft that you have read.' }),
      ),
      rules,
      note: Type.Optional(field.nullable(Type.String({ maxLength: 1000 }), 'Your note on the version.')),
      key: Type.Optional(field.text('The same value as in the set.')),
      name: Type.Optional(bilingualTextSchema(200, 'The same value as in the set.')),
      mode: Type.Optional(RuleSetModeSchema),
      applies: Type.Optional(RuleSetScopeSchema),
    },
  )

export const saveRuleSetDraftOperation = {
  ...ruleSetEditAccess,
  id: 'saveRuleSetDraft',
  method: 'put',
  path: '/v1/rule-sets/{id}/draft',
  summary: 'Write the draft of a rule set',
  description:
    'Send the whole draft with the revision that you have read; 0 or none if there is no draft yet. It can repeat ' +
    'name, applies, key and mode of the set, but not change them; PATCH changes name and applies. An error ' +
    'response lists all violations of the rules, one string each.',
  body: draftBody(UnvalidatedRulesSchema),
  publishedBody: draftBody(RulesSchema),
  responses: { 200: ruleSetResponse(exampleRuleSetWithDraft), 404: notFoundResponse, 409: staleDraftResponse },
} as const satisfies Operation

export const deleteRuleSetDraftOperation = {
  ...ruleSetEditAccess,
  id: 'deleteRuleSetDraft',
  method: 'delete',
  path: '/v1/rule-sets/{id}/draft',
  summary: 'Delete the draft of a rule set',
  query: field.object({
    revision: Type.Integer({ minimum: 0, description: 'The revision of the draft that you have read.' }),
  }),
  responses: { 204: { description: 'Deleted.' }, 404: notFoundResponse, 409: staleDraftResponse },
} as const satisfies Operation

export const publishRuleSetDraftOperation = {
  ...ruleSetEditAccess,
  id: 'publishRuleSetDraft',
  method: 'post',
  path: '/v1/rule-sets/{id}/publish',
  summary: 'Publish the draft of a rule set',
  description:
    'New checks use the published version; existing results stay. If the last backtest of these rules found calls ' +
    'that would newly get 0, confirm them with `confirmNewZeros`.',
  body: field.requestBody(
    { revision: 3, note: 'Greetings of the new script' },
    {
      revision: Type.Integer({ minimum: 0, description: 'The revision of the draft that you have read.' }),
      note: Type.Optional(field.nullable(Type.String({ maxLength: 1000 }), 'Your note on the version.')),
      confirmNewZeros: Type.Optional(
        Type.Array(field.text('The key of a critical rule, or noPoints for calls that get 0 without missing one.'), {
          maxItems: 101,
          description: 'The causes of new zeros that you accept, as in `newZeros` of the backtest.',
        }),
      ),
    },
  ),
  responses: {
    200: ruleSetResponse({ ...exampleRuleSet, version: 2 }),
    404: notFoundResponse,
    409: {
      description:
        'The draft was changed, published or deleted meanwhile, the set is archived, or new zeros are not confirmed.',
    },
  },
} as const satisfies Operation

export const restoreRuleSetVersionOperation = {
  ...ruleSetEditAccess,
  id: 'restoreRuleSetVersion',
  method: 'post',
  path: '/v1/rule-sets/{id}/versions/{version}/restore',
  summary: 'Restore a version as the draft',
  params: versionParameter,
  responses: {
    200: ruleSetResponse(exampleRuleSetWithDraft),
    404: notFoundResponse,
    409: { description: 'A draft exists already: publish or delete it first.' },
  },
} as const satisfies Operation
