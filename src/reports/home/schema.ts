import type { Static } from 'typebox'
import { bilingualTextSchema } from '../../check/rules/schema.ts'
import { nullableMoneySchema } from '../../check/schemas.ts'
import { CrmAutomationSchema } from '../../crm/automation/schema.ts'
import { ROLES } from '../../platform/http/actor.ts'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../field.ts'
import { managerFilterParameters, reportManagerFields, reportRuleFields } from '../schema.ts'
import { KpiSchema, scoreCauseSchema } from '../weekly/schema.ts'
import { homePageExample } from './example.ts'

export const HOME_SECTIONS = [
  'lastWeek',
  'waiting',
  'lowest',
  'outOfRange',
  'myWeek',
  'coaching',
  'lostPoints',
  'disputes',
  'automation',
  'storage',
  'modelRequests',
] as const

const RuleSchema = field.object('A rule.', {
  key: field.text('The key of the rule.'),
  name: bilingualTextSchema(200, 'The requirement of the rule.'),
  points: field.number('The points of the rule.'),
  critical: field.boolean('Whether a miss makes the score 0.'),
})
const hasAudioSchema = field.boolean('Whether the audio of the call is stored.')
const momentSchema = field.numberOrNull('The second of the call from which to listen; null if unknown.')
const bilingualHintSchema = field.object('A text by language.', {
  en: field.textOrNull('In English; null if missing.'),
  ru: field.textOrNull('In Russian; null if missing.'),
})
const KPI_NAMES = ['calls', 'minutes', 'score', 'rulesMet', 'winRate'] as const

const weekFields = {
  from: field.day('The Monday of the week.'),
  to: field.day('The Sunday of the week.'),
  asOf: field.timeOrNull('When the stored weekly report with these figures was computed; null for current figures.'),
  calls: field.integer('Calls of the week.'),
}

const LastWeekSchema = field.object('The last week with a report.', {
  ...weekFields,
  week: field.text('The week of ISO 8601, such as 2026-W12.'),
  managers: field.integer('Managers with calls in the week.'),
  kpis: field.list(KpiSchema, 'The key figures and their changes.'),
  cause: scoreCauseSchema,
})

const managerHasLoginSchema = field.boolean('Whether the manager has a login, so that the call can be assigned.')

const WaitingSchema = field.object('Verdicts that wait for a decision.', {
  critical: field.integer('Misses of critical rules.'),
  disputed: field.integer('Disputes that wait for a decision.'),
  oldestAt: field.timeOrNull('When the oldest of these calls was; null if no verdict waits.'),
  items: field.list(
    field.object('A verdict.', {
      findingId: field.id('The finding.'),
      recordingId: field.id('The call.'),
      reason: field.oneOf(['critical', 'disputed'], 'Why the verdict waits.'),
      rule: RuleSchema,
      managerName: field.textOrNull('The name of the manager; null if unknown.'),
      managerHasLogin: managerHasLoginSchema,
      callAt: field.time('When the call was.'),
      waitingSince: field.time('When the verdict was last disputed, else when the call was checked.'),
      quote: field.textOrNull(
        'The comment of the dispute or, without one, the first quote of the call; null without both.',
      ),
    }),
    'At most five verdicts, misses of critical rules first.',
  ),
})

const LowestSchema = field.object('The calls with the lowest scores of the last working day.', {
  day: field.day(
    'The last of the seven days before today with calls; without calls, the last day from Monday to Friday.',
  ),
  scored: field.integer('Calls of the day with a score.'),
  items: field.list(
    field.object('A call.', {
      recordingId: field.id('The call.'),
      ...reportManagerFields,
      managerHasLogin: managerHasLoginSchema,
      at: field.time('When the call was.'),
      durationSeconds: field.numberOrNull('The duration of the call in seconds; null if unknown.'),
      score: field.number('The score of the call.'),
      missed: field.list(RuleSchema, 'The rules that the call missed; rules with most points first.'),
      hearFrom: momentSchema,
      hasAudio: hasAudioSchema,
    }),
    'At most five calls, lowest score first.',
  ),
})

const OutOfRangeSchema = field.object('Managers with a figure outside the range of the eight weeks before.', {
  managers: field.integer('Managers with calls in the week.'),
  items: field.list(
    field.object('A manager and the most important figure of this manager that is out of range.', {
      ...reportManagerFields,
      name: field.oneOf(['score', 'rulesMet', 'calls', 'winRate'], 'The figure that is out of range.'),
      value: field.number('The value of the figure; shares are from 0 to 1.'),
      low: field.number('The lowest value of the eight weeks before.'),
      high: field.number('The highest value of the eight weeks before.'),
      flag: field.oneOf(['above', 'below'], 'Whether the value is above or below the range.'),
    }),
    'Managers below their range first.',
  ),
})

const MyWeekSchema = field.object('The last complete week of a manager, compared with the four weeks before.', {
  ...weekFields,
  score: field.numberOrNull('The average score of these calls; null with fewer than five scored calls.'),
  low: field.numberOrNull('The lowest weekly score of the eight weeks before; null unless all eight are known.'),
  high: field.numberOrNull('The highest weekly score of these eight weeks; null unless all eight are known.'),
  weeks: field.list(
    field.numberOrNull('The score of a week; null if unknown.'),
    'The scores of up to twelve weeks, oldest first, ending with this week.',
  ),
  latest: field.nullable(
    field.object('A week.', { from: field.day('The Monday of the week.'), to: field.day('The Sunday of the week.') }),
    'The latest week with calls, if this week has none; else null.',
  ),
  figures: field.list(
    field.object('A figure.', {
      name: field.oneOf(
        KPI_NAMES,
        'calls: the number of calls. minutes: their length. score: their average score. rulesMet: the share of met ' +
          'among met and missed verdicts. winRate: the share of won among closed deals.',
      ),
      value: field.numberOrNull(
        'The value of this week; null for a share of fewer than ten and for a score of fewer than five calls.',
      ),
      numerator: field.integerOrNull('The numerator of a share; null for other figures.'),
      denominator: field.integerOrNull(
        'The denominator of a share, or the number of values of a score; null for other figures.',
      ),
      before: field.numberOrNull(
        'The value of the four weeks before: the weekly mean of a number, and the common value of a share or score. ' +
          'Null if there is too little to compare.',
      ),
      flag: field.nullable(
        field.oneOf(['above', 'below'], 'Whether the value is above or below its range.'),
        'Whether the value is outside the range of the eight weeks before; null if it is inside or unknown.',
      ),
      weeks: field.list(
        field.numberOrNull('The value of a week; null if unknown.'),
        'The values of the last five weeks, ending with this week.',
      ),
    }),
    'The five figures.',
  ),
})

const CoachingSchema = field.object('The rule to work on, with up to three calls of the manager.', {
  point: field.nullable(
    field.object('A rule.', {
      ...reportRuleFields,
      points: field.number('The points that a miss costs.'),
      hint: field.nullable(bilingualHintSchema, 'The criterion of the rule; null without a text.'),
      score: field.numberOrNull('The average score of the last four complete weeks; null without a scored call.'),
      reachable: field.numberOrNull(
        'The approximate average score of these weeks if every call had met the rule; null for a critical rule, and ' +
          'without a scored call.',
      ),
      weeks: field.list(
        field.numberOrNull('The share of calls that met the rule, 0 to 1; null without a judged call.'),
        'The shares of the four weeks, oldest first.',
      ),
      met: field.integer('Calls of these four weeks that met the rule.'),
      judged: field.integer('Calls of these four weeks that met or missed the rule.'),
    }),
    'The rule whose misses cost the most points, of those judged in at least ten calls. Null if every such rule was met in at ' +
      'least 80 % of them.',
  ),
  calls: field.list(
    field.object('A call.', {
      recordingId: field.id('The call.'),
      at: field.time('When the call was.'),
      score: field.numberOrNull('The score of the call; null without one.'),
      verdict: field.oneOf(['met', 'missed'], 'Whether the call met the rule.'),
      quote: field.textOrNull('The sentence at this moment; null if unknown.'),
      hearFrom: momentSchema,
      hasAudio: hasAudioSchema,
    }),
    'Up to two calls that missed the rule, and one that met it. Without a rule, the call with the best score.',
  ),
})

const LostPointsSchema = field.list(
  field.object('A rule.', {
    ...reportRuleFields,
    points: field.number('The points that misses of the rule cost in the week.'),
    passRate: field.ratio('The share of met among met and missed verdicts in the week.'),
    before: field.ratio('The same share in the four weeks before.'),
  }),
  'Up to five rules that cost the manager points in the last complete week, costliest first.',
)

const DisputesSchema = field.list(
  field.object('A dispute of the caller.', {
    recordingId: field.id('The call.'),
    phoneNumber: field.textOrNull('The client’s phone.'),
    callAt: field.time('When the call was.'),
    rule: field.object('The rule.', {
      key: field.text('The key of the rule.'),
      name: bilingualTextSchema(200, 'The requirement of the rule.'),
    }),
    state: field.oneOf(
      ['waiting', 'kept', 'changed'],
      'waiting: not decided yet. kept: the decision kept the verdict. changed: the decision changed the verdict.',
    ),
    verdict: field.textOrNull('The verdict that the person decided; null before.'),
    disputedAt: field.time('When the caller disputed the verdict.'),
    decidedAt: field.timeOrNull('When a person decided; null before.'),
    decidedBy: field.textOrNull('The name of the person who decided; null before.'),
    comment: field.textOrNull('The comment on the decision; null without one.'),
    score: field.numberOrNull('The current score of the call; null without one.'),
    automaticScore: field.numberOrNull('The score of the call without people’s decisions; null without one.'),
  }),
  'The last fifty disputes of the caller, last decided first.',
)

const ModelRequestsSchema = field.object('Requests to an external model in the last seven days.', {
  host: field.textOrNull('The host of the model; null if no model checks calls.'),
  requests: field.integer('The number of requests.'),
  bytes: field.integer('The total size of the requests in bytes.'),
  cost: nullableMoneySchema('The total cost of the requests; null if unknown.'),
})

const StorageSchema = field.object('The storage of recordings.', {
  kind: field.oneOf(['local', 's3'], 'Where recordings are stored.'),
  freeBytes: field.integerOrNull('Free bytes; null for S3.'),
  addedBytes: field.integer('The total size in bytes of the recordings that were created in the last seven days.'),
})

const { state, reason } = CrmAutomationSchema.properties

const HomeSchema = field.namedObject(
  'Home',
  'The first page of a person. A section is null if it belongs to another role, requires a right that the ' +
    'person does not have, or failed.',
  {
    role: field.oneOf(ROLES, 'The role of the caller.'),
    failed: field.list(field.oneOf(HOME_SECTIONS, 'A section.'), 'The sections that could not be loaded.'),
    lastWeek: field.nullable(LastWeekSchema, 'For heads with the right `analytics`; null without a report.'),
    waiting: field.nullable(WaitingSchema, 'For heads.'),
    lowest: field.nullable(LowestSchema, 'For heads.'),
    outOfRange: field.nullable(OutOfRangeSchema, 'For heads with the right `analytics`; null without a report.'),
    myWeek: field.nullable(MyWeekSchema, 'For managers.'),
    coaching: field.nullable(CoachingSchema, 'For managers.'),
    lostPoints: field.nullable(LostPointsSchema, 'For managers.'),
    disputes: field.nullable(DisputesSchema, 'For managers.'),
    automation: field.nullable(field.object('The automation of the CRM.', { state, reason }), 'For owners.'),
    storage: field.nullable(StorageSchema, 'For owners.'),
    modelRequests: field.nullable(ModelRequestsSchema, 'For owners.'),
  },
)
export type HomePageJson = Static<typeof HomeSchema>
export type HomeSectionName = (typeof HOME_SECTIONS)[number]
/** Excludes null, which the response contains for a section that failed or that the role does not have. */
export type HomeSectionJson<Name extends HomeSectionName> = NonNullable<HomePageJson[Name]>

export const readHomeOperation = {
  id: 'readHome',
  method: 'get',
  path: '/v1/home',
  tag: 'Analytics',
  summary: 'The first page of the caller',
  description:
    'For a head: the last week, verdicts to decide, calls with the lowest scores, and managers out of range. For ' +
    'a manager: their own week, a rule to work on, and decisions on their disputes. For an owner: the state of ' +
    'the service. A section that fails is null and listed in `failed`; the others are complete. `department` ' +
    'limits the page of a head to one department.',
  query: field.object({ department: managerFilterParameters.department }),
  access: 'scoped',
  closedToKeys: true,
  audit: 'home.read',
  responses: { 200: { description: 'The sections of the caller.', json: HomeSchema, example: homePageExample } },
} as const satisfies Operation
