import type { BacktestJson, ChangedBacktestCallJson, CheckEstimateJson } from '../../check/backtests/schema.ts'
import { sortReportTable, type ReportSortContext } from '../analytics/report-sorting.ts'
import { drawChart, roundAxisCountUp } from '../frame/charts.ts'
import type { Language } from '../frame/i18n.ts'
import { buildQuoteLinks } from '../rule-sets/quotes.ts'
import { formatApiPeriod } from '../frame/period.ts'
import { formatModelUsage } from './model-usage.ts'

const formatPercent = (value: number, { words, format }: Language): string => words.common.percent(format.number(value))

/** Builds a row in the list of test runs. */
export function buildBacktestRow(backtest: BacktestJson, language: Language) {
  const { words, format } = language
  const t = words.backtests
  const { id, ruleSetId, state, createdAt, total, changed, person } = backtest
  return {
    href: `/rule-sets/${ruleSetId}/backtests/${id}`,
    at: { iso: createdAt, text: format.shortTime(createdAt) },
    period: formatApiPeriod(backtest, language),
    calls: format.number(total),
    changed: format.number(changed),
    who: person.name,
    state,
    stateText: t.states[state],
  }
}

/** Formats in sentences how long a test run will take, and with a model also the tokens, the cost and the model's time. */
export function formatBacktestEstimate(estimate: CheckEstimateJson, language: Language): string[] {
  const { words, format } = language
  const t = words.backtests
  const { calls, seconds } = estimate
  const model = formatModelUsage(estimate, language)
  if (!model) return [t.estimated(calls, format.number(calls), seconds)]
  return [
    t.estimated(calls, format.number(calls), Math.ceil(calls * RULE_SECONDS_PER_CALL)),
    t.byModel(model.input, model.output, model.money, seconds),
  ]
}

/** Estimated seconds per call for the rules without a model. */
const RULE_SECONDS_PER_CALL = 0.06

/** Builds the page of a test run: progress, comparison figures and charts. */
export function buildBacktestResult(backtest: BacktestJson, sorting: ReportSortContext) {
  const { language } = sorting
  const { words, format } = language
  const t = words.backtests
  const { state, done, total, rules } = backtest
  return {
    ...buildBacktestRow(backtest, language),
    isRunning: state === 'running',
    progress: { value: done, max: Math.max(1, total), text: t.progress(format.number(done), format.number(total)) },
    isEmpty: total === 0,
    cards: buildCards(backtest, language),
    charts:
      state === 'running' || rules.some(({ old, new: now }) => old ?? now)
        ? drawScoreHistograms(backtest, language)
        : [],
    rules: sortReportTable(buildRulesTable(backtest, language), sorting),
    model: backtest.estimate.inputTokens === null ? null : formatBacktestEstimate(backtest.estimate, language)[1],
  }
}

/** Counts the calls of a test run that were compared, without those skipped and those scored by other rule sets. */
export const countComparedCalls = ({ done, skipped, scoredByOthers }: BacktestJson): number =>
  done - skipped - scoredByOthers

function buildCards(backtest: BacktestJson, language: Language) {
  const { skipped, scoredByOthers, changed, newZeros, rules } = backtest
  const { words, format } = language
  const t = words.backtests.cards
  const zeros = newZeros.reduce((sum, { calls }) => sum + calls, 0)
  const sum = (field: 'judged' | 'oldAgreed' | 'newAgreed') => rules.reduce((all, rule) => all + rule[field], 0)
  const judged = sum('judged')
  const formatShare = (agreed: number) => formatPercent(Math.round((100 * agreed) / judged), language)
  return [
    {
      name: t.judged,
      value: format.number(countComparedCalls(backtest)),
      note: [
        ...(scoredByOthers > 0 ? [t.scoredByOthers(scoredByOthers, format.number(scoredByOthers))] : []),
        ...(skipped > 0 ? [t.skipped(skipped, format.number(skipped))] : []),
      ].join(', '),
    },
    { name: t.changed, value: format.number(changed), note: '' },
    { name: t.zeros, value: format.number(zeros), note: zeros > 0 ? t.zerosNote : '' },
    {
      name: t.agreement,
      value: judged > 0 ? formatShare(sum('newAgreed')) : '—',
      note: judged > 0 ? t.agreementNote(formatShare(sum('oldAgreed')), format.number(judged)) : t.noVerdicts,
    },
  ]
}

function drawScoreHistograms({ histogram, state }: BacktestJson, language: Language) {
  const { format } = language
  const t = language.words.backtests
  const top = roundAxisCountUp(Math.max(1, ...histogram.old, ...histogram.new))
  const bars = histogram.new.map((_, n) => ({ name: n === 9 ? '90–100' : `${n * 10}–${n * 10 + 9}` }))
  const chart = (title: string, kind: string, values: number[]) =>
    drawChart(
      {
        title,
        bars,
        series: [{ kind, name: title, values }],
        shown: (count) => format.number(count),
        ceiling: () => top,
      },
      language,
    )
  const charts = [chart(t.scores.old, 'cancelled', histogram.old), chart(t.scores.new, 'done', histogram.new)]
  return state === 'running' || histogram.old.some((count) => count > 0) ? charts : charts.slice(1)
}

function buildRulesTable(backtest: BacktestJson, language: Language) {
  const t = language.words.backtests.ruleColumns
  const { rules } = backtest
  const hasAgreement = rules.some(({ judged }) => judged > 0)
  return {
    id: 'of-rules',
    isWhole: true,
    hasAgreement,
    columns: [
      { text: t.rule, first: 'asc' as const },
      { text: t.old, first: 'asc' as const },
      { text: t.new, first: 'asc' as const },
      { text: t.difference, first: 'asc' as const },
      ...(hasAgreement ? [{ text: t.agreement, first: 'asc' as const }] : []),
    ],
    rows: rules.map((rule) => buildRuleRow(rule, backtest, language)),
  }
}

function buildRuleRow(rule: BacktestJson['rules'][number], { warnings }: BacktestJson, language: Language) {
  const { words, format, code } = language
  const t = words.backtests
  const formatRate = (value: number | null) => (value === null ? '—' : formatPercent(value, language))
  const { oldRate, newRate, judged, oldAgreed, newAgreed } = rule
  const difference = oldRate === null || newRate === null ? null : Math.round((newRate - oldRate) * 10) / 10
  const warning = warnings.find((one) => one.rule === rule.rule)?.code
  return {
    name: rule.name[code],
    old: rule.old ? formatRate(oldRate) : t.newRule,
    new: rule.new ? formatRate(newRate) : t.goneRule,
    difference:
      difference === null || difference === 0
        ? ''
        : `${difference > 0 ? '+' : '−'}${format.number(Math.abs(difference))}`,
    warning: warning ? t.warnings[warning] : null,
    agreement: judged > 0 ? t.agreed(format.number(oldAgreed), format.number(newAgreed), format.number(judged)) : '',
    keys: [rule.name[code], oldRate, newRate, difference, judged > 0 ? newAgreed / judged : null],
  }
}

/** Builds a row for a call whose score or verdicts differ between the draft and the published version. */
export function buildChangedCallRow(
  { recordingId, recording, oldScore, newScore, changes }: ChangedBacktestCallJson,
  language: Language,
) {
  const { words, format, code } = language
  const t = words.backtests
  const { verdicts } = words.recording.check
  const formatScore = (value: number | null) => (value === null ? t.noScore : format.number(value))
  return {
    id: recordingId,
    href: `/recordings/${recordingId}`,
    name: recording.phoneNumber ?? words.recording.title,
    manager: recording.managerName,
    at: { iso: recording.callAt, text: format.shortTime(recording.callAt) },
    score: oldScore === newScore ? null : { old: formatScore(oldScore), new: formatScore(newScore) },
    changes: changes.map(({ name, old, new: now, oldEvidence, newEvidence }) => ({
      name: name[code],
      old: { verdict: old ?? 'none', text: old ? verdicts[old] : t.absent },
      new: { verdict: now ?? 'none', text: now ? verdicts[now] : t.absent },
      quotes: buildQuoteLinks(newEvidence.length > 0 ? newEvidence : oldEvidence, recordingId, language),
    })),
  }
}
