import type { Static } from 'typebox'
import { bilingualTextSchema } from '../../check/rules/schema.ts'
import { nullableMoneySchema } from '../../check/schemas.ts'
import { CrmAutomationSchema } from '../../crm/automation/schema.ts'
import { ROLES } from '../../platform/http/actor.ts'
import type { Operation } from '../../platform/http/operation.ts'
import * as field from '../field.ts'
import { managerFilterParameters, reportManagerFields, reportRuleFields } from '../schema.ts'
import { scoreCauseSchema } from '../weekly/schema.ts'
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
  key: field.text('Its key.'),
  name: bilingualTextSchema(200, 'Its requirement.'),
  points: field.number('Its points.'),
  critical: field.boolean('Whether a miss makes the score 0.'),
})
const hasAudioSchema = field.boolean('Whether its audio is stored.')
const momentSchema = field.numberOrNull('The second from which to hear the call; null if unknown.')
const bilingualHintSchema = field.object('A text by language.', {
  en: field.textOrNull('In English.'),
  ru: field.textOrNull('In Russian.'),
})
const KPI_NAMES = ['calls', 'minutes', 'score', 'rulesMet', 'winRate'] as const

const weekFields = {
  from: field.day('The Monday of the week.'),
  to: field.day('Its Sunday.'),
  calls: field.integer('Calls of the week.'),
  score: field.numberOrNull('Their average score; null for fewer than ten.'),
  low: field.numberOrNull('The lowest weekly score of the eight weeks before; null unless all eight are known.'),
  high: field.numberOrNull('The highest.'),
  weeks: field.list(
    field.numberOrNull('The score of a week.'),
    'The scores of up to twelve weeks, the oldest first, this week last.',
  ),
}

const LastWeekSchema = field.object('The last week that has a report, against the week before.', {
  ...weekFields,
  week: field.text('The week of ISO 8601, such as 2026-W12.'),
  managers: field.integer('Managers with calls in the week.'),
  previous: field.numberOrNull('The average score of the week before; null if unknown.'),
  cause: scoreCauseSchema,
})

const WaitingSchema = field.object('Verdicts that wait for a decision.', {
  critical: field.integer('Misses of critical rules.'),
  disputed: field.integer('Disputes.'),
  oldestAt: field.timeOrNull('When the oldest of these calls was.'),
  items: field.list(
    field.object('A verdict.', {
      findingId: field.id('The finding.'),
      recordingId: field.id('The call.'),
      reason: field.oneOf(['critical', 'disputed'], 'Why it waits.'),
      rule: RuleSchema,
      managerName: field.textOrNull('The manager.'),
      callAt: field.time('When the call was.'),
      waitingSince: field.time('When the verdict was last disputed, else when the call was checked.'),
      quote: field.textOrNull('The words of the dispute, else those of the call.'),
    }),
    'At most five, critical misses first.',
  ),
})

const LowestSchema = field.object('The calls with the lowest scores of the last working day.', {
  day: field.day('The last day before today with calls in the last week, else the last day from Monday to Friday.'),
  scored: field.integer('Calls of the day with a score.'),
  items: field.list(
    field.object('A call.', {
      recordingId: field.id('The call.'),
      ...reportManagerFields,
      at: field.time('When it was.'),
      durationSeconds: field.numberOrNull('Its duration.'),
      score: field.number('Its score.'),
      missed: field.list(RuleSchema, 'The rules that it missed, those that cost most first.'),
      hearFrom: momentSchema,
      hasAudio: hasAudioSchema,
    }),
    'At most five, the lowest first.',
  ),
})

const OutOfRangeSchema = field.object('Managers with a figure outside the range of their eight weeks before.', {
  managers: field.integer('Managers with calls in the week.'),
  items: field.list(
    field.object('A manager and their most important figure out of range.', {
      ...reportManagerFields,
      name: field.oneOf(['score', 'rulesMet', 'calls', 'winRate'], 'The figure.'),
      value: field.number('Its value; shares are from 0 to 1.'),
      low: field.number('The lowest of the eight weeks before.'),
      high: field.number('The highest.'),
      flag: field.oneOf(['above', 'below'], 'Whether the value is above or below the range.'),
    }),
    'Those below their range first.',
  ),
})

const MyWeekSchema = field.object('The last complete week of a manager, against the four weeks before.', {
  ...weekFields,
  score: field.numberOrNull('Their average score; null for fewer than five.'),
  latest: field.nullable(
    field.object('A week.', { from: field.day('Its Monday.'), to: field.day('Its Sunday.') }),
    'The latest week with calls, if this one has none.',
  ),
  isBest: field.boolean('Whether the score is the highest of the last five weeks, which all have one.'),
  figures: field.list(
    field.object('A figure.', {
      name: field.oneOf(
        KPI_NAMES,
        'calls; minutes of them; score; rulesMet: of met and missed; winRate: won of closed.',
      ),
      value: field.numberOrNull('This week; null for a share of fewer than ten and a score of fewer than five.'),
      numerator: field.integerOrNull('The numerator of a share.'),
      denominator: field.integerOrNull('Its denominator.'),
      before: field.numberOrNull('The mean of the four weeks before; null if there is too little to compare.'),
      p: field.numberOrNull(
        'The probability that chance alone takes a week this far from the eight before; null if unknown.',
      ),
      weeks: field.list(field.numberOrNull('A week.'), 'The last five weeks, this one last.'),
    }),
    'Five figures.',
  ),
})

const CoachingSchema = field.object('The rule that a manager should work on, and three of their calls.', {
  point: field.nullable(
    field.object('A rule.', {
      ...reportRuleFields,
      points: field.number('The points of a miss.'),
      hint: field.nullable(bilingualHintSchema, 'Its criterion; null without a text.'),
      score: field.numberOrNull('The average score of these weeks; null without a scored call.'),
      reachable: field.numberOrNull(
        'About the average score of these weeks if every call had met the rule; null for a critical rule.',
      ),
      weeks: field.list(field.numberOrNull('The share of calls that met it.'), 'The four weeks, the oldest first.'),
      met: field.integer('Calls that met it, in the last complete week and the three before.'),
      judged: field.integer('Calls that met or missed it.'),
    }),
    'The rule met least often of those judged in at least ten calls; null if every rule was met in at least 80 % of them.',
  ),
  calls: field.list(
    field.object('A call.', {
      recordingId: field.id('The call.'),
      at: field.time('When it was.'),
      score: field.numberOrNull('Its score.'),
      verdict: field.oneOf(['met', 'missed'], 'Whether it met the rule.'),
      quote: field.textOrNull('The sentence at this moment.'),
      hearFrom: momentSchema,
      hasAudio: hasAudioSchema,
    }),
    'Two misses and a good example; without a rule the best call.',
  ),
})

const LostPointsSchema = field.list(
  field.object('A rule.', {
    ...reportRuleFields,
    points: field.number('The points that its misses cost in the week.'),
    passRate: field.ratio('The share of met among met and missed in the week.'),
    before: field.ratio('The same of the four weeks before.'),
  }),
  'Up to five rules that cost the manager points in the last complete week, the costliest first.',
)

const DisputesSchema = field.list(
  field.object('A dispute of the caller.', {
    recordingId: field.id('The call.'),
    rule: field.object('The rule.', {
      key: field.text('Its key.'),
      name: bilingualTextSchema(200, 'Its requirement.'),
    }),
    state: field.oneOf(['waiting', 'kept', 'changed'], 'waiting: not decided; kept or changed: the verdict was.'),
    verdict: field.textOrNull('The verdict that was decided.'),
    disputedAt: field.time('When the caller disputed.'),
    decidedAt: field.timeOrNull('When somebody decided.'),
    decidedBy: field.textOrNull('The person who decided.'),
    comment: field.textOrNull('The reason of the decision.'),
    score: field.numberOrNull('The score of the call now.'),
    automaticScore: field.numberOrNull('Its score without decisions of people.'),
  }),
  'The last ten disputes of the caller, the last decided first.',
)

const ModelRequestsSchema = field.object('Requests to an external model in the last seven days.', {
  host: field.textOrNull('The address of the model; null if calls are not checked by one.'),
  requests: field.integer('Requests.'),
  bytes: field.integer('Their size.'),
  cost: nullableMoneySchema('Their cost, if prices are set.'),
})

const StorageSchema = field.object('The storage of recordings.', {
  kind: field.oneOf(['local', 's3'], 'Where recordings are stored.'),
  freeBytes: field.integerOrNull('Free bytes; null without a limit.'),
  addedBytes: field.integer('Bytes of the recordings of the last seven days.'),
})

const { state, reason } = CrmAutomationSchema.properties

const HomeSchema = field.namedObject(
  'Home',
  'The first page of a person. A section is null if it belongs to another role, needs a right that the person does not ' +
    'have, or failed.',
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
    'For a head: the last week, verdicts to decide, the lowest calls, managers out of range. For a manager: their own ' +
    'week, a rule to work on, and answers to their disputes. For an owner: the state of the service. A section that ' +
    'fails is null and listed in `failed`; the others are complete. `department` narrows the page of a head to one ' +
    'department.',
  query: field.object({ department: managerFilterParameters.department }),
  access: 'scoped',
  closedToKeys: true,
  audit: 'home.read',
  responses: { 200: { description: 'The sections of the caller.', json: HomeSchema, example: homePageExample } },
} as const satisfies Operation
