import type { Static } from 'typebox'
import * as field from '../field.ts'
import {
  MANAGER_EXAMPLE,
  WEEK_EXAMPLE,
  reportManagerFields,
  defineReportSchema,
  reportWeekFields,
  type ReportFrame,
} from '../schema.ts'

const amountsField = field.list(
  field.object('Won deals of one currency.', {
    currency: field.text('The currency. Amounts of different currencies are never added up.'),
    amount: field.number('The total value of the won deals.'),
    deals: field.integer('The number of won deals.'),
    median: field.averageWithCount('The median amount.'),
  }),
  'The won deals by currency.',
)
const figureFields = {
  won: field.integer('Deals won in the period.'),
  lost: field.integer('Deals lost in the period.'),
  winRate: field.ratio('The share of won among won and lost.'),
  created: field.integer('Deals created in the period.'),
  cohort: field.ratio('The share of deals won so far among deals created in the period.'),
  immature: field.boolean('Whether more than a fifth of the deals created in the period are still open.'),
  amounts: amountsField,
  cycleDays: field.averageWithCount('The median number of days from creation to win, over the won deals.'),
  callsBefore: field.averageWithCount('The median number of calls before a deal was closed, over the closed deals.'),
}
const funnelField = field.object('A funnel.', {
  id: field.integer('The number of the funnel.'),
  name: field.textOrNull('The name of the funnel; null if unknown.'),
})

const SilentSchema = field.object('An open deal without a call for 14 days.', {
  id: field.text('The number of the deal in the CRM.'),
  name: field.text('The title of the deal.'),
  funnel: funnelField,
  stage: field.textOrNull('The name of the stage of the deal; null if unknown.'),
  ...reportManagerFields,
  amount: field.money('The amount of the deal; null if the CRM has none.'),
  createdAt: field.time('When the deal was created.'),
  lastCallAt: field.timeOrNull('When the last call was; null without one.'),
})

export const SalesReportSchema = defineReportSchema(
  'SalesReport',
  'Won, lost and silent deals by manager and funnel.',
  {
    totals: field.object('The totals.', {
      ...figureFields,
      silent: field.integer('Open deals without a call about them or with their client for 14 days, as of now.'),
    }),
    weeks: field.list(field.object('A week.', { ...reportWeekFields, ...figureFields }), 'The weeks of the period.'),
    managers: field.list(
      field.object('A manager. Deals count for the person responsible for them, calls for the manager of the call.', {
        ...reportManagerFields,
        ...figureFields,
        calls: field.integer('Calls of the manager in the period.'),
        silent: field.integer('Silent deals of the manager.'),
      }),
      'The managers, most won deals first.',
    ),
    funnels: field.list(field.object('A funnel.', { funnel: funnelField, ...figureFields }), 'The funnels, by name.'),
    silent: field.list(SilentSchema, 'The 50 deals that have been silent longest.'),
  },
)
export type SalesReportJson = Static<typeof SalesReportSchema>
/** The figures that totals, weeks, managers and funnels have in common. */
export type SalesFigures = Omit<SalesReportJson['funnels'][number], 'funnel'>

const figuresExample = {
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

export const salesReportExample: Omit<SalesReportJson, keyof ReportFrame> = {
  totals: { ...figuresExample, silent: 4 },
  weeks: [{ ...WEEK_EXAMPLE, ...figuresExample }],
  managers: [{ ...MANAGER_EXAMPLE, ...figuresExample, calls: 120, silent: 4 }],
  funnels: [{ funnel: { id: 0, name: 'Sales' }, ...figuresExample }],
  silent: [],
}
