import { endJob } from '../../platform/queue/claims.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { backtestMessages } from './messages.ts'
import { runBacktest } from './worker.ts'

/** Backtests. They are worked on page by page; whoever takes over one goes on behind the last page. */
export const backtestsQueue: Queue<void> = {
  name: 'backtests',
  isUnlisted: true,
  table: 'backtests',
  order: 'priority DESC, created_at, id',
  concurrency: () => 1,
  attempts: () => 3,
  firstPauseSeconds: () => 2,
  leaseSeconds: 30,
  startsOver: true, // at its next page: those before it are stored
  messages: {
    workerDied: backtestMessages.workerDied(),
    broken: backtestMessages.broken(),
  },
  run: runBacktest,
  store: async ({ pool }, claim) => ((await endJob(pool, claim, 'DONE')) ? 'done' : 'lost'),
}
