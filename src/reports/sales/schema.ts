import Type, { type Static } from 'typebox'
import {
  ANNA,
  WEEK,
  count,
  list,
  managerFields,
  maybe,
  meanOf,
  money,
  object,
  ratioOf,
  reportSchema,
  text,
  weekFields,
  type Frame,
} from '../schema.ts'

const amounts = list(
  object(
    {
      currency: text('The currency; amounts of several are never added up.'),
      amount: Type.Number({ description: 'What the won deals are worth together.' }),
      deals: count('Of how many won deals.'),
      median: meanOf('The middle one of them.'),
    },
    'Won deals of one currency.',
  ),
  'What was won.',
)
const figures = {
  won: count('Deals won in the period.'),
  lost: count('Deals lost in the period.'),
  winRate: ratioOf('Won, of won and lost.'),
  created: count('Deals made in the period.'),
  cohort: ratioOf('Won so far, of the deals made in the period.'),
  immature: Type.Boolean({ description: 'More than a fifth of the deals made in the period are still open.' }),
  amounts,
  cycleDays: meanOf('From making a deal to winning it: the middle of the won ones, in days.'),
  callsBefore: meanOf('Calls before a deal was closed: the middle of the closed ones.'),
}
const funnel = object({ id: count('Its number.'), name: maybe(Type.String(), 'Its name.') }, 'A funnel.')

const SilentSchema = object(
  {
    id: text('The deal in the CRM.'),
    name: text('What it is called.'),
    funnel,
    stage: maybe(Type.String(), 'Where it stands.'),
    ...managerFields,
    amount: money('What it is worth; null where nobody has said.'),
    createdAt: Type.String({ format: 'date-time', description: 'When it was made.' }),
    lastCallAt: maybe(Type.String({ format: 'date-time' }), 'The last call; null where there was none.'),
  },
  'An open deal that nobody has called about for 14 days.',
)

export const SalesSchema = reportSchema('SalesReport', 'What was won and lost, by whom, and what was left silent.', {
  totals: object(
    {
      ...figures,
      silent: count(
        'Open deals that nobody has called about, and whose client nobody has called, for 14 days, as of now.',
      ),
    },
    'All together.',
  ),
  weeks: list(object({ ...weekFields, ...figures }, 'A week.'), 'Week by week.'),
  managers: list(
    object(
      {
        ...managerFields,
        ...figures,
        calls: count('Calls that they made in the period.'),
        silent: count('Their silent deals.'),
      },
      'A manager: deals count for who is responsible, calls for who made them.',
    ),
    'Most won first.',
  ),
  funnels: list(object({ funnel, ...figures }, 'A funnel.'), 'By name.'),
  silent: list(SilentSchema, 'The 50 that have been silent longest.'),
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
