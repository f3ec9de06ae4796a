import Type, { type Static } from 'typebox'
import {
  ANNA,
  NEXT_STEP,
  WEEK,
  count,
  list,
  managerFields,
  meanOf,
  object,
  ratioOf,
  reportSchema,
  ruleFields,
  text,
  weekFields,
  type Frame,
} from '../schema.ts'

const figures = {
  calls: count('Calls.'),
  coverage: ratioOf('Calls with a score, of those with a text.'),
  score: meanOf('The mean score of the calls that have one.'),
}

const passRate = ratioOf('Met, of met and missed; where a rule does not apply or nobody knows, the call is left out.')

const WeekSchema = object(
  {
    ...weekFields,
    ...figures,
    published: list(
      text('The key of a rule set.'),
      'Rule sets of which a version was published in this week: scores before and after are of different rules.',
    ),
  },
  'A week.',
)
const ManagerSchema = object({ ...managerFields, ...figures, passRate }, 'A manager.')
const RuleSchema = object(
  {
    ...ruleFields,
    met: count('Calls in which it was met.'),
    missed: count('Calls in which it was missed.'),
    notApplicable: count('Calls in which there was nothing to meet.'),
    unknown: count('Calls of which nobody knows.'),
    passRate,
    weakManagers: count('Managers who meet it in fewer than half of at least ten calls.'),
    systemic: Type.Boolean({
      description: 'Three or more managers are weak in it: the rule or the training is the matter, not the person.',
    }),
  },
  'A rule, all its versions together.',
)
const HeatSchema = object(
  {
    managerId: managerFields.managerId,
    set: text('The key of the rule set.'),
    rule: text('The key of the rule.'),
    passRate,
  },
  'A manager and a rule.',
)

export const QualitySchema = reportSchema('QualityReport', 'Whom to coach, and on what.', {
  totals: object({ ...figures, passRate }, 'All together.'),
  weeks: list(WeekSchema, 'Week by week, also those without calls.'),
  managers: list(ManagerSchema, 'By score, the lowest first; those of whom too little is known last.'),
  rules: list(RuleSchema, 'Set by set, in their order.'),
  heat: list(HeatSchema, 'Each manager by each rule that was judged in their calls.'),
})
export type QualityJson = Static<typeof QualitySchema>

const exampleFigures = {
  calls: 120,
  coverage: { value: 0.9322, numerator: 110, denominator: 118 },
  score: { value: 72.4, count: 110 },
}
const examplePassRate = { value: 0.66, numerator: 66, denominator: 100 }

export const qualityExample: Omit<QualityJson, keyof Frame> = {
  totals: { ...exampleFigures, passRate: examplePassRate },
  weeks: [{ ...WEEK, ...exampleFigures, published: [] }],
  managers: [{ ...ANNA, ...exampleFigures, passRate: examplePassRate }],
  rules: [
    {
      ...NEXT_STEP,
      met: 66,
      missed: 34,
      notApplicable: 8,
      unknown: 2,
      passRate: examplePassRate,
      weakManagers: 1,
      systemic: false,
    },
  ],
  heat: [{ managerId: ANNA.managerId, set: 'incoming-sales', rule: 'next-step', passRate: examplePassRate }],
}
