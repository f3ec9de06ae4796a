import { deleteExpiredSessions } from '../people/auth/service.ts'
import { aggregateDealCalls } from '../reports/definitions/deals.ts'
import { aggregateRuleVerdictCounts } from '../reports/definitions/rule-verdicts.ts'
import { storeWeeklyReports } from '../reports/weekly/store-reports.ts'
import type { Core } from '../platform/core.ts'
import { probeBlockedPortal } from '../crm/automation/service.ts'
import { planCrmComments } from '../crm/comments/plan.ts'
import { runHistoryLoads } from '../crm/history/worker.ts'
import type { AppCore } from './core.ts'
import type { ScheduledTask } from '../platform/queue/schedule.ts'
import { advanceAnalysisRuns } from '../check/recalculations/service.ts'
import { mergeRecordingCountChanges } from '../calls/list/counts.ts'
import { reindexTranscripts } from '../calls/list/reindex.ts'
import { advanceSeparationRuns } from '../calls/speakers/runs.ts'
import { removeDueFiles } from '../calls/recordings/audio-files.ts'
import { advanceBulkActions, deleteOldBulkActions } from '../work/bulk-actions/run.ts'
import { notifyAboutWeeklyReport } from '../work/notifications/causes.ts'
import { planEmails } from '../work/email/plan.ts'
import { deleteOldNotifications } from '../work/notifications/store.ts'
import { notifyAboutEnteredViews } from '../work/views/entered-views.ts'

/** Maintenance that runs on a cron schedule, in addition to queues and steps. */
export const SCHEDULED_TASKS: readonly ScheduledTask[] = [
  { name: 'counters of calls', pattern: '*/10 * * * * *', run: mergeRecordingCountChanges },
  { name: 'counters of verdicts', pattern: '5-59/10 * * * * *', run: aggregateRuleVerdictCounts },
  { name: 'counters of calls of deals', pattern: '2-59/10 * * * * *', run: aggregateDealCalls },
  {
    name: 'weekly reports',
    pattern: '0 * * * * *',
    run: (core) => storeWeeklyReports(core, undefined, notifyAboutWeeklyReport),
  },
  { name: 'rechecks', pattern: '*/2 * * * * *', run: advanceAnalysisRuns },
  { name: 'separation runs', pattern: '1-59/2 * * * * *', run: advanceSeparationRuns },
  {
    name: 'bulk actions',
    pattern: '* * * * * *',
    run: (core: AppCore, stopping) => advanceBulkActions(core, stopping),
  },
  { name: 'probe of a blocked portal', pattern: '15 * * * * *', run: probeBlockedPortal },
  { name: 'deal comments', pattern: '*/10 * * * * *', run: (core) => planCrmComments(core) },
  { name: 'history loads', pattern: '*/2 * * * * *', run: runHistoryLoads },
  { name: 'reindexing of transcripts', pattern: '*/2 * * * * *', run: reindexTranscripts },
  { name: 'removal of files', pattern: '30 * * * * *', run: skipForForeignStorage(removeDueFiles) },
  { name: 'removal of expired sessions', pattern: '0 7 * * * *', run: deleteExpiredSessions },
  { name: 'notifications of views', pattern: '*/2 * * * * *', run: notifyAboutEnteredViews },
  { name: 'planning of e-mails', pattern: '20 * * * * *', run: planEmails },
  { name: 'removal of old notifications', pattern: '0 17 * * * *', run: deleteOldNotifications },
  { name: 'removal of old bulk actions', pattern: '0 27 * * * *', run: deleteOldBulkActions },
]

/** Skips the task if the storage belongs to another installation, so that none of its files are removed. */
function skipForForeignStorage(task: (core: Core) => Promise<void>): (core: Core) => Promise<void> {
  return async (core) => {
    if ((await core.ownership.state()) === 'ours') await task(core)
  }
}
