import Type, { type Static } from 'typebox'
import { personSchema, nullableTokenUsageSchema } from '../schemas.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { QueuePauseSchema } from '../../platform/queue/schema.ts'
import { bilingualTextSchema } from '../rules/schema.ts'
import { RULE_KIND_NAMES } from '../rules/values.ts'
import type { VerdictReason } from '../rules/types.ts'
import { VERDICTS } from './values.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Call check'
const percentSchema = (description: string) => field.nullable(Type.Number({ minimum: 0, maximum: 100 }), description)
const verdictSchema = (description: string) => field.oneOf(VERDICTS, description)

export const EvidenceSchema = field.namedObject('Evidence', 'A quote behind a verdict.', {
  segment: field.integer('The index of the segment in the transcript.'),
  from: field.integer('The start of the quote in the text of that segment.'),
  to: field.integer('The end of the quote.'),
  quote: field.text('The quoted text of the transcript.'),
  start: field.number('Seconds from the start of the recording.'),
  end: field.number('Seconds from the start of the recording.'),
  side: field.oneOf(['agent', 'client', 'unknown'], 'The speaker.'),
})

const DisputeSchema = field.namedObject('Dispute', 'A dispute of a verdict.', {
  comment: field.text('Why.'),
  person: personSchema('The person who disputes it.'),
  at: field.time('When.'),
})

export const FindingReviewSchema = field.namedObject('FindingReview', 'People’s opinions about a verdict.', {
  verdict: field.nullable(
    verdictSchema('The person’s decision.'),
    'The person’s decision; null if it is only disputed.',
  ),
  comment: field.textOrNull('Why.'),
  person: field.nullable(personSchema('The person who decided.'), 'The person who decided.'),
  at: field.timeOrNull('When.'),
  machineVerdict: verdictSchema('The verdict of the machine, which stays on record.'),
  dispute: field.nullable(DisputeSchema, 'A dispute that waits for a decision.'),
})
export type FindingReviewJson = Static<typeof FindingReviewSchema>

const ReviewEntrySchema = field.namedObject('ReviewEntry', 'A decision, a dispute, or the undoing of a decision.', {
  kind: field.oneOf(
    ['verdict', 'dispute', 'undo'],
    'verdict: a decision; dispute: an objection to a verdict; undo: the decision before it is taken back.',
  ),
  verdict: field.nullable(verdictSchema('A person’s decision.'), 'The person’s decision; null for other entries.'),
  machineVerdict: verdictSchema('The machine’s verdict at that time.'),
  comment: field.textOrNull('Why.'),
  person: personSchema('The person who decided or disputed.'),
  at: field.time('When.'),
})
export type FindingReviewEntryJson = Static<typeof ReviewEntrySchema>

export const findingReviewsSchema = field.list(
  ReviewEntrySchema,
  'Every decision, dispute and undoing about this rule in this transcript, oldest first.',
)

const reasonCodeSchema = field.nullable(
  Type.Object({ code: field.text('The reason.') }, { additionalProperties: true }),
  'The reason as a code with its figures, for texts in other languages.',
)

export const FindingSchema = field.namedObject('Finding', 'The result of a check by one rule.', {
  id: field.id('The finding.'),
  rule: field.object('The rule at that time.', {
    key: field.text('The key of the rule.'),
    name: bilingualTextSchema(200, 'The requirement.'),
    kind: field.oneOf(RULE_KIND_NAMES, 'The kind of the rule.'),
    weight: field.number('The weight in the score.'),
    critical: field.boolean('Whether missing it makes the score 0.'),
  }),
  verdict: verdictSchema('The current verdict: a person’s decision, else the machine’s.'),
  decidedBy: field.oneOf(['rules', 'model', 'person'], 'The source of the verdict.'),
  why: field.textOrNull('The reason in a sentence.'),
  whyCode: reasonCodeSchema,
  evidence: field.list(EvidenceSchema, 'The quotes behind the verdict.'),
  review: field.nullable(FindingReviewSchema, 'People’s opinions about it.'),
  reviews: findingReviewsSchema,
})
/** A finding in a response. `whyCode` has the reason as a code, so that clients can translate it. */
export type FindingJson = Omit<Static<typeof FindingSchema>, 'whyCode'> & { whyCode: VerdictReason | null }

const ruleSetVersionSchema = field.namedObject('RuleSetVersionName', 'A version of a rule set.', {
  id: field.id('The rule set.'),
  key: field.text('The key of the rule set.'),
  name: bilingualTextSchema(200, 'The name of the rule set.'),
  version: field.integer('The number of the version.'),
})

const LabelSchema = field.object('A label that a rule has found in the call.', {
  id: field.id('The finding.'),
  ruleSet: ruleSetVersionSchema,
  rule: field.object('The rule.', {
    key: field.text('The key of the rule.'),
    name: bilingualTextSchema(200, 'The name of the label.'),
  }),
  verdict: verdictSchema('met, unless a person has decided otherwise.'),
  evidence: field.list(EvidenceSchema, 'The quotes behind it.'),
  review: field.nullable(FindingReviewSchema, 'People’s opinions about it.'),
  reviews: findingReviewsSchema,
})

export const AnalysisSchema = field.namedObject('Analysis', 'The check of a call.', {
  status: field.oneOf(
    ['none', 'queued', 'running', 'done', 'failed', 'skipped'],
    'Status of the last check. none: the call was never checked; reason says why. Earlier findings stay until the check ends.',
  ),
  reason: field.textOrNull('Why it failed or was skipped, or why there is no score or no check.'),
  reasonCode: field.nullable(
    Type.Enum(['noTranscript', 'noRuleSet', 'tooShort', 'tooFewWords', 'off', 'automaticOff']),
    'Code of the reason, for translations.',
  ),
  pause: field.nullable(QueuePauseSchema, 'The pause of the queue in which the check waits.'),
  provider: field.nullable(
    Type.Enum(['rules', 'llm-compatible', 'mock']),
    'The provider; mock: all results are invented for a demonstration.',
  ),
  model: field.textOrNull('The model that judged.'),
  ruleSet: field.nullable(ruleSetVersionSchema, 'The rule set and version behind the score.'),
  score: percentSchema('0–100, after what people have decided; null if less than half of the weight could be judged.'),
  scoreBeforeCritical: percentSchema('The score without critical rules.'),
  scoreAuto: percentSchema('The machine’s own score.'),
  coverage: percentSchema('The share of the total weight that could be judged, in percent.'),
  findings: field.list(FindingSchema, 'A finding for each rule of the set.'),
  labels: field.list(LabelSchema, 'The labels that other sets found in the call, except overturned ones.'),
  overturnedLabels: field.list(
    LabelSchema,
    'Labels that a person has overturned: the call no longer has these labels.',
  ),
  usage: nullableTokenUsageSchema('The tokens of the model.'),
  cost: field.nullable(
    field.object({
      amount: field.number('The amount.'),
      currency: field.text('ANALYSIS_PRICE_CURRENCY at that time.'),
    }),
    'The cost, if prices are set.',
  ),
  outdated: field.boolean(
    'The call was corrected while automatic checking or the call check was off. Other rules can apply now: check it ' +
      'again.',
  ),
  updatedAt: field.timeOrNull('When it ended, or a person decided.'),
  versions: field.list(
    ruleSetVersionSchema,
    'The versions with readable checks of this call, by set and version. Latest first.',
  ),
})
/** The check of a call in a response, with typed reasons of the verdicts. */
export type AnalysisJson = Omit<Static<typeof AnalysisSchema>, 'findings'> & { findings: FindingJson[] }

const exampleName = { en: 'Incoming sales call', ru: 'Входящая продажа' }
export const exampleFinding: FindingJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8061',
  rule: {
    key: 'greeting',
    name: { en: 'Greets the client', ru: 'Поздоровался' },
    kind: 'said',
    weight: 5,
    critical: false,
  },
  verdict: 'met',
  decidedBy: 'rules',
  why: 'Found: 1.',
  whyCode: { code: 'found', count: 1 },
  evidence: [{ segment: 0, from: 0, to: 12, quote: 'Добрый день!', start: 0.4, end: 1.2, side: 'agent' }],
  review: null,
  reviews: [],
}
export const exampleAnalysis: AnalysisJson = {
  status: 'done',
  reason: null,
  reasonCode: null,
  pause: null,
  provider: 'rules',
  model: null,
  ruleSet: { id: '01890a5d-ac96-774b-bcce-b302099a8057', key: 'incoming-sales', name: exampleName, version: 1 },
  score: 91,
  scoreBeforeCritical: 91,
  scoreAuto: 91,
  coverage: 77,
  findings: [exampleFinding],
  labels: [],
  overturnedLabels: [],
  outdated: false,
  usage: null,
  cost: null,
  updatedAt: '2026-03-01T07:01:05.000Z',
  versions: [{ id: '01890a5d-ac96-774b-bcce-b302099a8057', key: 'incoming-sales', name: exampleName, version: 1 }],
}

const notFoundResponse = { description: 'No such recording or version, or it is outside your access.' }

export const readAnalysisOperation = {
  id: 'readAnalysis',
  method: 'get',
  path: '/v1/recordings/{id}/analysis',
  tag,
  summary: 'The check of a call',
  access: 'scoped',
  audit: 'analysis.read',
  auditObject: 'recording',
  query: field.object({
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        description: 'The last check by this version of its rule set. Default: the current result.',
      }),
    ),
    set: Type.Optional(
      field.id('Only checks by this rule set, if several have versions of the same number: see `versions`.'),
    ),
  }),
  responses: {
    200: { description: 'The check.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
  },
} as const satisfies Operation

export const rerunAnalysisOperation = {
  id: 'rerunAnalysis',
  method: 'post',
  path: '/v1/recordings/{id}/analysis/rerun',
  tag,
  summary: 'Check a call again by the published rules',
  description: 'The earlier result stays until this check ends, and then on record.',
  access: 'ownerOrHead',
  rights: ['editRules'],
  responses: {
    202: {
      description: 'Queued.',
      json: AnalysisSchema,
      example: { ...exampleAnalysis, status: 'queued' },
    },
    404: notFoundResponse,
    409: { description: 'The call has no text, or ANALYSIS_PROVIDER is none.' },
  },
} as const satisfies Operation
