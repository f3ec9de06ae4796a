import type { WeeklyJson } from '../../reports/weekly/schema.ts'
import { drawShare } from '../frame/charts.ts'
import { addDays } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'
import { quoteName } from './query.ts'
import { cell, table, type View } from './view.ts'
import type { Writer } from './writer.ts'

type Kpi = WeeklyJson['kpis'][number]
type Call = WeeklyJson['listen'][number]
type Manager = WeeklyJson['managers'][number]

/** Figures whose increase is bad. */
const BAD_ABOVE: readonly Kpi['name'][] = ['lost']
const SHARES: readonly Kpi['name'][] = ['checked', 'rulesMet', 'winRate']

/** Changes of the week, and the calls to hear. */
export function weeklyView(report: WeeklyJson, write: Writer) {
  const t = write.t.weekly
  const active = report.managers.filter(isActive)
  const silent = report.managers.filter((row) => !isActive(row))
  return {
    title: titleOf(report, write.language),
    verdict: verdictOf(report.kpis, write),
    provisional: provisionalOf(report, write),
    isComputed: report.state === 'not-kept',
    kpis: report.kpis.map((kpi) => ({ ...kpiRow(kpi, write), href: kpiHref(kpi.name, write) })),
    hasRange: [report, ...report.managers].some(({ kpis }) => kpis.some(({ low }) => low !== null)),
    hear: report.listen.map((call) => callToHear(call, write)),
    managers: active
      .toSorted((a, b) => flagged(b).length - flagged(a).length)
      .map((row) => managerRow(row, report, write)),
    silent: silent.length > 0 ? t.silent(silent.map(({ manager }) => manager ?? write.t.nobody).join(', ')) : null,
    refusals: refusalsOf(report, write),
    reconciliation: reconciliationOf(report, write),
  }
}

/** A sheet for each manager, with only their own figures and calls. */
export const sheetsOf = ({ managers }: WeeklyJson, write: Writer) =>
  managers
    .filter((row) => row.manager !== null && isActive(row))
    .map((row) => ({
      name: row.manager!,
      kpis: row.kpis.map((kpi) => kpiRow(kpi, write)),
      coach: coachOf(row, write),
      hear: callsOf(row, write),
    }))

export const titleOf = ({ period }: Pick<WeeklyJson, 'period'>, { words, format }: Language): string =>
  words.analytics.weekly.title(format.days(period.from, period.to))

/** Whether a manager had any data in this week. */
const isActive = ({ kpis }: Manager): boolean =>
  kpis.some(({ name, figure }) => ['calls', 'won', 'lost'].includes(name) && figure.value! > 0)

const flagged = ({ kpis }: Pick<Manager, 'kpis'>): Kpi[] => kpis.filter(({ flag }) => flag !== null)

/** Late calls count until the Wednesday after the week. */
function provisionalOf({ state, period }: WeeklyJson, { t, format }: Writer): string | null {
  if (state !== 'provisional') return null
  return t.weekly.provisional(format.day(addDays(period.to, 3)), '07:00')
}

/** Figures outside of their range; or a sentence that there are none, or too few weeks. */
function verdictOf(kpis: Kpi[], write: Writer): string[] {
  const t = write.t.weekly
  const outside = flagged({ kpis }).map((kpi) => outsideText(kpi, write))
  if (outside.length > 0) return outside
  return [kpis.every(({ low }) => low === null) ? t.tooNew : t.nothing]
}

function outsideText(kpi: Kpi, write: Writer): string {
  const { outside, flags } = write.t.weekly
  const value = shown(kpi.name, kpi.figure.value, write)
  return outside(kpiName(kpi, write), value, flags[kpi.flag!], rangeOf(kpi, write)!)
}

/** The range of the eight weeks before. */
function rangeOf({ name, low, high }: Kpi, write: Writer): string | null {
  if (low === null || high === null) return null
  const [from, to] = [low, high].map((value) => shown(name, value, write))
  return from === to ? from! : `${SHARES.includes(name) ? from!.replace(/\s*%$/, '') : from!}–${to!}`
}

const kpiName = ({ name }: Kpi, { t }: Writer): string => t.cards[name === 'rulesMet' ? 'met' : name]

const shown = (name: Kpi['name'], value: number | null, write: Writer): string =>
  value !== null && SHARES.includes(name) ? write.percent(value) : write.number(value)

/** A figure of the week on a scale with the range of the weeks before. */
function kpiRow(kpi: Kpi, write: Writer) {
  const { name, figure, previous, meanOfFour, low, high, flag } = kpi
  const t = write.t.weekly
  const range = rangeOf(kpi, write) ?? '—'
  const scale = SHARES.includes(name) ? 1 : name === 'score' ? 100 : Math.max(1, figure.value ?? 0, high ?? 0) * 1.15
  const onScale = (value: number | null) => (value === null ? null : value / scale)
  const { value, numerator, denominator } = figure
  const share = onScale(value)
  const title = `${t.columns.range}: ${range}`
  return {
    name: kpiName(kpi, write),
    value: shown(name, value, write),
    of: numerator === null ? '' : write.ofAll({ value: null, numerator, denominator: denominator! }),
    share: share === null ? undefined : drawShare({ value: share, low: onScale(low), high: onScale(high), title }),
    previous: shown(name, previous, write),
    meanOfFour: shown(name, meanOfFour, write),
    range,
    flag: flag && t.flags[flag],
    isGood: flag !== null && (flag === 'above') !== BAD_ABOVE.includes(name),
  }
}

/** The list behind a figure, as of now. None counts the verdicts of rulesMet, of which a call has many. */
function kpiHref(name: Kpi['name'], { callsHref, dealsHref }: Writer): string | undefined {
  if (name === 'calls') return callsHref()
  if (name === 'checked' || name === 'score') return callsHref({ scoreFrom: '0' })
  if (name === 'won' || name === 'lost') return dealsHref({ outcome: name })
  return name === 'winRate' ? dealsHref() : undefined
}

/** The calls with the lowest scores; a full score without a missed rule is not worth hearing. */
const callsOf = ({ listen }: Manager, write: Writer) =>
  listen.filter(({ score, missed }) => score < 100 || missed.length > 0).map((call) => callToHear(call, write))

/** The number of listed missed rules. */
const MOST_MISSED = 3

/** A call, why to hear it, and the link that plays it. */
function callToHear({ recordingId, manager, at, score, why, missed }: Call, { t, count, format, language }: Writer) {
  const { gone, highest, lowest, missed: missedText, more } = t.weekly
  const names = missed.slice(0, MOST_MISSED).map(({ rule }) => rule.name[language.code])
  if (missed.length > MOST_MISSED) names.push(more(count(missed.length - MOST_MISSED)))
  const reason = why === 'highest' ? highest : missed.length > 0 ? missedText(names.join(', ')) : lowest
  return {
    href: recordingId && `/recordings/${recordingId}#play`,
    iso: at,
    exact: format.exactTime(at),
    time: format.shortTime(at),
    score: count(Math.round(score)),
    isLow: why === 'lowest',
    manager,
    why: recordingId ? reason : `${gone}; ${reason}`,
  }
}

/** The number of weeks for the rule to coach on. */
const COACHED_WEEKS = 4

function managerRow(row: Manager, { period }: WeeklyJson, page: Writer) {
  const { manager, coach, kpis } = row
  const write = page.narrow({ manager: quoteName(manager) })
  const valueOf = (name: Kpi['name']) => kpis.find((kpi) => kpi.name === name)!.figure.value
  const coached = write.narrow({ from: addDays(period.from, -7 * (COACHED_WEEKS - 1)) })
  return {
    name: manager,
    calls: write.count(valueOf('calls')!),
    callsHref: write.callsHref(),
    scoreHref: write.callsHref({ scoreFrom: '0' }),
    score: shown('score', valueOf('score'), write),
    met: shown('rulesMet', valueOf('rulesMet'), write),
    deals: (['won', 'lost'] as const).map((outcome) => ({
      text: write.count(valueOf(outcome)!),
      href: write.dealsHref({ outcome }),
    })),
    outside: flagged(row).map((kpi) => {
      const { name, flag, isGood } = kpiRow(kpi, write)
      return { text: `${name} ${flag!}`, title: outsideText(kpi, write), isGood }
    }),
    coach: coach && {
      ...coachOf(row, write),
      href: coached.callsHref({ rule: `${coach.set.key}/${coach.rule.key}:judged` }),
    },
    hear: callsOf(row, write),
  }
}

/** The rule to coach on, and how often it is met. */
function coachOf({ coach }: Manager, { t, ratio, ofAll, language }: Writer) {
  if (!coach) return null
  const { rule, passRate } = coach
  return { rule: rule.name[language.code], how: t.weekly.metOf(ofAll(passRate), ratio(passRate)) }
}

function refusalsOf({ refusals }: WeeklyJson, write: Writer): View['tables'] {
  const { t } = write
  return table('refusals', t.weekly.refusals, refusals, [
    { title: t.columns.reason, cell: ({ reason }) => write.name(reason, t.noReason) },
    {
      title: t.columns.deals,
      cell: ({ reason, share }) =>
        cell(write.count(share.numerator), write.dealsHref({ outcome: 'lost', reason: reason ?? '-' })),
    },
    { title: t.columns.share, cell: ({ share }) => write.share(share) },
  ])
}

const STATES = ['inCrm', 'received', 'awaitingFile', 'loading', 'loadFailed', 'skipped'] as const

/** The outcome of the calls of the CRM, if there are any. */
function reconciliationOf({ reconciliation: counts, period }: WeeklyJson, { t, count }: Writer) {
  if (counts.inCrm === 0) return null
  const skipped = Object.values(counts.skipped).reduce((sum, n) => sum + n, 0)
  return {
    href: `/reconciliation?from=${period.from}&to=${period.to}`,
    states: STATES.map((name) => ({
      name: t.weekly.states[name],
      value: count(name === 'skipped' ? skipped : counts[name]),
    })),
  }
}
