import { removeEndedSessions } from '../people/auth/service.ts'
import { addUpDealCalls } from '../reports/definitions/deals.ts'
import { addUpRuleCounts } from '../reports/definitions/results.ts'
import { makeWeeklyReports } from '../reports/weekly/make.ts'
import type { Core } from '../platform/core.ts'
import { probePortal } from '../crm/automation/service.ts'
import { planComments } from '../crm/comments/plan.ts'
import { workHistory } from '../crm/history/worker.ts'
import type { Task } from '../platform/queue/schedule.ts'
import { workRuns } from '../check/recalculations/service.ts'
import { addUpCounts } from '../calls/list/counts.ts'
import { reindexTexts } from '../calls/list/reindex.ts'
import { removeDueFiles } from '../calls/recordings/audio-files.ts'

/** Scheduled maintenance besides queues and steps. */
export const TASKS: readonly Task[] = [
  { name: 'counts to add up', pattern: '*/10 * * * * *', run: addUpCounts },
  { name: 'findings to add up', pattern: '5-59/10 * * * * *', run: addUpRuleCounts },
  { name: 'calls of deals to add up', pattern: '2-59/10 * * * * *', run: addUpDealCalls },
  { name: 'reports of weeks', pattern: '0 * * * * *', run: (core) => makeWeeklyReports(core) },
  { name: 'recalculations', pattern: '*/2 * * * * *', run: workRuns },
  { name: 'a portal that blocked us', pattern: '15 * * * * *', run: probePortal },
  { name: 'comments into deals', pattern: '*/10 * * * * *', run: (core) => planComments(core) },
  { name: 'calls of the past', pattern: '*/2 * * * * *', run: workHistory },
  { name: 'texts to index', pattern: '*/2 * * * * *', run: reindexTexts },
  { name: 'files to remove', pattern: '30 * * * * *', run: ifStorageIsOurs(removeDueFiles) },
  { name: 'ended sessions', pattern: '0 7 * * * *', run: removeEndedSessions },
]

/** Never remove anything from a storage of another installation. */
function ifStorageIsOurs(task: (core: Core) => Promise<void>): (core: Core) => Promise<void> {
  return async (core) => {
    if ((await core.ownership.state()) === 'ours') await task(core)
  }
}
