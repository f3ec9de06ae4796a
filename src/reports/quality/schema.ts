import type { Static } from 'typebox'
import * as field from '../field.ts'
import { ANNA, NEXT_STEP, WEEK, managerFields, reportSchema, ruleFields, weekFields, type Frame } from '../schema.ts'

const figures = {
  calls: field.integer('Calls.'),
  coverage: field.ratio('Calls with a score, of those with a text.'),
  score: field.mean('The mean score of the calls that have one.'),
}

const passRate = field.ratio(
  'Met, of met and missed; where a rule does not apply or nobody knows, the call is left out.',
)

const WeekSchema = field.object('A week.', {
  ...weekFields,
  ...figures,
  published: field.list(
    field.text('The key of a rule set.'),
    'Rule sets of which a version was published in this week: scores before and after are of different rules.',
  ),
})
const ManagerSchema = field.object('A manager.', { ...managerFields, ...figures, passRate })
const RuleSchema = field.object('A rule, all its versions together.', {
  ...ruleFields,
  met: field.integer('Calls in which it was met.'),
  missed: field.integer('Calls in which it was missed.'),
  notApplicable: field.integer('Calls in which there was nothing to meet.'),
  unknown: field.integer('Calls of which nobody knows.'),
  passRate,
  weakManagers: field.integer('Managers who meet it in fewer than half of at least ten calls.'),
  systemic: field.boolean(
    'Three or more managers are weak in it: the rule or the training is the matter, not the person.',
  ),
})
const HeatSchema = field.object('A manager and a rule.', {
  managerId: managerFields.managerId,
  set: field.text('The key of the rule set.'),
  rule: field.text('The key of the rule.'),
  passRate,
})

export const QualitySchema = reportSchema('QualityReport', 'Whom to coach, and on what.', {
  totals: field.object('All together.', { ...figures, passRate }),
  weeks: field.list(WeekSchema, 'Week by week, also those without calls.'),
  managers: field.list(ManagerSchema, 'By score, the lowest first; those of whom too little is known last.'),
  rules: field.list(RuleSchema, 'Set by set, in their order.'),
  heat: field.list(HeatSchema, 'Each manager by each rule that was judged in their calls.'),
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
