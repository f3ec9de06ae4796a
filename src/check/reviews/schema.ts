import Type, { type Static } from 'typebox'
import { AnalysisSchema, example, exampleFinding, FindingSchema } from '../checks/check-schema.ts'
import { VERDICTS, WAITS } from '../checks/values.ts'
import type { Operation } from '../../platform/http/operation.ts'
import { pageOf, pageParameters } from '../../platform/http/paging.ts'
import { nullable } from '../../calls/recordings/schema.ts'
import { inBothLanguages } from '../rules/schema.ts'

const closed = { additionalProperties: false }
const tag = 'Call check'
const findingId = { findingId: Type.String({ format: 'uuid', description: 'The finding.' }) }
const notThere = { description: 'No such recording or finding, or it is outside your access.' }
const comment = (minLength: number, description: string) => Type.String({ minLength, maxLength: 2000, description })
const outdated = { description: 'A newer check has taken the place of this one, or its verdicts are invented.' }

export const judgeFinding = {
  id: 'judgeFinding',
  method: 'patch',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}',
  tag,
  summary: 'Confirm or overturn a verdict',
  description:
    'The machine’s own verdict and score stay on record beside it. It holds on where the call is checked again, as long as ' +
    'rule and text are the same.',
  access: 'ownerOrHead',
  rights: ['editRules'],
  params: findingId,
  body: Type.Object(
    {
      verdict: Type.Enum([...VERDICTS], { description: 'What holds.' }),
      comment: Type.Optional(comment(0, 'Why; needed where the verdict is another than the machine’s.')),
    },
    { ...closed, examples: [{ verdict: 'met', comment: 'He did, in other words' }] },
  ),
  responses: {
    200: { description: 'The check as it is now.', json: AnalysisSchema, example },
    404: notThere,
    409: outdated,
  },
} as const satisfies Operation

export const disputeFinding = {
  id: 'disputeFinding',
  method: 'post',
  path: '/v1/recordings/{id}/analysis/findings/{findingId}/dispute',
  tag,
  summary: 'Say that one does not agree with a verdict',
  description: 'Whoever sees the call may; somebody who may edit rules then decides.',
  access: 'scoped',
  closedToKeys: true,
  params: findingId,
  body: Type.Object({ comment: comment(1, 'Why.') }, { ...closed, examples: [{ comment: 'I did greet her' }] }),
  responses: {
    201: { description: 'The check as it is now.', json: AnalysisSchema, example },
    404: notThere,
    409: outdated,
  },
} as const satisfies Operation

const { review: _, reviews: __, ...finding } = FindingSchema.properties

const WaitingSchema = Type.Object(
  {
    ...finding,
    reason: Type.Enum([...WAITS], {
      description:
        'critical: a critical rule is missed; unknown: it could not be judged; disputed: somebody does not agree; random: ' +
        'one of fifty, to see how often the machine is right.',
    }),
    recording: Type.Object(
      {
        id: Type.String({ format: 'uuid', description: 'The call.' }),
        phoneNumber: nullable(Type.String(), 'The client’s phone.'),
        managerName: nullable(Type.String(), 'The manager.'),
        callAt: Type.String({ format: 'date-time', description: 'When the call was or came in.' }),
      },
      { ...closed, description: 'The call.' },
    ),
    ruleSet: Type.Object(
      {
        id: Type.String({ format: 'uuid', description: 'The rule set.' }),
        key: Type.String({ description: 'Its key.' }),
        name: inBothLanguages(200, 'Its name.'),
        version: Type.Integer({ description: 'The version that judged.' }),
      },
      { ...closed, description: 'By what it was judged.' },
    ),
    dispute: nullable(Type.String(), 'What was said against it last.'),
  },
  { ...closed, title: 'WaitingFinding', description: 'A verdict that waits for a person.' },
)
export type WaitingJson = Omit<Static<typeof WaitingSchema>, 'whyCode'> & { whyCode: object | null }

const AgreementSchema = Type.Object(
  {
    ruleSet: Type.Object(
      {
        id: Type.String({ format: 'uuid', description: 'The rule set.' }),
        key: Type.String({ description: 'Its key.' }),
        name: inBothLanguages(200, 'Its name.'),
      },
      { ...closed, description: 'The rule set.' },
    ),
    rule: Type.String({ description: 'The key of the rule.' }),
    name: nullable(
      inBothLanguages(200, 'What the version that judges now calls it, or the last that had it.'),
      'Its name.',
    ),
    judged: Type.Integer({ description: 'Verdicts that a person has judged.' }),
    agreed: Type.Integer({ description: 'Those in which they said the same as the machine.' }),
    percent: Type.Number({ description: 'The same in percent.' }),
    flagged: Type.Boolean({ description: 'Below 85 %: the rule’s words need a look.' }),
  },
  {
    ...closed,
    title: 'RuleAgreement',
    description: 'How often people agree with the machine about a rule, as it is worded now.',
  },
)
export type AgreementJson = Static<typeof AgreementSchema>

const page = pageOf(WaitingSchema, 'What waits for a person.')

export const listReviews = {
  id: 'listReviews',
  method: 'get',
  path: '/v1/reviews',
  tag,
  summary: 'Verdicts that wait for a person, the most urgent first; how often people agree with each rule',
  access: 'ownerOrHead',
  audit: 'reviews.list',
  query: Type.Object(
    {
      ...pageParameters,
      reason: Type.Optional(
        Type.Array(Type.Enum([...WAITS]), { description: 'Only what waits for these reasons, comma separated.' }),
      ),
      ruleSet: Type.Optional(Type.String({ format: 'uuid', description: 'Only of this rule set.' })),
    },
    closed,
  ),
  responses: {
    200: {
      description: 'A page of verdicts.',
      json: Type.Object(
        {
          ...page.properties,
          agreement: Type.Array(AgreementSchema, {
            description: 'Of each rule that people have judged, by what was said of it since it is worded as it is.',
          }),
        },
        closed,
      ),
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
            ruleSet: example.ruleSet!,
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
