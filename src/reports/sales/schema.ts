import type { Static } from 'typebox'
import * as field from '../field.ts'
import { ANNA, WEEK, managerFields, reportSchema, weekFields, type Frame } from '../schema.ts'

const amounts = field.list(
  field.object('Won deals of one currency.', {
    currency: field.text('The currency; amounts of several are never added up.'),
    amount: field.number('The total value of the won deals.'),
    deals: field.integer('Of how many won deals.'),
    median: field.mean('The middle one of them.'),
  }),
  'The won deals.',
)
const figures = {
  won: field.integer('Deals won in the period.'),
  lost: field.integer('Deals lost in the period.'),
  winRate: field.ratio('Won, of won and lost.'),
  created: field.integer('Deals made in the period.'),
  cohort: field.ratio('Won so far, of the deals made in the period.'),
  immature: field.boolean('More than a fifth of the deals made in the period are still open.'),
  amounts,
  cycleDays: field.mean('From making a deal to winning it: the middle of the won ones, in days.'),
  callsBefore: field.mean('Calls before a deal was closed: the middle of the closed ones.'),
}
const funnel = field.object('A funnel.', { id: field.integer('Its number.'), name: field.textOrNull('Its name.') })

const SilentSchema = field.object('An open deal that nobody has called about for 14 days.', {
  id: field.text('The deal in the CRM.'),
  name: field.text('The title of the deal.'),
  funnel,
  stage: field.textOrNull('Where it stands.'),
  ...managerFields,
  amount: field.money('The amount of the deal; null if the CRM has none.'),
  createdAt: field.time('When it was made.'),
  lastCallAt: field.timeOrNull('The last call; null if there was none.'),
})

export const SalesSchema = reportSchema('SalesReport', 'Won, lost and silent deals by manager and funnel.', {
  totals: field.object('All together.', {
    ...figures,
    silent: field.integer(
      'Open deals that nobody has called about, and whose client nobody has called, for 14 days, as of now.',
    ),
  }),
  weeks: field.list(field.object('A week.', { ...weekFields, ...figures }), 'Week by week.'),
  managers: field.list(
    field.object('A manager: deals count for who is responsible, calls for who made them.', {
      ...managerFields,
      ...figures,
      calls: field.integer('Calls that they made in the period.'),
      silent: field.integer('Their silent deals.'),
    }),
    'Most won first.',
  ),
  funnels: field.list(field.object('A funnel.', { funnel, ...figures }), 'By name.'),
  silent: field.list(SilentSchema, 'The 50 that have been silent longest.'),
})
export type SalesJson = Static<typeof SalesSchema>
export type SalesFigures = Omit<SalesJson['funnels'][number], 'funnel'>

const example = {
  won: 42,
  lost: 78,
  winRate: { value: 0.35, numerator: 42, denominator: 120 },
  created: 130,
  cohort: { value: 0.1, numerator: 13, denominator: 130 },
  immature: true,
  amounts: [{ currency: 'BYN', amount: 84_000, deals: 42, median: { value: 1500, count: 42 } }],
  cycleDays: { value: 12.5, count: 42 },
  callsBefore: { value: 3, count: 120 },
}

export const salesExample: Omit<SalesJson, keyof Frame> = {
  totals: { ...example, silent: 4 },
  weeks: [{ ...WEEK, ...example }],
  managers: [{ ...ANNA, ...example, calls: 120, silent: 4 }],
  funnels: [{ funnel: { id: 0, name: 'Sales' }, ...example }],
  silent: [],
}
