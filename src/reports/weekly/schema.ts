import Type, { type Static } from 'typebox'
import { ReconciliationCountsSchema, exampleReconciliationCounts } from '../../crm/reconciliation/schema.ts'
import * as field from '../field.ts'
import {
  MANAGER_EXAMPLE,
  RULE_EXAMPLE,
  reportManagerFields,
  defineReportSchema,
  reportRuleFields,
  type ReportFrame,
} from '../schema.ts'

const KpiSchema = field.object('A figure and its values in the weeks before.', {
  name: field.oneOf(
    ['calls', 'checked', 'score', 'rulesMet', 'won', 'lost', 'winRate'],
    'calls; checked: calls with a score, of those with a text; score: their mean; rulesMet: of met and missed; ' +
      'won and lost: deals closed in the week; winRate: won of closed.',
  ),
  figure: field.object('The value of this week.', {
    value: field.numberOrNull('The value of this week; null for a share or a mean of fewer than ten.'),
    numerator: field.integerOrNull('The numerator of a share.'),
    denominator: field.integerOrNull('The denominator of a share or a mean.'),
  }),
  previous: field.numberOrNull('The value of the week before; null if unknown.'),
  meanOfFour: field.numberOrNull(
    'The mean of the four weeks before; of a share or the score, that of the four together. null if unknown.',
  ),
  low: field.numberOrNull('The minimum of the eight weeks before; null unless all eight are known.'),
  high: field.numberOrNull('Their maximum.'),
  flag: field.nullable(
    Type.Enum(['above', 'below']),
    'Whether this week is above or below that range; null if it is inside. Without a change, chance alone flags about two ' +
      'figures in nine. Always null for a running week.',
  ),
  p: field.numberOrNull(
    'The probability that chance alone takes a week at least this far from the mean of the eight before (Student). null ' +
      'without all eight, if they are equal, and for a running week.',
  ),
  weeks: field.list(
    field.numberOrNull('The value of a week.'),
    'The values of up to twelve weeks, the oldest first and this week last; from the first week with a call or deal.',
  ),
})
const CallSchema = field.object('A call of at least a minute that is worth hearing.', {
  recordingId: field.idOrNull('The recording; null if it was deleted or the caller no longer sees it.'),
  ...reportManagerFields,
  at: field.time('When the call was.'),
  score: field.number('Its score.'),
  why: field.oneOf(['lowest', 'highest'], 'One of the lowest scores, or of the highest.'),
  missed: field.list(field.object('A rule.', reportRuleFields), 'The rules that the call missed, in their order.'),
})
const RecommendedCallSchema = field.object('A call that is worth hearing.', {
  ...CallSchema.properties,
  hearFrom: field.numberOrNull('The second at which its most expensive missed rule is heard; null if there is none.'),
  hasAudio: field.boolean('Whether its audio is stored.'),
})
const ManagerSchema = field.object('A manager.', {
  ...reportManagerFields,
  kpis: field.list(KpiSchema, 'The same figures of this manager.'),
  score: field.meanOfAny('The mean score of the week, however few calls have one.'),
  listen: field.list(CallSchema, 'Up to three calls with their lowest scores.'),
  coach: field.nullable(
    field.object('A rule.', {
      ...reportRuleFields,
      passRate: field.ratio('The share of met among met and missed, in this week and the three before.'),
    }),
    'The rule to coach on: the least often met of those judged in at least ten calls; null if none was missed.',
  ),
})

/** The rule behind the change of a weekly score. */
export const scoreCauseSchema = field.nullable(
  field.object('A rule.', {
    ...reportRuleFields,
    share: field.number('The share of calls that met it, from 0 to 1.'),
    previous: field.number('The same of the week before.'),
  }),
  'The rule whose share changed the score most; null unless the score changed by a point or more.',
)

export const WeeklyReportSchema = defineReportSchema(
  'WeeklyReport',
  'The changes of a week, and the work for Monday.',
  {
    week: field.text('The week of ISO 8601, such as 2026-W12.'),
    state: field.oneOf(
      ['running', 'provisional', 'final', 'not-kept'],
      'running: the week is not over. provisional for the first 48 hours: it is made anew every hour, for the last time at their end. not-kept: no report ' +
        'of this week was kept; it is made of what is there now, when it is asked for, and may be another next time.',
    ),
    kept: field.list(field.text('A week.'), 'The weeks with a report, last first; at most 53.'),
    kpis: field.list(KpiSchema, 'The key figures and their changes.'),
    cause: scoreCauseSchema,
    managers: field.list(ManagerSchema, 'Everybody with data in this week or the eleven before, by name.'),
    refusals: field.list(
      field.object('A reason.', {
        reason: field.textOrNull('The final stage; null for no reason.'),
        share: field.ratio('The share of the deals lost in the week.'),
      }),
      'Why deals were lost, most frequent first.',
    ),
    listen: field.list(
      RecommendedCallSchema,
      'Up to three calls with the lowest scores of all, and three with the highest.',
    ),
    reconciliation: ReconciliationCountsSchema,
  },
)
export type WeeklyReportJson = Static<typeof WeeklyReportSchema>

const kpiExample: WeeklyReportJson['kpis'][number] = {
  name: 'calls',
  figure: { value: 120, numerator: null, denominator: null },
  previous: 98,
  meanOfFour: 101.5,
  low: 90,
  high: 110,
  flag: 'above',
  p: 0.0123,
  weeks: [95, 90, 98, 102, 110, 97, 99, 101, 98, 120],
}
const callExample: WeeklyReportJson['managers'][number]['listen'][number] = {
  recordingId: '0197a3c0-5f0e-7cc0-b2a0-3d4c5b6a7955',
  ...MANAGER_EXAMPLE,
  at: '2026-03-17T10:00:00.000Z',
  score: 31,
  why: 'lowest',
  missed: [RULE_EXAMPLE],
}

export const weeklyReportExample: Omit<WeeklyReportJson, keyof ReportFrame> = {
  week: '2026-W12',
  state: 'final',
  kept: ['2026-W12'],
  kpis: [kpiExample],
  cause: { ...RULE_EXAMPLE, share: 0.38, previous: 0.54 },
  managers: [
    {
      ...MANAGER_EXAMPLE,
      kpis: [kpiExample],
      score: { value: 72.4, count: 8 },
      listen: [callExample],
      coach: { ...RULE_EXAMPLE, passRate: { value: 0.4, numerator: 8, denominator: 20 } },
    },
  ],
  refusals: [{ reason: 'Too expensive', share: { value: 0.25, numerator: 10, denominator: 40 } }],
  listen: [{ ...callExample, hearFrom: 41.2, hasAudio: true }],
  reconciliation: exampleReconciliationCounts,
}
