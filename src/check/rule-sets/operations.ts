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
  description: 'The rule set now.',
  json: RuleSetSchema,
  example: one,
})
const readAccess = { tag, access: 'scoped', closedToKeys: true } as const
export const ruleSetEditAccess = { tag, access: 'ownerOrHead', rights: ['editRules'] } as const

export const listRuleSetsOperation = {
  ...readAccess,
  id: 'listRuleSets',
  method: 'get',
  path: '/v1/rule-sets',
  audit: 'rules.list',
  summary: 'Rule sets in the order of their use: those of departments first, then by position',
  description: 'People other than an owner see the sets for all calls and the sets of their departments.',
  query: field.object({
    ...pageParameters,
    archived: Type.Boolean({ default: false, description: 'true: archived sets.' }),
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
      name: Type.Optional(bilingualTextSchema(200, 'Its name.')),
      mode: Type.Optional(RuleSetModeSchema),
      applies: Type.Optional(RuleSetScopeSchema),
      rules: Type.Optional(rules),
      copyOf: Type.Optional(field.id('The set to copy.')),
    },
  )

export const createRuleSetOperation = {
  ...ruleSetEditAccess,
  id: 'createRuleSet',
  method: 'post',
  path: '/v1/rule-sets',
  summary: 'Create a rule set, with its rules as a draft',
  description:
    'A head makes sets for their departments only (`applies.departmentIds`). `copyOf` takes the rules and all omitted ' +
    'fields from another set that you see. So a head can copy a set for everybody.',
  body: newRuleSetBody(UnvalidatedRulesSchema),
  publishedBody: newRuleSetBody(RulesSchema),
  responses: {
    201: {
      ...ruleSetResponse(exampleRuleSetWithDraft),
      description: 'Created.',
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
  description: 'Applies to checks from now on.',
  body: field.requestBody(
    { applies: { direction: ['OUTBOUND'], minWords: 40 } },
    {
      name: Type.Optional(bilingualTextSchema(200, 'Its name.')),
      applies: Type.Optional(RuleSetScopeSchema),
      position: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, description: 'Lower ones come first; equal ones by key.' }),
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
    'The order counts for later checks; results stay. Numbers all sets in use anew. Sets with departments stay before those ' +
    'for all calls. Simultaneous moves of different sets keep both.',
  body: field.requestBody(
    { beforeId: '01890a5d-ac96-774b-bcce-b302099a8058' },
    {
      beforeId: field.idOrNull('The set that comes directly after it; null moves it to the end of its group.'),
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
  description: 'It judges no further calls. Its results stay.',
  responses: { 204: { description: 'Archived.' }, 404: notFoundResponse, 409: archivedResponse },
} as const satisfies Operation

const staleDraftResponse = {
  description: 'Somebody has changed, published or deleted the draft meanwhile: read the set again.',
}

const draftBody = <T extends Type.TSchema>(rules: T) =>
  field.requestBody(
    { revision: 3, rules: exampleRules },
    {
      revision: Type.Optional(Type.Integer({ minimum: 0, description: 'The revision that you read.' })),
      rules,
      note: Type.Optional(field.nullable(Type.String({ maxLength: 1000 }), 'Your note.')),
      key: Type.Optional(field.text('The value of the set.')),
      name: Type.Optional(bilingualTextSchema(200, 'The value of the set.')),
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
    'Send the whole draft with the revision that you have read; 0 or none if there is no draft yet. It can contain name, ' +
    'applies, key and mode as the set has them: PATCH changes the first two. The response lists all violations of the ' +
    'rules, one string each.',
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
  query: field.object({ revision: Type.Integer({ minimum: 0, description: 'The revision that you read.' }) }),
  responses: { 204: { description: 'Deleted.' }, 404: notFoundResponse, 409: staleDraftResponse },
} as const satisfies Operation

export const publishRuleSetDraftOperation = {
  ...ruleSetEditAccess,
  id: 'publishRuleSetDraft',
  method: 'post',
  path: '/v1/rule-sets/{id}/publish',
  summary: 'Publish the draft of a rule set',
  description:
    'New checks use it; existing results stay. If the last backtest of these rules found calls that would newly get 0, ' +
    'confirm them with `confirmNewZeros`.',
  body: field.requestBody(
    { revision: 3, note: 'Greetings of the new script' },
    {
      revision: Type.Integer({ minimum: 0, description: 'The revision that you read.' }),
      note: Type.Optional(field.nullable(Type.String({ maxLength: 1000 }), 'Your note.')),
      confirmNewZeros: Type.Optional(
        Type.Array(field.text('The key of a critical rule, or noPoints for calls that get 0 without one.'), {
          maxItems: 101,
          description: 'Causes of new zeros that you accept, as in `newZeros` of the backtest.',
        }),
      ),
    },
  ),
  responses: {
    200: ruleSetResponse({ ...exampleRuleSet, version: 2 }),
    404: notFoundResponse,
    409: staleDraftResponse,
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
