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
    currency: field.text('The currency; amounts of different currencies are never added up.'),
    amount: field.number('The total value of the won deals.'),
    deals: field.integer('The number of won deals.'),
    median: field.averageWithCount('The median amount.'),
  }),
  'The won deals.',
)
const figureFields = {
  won: field.integer('Deals won in the period.'),
  lost: field.integer('Deals lost in the period.'),
  winRate: field.ratio('The share of won among won and lost.'),
  created: field.integer('Deals created in the period.'),
  cohort: field.ratio('The share of the deals created in the period that were won so far.'),
  immature: field.boolean('More than a fifth of the deals created in the period are still open.'),
  amounts: amountsField,
  cycleDays: field.averageWithCount('From creation to win: the median of the won deals, in days.'),
  callsBefore: field.averageWithCount('Calls before a deal was closed: the median of the closed deals.'),
}
const funnelField = field.object('A funnel.', { id: field.integer('Its number.'), name: field.textOrNull('Its name.') })

const SilentSchema = field.object('An open deal without a call for 14 days.', {
  id: field.text('The deal in the CRM.'),
  name: field.text('The title of the deal.'),
  funnel: funnelField,
  stage: field.textOrNull('Its stage.'),
  ...reportManagerFields,
  amount: field.money('The amount of the deal; null if the CRM has none.'),
  createdAt: field.time('When it was created.'),
  lastCallAt: field.timeOrNull('The last call; null if there was none.'),
})

export const SalesReportSchema = defineReportSchema(
  'SalesReport',
  'Won, lost and silent deals by manager and funnel.',
  {
    totals: field.object('The totals.', {
      ...figureFields,
      silent: field.integer('Open deals without a call about them or with their client for 14 days, as of now.'),
    }),
    weeks: field.list(field.object('A week.', { ...reportWeekFields, ...figureFields }), 'By week.'),
    managers: field.list(
      field.object('A manager: deals count for the responsible person, calls for the caller.', {
        ...reportManagerFields,
        ...figureFields,
        calls: field.integer('Their calls in the period.'),
        silent: field.integer('Their silent deals.'),
      }),
      'Most won first.',
    ),
    funnels: field.list(field.object('A funnel.', { funnel: funnelField, ...figureFields }), 'By name.'),
    silent: field.list(SilentSchema, 'The 50 longest silent ones.'),
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
