import Type, { type Static } from 'typebox'
import { callNameProperties } from '../schemas.ts'
import { AnalysisSchema, exampleAnalysis, exampleFinding, FindingSchema } from '../checks/check-schema.ts'
import { VERDICTS, REVIEW_REASONS } from '../checks/values.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { createPageSchema, pageParameters } from '../../platform/http/paging.ts'
import { bilingualTextSchema } from '../rules/schema.ts'
import * as field from '../../platform/http/field.ts'
import { pendingReviewFilterProperties } from './filters.ts'

const tag = 'Call check'
const findingIdParameter = { findingId: field.id('The finding.') }
const notFoundResponse = { description: 'No such recording or finding, or it is outside your access.' }
const commentSchema = (minLength: number, description: string) =>
  Type.String({ minLength, maxLength: 2000, description })
const outdatedResponse = {
  description: 'A newer check has replaced this one, its verdicts are invented, or somebody reviewed it meanwhile.',
}

export const judgeFindingOperation = {
  id: 'judgeFinding',
  method: 'patch',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}',
  tag,
  summary: 'Confirm or overturn a verdict',
  description:
    'The machine’s own verdict and score stay on record. The decision also applies to later checks of the call, while ' +
    'rule and text stay the same.',
  access: 'ownerOrHead',
  rights: ['editRules'],
  params: findingIdParameter,
  body: field.requestBody(
    { verdict: 'met', comment: 'He did, in other words' },
    {
      verdict: field.oneOf(VERDICTS, 'The current verdict.'),
      comment: Type.Optional(commentSchema(0, 'The reason; required if the verdict differs from the machine’s.')),
      knownReviews: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'How many `reviews` of the finding you saw: 409 if it has another number by now.',
        }),
      ),
    },
  ),
  responses: {
    200: { description: 'The check now.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
    409: outdatedResponse,
  },
} as const satisfies Operation

export const undoDecisionOperation = {
  id: 'undoDecision',
  method: 'post',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}/undo',
  tag,
  summary: 'Take back your last decision about a verdict',
  description:
    'The former verdict and score apply again, and the verdict waits again if it did. The history keeps the decision and ' +
    'its undoing.',
  access: 'ownerOrHead',
  rights: ['editRules'],
  params: findingIdParameter,
  responses: {
    200: { description: 'The check now.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
    409: { description: 'The last review is not a decision of yours, or a newer check has replaced this one.' },
  },
} as const satisfies Operation

export const disputeFindingOperation = {
  id: 'disputeFinding',
  method: 'post',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}/dispute',
  tag,
  summary: 'Dispute a verdict',
  description: 'Everybody who sees the call can dispute; people who can edit rules decide.',
  access: 'scoped',
  closedToKeys: true,
  params: findingIdParameter,
  body: field.requestBody({ comment: 'I did greet her' }, { comment: commentSchema(1, 'Why.') }),
  responses: {
    201: { description: 'The check now.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
    409: {
      description: 'A newer check has replaced this one, its verdicts are invented, or your dispute still waits.',
    },
  },
} as const satisfies Operation

const { review: _, reviews, ...finding } = FindingSchema.properties

const ContextSchema = field.namedObject('FindingContext', 'The sentence of a finding with the lines around it.', {
  sentence: field.integer('The index of the sentence in the transcript.'),
  start: field.number('Where the quote begins, else the sentence, in seconds from the start of the recording.'),
  end: field.number('Where it ends.'),
  searched: field.nullable(
    field.object({ from: field.number('Seconds.'), to: field.number('Seconds.') }),
    'The part of the call that the rule searched, if that is the reason of the verdict.',
  ),
  lines: field.list(
    field.object('A segment of the transcript.', {
      segment: field.integer('Its index in the transcript.'),
      start: field.number('Seconds from the start of the recording.'),
      end: field.number('Seconds from the start of the recording.'),
      side: field.oneOf(['agent', 'client', 'unknown'], 'The speaker.'),
      text: field.text('What was said.'),
    }),
    'The sentence, with up to two lines before and two after it.',
  ),
})

const PhrasesSchema = field.namedObject('SearchedPhrases', 'The phrases of a rule.', {
  count: field.integer('Their number in both languages.'),
  examples: field.object('The first two of each language, as in the rule.', {
    en: field.list(field.text('A phrase.'), 'In English.'),
    ru: field.list(field.text('A phrase.'), 'In Russian.'),
  }),
  side: field.oneOf(['agent', 'client', 'any'], 'The speaker who is searched.'),
})
export type SearchedPhrasesJson = Static<typeof PhrasesSchema>

const PendingReviewSchema = field.namedObject('WaitingFinding', 'A verdict that waits for a person.', {
  ...finding,
  machineVerdict: field.oneOf(VERDICTS, 'The verdict of the machine.'),
  reason: field.oneOf(
    REVIEW_REASONS,
    'critical: a critical rule is missed; unknown: it could not be judged; disputed: somebody does not agree; random: ' +
      'one of fifty, to see how often the machine is right.',
  ),
  recording: field.object('The call.', {
    id: field.id('The call.'),
    ...callNameProperties,
    durationSeconds: field.numberOrNull('The length of the recording.'),
    hasAudio: field.boolean('Whether its audio is stored.'),
  }),
  ruleSet: field.object('The rule set and version of the verdict.', {
    id: field.id('The rule set.'),
    key: field.text('The key of the rule set.'),
    name: bilingualTextSchema(200, 'The name of the rule set.'),
    version: field.integer('The number of the version.'),
  }),
  dispute: field.textOrNull('The last dispute.'),
  checkedAt: field.time('When the call was checked.'),
  phrases: field.nullable(
    PhrasesSchema,
    'What the rule searches; null for rules that search groups of phrases or none.',
  ),
  context: field.nullable(
    ContextSchema,
    'What to hear: the first quote, else the time that the dispute names, such as 0:04, else the end of the searched part, ' +
      'else of the call. Null without a text.',
  ),
  score: field.nullable(
    field.object({
      now: field.integerOrNull('The score of the call now.'),
      ifMet: field.integerOrNull('Its score with the verdict met.'),
      ifMissed: field.integerOrNull('Its score with the verdict missed.'),
    }),
    'What the decision does to the score; null for labels.',
  ),
  reviews,
})
/** A finding that waits for a review, with the data for the decision. */
export type PendingReviewJson = Omit<Static<typeof PendingReviewSchema>, 'whyCode'> & { whyCode: object | null }

const AgreementSchema = field.namedObject(
  'RuleAgreement',
  'How often people agree with the machine about the current wording of a rule.',
  {
    ruleSet: field.object('The rule set.', {
      id: field.id('The rule set.'),
      key: field.text('The key of the rule set.'),
      name: bilingualTextSchema(200, 'The name of the rule set.'),
    }),
    rule: field.text('The key of the rule.'),
    name: field.nullable(
      bilingualTextSchema(200, 'Its name in the current version, or in the last one that had it.'),
      'Its name.',
    ),
    judged: field.integer('Verdicts that a person has judged.'),
    agreed: field.integer('Of these, verdicts that they confirmed.'),
    percent: field.number('The same share in percent.'),
    flagged: field.boolean('Below 85 %: revise the words of the rule.'),
  },
)
export type RuleAgreementJson = Static<typeof AgreementSchema>

const pendingReviewsPage = createPageSchema(PendingReviewSchema, 'Verdicts that wait for a person.')

export const listReviewsOperation = {
  id: 'listReviews',
  method: 'get',
  path: '/v1/reviews',
  tag,
  summary: 'Verdicts that wait for a person, most urgent first, with the agreement by rule',
  access: 'ownerOrHead',
  audit: 'reviews.list',
  query: field.object({
    ...pageParameters,
    ...pendingReviewFilterProperties,
  }),
  responses: {
    200: {
      description: 'A page of verdicts.',
      json: field.object({
        ...pendingReviewsPage.properties,
        agreement: field.list(AgreementSchema, 'Each reviewed rule, by the reviews of its current wording.'),
      }),
      example: {
        items: [
          {
            id: exampleFinding.id,
            rule: exampleFinding.rule,
            verdict: 'missed',
            decidedBy: 'rules',
            why: 'Not found in 0:00–0:20.',
            whyCode: { code: 'notFound', from: 0, to: 20 },
            evidence: [],
            reason: 'disputed',
            recording: {
              id: '01890a5d-ac96-774b-bcce-b302099a8057',
              phoneNumber: '+375 29 111-22-33',
              managerName: 'Max Berger',
              callAt: '2026-03-01T07:00:00.000Z',
              durationSeconds: 61.3,
              hasAudio: true,
            },
            ruleSet: exampleAnalysis.ruleSet!,
            dispute: 'I did greet her',
            machineVerdict: 'missed',
            checkedAt: '2026-03-01T07:05:00.000Z',
            phrases: { count: 14, examples: { en: ['my name is', 'this is {name} from'], ru: [] }, side: 'agent' },
            context: {
              sentence: 1,
              start: 4.1,
              end: 8.6,
              searched: { from: 0, to: 20 },
              lines: [
                { segment: 0, start: 2.2, end: 3, side: 'client', text: 'Yes?' },
                { segment: 1, start: 4.1, end: 8.6, side: 'agent', text: 'Max here, Northern Windows.' },
              ],
            },
            score: { now: 62, ifMet: 70, ifMissed: 62 },
            reviews: [
              {
                kind: 'dispute',
                verdict: null,
                machineVerdict: 'missed',
                comment: 'I did greet her',
                person: { id: '01890a5d-ac96-774b-bcce-b302099a8050', name: 'Max Berger' },
                at: '2026-03-01T09:14:00.000Z',
              },
            ],
          },
        ],
        total: 1,
        page: 1,
        pageSize: 25,
        agreement: [
          {
            ruleSet: {
              id: '01890a5d-ac96-774b-bcce-b302099a8057',
              key: 'incoming-sales',
              name: { en: 'Incoming sales call', ru: 'Входящая продажа' },
            },
            rule: 'greeting',
            name: { en: 'Greets the client', ru: 'Поздоровался' },
            judged: 20,
            agreed: 16,
            percent: 80,
            flagged: true,
          },
        ],
      },
    },
  },
} as const satisfies Operation

const waitingCount = (description: string) => field.integer(`How many verdicts wait: ${description}.`)

const ReviewCountsSchema = field.namedObject('ReviewCounts', 'How many verdicts wait for a person.', {
  waiting: field.object('By reason; of other reasons than the requested ones 0.', {
    critical: waitingCount('a critical rule is missed'),
    unknown: waitingCount('it could not be judged'),
    disputed: waitingCount('somebody does not agree'),
    random: waitingCount('drawn at random'),
  }),
  rules: field.list(
    field.object('A rule with verdicts that wait.', {
      ruleSet: field.object('The rule set.', {
        id: field.id('The rule set.'),
        key: field.text('The key of the rule set.'),
        name: bilingualTextSchema(200, 'The name of the rule set.'),
      }),
      rule: field.object('The rule.', {
        key: field.text('The key of the rule.'),
        name: bilingualTextSchema(200, 'The requirement.'),
      }),
      count: field.integer('How many verdicts wait.'),
    }),
    'By rule, of all rules, also if `rule` selects one.',
  ),
  today: field.object('Your own decisions since midnight in APP_TIMEZONE, without those that you took back.', {
    decided: field.integer('Verdicts that you decided.'),
    changedToMet: field.integer('Of these, the ones that you changed to met.'),
  }),
})
export type PendingReviewCountsJson = Static<typeof ReviewCountsSchema>

export const countReviewsOperation = {
  id: 'countReviews',
  method: 'get',
  path: '/v1/reviews/counts',
  tag,
  summary: 'How many verdicts wait for a person',
  access: 'ownerOrHead',
  query: field.object(pendingReviewFilterProperties),
  responses: {
    200: {
      description: 'The counts.',
      json: ReviewCountsSchema,
      example: {
        waiting: { critical: 2, unknown: 41, disputed: 7, random: 20 },
        rules: [
          {
            ruleSet: {
              id: '01890a5d-ac96-774b-bcce-b302099a8057',
              key: 'incoming-sales',
              name: exampleAnalysis.ruleSet!.name,
            },
            rule: { key: 'greeting', name: exampleFinding.rule.name },
            count: 7,
          },
        ],
        today: { decided: 12, changedToMet: 3 },
      },
    },
  },
} as const satisfies Operation
