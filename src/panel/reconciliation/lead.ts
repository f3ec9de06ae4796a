import type { ReconciliationJson } from '../../crm/reconciliation/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { findColumnCount } from './query.ts'

/** Formats in one sentence each whether calls of the CRM are missing, and why calls can be missing unnoticed. */
export function formatReconciliationLead(
  { totals, unreadDays, controls }: ReconciliationJson,
  { words, format }: Language,
): string {
  const { lead } = words.reconciliation
  const { loadFailed } = totals
  const pending = totals.loading + totals.awaitingFile
  const missing = loadFailed + pending
  const fewerHere = controls.filter(({ alarm }) => alarm === 'more').length
  const sentences = [
    missing > 0 && lead.missing(missing, format.number(missing), format.number(loadFailed), format.number(pending)),
    unreadDays.length > 0 && lead.unread(unreadDays.length, format.number(unreadDays.length)),
    fewerHere > 0 && lead.fewerHere(fewerHere, format.number(fewerHere)),
  ].filter((sentence) => sentence !== false)
  if (sentences.length > 0) return sentences.join(' ')
  return lead.complete(format.number(totals.received), format.number(findColumnCount(totals, 'skipped')))
}
