import type { AnalysisRunJson } from '../../check/recalculations/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { formatPeriod, modelShare } from '../backtests/period.ts'
import type { Language } from '../frame/i18n.ts'

export function runView(run: AnalysisRunJson, sets: RuleSetSummaryJson[], language: Language) {
  const { words, format, code } = language
  const t = words.recalculations
  const { id, state, ruleSetId, estimate, progress, person, createdAt } = run
  const checked = progress.done + progress.skipped + progress.failed
  const total = state === 'done' ? checked : Math.max(estimate.calls, progress.queued)
  const model = modelShare(estimate, language)
  return {
    id,
    href: `/recalculations/${id}`,
    state,
    stateText: t.states[state],
    at: { iso: createdAt, text: format.shortTime(createdAt) },
    period: formatPeriod(run, language),
    ruleSet: ruleSetId === null ? t.anySet : (sets.find((set) => set.id === ruleSetId)?.name[code] ?? '—'),
    isAny: ruleSetId === null,
    who: person.name,
    estimate: [
      t.estimated(estimate.calls, format.number(estimate.calls), estimate.seconds),
      ...(model ? [t.byModel(model.input, model.output, model.money)] : []),
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
