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
  from: field.integer('The start of the quote in the text of that segment, in UTF-16 units.'),
  to: field.integer('The exclusive end of the quote in that text.'),
  quote: field.text('The quoted text of the transcript.'),
  start: field.number('Seconds from the start of the recording.'),
  end: field.number('Seconds from the start of the recording.'),
  side: field.oneOf(['agent', 'client', 'unknown'], 'The speaker.'),
})

const DisputeSchema = field.namedObject('Dispute', 'A dispute of a verdict.', {
  comment: field.text('The comment of the person.'),
  person: personSchema('The author of the dispute.'),
  at: field.time('When the person disputed.'),
})

const FindingReviewSchema = field.namedObject(
  'FindingReview',
  'The current decision and dispute of people about a verdict.',
  {
    verdict: field.nullable(
      verdictSchema('The person’s decision.'),
      'The person’s decision; null if there is only a dispute.',
    ),
    comment: field.textOrNull('The person’s comment; null without a decision.'),
    person: field.nullable(personSchema('The person who decided.'), 'The person who decided; null without a decision.'),
    at: field.timeOrNull('When the person decided; null without a decision.'),
    machineVerdict: verdictSchema('The verdict of the machine, which is kept.'),
    dispute: field.nullable(DisputeSchema, 'The dispute that waits for a decision; null if none waits.'),
  },
)
export type FindingReviewJson = Static<typeof FindingReviewSchema>

const ReviewEntrySchema = field.namedObject('ReviewEntry', 'A decision, a dispute, or the undoing of a decision.', {
  kind: field.oneOf(
    ['verdict', 'dispute', 'undo'],
    'verdict: a decision; dispute: an objection to a verdict; undo: the author took their last decision back.',
  ),
  verdict: field.nullable(verdictSchema('A person’s decision.'), 'The person’s decision; null for other entries.'),
  machineVerdict: verdictSchema('The machine’s verdict at that time.'),
  comment: field.textOrNull('The person’s comment; null without one.'),
  person: personSchema('The author of the entry.'),
  at: field.time('When the person decided, disputed or undid a decision.'),
})
export type FindingReviewEntryJson = Static<typeof ReviewEntrySchema>

const findingReviewsSchema = field.list(
  ReviewEntrySchema,
  'All decisions, disputes and undone decisions about this rule in this transcript, oldest first.',
)

const reasonCodeSchema = field.nullable(
  Type.Object({ code: field.text('The code of the reason.') }, { additionalProperties: true }),
  'The reason of the machine’s verdict as a code with its figures, for texts in other languages.',
)

export const FindingSchema = field.namedObject('Finding', 'The result of a check by one rule.', {
  id: field.id('The finding.'),
  rule: field.object('The rule at that time.', {
    key: field.text('The key of the rule.'),
    name: bilingualTextSchema(200, 'The requirement.'),
    kind: field.oneOf(RULE_KIND_NAMES, 'The kind of the rule.'),
    weight: field.number('The points of the rule: its weight in the score.'),
    critical: field.boolean('Whether missing the rule makes the score 0.'),
  }),
  verdict: verdictSchema('The current verdict: a person’s decision, else the machine’s.'),
  decidedBy: field.oneOf(
    ['rules', 'model', 'person'],
    'rules: the phrases and figures of the rule. model: the external model. person: a person.',
  ),
  why: field.textOrNull('The reason of the machine’s verdict in a sentence.'),
  whyCode: reasonCodeSchema,
  evidence: field.list(EvidenceSchema, 'The quotes behind the verdict.'),
  review: field.nullable(FindingReviewSchema, 'The current decision and dispute; null if there is neither.'),
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
  evidence: field.list(EvidenceSchema, 'The quotes behind the label.'),
  review: field.nullable(FindingReviewSchema, 'The current decision and dispute; null if there is neither.'),
  reviews: findingReviewsSchema,
})

export const AnalysisSchema = field.namedObject('Analysis', 'The check of a call.', {
  status: field.oneOf(
    ['none', 'queued', 'running', 'done', 'failed', 'skipped'],
    'The status of the last check. none: there is no check; reason can state why. Earlier findings stay until the ' +
      'new check ends.',
  ),
  reason: field.textOrNull(
    'Why the check failed or was skipped, or why there is no score or no check; null otherwise.',
  ),
  reasonCode: field.nullable(
    Type.Enum(['noTranscript', 'noRuleSet', 'tooShort', 'tooFewWords', 'off', 'automaticOff']),
    'The code of the reason, for texts in other languages; null for other reasons.',
  ),
  pause: field.nullable(
    QueuePauseSchema,
    'The pause of the queue in which the check waits; null if the check does not wait in a paused queue.',
  ),
  provider: field.nullable(
    Type.Enum(['rules', 'llm-compatible', 'mock']),
    'The provider of the verdicts; null without a result. mock: all results are invented for a demonstration.',
  ),
  model: field.textOrNull('The model that judged the call; null if none did.'),
  ruleSet: field.nullable(ruleSetVersionSchema, 'The rule set and version behind the score; null without one.'),
  score: percentSchema(
    'The score, 0 to 100, including people’s decisions. 0 if a critical rule is missed, else null if less than ' +
      'half of the weight could be judged.',
  ),
  scoreBeforeCritical: percentSchema(
    'The score if missed critical rules did not make it 0; null if less than half of the weight could be judged.',
  ),
  scoreAuto: percentSchema('The score by the machine’s own verdicts; null as for `score`.'),
  coverage: percentSchema('The share of the total weight that could be judged, in percent; null without a score set.'),
  findings: field.list(FindingSchema, 'The findings, one for each rule of the set.'),
  labels: field.list(LabelSchema, 'The labels that other sets found in the call, except overturned ones.'),
  overturnedLabels: field.list(
    LabelSchema,
    'Labels that a person has overturned, so that the call no longer has them.',
  ),
  usage: nullableTokenUsageSchema('The tokens that the model used; null if unknown or without a model.'),
  cost: field.nullable(
    field.object({
      amount: field.number('The amount.'),
      currency: field.text('ANALYSIS_PRICE_CURRENCY at that time.'),
    }),
    'The cost; null without a model or without prices.',
  ),
  outdated: field.boolean(
    'Whether the call was corrected while automatic checking or the call check was off. Other rules can apply ' +
      'now: check the call again.',
  ),
  updatedAt: field.timeOrNull('When the check ended or a person last decided; null without a result.'),
  versions: field.list(
    ruleSetVersionSchema,
    'The rule set versions that have checked this call, latest check first. Select their results with `version` ' +
      'and `set`.',
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
        description: 'The last completed check by this version of its rule set. Default: the current check.',
      }),
    ),
    set: Type.Optional(
      field.id('Only checks by this rule set. Several sets can have versions with the same number: see `versions`.'),
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
  description: 'The earlier result applies until the new check ends, and is kept afterwards.',
  access: 'ownerOrHead',
  rights: ['editRules'],
  responses: {
    202: {
      description: 'The check is queued.',
      json: AnalysisSchema,
      example: { ...exampleAnalysis, status: 'queued' },
    },
    404: notFoundResponse,
    409: { description: 'The call has no transcript, or ANALYSIS_PROVIDER is none.' },
  },
} as const satisfies Operation
