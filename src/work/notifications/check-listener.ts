import type { CheckListener } from '../../check/listener.ts'
import {
  notifyAboutCriticalMiss,
  notifyAboutDecision,
  notifyAboutDispute,
  revertDecisionNotifications,
} from './causes.ts'

/** Writes the notifications of checks, disputes and decisions in their transactions. */
export const notificationsListener: CheckListener = {
  async checkStored(sql, { recordingId, criticalMisses, isOfMany }) {
    // A recheck of many calls finds many misses; the reviews list them.
    if (isOfMany) return
    for (const rule of criticalMisses) await notifyAboutCriticalMiss(sql, recordingId, rule)
  },
  verdictDisputed: notifyAboutDispute,
  verdictDecided: notifyAboutDecision,
  decisionUndone: revertDecisionNotifications,
}
