import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../platform/config/config.ts'
import { openCore, type OpenedCore } from '../core.ts'
import { SchemaTooOld } from '../../platform/db/db.ts'
import type { Logger } from '../../platform/lib/log.ts'
import type { Queue } from '../../platform/queue/queue.ts'

const POLL_MS = 1000

/**
 * Opens the surroundings as soon as `migrate` has brought the schema to this release: not every engine starts things in an
 * order, and in a rolling update the new release may start first.
 * @throws StartError, also where the schema is still too old after DATABASE_WAIT_SECONDS
 */
export async function openMigratedCore(config: Config, log: Logger, queues?: readonly Queue[]): Promise<OpenedCore> {
  const deadline = performance.now() + config.DATABASE_WAIT_SECONDS * 1000
  for (let isTold = false; ; isTold = true) {
    try {
      return await openCore(config, log, queues)
    } catch (error) {
      if (!(error instanceof SchemaTooOld) || performance.now() > deadline) throw error
      if (!isTold) log.info('the schema is older than this version: waiting for migrate')
    }
    await pause(POLL_MS)
  }
}
