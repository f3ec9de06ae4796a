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

/** A figure of a week, compared with the weeks before. */
export const KpiSchema = field.object('A figure, with its values in the weeks before.', {
  name: field.oneOf(
    ['calls', 'checked', 'score', 'rulesMet', 'won', 'lost', 'winRate'],
    'calls: the number of calls. checked: the share of calls with a score among those with a transcript. score: ' +
      'the mean score. rulesMet: the share of met among met and missed verdicts. won and lost: deals closed in the ' +
      'week. winRate: the share of won among closed deals.',
  ),
  figure: field.object('The value of this week.', {
    value: field.numberOrNull(
      'The value of this week; null for a share or a score of fewer than ten. The score of one manager needs five.',
    ),
    numerator: field.integerOrNull('The numerator of a share; null for other figures.'),
    denominator: field.integerOrNull(
      'The denominator of a share, or the number of values of a mean; null for other figures.',
    ),
  }),
  previous: field.numberOrNull('The value of the week before; null if unknown.'),
  meanOfFour: field.numberOrNull(
    'The value of the four weeks before: the weekly mean of a number, and the common value of a share or the ' +
      'score. Null if unknown.',
  ),
  low: field.numberOrNull('The minimum of the eight weeks before; null unless all eight are known.'),
  high: field.numberOrNull('The maximum of these eight weeks; null unless all eight are known.'),
  flag: field.nullable(
    Type.Enum(['above', 'below']),
    'Whether this week is above or below the range of these eight weeks, compared in whole numbers and whole percents; ' +
      'null if it is inside. If nothing really changed, chance alone flags about two figures in nine. Always null for a ' +
      'running week.',
  ),
  p: field.numberOrNull(
    'The probability that chance alone moves a week at least this far from the mean of the eight weeks before ' +
      '(Student), 0 to 1. Null unless all eight are known, if they are equal, and for a running week.',
  ),
  weeks: field.list(
    field.numberOrNull('The value of a week; null if unknown.'),
    'The values of up to twelve weeks, oldest first, ending with this week. The first one is the first week with ' +
      'a call or deal.',
  ),
})
const CallSchema = field.object('A recommended call of at least a minute.', {
  recordingId: field.idOrNull('The recording; null if it was deleted or the caller no longer sees it.'),
  ...reportManagerFields,
  at: field.time('When the call was.'),
  score: field.number('The score of the call.'),
  why: field.oneOf(['lowest', 'highest'], 'lowest: one of the lowest scores. highest: one of the highest scores.'),
  missed: field.list(field.object('A rule.', reportRuleFields), 'The rules that the call missed, in their order.'),
})
const RecommendedCallSchema = field.object('A recommended call.', {
  ...CallSchema.properties,
  hearFrom: field.numberOrNull(
    'The second of the call from which to listen to the missed rule with most points; null if there is none.',
  ),
  hasAudio: field.boolean('Whether the audio of the call is stored.'),
})
const ManagerSchema = field.object('A manager.', {
  ...reportManagerFields,
  kpis: field.list(KpiSchema, 'The key figures of this manager.'),
  score: field.meanForAnyCount('The mean score of the week, even if few calls have a score.'),
  listen: field.list(CallSchema, 'Up to three calls of the manager with the lowest scores.'),
  coach: field.nullable(
    field.object('A rule.', {
      ...reportRuleFields,
      passRate: field.ratio('The share of met among met and missed verdicts, in this week and the three before.'),
    }),
    'The rule to coach: of the rules judged in at least ten calls, the one whose misses cost the most points. Null if ' +
      'every such rule was met in at least 80 % of them.',
  ),
})

/** The rule behind the change of a weekly score. */
export const scoreCauseSchema = field.nullable(
  field.object('A rule.', {
    ...reportRuleFields,
    share: field.number('The share of calls that met the rule in the week, 0 to 1.'),
    previous: field.number('The same share in the week before.'),
  }),
  'The rule whose share changed the score most; null if the score changed by less than a point, or if no rule ' +
    'explains the change.',
)

export const WeeklyReportSchema = defineReportSchema(
  'WeeklyReport',
  'The changes of a week, and recommendations for the next one.',
  {
    week: field.text('The week of ISO 8601, such as 2026-W12.'),
    state: field.oneOf(
      ['running', 'provisional', 'final', 'not-kept'],
      'running: the week is not over. provisional: in the first 48 hours, the report is recomputed every hour and ' +
        'once at their end. final: it no longer changes. not-kept: no report of this week was stored. It is computed ' +
        'from the current data on each request, so the result can change.',
    ),
    kept: field.list(
      field.text('A week, such as 2026-W12.'),
      'The weeks with a stored report, latest first; at most 53.',
    ),
    kpis: field.list(KpiSchema, 'The key figures and their changes.'),
    cause: scoreCauseSchema,
    managers: field.list(ManagerSchema, 'The managers with data in this week or the eleven weeks before, by name.'),
    refusals: field.list(
      field.object('A reason.', {
        reason: field.textOrNull('The name of the final stage; null for no reason.'),
        share: field.ratio('The share among deals lost in the week.'),
      }),
      'The reasons of lost deals, most frequent first.',
    ),
    listen: field.list(
      RecommendedCallSchema,
      'Up to three calls with the lowest scores of all managers, and up to three with the highest.',
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
