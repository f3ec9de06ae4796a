import { analysisQueue } from '../check/checks/queue.ts'
import { backtestsQueue } from '../check/backtests/queue.ts'
import { callbacksQueue } from '../calls/callbacks/queue.ts'
import { crmFilesStep } from '../crm/calls/files-step.ts'
import { crmHistoryLoadQueue, crmSyncQueue, crmWriteQueue } from '../crm/queues.ts'
import { dealMatchBacklogStep, dealMatchesStep } from '../crm/deals/matches-step.ts'
import { CRM_SCHEDULER_STEPS } from '../crm/steps/all-steps.ts'
import { ingestionStep } from '../calls/ingestion/step.ts'
import { notificationsQueue } from '../work/email/queue.ts'
import type { Queue } from '../platform/queue/queue.ts'
import type { Step } from '../platform/queue/steps.ts'
import { separationQueue } from '../calls/speakers/queue.ts'
import { transcriptionQueue } from '../calls/transcription/queue.ts'

/** All queues of background work. Each queue is defined in its feature. */
export const BACKGROUND_QUEUES: readonly Queue[] = [
  transcriptionQueue,
  callbacksQueue,
  analysisQueue,
  backtestsQueue,
  crmSyncQueue,
  crmHistoryLoadQueue,
  crmWriteQueue,
  separationQueue,
  notificationsQueue,
]

/** All steps that the schedule runs: repeated work that proceeds page by page. */
export const BACKGROUND_STEPS: readonly Step[] = [
  ingestionStep,
  ...CRM_SCHEDULER_STEPS,
  crmFilesStep,
  dealMatchesStep,
  dealMatchBacklogStep,
]
