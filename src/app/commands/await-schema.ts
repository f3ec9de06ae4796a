import type { Config } from '../../platform/config/config.ts'
import { SchemaTooOld } from '../../platform/db/db.ts'
import type { Logger } from '../../platform/lib/log.ts'
import { retry } from '../../platform/lib/retry.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { openCore, type OpenedCore } from '../core.ts'

/** Opens the core once the schema has this release: it may start before `migrate`. @throws StartError */
export function openMigratedCore(config: Config, log: Logger, queues?: readonly Queue[]): Promise<OpenedCore> {
  const deadline = performance.now() + config.DATABASE_WAIT_SECONDS * 1000
  return retry(() => openCore(config, log, queues), {
    pauseMs: 1000,
    shouldRetry(error, failures) {
      if (!(error instanceof SchemaTooOld) || performance.now() > deadline) return false
      if (failures === 1) log.info('the schema is older than this version: waiting for migrate')
      return true
    },
  })
}
