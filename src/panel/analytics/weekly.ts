import type { WeeklyJson } from '../../reports/weekly/schema.ts'
import { drawShare } from '../frame/charts.ts'
import { addDays, dayAfter } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'
import { exactly } from './asked.ts'
import { callsHref, cell, dealsHref, table, writing, type Cell, type Narrowed, type View } from './view.ts'

type Kpi = WeeklyJson['kpis'][number]
type Call = WeeklyJson['listen'][number]
type Manager = WeeklyJson['managers'][number]

/** Where more is worse. */
const BAD_ABOVE: readonly Kpi['name'][] = ['lost']
const SHARES: readonly Kpi['name'][] = ['checked', 'rulesMet', 'winRate']

/** What changed in the week, and which calls to hear. */
export function weeklyView(report: WeeklyJson, language: Language, narrowed: Narrowed) {
  const t = language.words.analytics.weekly
  const active = report.managers.filter(isActive)
  const silent = report.managers.filter((row) => !isActive(row))
  return {
    title: titleOf(report, language),
    verdict: verdictOf(report.kpis, language),
    provisional: provisionalOf(report, language),
    isComputed: report.state === 'not-kept',
    kpis: report.kpis.map((kpi) => kpiRow(kpi, language, narrowed)),
    hasRange: [report, ...report.managers].some(({ kpis }) => kpis.some(({ low }) => low !== null)),
    hear: report.listen.map((call) => callToHear(call, language)),
    managers: active
      .toSorted((a, b) => flagged(b).length - flagged(a).length)
      .map((row) => managerRow(row, language, narrowed)),
    silent:
      silent.length > 0
        ? t.silent(silent.map(({ manager }) => manager ?? language.words.analytics.nobody).join(', '))
        : null,
    refusals: refusalsOf(report, language, narrowed),
    reconciliation: reconciliationOf(report, language),
  }
}

export const titleOf = ({ period }: Pick<WeeklyJson, 'period'>, { words, format }: Language): string =>
  words.analytics.weekly.title(format.days(period.from, period.to))

/** Whether they had anything in this week. */
export const isActive = ({ kpis }: Pick<Manager, 'kpis'>): boolean =>
  kpis.some(({ name, figure }) => ['calls', 'won', 'lost'].includes(name) && figure.value! > 0)

const flagged = ({ kpis }: Pick<Manager, 'kpis'>): Kpi[] => kpis.filter(({ flag }) => flag !== null)

/** Late calls count until two days after the Monday on which it was made. */
function provisionalOf({ state, period }: WeeklyJson, { words, format }: Language): string | null {
  if (state !== 'provisional') return null
  const wednesday = [1, 2, 3].reduce((day) => dayAfter(day)!, period.to)
  return words.analytics.weekly.provisional(format.day(wednesday), '07:00')
}

/** What lies outside of the range, each in a few words; or that nothing does, or that nobody can know. */
function verdictOf(kpis: Kpi[], language: Language): string[] {
  const t = language.words.analytics.weekly
  const said = flagged({ kpis }).map((kpi) => outsideOf(kpi, language))
  if (said.length > 0) return said
  return [kpis.every(({ low }) => low === null) ? t.tooNew : t.nothing]
}

function outsideOf(kpi: Kpi, language: Language): string {
  const { outside, flags } = language.words.analytics.weekly
  return outside(
    nameOf(kpi, language),
    shown(kpi.name, kpi.figure.value, language),
    flags[kpi.flag!],
    rangeOf(kpi, language)!,
  )
}

/** The least and the most of the eight weeks before. */
function rangeOf({ name, low, high }: Kpi, language: Language): string | null {
  if (low === null || high === null) return null
  const [from, to] = [low, high].map((value) => shown(name, value, language))
  return from === to ? from! : `${SHARES.includes(name) ? from!.replace(/\s*%$/, '') : from!}–${to!}`
}

const nameOf = ({ name }: Kpi, { words: { analytics } }: Language): string =>
  analytics.cards[name === 'rulesMet' ? 'met' : name]

/** A figure as the others of its kind are written. */
function shown(name: Kpi['name'], value: number | null, language: Language): string {
  const write = writing(language)
  return value !== null && SHARES.includes(name) ? write.percent(value) : write.number(value)
}

/** A figure of the week on the scale of the weeks before it, whose range is marked. */
export function kpiRow(kpi: Kpi, language: Language, narrowed?: Narrowed) {
  const { name, figure, previous, meanOfFour, low, high, flag } = kpi
  const { analytics } = language.words
  const write = writing(language)
  const t = analytics.weekly
  const of = (value: number | null) => shown(name, value, language)
  const range = rangeOf(kpi, language)
  const scale = SHARES.includes(name) ? 1 : name === 'score' ? 100 : Math.max(1, figure.value ?? 0, high ?? 0) * 1.15
  const onScale = (value: number | null) => (value === null ? null : value / scale)
  const isRatio = figure.numerator !== null
  return {
    name: nameOf(kpi, language),
    value: of(figure.value),
    href: narrowed && hrefOf(name, narrowed),
    of: isRatio ? write.ofAll({ value: null, numerator: figure.numerator!, denominator: figure.denominator! }) : '',
    share:
      figure.value === null
        ? undefined
        : drawShare({
            value: onScale(figure.value)!,
            low: onScale(low),
            high: onScale(high),
            title: `${t.columns.range}: ${range ?? '—'}`,
          }),
    previous: of(previous),
    meanOfFour: of(meanOfFour),
    range: range ?? '—',
    flag: flag && t.flags[flag],
    isGood: flag !== null && (flag === 'above') !== BAD_ABOVE.includes(name),
  }
}

/** The list behind a figure, as it counts now; none counts the verdicts behind rulesMet, of which each call has many. */
function hrefOf(name: Kpi['name'], narrowed: Narrowed): string | undefined {
  if (name === 'calls') return callsHref(narrowed)
  if (name === 'checked' || name === 'score') return callsHref(narrowed, { scoreFrom: '0' })
  if (name === 'won' || name === 'lost') return dealsHref(narrowed, { outcome: name })
  return name === 'winRate' ? dealsHref(narrowed) : undefined
}

/** A lowest score may still be a full one: there is nothing to hear in it. */
export const isToHear = ({ score, missed }: Call): boolean => score < 100 || missed.length > 0

/** So many missed rules are named: a person listens for no more. */
const MOST_MISSED = 3

/** A call, why to hear it, and the link that plays it. */
export function callToHear({ recordingId, manager, at, score, why, missed }: Call, language: Language) {
  const { words, format, code } = language
  const t = words.analytics.weekly
  const [time, number] = [format.shortTime(at), format.number(Math.round(score))]
  const names = missed.slice(0, MOST_MISSED).map(({ rule }) => rule.name[code])
  const rest = missed.length - names.length
  const rules = (rest > 0 ? [...names, t.more(format.number(rest))] : names).join(', ')
  const reason = why === 'highest' ? t.highest : missed.length > 0 ? t.missed(rules) : t.lowest
  return {
    href: recordingId && `/recordings/${recordingId}#play`,
    iso: at,
    exact: format.exactTime(at),
    time,
    score: number,
    isLow: why === 'lowest',
    manager,
    why: recordingId ? reason : `${t.gone}; ${reason}`,
  }
}

function managerRow(row: Manager, language: Language, narrowed: Narrowed) {
  const { words, format } = language
  const t = words.analytics.weekly
  const of = (name: Kpi['name']) => row.kpis.find((kpi) => kpi.name === name)!
  const own = { ...narrowed, manager: exactly(row.manager) }
  return {
    name: row.manager,
    calls: format.number(of('calls').figure.value!),
    callsHref: callsHref(own),
    scoreHref: callsHref(own, { scoreFrom: '0' }),
    score: shown('score', of('score').figure.value, language),
    met: shown('rulesMet', of('rulesMet').figure.value, language),
    deals: (['won', 'lost'] as const).map((outcome) => ({
      text: format.number(of(outcome).figure.value!),
      href: dealsHref(own, { outcome }),
    })),
    outside: flagged(row).map((kpi) => ({
      text: `${kpiRow(kpi, language).name} ${t.flags[kpi.flag!]}`,
      title: outsideOf(kpi, language),
      isGood: kpiRow(kpi, language).isGood,
    })),
    coach: coachOf(row, language, { ...own, from: addDays(narrowed.from, -7 * (COACHED_WEEKS - 1)) }),
    hear: row.listen.filter(isToHear).map((call) => callToHear(call, language)),
  }
}

/** The rule to coach on is told by so many weeks. */
const COACHED_WEEKS = 4

/** The rule to coach on, how often it is met, and the calls in which it was judged. */
export function coachOf({ coach }: Manager, language: Language, narrowed?: Narrowed) {
  if (!coach) return null
  const write = writing(language)
  return {
    rule: coach.rule.name[language.code],
    href: narrowed && callsHref(narrowed, { rule: `${coach.set.key}/${coach.rule.key}:judged` }),
    how: language.words.analytics.weekly.metOf(write.ratio(coach.passRate), write.ofAll(coach.passRate)),
  }
}

function refusalsOf({ refusals }: WeeklyJson, language: Language, narrowed: Narrowed): View['tables'] {
  const { words, format } = language
  const t = words.analytics
  return table(
    'refusals',
    t.weekly.refusals,
    [`*${t.columns.reason}`, t.columns.deals, t.columns.share],
    refusals.map(({ reason, share }) => {
      const head: Cell = reason === null ? cell(t.noReason) : { text: reason, isName: true }
      const href = dealsHref(narrowed, { outcome: 'lost', reason: reason ?? '-' })
      return { head, cells: [cell(format.number(share.numerator), href), writing(language).share(share)] }
    }),
  )
}

const STATES = ['inCrm', 'received', 'awaitingFile', 'loading', 'loadFailed', 'skipped'] as const

/** What became of the calls of the CRM; nothing where it knows none. */
function reconciliationOf({ reconciliation: counts, period }: WeeklyJson, { words, format }: Language) {
  if (counts.inCrm === 0) return null
  const countOf = (name: (typeof STATES)[number]) =>
    name === 'skipped' ? Object.values(counts.skipped).reduce((sum, n) => sum + n, 0) : counts[name]
  return {
    href: `/reconciliation?from=${period.from}&to=${period.to}`,
    states: STATES.map((name) => ({ name: words.analytics.weekly.states[name], value: format.number(countOf(name)) })),
  }
}
