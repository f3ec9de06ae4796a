import { onInstallation, type InstallationConfig } from '../backup/installation.ts'
import { readConfig } from '../../platform/config/config.ts'
import { connect } from '../../platform/db/db.ts'
import { createProcessLog, type Logger } from '../../platform/lib/log.ts'
import type { Run } from '../../main.ts'
import { openStorage } from '../../platform/storage/open.ts'
import { Ownership } from '../../platform/storage/ownership.ts'

/** Marks the audio storage as the one of this database, on purpose: a restored one, or a new empty one. Exits with 0 or 1. */
export const run: Run = async (overrides) => {
  const log = createProcessLog('info', 'accept-storage')
  const { DATABASE_URL } = overrides
  try {
    // A parent process of ours names the database itself.
    if (DATABASE_URL) await accept({ ...readConfig('migrate', process.env, overrides), DATABASE_URL }, log)
    else await onInstallation({ tell: (text) => log.info(text) }, (config) => accept(config, log))
    return 0
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'the mark could not be written')
    return 1
  }
}

async function accept(config: InstallationConfig, log: Logger): Promise<void> {
  const db = await connect(config.DATABASE_URL, {})
  try {
    await new Ownership(db, await openStorage(config), log).accept()
    log.info({ kind: config.STORAGE_KIND }, 'the audio storage carries the mark of this database now')
  } finally {
    await db.destroy()
  }
}
