import type { QuarantinedRowJson } from '../../crm/quarantine/schema.ts'
import type { CrmStepJson } from '../../crm/steps/schema.ts'
import type { Language } from '../frame/i18n.ts'

/** Returns advice for the error code of a CRM step. Unknown codes get the general advice. */
export function formatCrmErrorAdvice(code: string, { words: { crm: t } }: Language): string {
  return t.advice[code.toUpperCase()] ?? t.advice.other!
}

/** Formats a time with its ISO value for the `time` element; null without a time. */
export const buildTimeView = (iso: string | null, { format }: Language) =>
  iso ? { iso, text: format.shortTime(iso) } : null

const STEP_BADGES: Record<string, string> = {
  waiting: 'done',
  running: 'processing',
  due: 'processing',
  'backing-off': '',
  attention: 'failed',
  blocked: 'failed',
}

/** Builds a row for a CRM record that the sync could not store. */
export function buildQuarantinedRow({ step, rowId, reason, value, seenAt }: QuarantinedRowJson, language: Language) {
  const { crm: t } = language.words
  return {
    step: t.names[step]!,
    id: rowId ?? t.quarantine.noId,
    reason,
    value: value ?? '—',
    seen: buildTimeView(seenAt, language)!,
  }
}

/** Builds a row for a sync step: its state, counts and next run. A failing step also gets its error and advice. */
export function buildCrmStepRow(step: CrmStepJson, language: Language) {
  const { words, format } = language
  const t = words.crm
  const isNew = step.state === 'waiting' && step.lastSuccessAt === null
  const isFailing = step.lastError !== null && step.state !== 'running'
  return {
    name: step.name,
    title: t.names[step.name]!,
    badge: { kind: isNew ? '' : (STEP_BADGES[step.state] ?? ''), text: t.stepStates[isNew ? 'new' : step.state]! },
    waits: step.waitsFor === null ? null : t.waits[step.waitsFor]!,
    read: format.number(step.read),
    news: format.number(step.new),
    changed: format.number(step.changed),
    last: buildTimeView(step.lastSuccessAt, language),
    next: step.state === 'running' ? null : buildTimeView(step.nextRunAt, language),
    advice: isFailing ? formatCrmErrorAdvice(step.errorCode ?? 'other', language) : null,
    error: isFailing ? step.lastError : null,
    notes: [
      ...(step.invalidValues > 0 ? [t.advanced.invalid(step.invalidValues, format.number(step.invalidValues))] : []),
      ...(step.quarantined > 0 ? [t.advanced.quarantined(step.quarantined, format.number(step.quarantined))] : []),
    ],
    canRun: step.waitsFor === null && step.state !== 'running',
  }
}
