import Type, { type Static } from 'typebox'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../../platform/http/field.ts'

const tag = 'Recordings'
const named = (what: string, id: Type.TSchema) => field.object(what, { id, name: field.text('Its name.') })

const DealSchema = field.titled('Deal', 'A deal of the CRM.', {
  id: field.text('Its number in the CRM.'),
  title: field.text('Its title.'),
  funnel: named('Its funnel.', field.integer('The number of the funnel.')),
  stage: named('Its stage.', field.text('The stage’s code in the CRM.')),
  outcome: field.oneOf(['open', 'won', 'lost'], 'How it stands.'),
  amount: field.nullable(
    field.object({ amount: field.number('How much.'), currency: field.text('The currency, such as BYN.') }),
    'Its amount; null if it has none, and for people without the right `analytics`.',
  ),
  responsible: field.nullable(
    field.object({ userId: field.text('Their id in the CRM.'), name: field.text('Their name.') }),
    'The responsible person.',
  ),
  createdAt: field.time('When it was made.'),
  closedAt: field.timeOrNull('When it was won or lost; null while it is open.'),
  url: field.textOrNull('Where it is in the portal; null if no portal is configured.'),
  linkedBy: field.oneOf(
    ['person', 'activity', 'phone'],
    'By what it is known: somebody has said so, the call’s activity in the CRM, or the client’s phone.',
  ),
})
export type DealJson = Static<typeof DealSchema>

export const DealsSchema = field.titled('CallDeals', 'The deals of a call.', {
  items: field.list(DealSchema, 'The deals that the call belongs to.'),
  ambiguous: field.boolean('true: it belongs to one of them, and which one is not known; then none of them counts.'),
  reason: field.nullable(
    Type.Enum(['deal-not-read']),
    'Why it belongs to none: the CRM binds it to a deal whose funnel belongs to no department.',
  ),
})
export type DealsJson = Static<typeof DealsSchema>

const example: DealsJson = {
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
const found = { description: 'The deals of the call, the newest first.', json: DealsSchema, example }

export const readDeals = {
  id: 'readDeals',
  method: 'get',
  path: '/v1/recordings/{id}/deals',
  tag,
  summary: 'The deals that a call belongs to',
  description:
    'People see the deals in the funnels of their departments, and those of the managers whose calls they see; an owner ' +
    'sees all.',
  access: 'scoped',
  audit: 'recording.read',
  auditObject: 'recording',
  responses: { 200: found },
} as const satisfies Operation

export const chooseDealsByHand = {
  id: 'chooseDeals',
  method: 'put',
  path: '/v1/recordings/{id}/deals',
  tag,
  summary: 'Say which deals a call belongs to',
  description:
    'From then on nothing else changes the choice; an empty list means no deal. A head can name only deals that they ' +
    'see; others that the call belongs to stay.',
  access: 'ownerOrHead',
  body: field.object({
    dealIds: Type.Array(Type.String({ pattern: '^[1-9][0-9]{0,17}$' }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Numbers of deals that were read from the CRM and that the caller sees.',
    }),
  }),
  responses: { 200: found },
} as const satisfies Operation
