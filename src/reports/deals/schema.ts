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
      'closed: deals closed in the period. created: deals created in the period. silent: open deals without a call ' +
      'about them or with their client for 14 days, recorded or not; as of now, whatever the period.',
  }),
  outcome: Type.Optional(field.oneOf(['open', 'won', 'lost'], 'Only deals with this outcome.')),
  currency: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{3}$', description: 'Only deals with an amount in this currency, such as BYN.' }),
  ),
  reason: nameParameter('Only deals lost for this reason, by name; - for deals without a reason.'),
  before: nameParameter(
    'Only deals with this last stage before they were closed, by name; - for deals whose last stage is unknown.',
  ),
  calls: Type.Optional(field.oneOf(['0', '1', '2+'], 'Only deals with this number of calls before they were closed.')),
  said: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: '^[^/:]{1,80}/[^/:]{1,80}$',
      description: 'Only deals with a scored call in which this label was found, such as refusal-reasons/price.',
    }),
  ),
  compared: Type.Optional(
    field.boolean(
      'true: only deals that the correlation of the same period, managers and funnel compares. false: only other ' +
        'deals; do not combine it with scoreFrom, scoreBelow or talker.',
    ),
  ),
  scoreFrom: scoreParameter('Only compared deals whose calls have at least this mean score.'),
  scoreBelow: scoreParameter('Only compared deals whose calls have a lower mean score.'),
  ...scoredByParameter,
  talker: nameParameter(
    'Only compared deals in whose calls the manager with this whole name has the longest talk time.',
  ),
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
  id: field.text('The number of the deal in the CRM.'),
  title: field.text('The title of the deal.'),
  funnel: field.object('The funnel of the deal.', {
    id: field.integer('The number of the funnel.'),
    name: field.textOrNull('The name of the funnel; null if unknown.'),
  }),
  stage: field.textOrNull('The name of the stage of the deal; null if unknown.'),
  outcome: field.oneOf(['open', 'won', 'lost'], 'The outcome of the deal.'),
  ...reportManagerFields,
  amount: field.money('The amount of the deal; null if it has none.'),
  createdAt: field.time('When the deal was created.'),
  closedAt: field.timeOrNull('When the deal was won or lost; null while it is open.'),
  calls: field.integer('Calls that certainly belong to the deal and began before it was closed, by any manager.'),
  callsSeen: field.integer(
    'Of these, calls that the caller can see. GET /v1/recordings lists them with the number of the deal as `deal` ' +
      'and closedAt as `dateTo`.',
  ),
  lastCallAt: field.timeOrNull(
    'When the last call was; null without one. With by=silent, calls with the client that belong to no deal count ' +
      'too.',
  ),
})
export type ListedDeal = Static<typeof ListedDealSchema>
const OutcomeCountsSchema = field.object('The numbers of all matching deals by outcome.', {
  won: field.integer('Won deals.'),
  lost: field.integer('Lost deals.'),
  open: field.integer('Open deals.'),
})

/** The response of GET /v1/analytics/deals, which lists the deals behind a figure. */
export type DealsPage = ResultPage<ListedDeal> & { outcomes: Static<typeof OutcomeCountsSchema> }

const dealsPageResponse = createPageResponse(ListedDealSchema, 'A page of deals.', {
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
})

export const analyticsDealsOperation = {
  id: 'analyticsDeals',
  method: 'get',
  path: '/v1/analytics/deals',
  tag: 'Analytics',
  summary: 'The deals behind a figure',
  description:
    'Deals of the CRM by the same definitions as in the reports: with the filters of a figure, `total` equals ' +
    'this figure. By default, deals that were closed or created last come first; with by=silent, deals that have been ' +
    'silent longest come first. Deals that the portal no longer has are omitted.',
  access: 'scoped',
  closedToKeys: true,
  rights: ['analytics'],
  audit: 'analytics.deals',
  query: field.object({ ...dealsReportParameters, ...dealFilterParameters, ...dealSortParameters, ...pageParameters }),
  responses: {
    200: {
      ...dealsPageResponse,
      json: field.object('A page of deals.', { ...dealsPageResponse.json.properties, outcomes: OutcomeCountsSchema }),
      example: { ...dealsPageResponse.example, outcomes: { won: 1, lost: 0, open: 0 } },
    },
  },
} as const satisfies Operation
