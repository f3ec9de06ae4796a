import { VERDICTS } from '../checks/values.ts'
import Type, { type Static } from 'typebox'
import { callNameProperties, nullableMoneySchema, personSchema, nullableTokenUsageSchema } from '../schemas.ts'
import { EvidenceSchema } from '../checks/check-schema.ts'
import { bilingualTextSchema } from '../rules/schema.ts'
import * as field from '../../platform/http/field.ts'

export const BACKTEST_STATES = ['running', 'done', 'cancelled', 'failed'] as const

const scoreSchema = (description: string) => field.numberOrNull(description)
const ruleKeySchema = field.text('The key of the rule.')
const ruleNameSchema = bilingualTextSchema(200, 'The requirement.')
/** Request properties for a required period of calls, by the time of the call. */
export const callPeriodProperties = {
  from: field.dayOrTime('Calls from this time on.'),
  to: field.dayOrTime('Calls before this time; a day alone is included.'),
}
export const recentCallPeriodProperties = {
  from: Type.Optional(field.dayOrTime('Calls from this time on. Default: 30 days before `to`.')),
  to: Type.Optional(field.dayOrTime('Calls before this time; a day alone is included. Default: now.')),
}
export const CheckEstimateSchema = field.namedObject('CheckEstimate', 'The estimated cost of checking calls.', {
  calls: field.integer('Calls with a transcript.'),
  words: field.integer('The estimated number of their words.'),
  inputTokens: field.integerOrNull('The estimated input tokens; null if no model judges calls.'),
  outputTokens: field.integerOrNull('The estimated output tokens; null if no model judges calls.'),
  cost: nullableMoneySchema('The estimated cost; null without a model or without prices.'),
  seconds: field.integer('The estimated duration in seconds.'),
})
export const exampleCheckEstimate = {
  calls: 1000,
  words: 600_000,
  inputTokens: null,
  outputTokens: null,
  cost: null,
  seconds: 30,
}

const trialModelSchema = field.nullable(
  field.object({
    name: field.text('The name of the model.'),
    host: field.text('The host that receives the texts of calls.'),
    masksNames: field.boolean('Whether names are masked, like long numbers.'),
  }),
  'The model that judges calls, even if this trial did not use it; null if no model judges calls.',
)

export const DraftTrialSchema = field.namedObject('TriedDraft', 'The result of a draft for a call.', {
  score: scoreSchema(
    'The score, 0 to 100. 0 if a critical rule is missed, else null if less than half of the weight could be ' +
      'judged. Null for label sets.',
  ),
  scoreBeforeCritical: scoreSchema(
    'The score if missed critical rules did not make it 0. Null if less than half of the weight could be judged, ' +
      'and for label sets.',
  ),
  coverage: scoreSchema('The share of the total weight that could be judged, in percent; null for label sets.'),
  findings: field.list(
    field.object({
      rule: ruleKeySchema,
      verdict: field.oneOf(VERDICTS, 'The verdict of the draft.'),
      decidedBy: field.oneOf(
        ['rules', 'model'],
        'rules: the phrases and figures of the rule. model: the external model.',
      ),
      why: field.text('The reason in a sentence.'),
      whyCode: Type.Object(
        { code: field.text('The code of the reason.') },
        { additionalProperties: true, description: 'The reason as a code with its figures.' },
      ),
      evidence: field.list(EvidenceSchema, 'The quotes behind the verdict.'),
    }),
    'A finding for each rule of the draft.',
  ),
  model: trialModelSchema,
  usage: nullableTokenUsageSchema('The tokens of this trial; null if it did not use the model.'),
  cost: nullableMoneySchema('The cost of the tokens; null without prices or without the model.'),
})

const verdictCountsSchema = (description: string) =>
  field.nullable(
    field.object({
      met: field.integer('Calls that meet the rule.'),
      missed: field.integer('Calls that miss the rule.'),
      notApplicable: field.integer('Calls that the rule does not apply to.'),
      unknown: field.integer('Calls whose verdict is unknown.'),
    }),
    description,
  )

export const BacktestSchema = field.namedObject(
  'Backtest',
  'A comparison of a draft with the published version, on stored calls.',
  {
    id: field.id('The backtest.'),
    ruleSetId: field.id('The rule set.'),
    state: field.oneOf(BACKTEST_STATES, 'The state of the backtest.'),
    from: field.time('Calls from this time on.'),
    to: field.time('Calls before this time.'),
    revision: field.integer('The revision of the draft.'),
    isCurrent: field.boolean('Whether the current draft has the same rules.'),
    person: personSchema('The person who started the backtest.'),
    total: field.integer('Calls to process.'),
    done: field.integer('Calls processed so far.'),
    skipped: field.integer(
      'Of these, calls with too few words for the set, or whose transcript was deleted meanwhile.',
    ),
    scoredByOthers: field.integer(
      'Of these, calls that the set does not get, because another score set before it fits them. The figures do not ' +
        'include them.',
    ),
    changed: field.integer('Calls with a different verdict or score.'),
    rules: field.list(
      field.object({
        rule: ruleKeySchema,
        name: ruleNameSchema,
        old: verdictCountsSchema('The counts of verdicts by the published version; null if it does not have the rule.'),
        new: verdictCountsSchema('The counts of verdicts by the draft; null if it does not have the rule.'),
        oldRate: scoreSchema(
          'The share of met among met and missed by the published version, in percent; null without such verdicts.',
        ),
        newRate: scoreSchema('The same share by the draft; null without such verdicts.'),
        judged: field.integer('Verdicts that people have decided.'),
        oldAgreed: field.integer('Of these, decisions that equal the verdict of the published version.'),
        newAgreed: field.integer('Of these, decisions that equal the verdict of the draft.'),
      }),
      'The figures of each rule of the draft or the published version.',
    ),
    histogram: field.object('The number of calls by score, in ten bands: below 10, below 20 and so on.', {
      old: field.list(Type.Integer(), 'By the published version.'),
      new: field.list(Type.Integer(), 'By the draft.'),
    }),
    newZeros: field.list(
      field.object({ rule: ruleKeySchema, name: ruleNameSchema, calls: field.integer('The number of calls.') }),
      'Calls that get the score 0 only with the draft, by the critical rule that causes it. The key noPoints means ' +
        'that no critical rule is missed, but no point is left.',
    ),
    warnings: field.list(
      field.object({
        rule: ruleKeySchema,
        name: ruleNameSchema,
        code: field.oneOf(
          ['neverMet', 'alwaysMet'],
          'neverMet: no call meets the rule. alwaysMet: every call meets the rule.',
        ),
      }),
      'Rules of the draft that every call or no call meets.',
    ),
    estimate: CheckEstimateSchema,
    createdAt: field.time('When the backtest started.'),
    finishedAt: field.timeOrNull('When the backtest ended; null before.'),
  },
)
export type BacktestJson = Static<typeof BacktestSchema>
export type DraftTrialJson = Static<typeof DraftTrialSchema>
export type CheckEstimateJson = Static<typeof CheckEstimateSchema>

export const exampleBacktest: BacktestJson = {
  id: '01890a5d-ac96-774b-bcce-b302099a8080',
  ruleSetId: '01890a5d-ac96-774b-bcce-b302099a8057',
  state: 'running',
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-04-01T00:00:00.000Z',
  revision: 3,
  isCurrent: true,
  person: { id: '01890a5d-ac96-774b-bcce-b302099a8050', name: 'Olga' },
  total: 1000,
  done: 250,
  skipped: 12,
  scoredByOthers: 0,
  changed: 31,
  rules: [
    {
      rule: 'greeting',
      name: { en: 'Greets the client', ru: 'Поздоровался' },
      old: { met: 180, missed: 58, notApplicable: 0, unknown: 0 },
      new: { met: 211, missed: 27, notApplicable: 0, unknown: 0 },
      oldRate: 75.6,
      newRate: 88.7,
      judged: 20,
      oldAgreed: 15,
      newAgreed: 19,
    },
  ],
  histogram: { old: [3, 0, 0, 5, 20, 60, 80, 40, 20, 10], new: [3, 0, 0, 2, 10, 40, 90, 53, 25, 15] },
  newZeros: [],
  warnings: [],
  estimate: exampleCheckEstimate,
  createdAt: '2026-04-02T07:00:00.000Z',
  finishedAt: null,
}

export const RuleSetReachSchema = field.namedObject('RuleSetReach', 'The recent calls that a rule set gets.', {
  from: field.time('Calls from this time on.'),
  to: field.time('Calls before this time.'),
  isLimited: field.boolean('true: only the newest 1000 calls of the period were counted.'),
  calls: field.integer('Calls that fit the scope of the set.'),
  received: field.integer('Of these, calls that the set gets, because no published score set before it fits them.'),
  preceding: field.list(
    field.object({
      id: field.id('The rule set.'),
      name: bilingualTextSchema(200, 'The name of the rule set.'),
      calls: field.integer('The number of calls that this set gets instead.'),
      canPassIt: field.boolean(
        'Whether `move` can put your set before this one: both have departments, or neither has.',
      ),
    }),
    'The sets that get the other calls, in order.',
  ),
})
export type RuleSetReachJson = Static<typeof RuleSetReachSchema>

export const exampleRuleSetReach: RuleSetReachJson = {
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-03-31T00:00:00.000Z',
  isLimited: false,
  calls: 60,
  received: 2,
  preceding: [
    {
      id: '01890a5d-ac96-774b-bcce-b302099a8058',
      name: { en: 'Incoming sales call', ru: 'Входящая продажа' },
      calls: 58,
      canPassIt: true,
    },
  ],
}

const verdictOrNullSchema = (description: string) => field.nullable(Type.Enum([...VERDICTS]), description)

const CallNamesSchema = field.object('The phone number, manager and time of the call.', callNameProperties)

export const ChangedBacktestCallSchema = field.namedObject(
  'ChangedCall',
  'A call with a different result in the draft.',
  {
    recordingId: field.id('The call.'),
    recording: CallNamesSchema,
    oldScore: scoreSchema('The score by the published version; null without one.'),
    newScore: scoreSchema('The score by the draft; null without one.'),
    changes: field.list(
      field.object({
        rule: ruleKeySchema,
        name: ruleNameSchema,
        old: verdictOrNullSchema('The verdict of the published version; null if it does not have the rule.'),
        new: verdictOrNullSchema('The verdict of the draft; null if it does not have the rule.'),
        oldEvidence: field.list(EvidenceSchema, 'The quotes behind the old verdict.'),
        newEvidence: field.list(EvidenceSchema, 'The quotes behind the new verdict.'),
      }),
      'The changed verdicts.',
    ),
  },
)
export type ChangedBacktestCallJson = Static<typeof ChangedBacktestCallSchema>
