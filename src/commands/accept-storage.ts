import { readConfig } from '../config.ts'
import { connect } from '../db.ts'
import { createProcessLog } from '../lib/log.ts'
import type { Run } from '../main.ts'
import { openStorage } from '../storage/open.ts'
import { Ownership } from '../storage/ownership.ts'

/** Marks the audio storage as the one of this database, on purpose: a restored one, or a new empty one. Exits with 0 or 1. */
export const run: Run = async (overrides) => {
  const config = readConfig('api', process.env, overrides)
  const log = createProcessLog(config.LOG_LEVEL, 'accept-storage')
  const db = await connect(config.DATABASE_URL!, {})
  try {
    await new Ownership(db, await openStorage(config), log).accept()
    log.info({ kind: config.STORAGE_KIND }, 'the audio storage carries the mark of this database now')
    return 0
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'the mark could not be written')
    return 1
  } finally {
    await db.destroy()
  }
}
