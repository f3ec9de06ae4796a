import type { Static } from 'typebox'
import * as field from '../field.ts'
import {
  MANAGER_EXAMPLE,
  RULE_EXAMPLE,
  WEEK_EXAMPLE,
  reportManagerFields,
  defineReportSchema,
  reportRuleFields,
  reportWeekFields,
  type ReportFrame,
} from '../schema.ts'

const figureFields = {
  calls: field.integer('The number of calls.'),
  coverage: field.ratio('The share of calls with a score among calls with a transcript.'),
  score: field.averageWithCount('The mean score of calls with a score.'),
}

const passRateField = field.ratio(
  'The share of met among met and missed verdicts; calls without these verdicts are omitted.',
)

const WeekSchema = field.object('A week.', {
  ...reportWeekFields,
  ...figureFields,
  published: field.list(
    field.text('The key of a rule set.'),
    'Rule sets of which a version after the first was published in this week. Scores before and after come from different rules.',
  ),
})
const ManagerSchema = field.object('A manager.', {
  ...reportManagerFields,
  ...figureFields,
  score: field.meanForAnyCount('The mean score of calls with a score, even if there are fewer than ten.'),
  passRate: passRateField,
})
const RuleSchema = field.object('A rule, with all its versions together.', {
  ...reportRuleFields,
  met: field.integer('Calls that met the rule.'),
  missed: field.integer('Calls that missed the rule.'),
  notApplicable: field.integer('Calls that the rule does not apply to.'),
  unknown: field.integer('Calls whose verdict is unknown.'),
  passRate: passRateField,
  weakManagers: field.integer('Managers who meet the rule in fewer than half of at least ten calls.'),
  systemic: field.boolean(
    'Whether three or more managers are weak in the rule. The cause is then the rule or the training, not the ' +
      'person.',
  ),
})
const HeatSchema = field.object('A manager and a rule.', {
  managerId: reportManagerFields.managerId,
  set: field.text('The key of the rule set.'),
  rule: field.text('The key of the rule.'),
  passRate: passRateField,
})

const SetSchema = field.object('A manager and a rule set.', {
  managerId: reportManagerFields.managerId,
  set: field.text('The key of the rule set.'),
  calls: field.integer('Calls of the manager that the set checked.'),
})

export const QualityReportSchema = defineReportSchema('QualityReport', 'Managers and topics for coaching.', {
  totals: field.object('The totals.', { ...figureFields, passRate: passRateField }),
  speakers: field.object('Calls with a transcript by how their speakers are separated.', {
    channels: field.integer('Calls in which each of two channels has one speaker.'),
    voices: field.integer('Calls whose speakers are separated by their voices on one channel.'),
    none: field.integer(
      'Calls whose speakers are not separated, so that rules about one side cannot be judged. Includes calls of ' +
        'earlier releases whose channels were not measured.',
    ),
  }),
  weeks: field.list(WeekSchema, 'The weeks of the period, including weeks without calls.'),
  managers: field.list(ManagerSchema, 'Managers by score, lowest first; managers with too little data last.'),
  rules: field.list(RuleSchema, 'The rules by set, in their order.'),
  heat: field.list(HeatSchema, 'Each manager with each rule that has a verdict in calls of the manager.'),
  sets: field.list(SetSchema, 'Each manager with each rule set that checked calls of the manager.'),
})
export type QualityReportJson = Static<typeof QualityReportSchema>

const exampleFigures = {
  calls: 120,
  coverage: { value: 0.9322, numerator: 110, denominator: 118 },
  score: { value: 72.4, count: 110 },
}
const examplePassRate = { value: 0.66, numerator: 66, denominator: 100 }

export const qualityReportExample: Omit<QualityReportJson, keyof ReportFrame> = {
  totals: { ...exampleFigures, passRate: examplePassRate },
  speakers: { channels: 70, voices: 40, none: 8 },
  weeks: [{ ...WEEK_EXAMPLE, ...exampleFigures, published: [] }],
  managers: [{ ...MANAGER_EXAMPLE, ...exampleFigures, passRate: examplePassRate }],
  rules: [
    {
      ...RULE_EXAMPLE,
      met: 66,
      missed: 34,
      notApplicable: 8,
      unknown: 2,
      passRate: examplePassRate,
      weakManagers: 1,
      systemic: false,
    },
  ],
  heat: [{ managerId: MANAGER_EXAMPLE.managerId, set: 'incoming-sales', rule: 'next-step', passRate: examplePassRate }],
  sets: [{ managerId: MANAGER_EXAMPLE.managerId, set: 'incoming-sales', calls: 110 }],
}
