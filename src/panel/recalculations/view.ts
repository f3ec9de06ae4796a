import type { AnalysisRunJson } from '../../check/recalculations/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** A recalculation as it is listed and shown. */
export function runView(run: AnalysisRunJson, sets: RuleSetSummaryJson[], { words, format, code }: Language) {
  const t = words.recalculations
  const { id, state, from, to, ruleSetId, estimate, progress, person, createdAt } = run
  const checked = progress.done + progress.skipped + progress.failed
  const total = state === 'done' ? checked : Math.max(estimate.calls, progress.queued)
  const lastDay = format.dayOf(new Date(Date.parse(to) - 1).toISOString())
  const money = estimate.cost && `${format.number(estimate.cost.amount)} ${estimate.cost.currency}`
  return {
    id,
    href: `/recalculations/${id}`,
    state,
    stateText: t.states[state],
    at: { iso: createdAt, text: format.shortTime(createdAt) },
    period: t.period(format.day(format.dayOf(from)), format.day(lastDay)),
    ruleSet: ruleSetId === null ? t.anySet : (sets.find((set) => set.id === ruleSetId)?.name[code] ?? '—'),
    isAny: ruleSetId === null,
    who: person.name,
    estimate: [
      t.estimated(estimate.calls, format.number(estimate.calls), estimate.seconds),
      ...(estimate.inputTokens === null
        ? []
        : [t.byModel(format.number(estimate.inputTokens), format.number(estimate.outputTokens ?? 0), money)]),
    ],
    isEmpty: estimate.calls === 0,
    checked,
    total: Math.max(1, total),
    progress: state === 'estimated' ? '—' : t.progress(format.number(checked), format.number(total)),
    notes: [
      ...(progress.skipped > 0 ? [t.skipped(format.number(progress.skipped))] : []),
      ...(progress.failed > 0 ? [t.failed(format.number(progress.failed))] : []),
    ],
  }
}
