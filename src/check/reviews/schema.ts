import Type, { type Static } from 'typebox'
import { callNameProperties, ruleSetProperties } from '../schemas.ts'
import { AnalysisSchema, exampleAnalysis, exampleFinding, FindingSchema } from '../checks/check-schema.ts'
import { VERDICTS, REVIEW_REASONS } from '../checks/values.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { createPageSchema, pageParameters } from '../../platform/http/paging.ts'
import { bilingualTextSchema } from '../rules/schema.ts'
import * as field from '../../platform/http/field.ts'
import { pendingReviewFilterProperties, reviewListProperties } from './filters.ts'

const tag = 'Call check'
const findingIdParameter = { findingId: field.id('The finding.') }
const notFoundResponse = { description: 'No such recording or finding, or it is outside your access.' }
const commentSchema = (minLength: number, description: string) =>
  Type.String({ minLength, maxLength: 2000, description })
const outdatedResponse = {
  description: 'The check was replaced or is invented, or the verdict was reviewed meanwhile.',
}

export const judgeFindingOperation = {
  id: 'judgeFinding',
  method: 'patch',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}',
  tag,
  summary: 'Confirm or overturn a verdict',
  description:
    'The machine’s own verdict and score are kept. The decision also applies to later checks of the call, as long ' +
    'as the rule and the transcript stay the same.',
  access: 'ownerOrHead',
  rights: ['editRules'],
  params: findingIdParameter,
  body: field.requestBody(
    { verdict: 'met', comment: 'He did, in other words' },
    {
      verdict: field.oneOf(VERDICTS, 'The decision.'),
      comment: Type.Optional(commentSchema(0, 'The reason. Optional for the current or the machine’s verdict.')),
      knownReviews: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'The number of `reviews` that you have seen. If it has changed, the response is 409.',
        }),
      ),
    },
  ),
  responses: {
    200: { description: 'The check after the request.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
    409: outdatedResponse,
  },
} as const satisfies Operation

export const undoDecisionOperation = {
  id: 'undoDecision',
  method: 'post',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}/undo',
  tag,
  summary: 'Undo your last decision about a verdict',
  description:
    'The previous verdict and score apply again. If the verdict waited for a review before the decision, it waits ' +
    'again. The history keeps the decision and the undo.',
  access: 'ownerOrHead',
  rights: ['editRules'],
  params: findingIdParameter,
  responses: {
    200: { description: 'The check after the request.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
    409: {
      description: 'The last review is not your decision, this check was replaced, or its verdicts are invented.',
    },
  },
} as const satisfies Operation

export const disputeFindingOperation = {
  id: 'disputeFinding',
  method: 'post',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}/dispute',
  tag,
  summary: 'Dispute a verdict',
  description: 'Everybody who sees the call can dispute a verdict. People who can edit rules decide.',
  access: 'scoped',
  closedToKeys: true,
  params: findingIdParameter,
  body: field.requestBody({ comment: 'I did greet her' }, { comment: commentSchema(1, 'The reason.') }),
  responses: {
    201: { description: 'The check after the request.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
    409: {
      description: 'This check was replaced, its verdicts are invented, or an earlier dispute of yours waits.',
    },
  },
} as const satisfies Operation

const { review: _, reviews, ...finding } = FindingSchema.properties

const ContextSchema = field.namedObject('FindingContext', 'The segment of a finding, with the segments around it.', {
  sentence: field.integer('The index of the segment in the transcript.'),
  start: field.number('The start of the quote, else of the segment, in seconds from the start of the recording.'),
  end: field.number('The end of the quote, else of the segment, in the same unit.'),
  searched: field.nullable(
    field.object({ from: field.number('The start in seconds.'), to: field.number('The end in seconds.') }),
    'The part of the call that the rule searched, if the reason of the verdict names it; else null. An answer is ' +
      'searched after the words that it should answer.',
  ),
  lines: field.list(
    field.object('A segment of the transcript.', {
      segment: field.integer('The index of the segment in the transcript.'),
      start: field.number('Seconds from the start of the recording.'),
      end: field.number('Seconds from the start of the recording.'),
      side: field.oneOf(['agent', 'client', 'unknown'], 'The speaker.'),
      text: field.text('The text of the segment.'),
    }),
    'The segment, with up to two segments before it and two after it. With `searched`, also those of the searched part.',
  ),
})

const PhrasesSchema = field.namedObject('SearchedPhrases', 'The phrases of a rule.', {
  count: field.integer('The number of phrases in both languages.'),
  examples: field.object('The first two of each language, as in the rule.', {
    en: field.list(field.text('A phrase.'), 'In English.'),
    ru: field.list(field.text('A phrase.'), 'In Russian.'),
  }),
  side: field.oneOf(['agent', 'client', 'any'], 'The speaker whose words are searched.'),
})
export type SearchedPhrasesJson = Static<typeof PhrasesSchema>

const PendingReviewSchema = field.namedObject('WaitingFinding', 'A verdict that waits for a person.', {
  ...finding,
  machineVerdict: field.oneOf(VERDICTS, 'The verdict of the machine.'),
  reason: field.nullable(
    Type.Enum([...REVIEW_REASONS]),
    'critical: a critical rule is missed. unknown: the rule could not be judged. disputed: a person disputes the ' +
      'verdict. random: drawn at random, one of about fifty, to measure how often the machine is right. Null if a ' +
      'person has decided.',
  ),
  recording: field.object('The call.', {
    id: field.id('The call.'),
    ...callNameProperties,
    durationSeconds: field.numberOrNull('The length of the recording in seconds; null if unknown.'),
    hasAudio: field.boolean('Whether the audio of the call is stored.'),
  }),
  ruleSet: field.object('The rule set and version of the verdict.', {
    ...ruleSetProperties,
    version: field.integer('The number of the version.'),
  }),
  dispute: field.textOrNull('The comment of the last dispute; null unless the reason is disputed.'),
  checkedAt: field.time('When the call was checked.'),
  phrases: field.nullable(
    PhrasesSchema,
    'The phrases that the rule searches; null for rules that search groups of phrases or none.',
  ),
  context: field.nullable(
    ContextSchema,
    'Where to listen: the quote, else the words that the dispute quotes, else the time that it names, such as 0:04. ' +
      'Otherwise the end of the searched part or of the call. Null without a transcript.',
  ),
  score: field.nullable(
    field.object({
      now: field.integerOrNull('The current score of the call; null if it has none.'),
      ifMet: field.integerOrNull('The score if the verdict is met; null if the call would have none.'),
      ifMissed: field.integerOrNull('The score if the verdict is missed; null if the call would have none.'),
    }),
    'The effect of the decision on the score; null for labels.',
  ),
  reviews,
})
/** A finding that waits for a review, with the data for the decision. */
export type PendingReviewJson = Omit<Static<typeof PendingReviewSchema>, 'whyCode'> & { whyCode: object | null }

const AgreementSchema = field.namedObject(
  'RuleAgreement',
  'How often people agree with the machine on the current wording of a rule.',
  {
    ruleSet: field.object('The rule set.', {
      ...ruleSetProperties,
    }),
    rule: field.text('The key of the rule.'),
    name: field.nullable(
      bilingualTextSchema(200, 'The name in the published version, else in the last one that had it.'),
      'The name of the rule.',
    ),
    judged: field.integer('Verdicts that people have decided.'),
    agreed: field.integer('Of these, verdicts that people confirmed.'),
    percent: field.number('The share of confirmed verdicts in percent.'),
    flagged: field.boolean('Whether the share is below 85 % of at least ten verdicts. Revise the words of the rule.'),
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
  description: 'Of one reason, the oldest check comes first; in the random sample, the newest call.',
  access: 'ownerOrHead',
  audit: 'reviews.list',
  query: field.object({
    ...pageParameters,
    ...reviewListProperties,
  }),
  responses: {
    200: {
      description: 'A page of verdicts.',
      json: field.object({
        ...pendingReviewsPage.properties,
        agreement: field.list(AgreementSchema, 'The agreement by rule, for its current wording.'),
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

const waitingCount = (description: string) => field.integer(`Verdicts that wait because ${description}.`)

const ReviewCountsSchema = field.namedObject('ReviewCounts', 'The number of verdicts that wait for a person.', {
  waiting: field.object('The counts by reason. If `reason` selects some reasons, the others have 0.', {
    critical: waitingCount('a critical rule is missed'),
    unknown: waitingCount('the rule could not be judged'),
    disputed: waitingCount('a person disputes them'),
    random: waitingCount('they were drawn at random'),
  }),
  rules: field.list(
    field.object('A rule with verdicts that wait.', {
      ruleSet: field.object('The rule set.', {
        ...ruleSetProperties,
      }),
      rule: field.object('The rule.', {
        key: field.text('The key of the rule.'),
        name: bilingualTextSchema(200, 'The requirement.'),
      }),
      count: field.integer('The number of waiting verdicts.'),
    }),
    'The counts by rule, for all rules, even if `rule` selects one.',
  ),
  today: field.object('Your own decisions since midnight in APP_TIMEZONE, without those that you undid.', {
    decided: field.integer('Verdicts that you decided.'),
    changedToMet: field.integer('Of these, verdicts that you changed to met.'),
  }),
})
export type PendingReviewCountsJson = Static<typeof ReviewCountsSchema>

export const countReviewsOperation = {
  id: 'countReviews',
  method: 'get',
  path: '/v1/reviews/counts',
  tag,
  summary: 'The number of verdicts that wait for a person',
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
