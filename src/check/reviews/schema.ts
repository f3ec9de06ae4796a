import Type, { type Static } from 'typebox'
import { callNameProperties } from '../schemas.ts'
import { AnalysisSchema, exampleAnalysis, exampleFinding, FindingSchema } from '../checks/check-schema.ts'
import { VERDICTS, REVIEW_REASONS } from '../checks/values.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { pageSchema, pageParameters } from '../../platform/http/paging.ts'
import { bilingualTextSchema } from '../rules/schema.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Call check'
const findingIdParameter = { findingId: field.id('The finding.') }
const notFoundResponse = { description: 'No such recording or finding, or it is outside your access.' }
const commentSchema = (minLength: number, description: string) =>
  Type.String({ minLength, maxLength: 2000, description })
const outdatedResponse = { description: 'A newer check has replaced this one, or its verdicts are invented.' }

export const judgeFinding = {
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
    },
  ),
  responses: {
    200: { description: 'The check now.', json: AnalysisSchema, example: exampleAnalysis },
    404: notFoundResponse,
    409: outdatedResponse,
  },
} as const satisfies Operation

export const disputeFinding = {
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
    409: outdatedResponse,
  },
} as const satisfies Operation

const { review: _, reviews: __, ...finding } = FindingSchema.properties

const PendingReviewSchema = field.namedObject('WaitingFinding', 'A verdict that waits for a person.', {
  ...finding,
  reason: field.oneOf(
    REVIEW_REASONS,
    'critical: a critical rule is missed; unknown: it could not be judged; disputed: somebody does not agree; random: ' +
      'one of fifty, to see how often the machine is right.',
  ),
  recording: field.object('The call.', { id: field.id('The call.'), ...callNameProperties }),
  ruleSet: field.object('The rule set and version of the verdict.', {
    id: field.id('The rule set.'),
    key: field.text('The key of the rule set.'),
    name: bilingualTextSchema(200, 'The name of the rule set.'),
    version: field.integer('The number of the version.'),
  }),
  dispute: field.textOrNull('The last dispute.'),
})
/** A finding that waits for a person. */
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
export type AgreementJson = Static<typeof AgreementSchema>

const pendingReviewsPage = pageSchema(PendingReviewSchema, 'Verdicts that wait for a person.')

export const listReviews = {
  id: 'listReviews',
  method: 'get',
  path: '/v1/reviews',
  tag,
  summary: 'Verdicts that wait for a person, most urgent first, with the agreement by rule',
  access: 'ownerOrHead',
  audit: 'reviews.list',
  query: field.object({
    ...pageParameters,
    reason: Type.Optional(
      field.list(Type.Enum([...REVIEW_REASONS]), 'Only verdicts that wait for these reasons, comma separated.'),
    ),
    ruleSet: Type.Optional(field.id('Only verdicts of this rule set.')),
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
            },
            ruleSet: exampleAnalysis.ruleSet!,
            dispute: 'I did greet her',
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
