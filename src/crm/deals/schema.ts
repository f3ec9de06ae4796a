import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Recordings'
const defineNamedField = (description: string, id: Type.TSchema) =>
  field.object(description, { id, name: field.text('Its name.') })

const DealSchema = field.namedObject('Deal', 'A deal of the CRM.', {
  id: field.text('Its number in the CRM.'),
  title: field.text('Its title.'),
  funnel: defineNamedField('Its funnel.', field.integer('The number of the funnel.')),
  stage: defineNamedField('Its stage.', field.text('The stage’s code in the CRM.')),
  outcome: field.oneOf(['open', 'won', 'lost'], 'Its outcome.'),
  amount: field.nullable(
    field.object({ amount: field.number('The amount.'), currency: field.text('The currency, such as BYN.') }),
    'Its amount; null if it has none, and for people without the right `analytics`.',
  ),
  responsible: field.nullable(
    field.object({ userId: field.text('Their id in the CRM.'), name: field.text('Their name.') }),
    'The responsible person.',
  ),
  createdAt: field.time('When it was created.'),
  closedAt: field.timeOrNull('When it was won or lost; null while it is open.'),
  url: field.textOrNull('Its address in the portal; null if no portal is configured.'),
  linkedBy: field.oneOf(
    ['person', 'activity', 'phone'],
    'The evidence: a person’s choice, the call’s activity in the CRM, or the client’s phone.',
  ),
})
export type CallDealJson = Static<typeof DealSchema>

export const CallDealsSchema = field.namedObject('CallDeals', 'The deals of a call.', {
  items: field.list(DealSchema, 'The deals that the call belongs to.'),
  ambiguous: field.boolean('true: it belongs to one of them, and which one is not known; then none of them counts.'),
  reason: field.nullable(
    Type.Enum(['deal-not-read']),
    'Why it belongs to none: its deal in the CRM is in a funnel of no department.',
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
    'People see deals in the funnels of their departments, and deals of the managers whose calls they see. Owners see ' +
    'all.',
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
    'Automatic changes then no longer apply; an empty list means no deal. A head can name only deals that they see; other ' +
    'deals of the call stay.',
  access: 'ownerOrHead',
  body: field.object({
    dealIds: Type.Array(Type.String({ pattern: '^[1-9][0-9]{0,17}$' }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Numbers of deals that the CRM has and that the caller sees.',
    }),
  }),
  responses: { 200: dealsResponse },
} as const satisfies Operation
