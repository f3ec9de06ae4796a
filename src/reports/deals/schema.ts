import Type, { type Static } from 'typebox'
import type { ResultPage } from '../../platform/db/page.ts'
import { pageParameters, createPageResponse } from '../../platform/http/paging.ts'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../field.ts'
import { MANAGER_EXAMPLE, dealsReportParameters, reportManagerFields, scoredByParameter } from '../schema.ts'

/** This value of a name filter, such as `reason`, selects deals without a name. */
export const DEAL_FILTER_NO_VALUE = '-'

const nameParameter = (description: string) => Type.Optional(field.singleLine(255, description))
const scoreParameter = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 100, description }))

const dealFilterParameters = {
  by: Type.Enum(['closed', 'created', 'silent'], {
    default: 'closed',
    description:
      'closed: deals closed in the period. created: deals created in it. silent: open deals without a call about ' +
      'them or with their client for 14 days, recorded or not. silent is as of now and ignores the period.',
  }),
  outcome: Type.Optional(field.oneOf(['open', 'won', 'lost'], 'The state of the deals.')),
  currency: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{3}$', description: 'Deals with an amount in this currency, such as BYN.' }),
  ),
  reason: nameParameter('Lost deals with this reason, by name; - for those without one.'),
  before: nameParameter('Deals with this last stage before they were closed, by name; - if it is unknown.'),
  calls: Type.Optional(field.oneOf(['0', '1', '2+'], 'Deals with so many calls before they were closed.')),
  said: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: '^[^/:]{1,80}/[^/:]{1,80}$',
      description: 'Deals with a scored call in which this label was found: refusal-reasons/price.',
    }),
  ),
  compared: Type.Optional(
    field.boolean(
      'true: only deals that the correlation of the same period, managers and funnel compares; false: only the others, ' +
        'of which scoreFrom, scoreBelow and talker tell nothing.',
    ),
  ),
  scoreFrom: scoreParameter('Compared deals whose calls have at least this mean score.'),
  scoreBelow: scoreParameter('Compared deals whose calls have a lower mean score.'),
  ...scoredByParameter,
  talker: nameParameter('The whole name of the manager with the longest talk time in the calls of compared deals.'),
}
const DealFilters = Type.Object(dealFilterParameters)
export type DealFilters = Static<typeof DealFilters>

/** The list of deals can be sorted by these fields. */
export const DEAL_SORTS = [
  'title',
  'manager',
  'funnel',
  'stage',
  'outcome',
  'amount',
  'created',
  'closed',
  'calls',
  'lastCall',
] as const
const dealSortParameters = {
  sort: Type.Optional(field.oneOf(DEAL_SORTS, 'Sorts the deals by this field, instead of as `by` does.')),
  order: Type.Enum(['desc', 'asc'], { default: 'desc', description: 'With `sort`. Deals without a value come last.' }),
}
const DealSort = Type.Object(dealSortParameters)
export type DealSort = Static<typeof DealSort>

const ListedDealSchema = field.object('A deal.', {
  id: field.text('Its number in the CRM.'),
  title: field.text('Its title.'),
  funnel: field.object('Its funnel.', { id: field.integer('Its number.'), name: field.textOrNull('Its name.') }),
  stage: field.textOrNull('The name of its stage.'),
  outcome: field.oneOf(['open', 'won', 'lost'], 'Its state.'),
  ...reportManagerFields,
  amount: field.money('Its amount; null if it has none.'),
  createdAt: field.time('When it was created.'),
  closedAt: field.timeOrNull('When it was won or lost; null while it is open.'),
  calls: field.integer('Its certain calls before it was closed, by any manager.'),
  callsSeen: field.integer(
    'Of these, the calls visible to the caller. `/v1/recordings` lists them with `deal` and, as `dateTo`, closedAt.',
  ),
  lastCallAt: field.timeOrNull(
    'The last call; with by=silent, calls with the client that belong to no deal count too. Null without a call.',
  ),
})
export type ListedDeal = Static<typeof ListedDealSchema>
/** The response of GET /v1/analytics/deals, which lists the deals behind a figure. */
export type DealsPage = ResultPage<ListedDeal>

export const analyticsDealsOperation = {
  id: 'analyticsDeals',
  method: 'get',
  path: '/v1/analytics/deals',
  tag: 'Analytics',
  summary: 'The deals behind a figure',
  description:
    'Deals of the CRM by the same definitions as in the reports: with the filters of a figure, `total` is that figure. ' +
    'By default, the last closed or created come first; with by=silent, the longest silent ones. Leaves out deals that the portal no ' +
    'longer has.',
  access: 'scoped',
  closedToKeys: true,
  rights: ['analytics'],
  audit: 'analytics.deals',
  query: field.object({ ...dealsReportParameters, ...dealFilterParameters, ...dealSortParameters, ...pageParameters }),
  responses: {
    200: createPageResponse(ListedDealSchema, 'A page of deals.', {
      id: '410',
      title: 'Windows, flat 12',
      funnel: { id: 0, name: 'Windows' },
      stage: 'Won',
      outcome: 'won',
      ...MANAGER_EXAMPLE,
      amount: { amount: 4200, currency: 'BYN' },
      createdAt: '2026-03-02T10:00:00.000Z',
      closedAt: '2026-03-17T10:00:00.000Z',
      calls: 3,
      callsSeen: 3,
      lastCallAt: '2026-03-16T10:00:00.000Z',
    }),
  },
} as const satisfies Operation
