import type { HomePageJson, HomeSectionJson } from '../../reports/home/schema.ts'
import { buildHomeAssign, type HomeAssignments } from '../assignments/home.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { createFigureFormatter } from '../analytics/figure-formatter.ts'
import { findKpi } from '../analytics/weekly-figures.ts'
import { formatWeekChange, isEmptyWeek } from '../analytics/weekly-lead.ts'
import { drawRangeDot } from '../frame/charts.ts'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'
import { buildScore } from '../frame/score-bands.ts'
import { buildScoreTrend, formatAsOf, formatUsualRange } from './lead.ts'

/** Builds the home page of a department head. A section is null if it has no data or the person lacks the permission. */
export function buildHeadHomeView(
  { lastWeek, waiting, lowest, outOfRange }: HomePageJson,
  department: string,
  assignments: HomeAssignments | undefined,
  context: PageContext,
) {
  return {
    departments: buildDepartmentTabs(department, context),
    hasReports: context.person.rights.analytics === true,
    lastWeek: lastWeek && buildLastWeek(lastWeek, context),
    waiting: waiting && buildWaiting(waiting, assignments, context),
    lowest: lowest && buildLowest(lowest, assignments, context),
    outOfRange: outOfRange && buildOutOfRange(outOfRange, lastWeek?.week, context),
  }
}

/** Builds tabs to the page of each department; none for a head of one department. */
function buildDepartmentTabs(current: string, { person, language }: PageContext) {
  if (person.departments.length < 2) return []
  const all = { id: '', name: language.words.home.head.allDepartments }
  return [all, ...person.departments].map(({ id, name }) => ({
    text: name,
    href: formatPathWithQuery('/', id === '' ? {} : { department: id }),
    current: id === current,
  }))
}

function buildLastWeek(week: HomeSectionJson<'lastWeek'>, context: PageContext) {
  const { language, panel } = context
  const { words, format } = language
  const t = words.home.head
  const { figure, low, high, weeks } = findKpi(week, 'score')
  const formatter = createFigureFormatter(language, { from: week.from, to: week.to }, panel.config.SCORE_BANDS)
  const { text, also } = isEmptyWeek(week.kpis)
    ? { text: words.home.manager.none, also: [] }
    : formatWeekChange(week, formatter)
  return {
    sentence: text,
    also: also.join('. '),
    calls: `${t.calls(week.calls, format.number(week.calls))} ${t.managers(week.managers, format.number(week.managers))}`,
    week: words.analytics.weekly.title(format.days(week.from, week.to)),
    asOf: formatAsOf(week.asOf, language),
    href: `/analytics/weekly?week=${week.week}`,
    ...buildScoreTrend({ score: figure.value, low, high, weeks, from: week.from }, t.trend, context),
  }
}

const MS_PER_DAY = 86_400_000

function buildWaiting(
  { critical, disputed, oldestAt, items }: HomeSectionJson<'waiting'>,
  assignments: HomeAssignments | undefined,
  context: PageContext,
) {
  const { language } = context
  const { words, format, code } = language
  const t = words.home.head
  const total = critical + disputed
  const rest = total - items.length
  const days = oldestAt && countDaysSince(oldestAt, language)
  const counts = [
    critical > 0 && t.critical(critical, format.number(critical)),
    disputed > 0 && t.disputed(disputed, format.number(disputed)),
    days && t.oldest(days, format.number(days)),
  ]
  return {
    counts: counts.filter(Boolean).join(', '),
    button: total > 0 ? t.openReviews(format.number(total)) : null,
    more: rest > 0 ? t.more(format.number(rest), format.shortDay(format.dayOf(oldestAt!))) : null,
    items: items.map(({ findingId, recordingId, reason, rule, managerName, callAt, waitingSince, quote }) => ({
      id: findingId,
      href: formatPathWithQuery('/reviews', { finding: findingId }),
      badge: { kind: reason === 'critical' ? 'failed' : 'disputed', text: t.reasons[reason] },
      rule: rule.name[code],
      quote,
      manager: managerName ?? words.home.nobody,
      time: { iso: callAt, text: format.shortTime(callAt), exact: format.exactTime(callAt) },
      points: reason === 'critical' ? t.zero : t.points(rule.points, format.number(rule.points)),
      age: formatAge(waitingSince, language),
      assign:
        reason === 'critical'
          ? buildHomeAssign(
              { formId: `assign-${findingId}`, recordingId, manager: managerName, hearFrom: null },
              [rule],
              assignments,
              context,
            )
          : null,
    })),
  }
}

/** Counts calendar days, as the dates beside it do. */
function countDaysSince(time: string, { format }: Language): number {
  const [from, to] = [time, new Date().toISOString()].map((one) => Date.parse(format.dayOf(one)))
  return (to! - from!) / MS_PER_DAY
}

function formatAge(since: string, language: Language): string {
  const { words, format } = language
  const days = countDaysSince(since, language)
  const { waitsToday, waits } = words.home.head
  return days < 1 ? waitsToday : waits(days, format.number(days))
}

/** The table has room for one name. */
const MAX_NAMED_RULES = 1

function buildLowest(
  { day, scored, items }: HomeSectionJson<'lowest'>,
  assignments: HomeAssignments | undefined,
  context: PageContext,
) {
  const { words, format } = context.language
  const t = words.home.head
  return {
    title: t.lowest(format.weekday(day)),
    count: t.of(format.number(items.length), format.number(scored)),
    empty: t.noneScored(format.weekday(day)),
    all: formatPathWithQuery('/recordings', { dateFrom: day, dateTo: day, scoreFrom: '0' }),
    items: items.map((call) => ({
      id: call.recordingId,
      score: buildScore(call.score, context)!,
      time: { iso: call.at, text: format.clock(call.at), exact: format.exactTime(call.at) },
      manager: call.manager ?? words.home.nobody,
      length: call.durationSeconds === null ? '—' : format.length(call.durationSeconds),
      lost: formatLostPoints(call.missed, context),
      isCritical: call.missed.some(({ critical }) => critical),
      track: buildPlaybackLinks(call.recordingId, call, context),
      assign: buildHomeAssign({ ...call, formId: `assign-${call.recordingId}` }, call.missed, assignments, context),
    })),
  }
}

function formatLostPoints(
  missed: HomeSectionJson<'lowest'>['items'][number]['missed'],
  { language }: PageContext,
): string {
  const { words, format, code } = language
  const t = words.home.head
  const named = missed
    .slice(0, MAX_NAMED_RULES)
    .map(({ name, points, critical }) => (critical ? name[code] : t.lost(name[code], format.number(points))))
  const rest = missed.length - named.length
  return [...named, ...(rest > 0 ? [t.moreRules(rest, format.number(rest))] : [])].join(', ')
}

function buildOutOfRange(
  { managers, items }: HomeSectionJson<'outOfRange'>,
  week: string | undefined,
  { language }: PageContext,
) {
  const { words, format } = language
  const t = words.home.head
  return {
    count: t.rangeCount(managers, format.number(items.length), format.number(managers)),
    items: items.map(({ manager, name, value, low, high, flag }) => {
      const isShare = name === 'rulesMet' || name === 'winRate'
      const shown = (number: number) => {
        const text = format.number(Math.round(isShare ? 100 * number : number))
        return isShare ? words.common.percent(text) : text
      }
      return {
        manager,
        href: formatPathWithQuery('/analytics/weekly', { ...(week && { week }), manager: quoteManagerName(manager) }),
        figure: words.home.manager.figures[name],
        usually: formatUsualRange(shown(low), shown(high), language),
        value: shown(value),
        flag: t.flags[flag],
        isGood: flag === 'above',
        range: drawRangeDot({ value, low, high }),
      }
    }),
  }
}
