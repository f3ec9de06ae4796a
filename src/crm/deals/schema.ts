import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Recordings'
const defineNamedField = (description: string, id: Type.TSchema) =>
  field.object(description, { id, name: field.text('The name in the CRM.') })

const DealSchema = field.namedObject('Deal', 'A deal of the CRM.', {
  id: field.text('The number of the deal in the CRM.'),
  title: field.text('The title of the deal.'),
  funnel: defineNamedField('The funnel of the deal.', field.integer('The number of the funnel.')),
  stage: defineNamedField('The stage of the deal.', field.text('The stage’s code in the CRM.')),
  outcome: field.oneOf(['open', 'won', 'lost'], 'The outcome of the deal.'),
  amount: field.nullable(
    field.object({ amount: field.number('The amount.'), currency: field.text('The currency, such as BYN.') }),
    'The amount of the deal; null if it has none, and for people without the right `analytics`.',
  ),
  responsible: field.nullable(
    field.object({ userId: field.text('The person’s id in the CRM.'), name: field.text('The person’s name.') }),
    'The person responsible for the deal; null if there is none.',
  ),
  createdAt: field.time('When the deal was created.'),
  closedAt: field.timeOrNull('When the deal was won or lost; null while it is open.'),
  url: field.textOrNull('The address of the deal in the portal; null if no portal is configured.'),
  linkedBy: field.oneOf(
    ['person', 'activity', 'phone'],
    'Why the call belongs to the deal. person: a person chose it. activity: by the call’s activity in the CRM. ' +
      'phone: by the client’s phone number.',
  ),
})
export type CallDealJson = Static<typeof DealSchema>

const CallDealsSchema = field.namedObject('CallDeals', 'The deals of a call.', {
  items: field.list(DealSchema, 'The deals that the call belongs to.'),
  ambiguous: field.boolean(
    'true: the call belongs to one of these deals, but it is unknown which one. Reports then count none of them.',
  ),
  reason: field.nullable(
    Type.Enum(['deal-not-read']),
    'deal-not-read: the call has a deal in the CRM that was not read, for example because no department uses its ' +
      'funnel. null otherwise.',
  ),
})
export type CallDealsJson = Static<typeof CallDealsSchema>

const dealsExample: CallDealsJson = {
  items: [
    {
      id: '410',
      title: 'Windows, flat 12',
      funnel: { id: 1, name: 'Windows' },
      stage: { id: 'C1:WON', name: 'Won' },
      outcome: 'won',
      amount: { amount: 4200, currency: 'BYN' },
      responsible: { userId: '12', name: 'Anna Kovaleva' },
      createdAt: '2026-03-01T07:02:11.000Z',
      closedAt: '2026-03-12T13:40:00.000Z',
      url: 'https://portal.example/crm/deal/details/410/',
      linkedBy: 'activity',
    },
  ],
  ambiguous: false,
  reason: null,
}
const dealsResponse = {
  description: 'The deals of the call, newest first.',
  json: CallDealsSchema,
  example: dealsExample,
}

export const readDealsOperation = {
  id: 'readDeals',
  method: 'get',
  path: '/v1/recordings/{id}/deals',
  tag,
  summary: 'The deals of a call',
  description:
    'People see deals in the funnels of their departments, and deals of the managers whose calls they see. Owners ' +
    'see all deals.',
  access: 'scoped',
  audit: 'recording.read',
  auditObject: 'recording',
  responses: { 200: dealsResponse },
} as const satisfies Operation

export const chooseDealsByHandOperation = {
  id: 'chooseDeals',
  method: 'put',
  path: '/v1/recordings/{id}/deals',
  tag,
  summary: 'Choose the deals of a call',
  description:
    'The deals of the call then no longer change automatically. An empty list means no deal. A head can choose ' +
    'only deals that they see; other deals of the call stay, unless they are ambiguous.',
  access: 'ownerOrHead',
  body: field.requestBody(
    { dealIds: ['410'] },
    {
      dealIds: Type.Array(Type.String({ pattern: field.CRM_ID_PATTERN }), {
        maxItems: 20,
        uniqueItems: true,
        description: 'The numbers of deals that were read from the CRM and that the caller sees.',
      }),
    },
  ),
  responses: { 200: dealsResponse },
} as const satisfies Operation
