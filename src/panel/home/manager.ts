import type { HomePageJson, HomeSectionJson } from '../../reports/home/schema.ts'
import { isHardlyChance } from '../analytics/weekly-figures.ts'
import type { PageContext } from '../frame/context.ts'
import { getScoreBand } from '../frame/score-bands.ts'
import { drawSparkline } from '../frame/sparkline.ts'
import { formatTrendEnds, formatUsualRange, LEAD_TREND_SIZE } from './head.ts'
import { buildHomeScore, buildPlaybackLinks } from '../frame/playback-links.ts'

/** Builds the home page of a manager. Sections that could not be loaded are null. */
export function buildManagerHomeView({ myWeek, coaching, lostPoints, disputes }: HomePageJson, context: PageContext) {
  return {
    week: myWeek && buildWeek(myWeek, context),
    coaching: coaching && buildCoaching(coaching, context),
    lostPoints: lostPoints && buildLostPoints(lostPoints, context),
    disputes: disputes?.map((dispute) => buildDispute(dispute, context)) ?? null,
  }
}

function buildWeek(week: HomeSectionJson<'myWeek'>, context: PageContext) {
  const { language, panel } = context
  const { words, format } = language
  const { score, low, high, weeks, from, to, calls } = week
  const t = words.home.manager
  const shown = (value: number) => format.number(Math.round(value))
  return {
    sentence: formatSentence(week, context),
    against: t.against(format.days(from, to)),
    score: buildHomeScore(score, context),
    usually: low === null || high === null ? null : formatUsualRange(shown(low), shown(high), language),
    sparkline: drawSparkline(
      {
        name: t.trend,
        values: weeks,
        low,
        high,
        band: score === null ? undefined : getScoreBand(score, panel.config.SCORE_BANDS),
        shown,
        size: LEAD_TREND_SIZE,
      },
      language,
    ),
    ends: formatTrendEnds(week, language),
    figures: calls === 0 ? [] : week.figures.map((figure) => buildFigure(figure, context)),
  }
}

function formatSentence(
  { calls, score, isBest, latest }: HomeSectionJson<'myWeek'>,
  { language }: PageContext,
): string {
  const { words, format } = language
  const t = words.home.manager
  if (calls === 0) return latest ? `${t.none} ${t.latest(format.days(latest.from, latest.to))}` : t.none
  if (score === null) return `${t.few(calls, format.number(calls))}.`
  return `${(isBest ? t.best : t.scored)(calls, format.number(Math.round(score)), format.number(calls))}.`
}

type Figure = HomeSectionJson<'myWeek'>['figures'][number]

function buildFigure({ name, value, numerator, denominator, before, p, weeks }: Figure, { language }: PageContext) {
  const { words, format } = language
  const t = words.home.manager
  const isShare = name === 'rulesMet' || name === 'winRate'
  const shown = (number: number): string => {
    if (name === 'minutes') return t.length(number)
    const rounded = format.number(Math.round(isShare ? 100 * number : number))
    return isShare ? words.common.percent(rounded) : rounded
  }
  const ofAll =
    numerator === null || denominator === 0 ? '—' : t.of(format.number(numerator), format.number(denominator!))
  const change = value === null || before === null ? 0 : Math.round(isShare ? 100 * (value - before) : value - before)
  return {
    name: t.figures[name],
    value: value === null ? ofAll : shown(value),
    change: change === 0 ? null : `${change > 0 ? '+' : '−'}${format.number(Math.abs(change))}`,
    // A change that chance explains has no colour.
    className: !isHardlyChance(p) ? 'muted' : change > 0 ? 'score-good' : 'failed-text',
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
      score: buildHomeScore(score, context),
      verdict: point && { kind: verdict, text: t.verdicts[verdict] },
      quote,
      track: buildPlaybackLinks(recordingId, moment, context),
    })),
  }
}

function formatPoint(
  { points, met, judged, score, reachable }: NonNullable<HomeSectionJson<'coaching'>['point']>,
  { language: { words, format } }: PageContext,
): string {
  const t = words.home.manager
  const costs = t.metIn(points, format.number(met), format.number(judged), format.number(points))
  if (score === null || reachable === null) return costs
  return `${costs} ${t.reachable(format.number(Math.round(reachable)), format.number(Math.round(score)))}`
}

function buildLostPoints(rules: HomeSectionJson<'lostPoints'>, { language }: PageContext) {
  const { words, format, code } = language
  const t = words.home.manager
  const percent = ({ value, numerator, denominator }: (typeof rules)[number]['passRate']) =>
    value === null
      ? t.of(format.number(numerator), format.number(denominator))
      : words.common.percent(format.number(Math.round(100 * value)))
  return rules.map(({ rule, points, passRate, before }) => ({
    rule: rule.name[code],
    missed: t.of(format.number(passRate.denominator - passRate.numerator), format.number(passRate.denominator)),
    points: `−${format.number(points)}`,
    before: before.denominator === 0 ? '—' : percent(before),
    now: percent(passRate),
  }))
}

function buildDispute(dispute: HomeSectionJson<'disputes'>[number], { language }: PageContext) {
  const { words, format, code } = language
  const t = words.home.manager
  const { recordingId, rule, state, verdict, disputedAt, decidedAt, decidedBy, comment, score, automaticScore } =
    dispute
  const shown = (value: number) => format.number(Math.round(value))
  const at = decidedAt ?? disputedAt
  return {
    href: `/recordings/${recordingId}`,
    rule: rule.name[code],
    badge: {
      kind: state === 'changed' ? 'done' : state === 'kept' ? 'failed' : '',
      text: verdict === null ? t.states.waiting : t.decided[state]![verdict]!,
    },
    decidedBy,
    comment: comment ?? (decidedBy === null ? null : t.noReason),
    time: {
      iso: at,
      text: decidedAt ? format.shortTime(at) : t.sent(format.shortTime(at)),
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
