import type { HomePageJson, HomeSectionJson } from '../../reports/home/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import { formatRange } from '../frame/ranges.ts'
import { buildScore } from '../frame/score-bands.ts'
import { drawSparkline } from '../frame/sparkline.ts'
import { translateDefaultReason } from '../reviews/default-reason.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'
import { buildScoreTrend, formatAsOf } from './lead.ts'

/** Builds the home page of a manager. Sections that could not be loaded are null. */
export function buildManagerHomeView({ myWeek, coaching, lostPoints, disputes }: HomePageJson, context: PageContext) {
  return {
    week: myWeek && buildWeek(myWeek, context),
    coaching: coaching && buildCoaching(coaching, context),
    lostPoints: lostPoints && buildLostPoints(lostPoints, myWeek, context),
    disputes: disputes && buildDisputes(disputes, context),
  }
}

function buildWeek(week: HomeSectionJson<'myWeek'>, context: PageContext) {
  const { language } = context
  const { words, format } = language
  const { from, to, calls } = week
  const t = words.home.manager
  return {
    sentence: formatSentence(week, context),
    against: `${t.against(format.days(from, to))}${formatAsOf(week.asOf, language)}`,
    ...buildScoreTrend(week, t.trend, context),
    figures: calls === 0 ? [] : week.figures.map((figure) => buildFigure(figure, context)),
  }
}

/** Calls a score within its usual range usual, however much it changed. Both are rounded as they are shown. */
function formatSentence(week: HomeSectionJson<'myWeek'>, { language }: PageContext): string {
  const { calls, score, low, high, latest } = week
  const { words, format } = language
  const t = words.home.manager
  const count = format.number(calls)
  if (calls === 0) return latest ? `${t.none} ${t.latest(format.days(latest.from, latest.to))}` : t.none
  if (score === null) return `${t.few(calls, count)}.`
  const now = format.number(Math.round(score))
  if (low === null || high === null) return `${t.scored(calls, now, count)}.`
  const [value, from, to] = [Math.round(score), Math.round(low), Math.round(high)]
  const usual = formatRange(format.number(from), format.number(to))
  if (value < from) return `${t.fell(now, usual)}.`
  if (value > to) return `${t.best(calls, now, count, usual)}.`
  return `${t.usual(calls, now, count, usual)}.`
}

type Figure = HomeSectionJson<'myWeek'>['figures'][number]

function buildFigure({ name, value, numerator, denominator, before, flag, weeks }: Figure, { language }: PageContext) {
  const { words, format } = language
  const t = words.home.manager
  const isShare = name === 'rulesMet' || name === 'winRate'
  const round = (number: number) => Math.round(isShare ? 100 * number : number)
  const shown = (number: number): string => {
    if (name === 'minutes') return t.length(number)
    return isShare ? words.common.percent(format.number(round(number))) : format.number(round(number))
  }
  const ofAll =
    numerator === null || denominator === 0 ? '—' : t.of(format.number(numerator), format.number(denominator!))
  // The difference of the rounded values, so that the figures add up.
  const change = value === null || before === null ? 0 : round(value) - round(before)
  return {
    name: t.figures[name],
    value: value === null ? ofAll : shown(value),
    change: change === 0 ? null : `${change > 0 ? '+' : '−'}${format.number(Math.abs(change))}`,
    // A change within the usual range has no colour.
    className: flag === null ? 'muted' : flag === 'above' ? 'score-good' : 'failed-text',
    before: before === null ? t.tooFew : t.before(shown(before)),
    sparkline: drawSparkline({ name: t.figures[name], values: weeks, shown }, language),
  }
}

function buildCoaching({ point, calls }: HomeSectionJson<'coaching'>, context: PageContext) {
  const { words, format, code } = context.language
  const t = words.home.manager
  const about = calls.length > 0 ? t.allGood : t.nothingToCoach
  return {
    title: point ? t.coaching(point.rule.name[code]) : t.coachingShort,
    about: point ? formatPoint(point, context) : about,
    advice: point?.hint?.[code] ?? null,
    trend:
      point &&
      drawSparkline(
        {
          name: point.rule.name[code],
          values: point.weeks,
          shown: (share) => words.common.percent(format.number(Math.round(100 * share))),
        },
        context.language,
      ),
    play: calls.length === 3 ? t.playAll : t.playOne,
    calls: calls.map(({ recordingId, at, score, verdict, quote, ...moment }) => ({
      time: { iso: at, text: format.shortTime(at), exact: format.exactTime(at) },
      score: buildScore(score, context),
      verdict: point && { kind: verdict, text: t.verdicts[verdict] },
      quote,
      track: buildPlaybackLinks(recordingId, moment, context),
    })),
  }
}

function formatPoint(
  { set, points, met, judged, score, reachable }: NonNullable<HomeSectionJson<'coaching'>['point']>,
  { language: { words, format, code } }: PageContext,
): string {
  const t = words.home.manager
  return [
    t.metIn(set.name[code], format.number(met), format.number(judged)),
    points > 0 && t.missCosts(points, format.number(points)),
    score !== null &&
      reachable !== null &&
      t.reachable(format.number(Math.round(reachable)), format.number(Math.round(score))),
  ]
    .filter(Boolean)
    .join(' ')
}

function buildLostPoints(
  rules: HomeSectionJson<'lostPoints'>,
  week: HomePageJson['myWeek'],
  { language }: PageContext,
) {
  const { words, format, code } = language
  const names = rules.map(({ rule }) => rule.name[code])
  const formatMissed = ({ numerator, denominator }: (typeof rules)[number]['passRate']) =>
    words.home.manager.of(format.number(denominator - numerator), format.number(denominator))
  return rules.map(({ set, rule, points, passRate, before }, n) => ({
    rule: names[n]!,
    // Rules of two sets can have the same name.
    ruleSet: names.indexOf(names[n]!) === names.lastIndexOf(names[n]!) ? null : set.name[code],
    href:
      week &&
      formatPathWithQuery('/recordings', {
        dateFrom: week.from,
        dateTo: week.to,
        rule: `${set.key}/${rule.key}:missed`,
      }),
    points: `−${format.number(points)}`,
    now: formatMissed(passRate),
    before: before.denominator === 0 ? '—' : formatMissed(before),
  }))
}

/** The page folds older disputes. */
const SHOWN_DISPUTES = 10

function buildDisputes(disputes: HomeSectionJson<'disputes'>, context: PageContext) {
  const { words, format } = context.language
  const rows = disputes.map((dispute) => buildDispute(dispute, context))
  const older = rows.slice(SHOWN_DISPUTES)
  return {
    latest: rows.slice(0, SHOWN_DISPUTES),
    older,
    olderTitle: words.home.manager.olderDisputes(format.number(older.length)),
  }
}

function buildDispute(dispute: HomeSectionJson<'disputes'>[number], { language }: PageContext) {
  const { words, format, code } = language
  const t = words.home.manager
  const { recordingId, phoneNumber, callAt, rule, state, verdict } = dispute
  const { disputedAt, decidedAt, decidedBy, comment, score, automaticScore } = dispute
  const shown = (value: number) => format.number(Math.round(value))
  const at = decidedAt ?? disputedAt
  return {
    href: `/recordings/${recordingId}`,
    rule: rule.name[code],
    call: { iso: callAt, text: t.callOf(format.shortTime(callAt)), exact: format.exactTime(callAt) },
    phone: format.phone(phoneNumber),
    badge: {
      kind: state === 'changed' ? 'done' : state === 'kept' ? 'failed' : '',
      text: verdict === null ? t.states.waiting : t.decided[state]![verdict]!,
    },
    decidedBy,
    comment: translateDefaultReason(comment, language) ?? (decidedBy === null ? null : t.noReason),
    time: {
      iso: at,
      text: (decidedAt ? t.decidedAt : t.sent)(format.shortTime(at)),
      exact: format.exactTime(at),
    },
    score:
      score === null
        ? null
        : state === 'changed' && automaticScore !== null && shown(automaticScore) !== shown(score)
          ? t.scoreChange(shown(automaticScore), shown(score))
          : t.score(shown(score)),
  }
}
